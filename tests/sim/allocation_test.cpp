// A step allocates nothing once its buffers have grown; most have when the world is made.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "abut/io/mjcf.hpp"
#include "abut/sim/world.hpp"
#include "support/allocation_counter.hpp"
#include "support/every_kind.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

constexpr double pi = 3.14159265358979323846;

constexpr auto models = convex_models;

TEST(Allocation, TheCounterCounts) {
  const std::uint64_t before = allocation_count();
  const auto p = std::make_unique<int>(3);
  EXPECT_EQ(*p, 3);
  EXPECT_GE(allocation_count(), before + 1);
}

TEST(Allocation, NoneFromTheFirstStepOfAStack) {
  for (const ContactModel model : models) {
    Scene s;
    add_plane(s);
    for (int i = 0; i < 5; ++i) add_box(s, 1, {0.1, 0.1, 0.1}, {0, 0, 0.1 + 0.2 * i});
    WorldOptions o;
    o.model = model;
    Keyframe& key = s.keyframes.emplace_back();
    for (const SceneBody& b : s.bodies) {
      key.bodies.push_back({b.position, b.orientation, {}, {}, {}, {}});
    }
    World w(s, o);
    const Snapshot start = w.snapshot();
    const std::uint64_t before = allocation_count();
    for (int i = 0; i < 200; ++i) w.step();
    w.restore(start);
    for (int i = 0; i < 20; ++i) w.step();
    EXPECT_EQ(allocation_count(), before) << to_string(model);
    w.set_keyframe(0);
    const std::uint64_t at_keyframe = allocation_count();
    for (int i = 0; i < 20; ++i) w.step();
    EXPECT_EQ(allocation_count(), at_keyframe) << to_string(model);
  }
}

TEST(Allocation, NoneOnceBodiesLieOnAHeightField) {
  std::vector<double> heights;
  for (int k = 0; k < 21 * 21; ++k) heights.push_back(0.01 * std::sin(1.7 * k));
  Scene s;
  SceneGeom ground;
  ground.shape = Shape::height_field(make_height_field(21, 21, 1, 1, 1, std::move(heights)));
  s.geoms.push_back(ground);
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k) {
    corners.push_back({k & 1 ? 0.1 : -0.09, k & 2 ? 0.08 : -0.07, k & 4 ? 0.06 : -0.05});
  }
  const Shape shapes[] = {Shape::sphere(0.1),
                          Shape::capsule(0.05, 0.1),
                          Shape::cylinder(0.1, 0.05),
                          Shape::box({0.1, 0.1, 0.05}),
                          Shape::ellipsoid({0.1, 0.07, 0.05}),
                          Shape::convex(make_convex_hull(corners))};
  for (int k = 0; k < 6; ++k) {
    add_body(s, shapes[k], 1, {4e-3, 4e-3, 4e-3}, {-0.7 + 0.28 * k, 0, 0.12});
  }
  World w(s);
  for (int i = 0; i < 300; ++i) w.step();
  ASSERT_GT(w.problem().contacts.gap.size(), 10u);
  const std::uint64_t before = allocation_count();
  for (int i = 0; i < 300; ++i) w.step();
  EXPECT_EQ(allocation_count(), before);
}

TEST(Allocation, NoneInAClutterRun) {
  for (const ContactModel model : models) {
    for (const auto& [threads, share_all] : {std::pair(1, true), {2, true}, {2, false}}) {
      WorldOptions o;
      o.model = model;
      o.time_step = 5e-3;
      o.threads = threads;
      o.share_all = share_all;
      World w(clutter(40), o);
      const std::uint64_t before = allocation_count();
      for (int i = 0; i < 600; ++i) w.step();
      EXPECT_EQ(allocation_count() - before, 0u)
          << to_string(model) << ", " << threads << " threads";
    }
  }
}

// whose threads share the factorizations of one island
TEST(Allocation, NoneInAPileAtRest) {
  for (const int threads : {1, 2}) {
    WorldOptions o;
    o.time_step = 5e-3;
    o.threads = threads;
    o.share_all = true;
    World w(clutter(200), o);
    for (int i = 0; i < 500; ++i) w.step();
    const std::uint64_t before = allocation_count();
    double flops = 0;
    int factorizations = 0;
    for (int i = 0; i < 100; ++i) {
      const SolveReport& r = w.step().solve;
      flops += r.factor_flops;
      factorizations += r.factorizations;
    }
    EXPECT_GT(flops, 1e6 * factorizations) << "too few to be shared";
    EXPECT_EQ(allocation_count() - before, 0u) << threads << " threads";
  }
}

TEST(Allocation, NoneWithAnySteppingScheme) {
  for (const SteppingScheme scheme : velocity_schemes) {
    WorldOptions o;
    o.scheme = scheme;
    World w(scene_of_every_kind(), o);
    for (int i = 0; i < 400; ++i) w.step();
    const std::uint64_t before = allocation_count();
    int iterations = 0;
    for (int i = 0; i < 100; ++i) iterations += w.step().free_motion.iterations;
    EXPECT_EQ(allocation_count(), before) << to_string(scheme);
    EXPECT_EQ(iterations > 0, traits(scheme).theta > 0) << to_string(scheme);
  }
}

TEST(Allocation, NoneInSubsteps) {
  int rejected = 0;
  for (const ContactModel model : models) {
    WorldOptions o;
    o.model = model;
    o.accuracy = 1e-3;
    World w(scene_of_every_kind(), o);
    const auto run = [&](int steps) {
      int count = 0;
      for (int i = 0; i < steps; ++i) {
        w.set_load(1, {i % 50 < 25 ? 10.0 : -10.0, 0, 0}, {});
        count += w.step().error.rejected;
      }
      return count;
    };
    run(100);  // overlaps are found, which are noted
    const std::uint64_t before = allocation_count();
    rejected += run(900);
    EXPECT_EQ(allocation_count(), before) << to_string(model);
  }
  EXPECT_GT(rejected, 0);
}

/// Diagonal pairs of legs bend their knees in turn, with a rest on all feet between.
void trot(World& w) {
  const double phase = std::sin(2 * pi / 0.4 * w.time());
  for (int leg = 0; leg < 4; ++leg) {
    const double lift = std::max(0.0, (leg == 0 || leg == 3 ? phase : -phase) - 0.5);
    w.set_control(3 * leg + 1, 0.4 * lift);
    w.set_control(3 * leg + 2, -0.8 * lift);
  }
}

TEST(Allocation, NoneInARobotsTrot) {
  std::vector<ContactModel> all(models.begin(), models.end());
  all.push_back(ContactModel::ncp);
  for (const ContactModel model : all) {
    WorldOptions o;
    o.model = model;
    World w(load_mjcf(ABUT_EXAMPLES "/quadruped.xml"), o);
    const auto run = [&] {
      int least = 1000, most = 0;
      for (int i = 0; i < 1000; ++i) {
        trot(w);
        const int contacts = w.step().contacts;
        least = std::min(least, contacts);
        most = std::max(most, contacts);
      }
      return std::pair{least, most};
    };
    if (traits(model).is_rigid) run();
    const std::uint64_t before = allocation_count();
    const auto [least, most] = run();
    EXPECT_EQ(allocation_count() - before, 0u) << to_string(model);
    EXPECT_LE(least, 2) << to_string(model) << ": feet should leave the ground";
    EXPECT_GE(most, 4) << to_string(model);
    EXPECT_GT(w.body_state(0).position.z, 0.25) << to_string(model) << ": it fell";
  }
}

}  // namespace
}  // namespace abut
