#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "abut/io/recording_writer.hpp"
#include "support/allocation_counter.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

TEST(RecordingWriter, AllocatesNothingOnceItHasRecordedAsMuch) {
  for (const double frame_rate : {0.0, 60.0}) {
    World world(clutter(12));
    RecordingWriter writer("/dev/null", world, {.frame_rate = frame_rate});
    std::uint64_t late = 0;
    int most = 0;  // contacts recorded so far
    double frame = 0;
    for (int i = 0; i < 3000; ++i) {
      world.step();
      const double next_frame = std::floor(world.time() * frame_rate + 1e-6);
      const bool records_contacts = frame_rate == 0 || next_frame > frame;
      const int contacts = records_contacts ? world.report().contacts : 0;
      const std::uint64_t before = allocation_count();
      writer.record(world);
      if (i >= 1500 && contacts <= most) late += allocation_count() - before;
      frame = next_frame;
      most = std::max(most, contacts);
    }
    EXPECT_EQ(late, 0u) << frame_rate;
    writer.close();
  }
}

}  // namespace
}  // namespace abut
