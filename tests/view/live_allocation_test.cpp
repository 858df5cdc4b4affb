// What the simulation's thread does again and again allocates nothing.

#include <gtest/gtest.h>

#include "abut/view/live/frame.hpp"
#include "abut/view/live/live_world.hpp"
#include "support/allocation_counter.hpp"
#include "support/scenes.hpp"
#include "view/live_testing.hpp"

namespace abut {
namespace {

void expect_no_allocation(LiveWorld& w, int body, int warm_up) {
  FrameEncoder encoder(w.world());
  std::vector<char> frame;
  std::uint64_t late = 0;
  w.start_recording();
  for (int i = 0; i < 2 * warm_up; ++i) {
    const std::uint64_t before = allocation_count();
    if (i % 8 == 0) w.drag(body, {0.01, 0, 0}, {0, 0, 0.4 + 1e-4 * i});
    w.step();
    encoder.encode(w.world(), true, w.drag_view(), frame);
    if (i >= warm_up) late += allocation_count() - before;
  }
  EXPECT_EQ(late, 0u);
}

TEST(LiveWorld, AllocatesNothingWhileItIsWatchedDraggedAndRecorded) {
  LiveWorld w(file_of(clutter(12)), {});
  expect_no_allocation(w, 11, 3000);
}

TEST(LiveWorld, AllocatesNothingWhileALinkIsDragged) {
  LiveWorld w(load_scene_file(std::string(ABUT_EXAMPLES) + "/circle.toml"), {});
  int linked = 0;
  while (w.world().scene().bodies[linked].kind != BodyKind::linked) ++linked;
  expect_no_allocation(w, linked, 3000);
}

}  // namespace
}  // namespace abut
