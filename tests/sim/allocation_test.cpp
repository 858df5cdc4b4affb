// A step allocates nothing once its buffers have grown.

#include <gtest/gtest.h>

#include "abut/sim/world.hpp"
#include "support/allocation_counter.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

constexpr ContactModel models[] = {ContactModel::sap, ContactModel::lagged, ContactModel::similar};

TEST(Allocation, TheCounterCounts) {
  const std::uint64_t before = allocation_count();
  const auto p = std::make_unique<int>(3);
  EXPECT_EQ(*p, 3);
  EXPECT_GE(allocation_count(), before + 1);
}

TEST(Allocation, NoneAfterTheSecondStepOfAFixedScene) {
  for (const ContactModel model : models) {
    Scene s;
    add_plane(s);
    for (int i = 0; i < 5; ++i) add_box(s, 1, {0.1, 0.1, 0.1}, {0, 0, 0.1 + 0.2 * i});
    WorldOptions o;
    o.model = model;
    World w(s, o);
    w.step();
    w.step();
    const std::uint64_t before = allocation_count();
    for (int i = 0; i < 200; ++i) w.step();
    EXPECT_EQ(allocation_count(), before) << to_string(model);
  }
}

TEST(Allocation, NoneInTheLastHalfOfAClutterRun) {
  for (const ContactModel model : models) {
    for (const int threads : {1, 2}) {
      WorldOptions o;
      o.model = model;
      o.time_step = 5e-3;
      o.threads = threads;
      World w(clutter(40), o);
      for (int i = 0; i < 300; ++i) w.step();
      const std::uint64_t before = allocation_count();
      for (int i = 0; i < 300; ++i) w.step();
      EXPECT_EQ(allocation_count() - before, 0u)
          << to_string(model) << ", " << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace abut
