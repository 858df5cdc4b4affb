#include <gtest/gtest.h>

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
    for (int i = 0; i < 3000; ++i) {
      world.step();
      const std::uint64_t before = allocation_count();
      writer.record(world);
      if (i >= 1500) late += allocation_count() - before;
    }
    EXPECT_EQ(late, 0u) << frame_rate;
    writer.close();
  }
}

}  // namespace
}  // namespace abut
