// A step allocates nothing, the first and one with a first impact neither: room was made before.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "abut/io/mjcf.hpp"
#include "abut/sim/world.hpp"
#include "support/allocation_counter.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

/// Expects no allocation in 250 steps, the second of which has `apart` contacts. Returns the most
/// solves that a step took: more than one where dormant contacts woke.
int expect_none(Scene scene, ContactModel model, int threads, const std::string& what,
                int apart = 0) {
  WorldOptions o;
  o.model = model;
  o.time_step = 2e-3;
  o.threads = threads;
  o.share_all = true;
  World w(std::move(scene), o);
  const std::uint64_t before = allocation_count();
  w.step();
  EXPECT_EQ(w.step().contacts, apart) << what;
  int most = 0, rounds = 0;
  for (int i = 0; i < 250; ++i) {
    const StepReport& r = w.step();
    most = std::max(most, r.contacts);
    rounds = std::max(rounds, r.solve.rounds);
  }
  EXPECT_EQ(allocation_count() - before, 0u)
      << what << ", " << to_string(model) << ", " << threads << " threads";
  EXPECT_GT(most, apart) << what;
  return rounds;
}

/// One of each convex kind.
std::vector<Shape> all_shapes() {
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k) {
    corners.push_back({k & 1 ? 0.1 : -0.09, k & 2 ? 0.08 : -0.07, k & 4 ? 0.06 : -0.05});
  }
  return {Shape::sphere(0.1),
          Shape::capsule(0.05, 0.1),
          Shape::cylinder(0.1, 0.05),
          Shape::box({0.1, 0.1, 0.05}),
          Shape::ellipsoid({0.1, 0.07, 0.05}),
          Shape::convex(make_convex_hull(corners))};
}

TEST(FirstImpact, OfFallingBodiesAllocatesNothing) {
  for (const ContactModel model : convex_models) {
    for (const int threads : {1, 2}) {
      for (const Shape& shape : all_shapes()) {
        Scene s;
        add_plane(s);
        for (int k = 0; k < 3; ++k) {
          add_body(s, shape, 1, {4e-3, 4e-3, 4e-3}, {0.01 * k, 0, 0.3 + 0.4 * k});
        }
        expect_none(s, model, threads, "falls");
      }
    }
  }
}

TEST(FirstImpact, OfBodiesThatMeetAllocatesNothing) {
  for (const ContactModel model : convex_models) {
    for (const Shape& shape : all_shapes()) {
      Scene s;
      s.gravity = {};
      for (const double side : {-1.0, 1.0}) {
        const int body = add_body(s, shape, 1, {4e-3, 4e-3, 4e-3}, {0.4 * side, 0, 0});
        s.bodies[body].linear_velocity = {-2 * side, 0, 0};
      }
      expect_none(s, model, 1, "meets");
    }
  }
}

// with boxes above it, which land on it
// contacts are judged in another way from then on
TEST(FirstImpact, WithFrictionThatDependsOnTheDirectionAllocatesNothing) {
  for (const ContactModel model : convex_models) {
    Scene s;
    add_plane(s);
    add_box(s, 1, {0.1, 0.1, 0.1}, {0, 0, 0.1});
    add_sphere(s, 1, 0.1, {1, 0, 0.3});
    s.geoms.back().material.friction = 0.5;
    s.geoms.back().material.cross_friction = 0.2;
    expect_none(s, model, 1, "a sphere that falls beside a box", 4);
  }
}

TEST(FirstImpact, OfARobotAllocatesNothing) {
  for (const ContactModel model : convex_models) {
    for (const int threads : {1, 2}) {
      Scene s = load_mjcf(ABUT_EXAMPLES "/quadruped.xml");
      s.bodies[0].position.z += 0.2;
      expect_none(s, model, threads, "quadruped");
      for (int k = 0; k < 3; ++k) add_box(s, 0.2, {0.05, 0.05, 0.03}, {0.05 * k, 0, 0.9 + 0.2 * k});
      expect_none(s, model, threads, "quadruped with boxes");
    }
  }
}

/// A chain of 34 balls, 105 dofs.
Scene chain() {
  Scene s;
  add_plane(s);
  for (int k = 0; k < 34; ++k) {
    const int body = add_sphere(s, 0.1, 0.04, {k == 0 ? 0 : 0.1, 0, k == 0 ? 0.3 : 0});
    SceneBody& b = s.bodies[body];
    b.kind = BodyKind::linked;
    b.parent = body - 1;
    SceneJoint joint;
    joint.kind = k == 0 ? JointKind::free : JointKind::ball;
    b.joints = {joint};
  }
  return s;
}

TEST(FirstImpact, OfALongMechanismAllocatesNothing) {
  for (const ContactModel model : convex_models) {
    expect_none(chain(), model, 1, "chain");
  }
}

// a ball strikes a row of others, farther along which than a meeting is thought to reach
// (DormancySearch) the last one stands so near a wall that it comes there in the same step
TEST(FirstImpact, ThatWakesAContactAllocatesNothing) {
  for (const ContactModel model : convex_models) {
    Scene s;
    s.gravity = {};
    add_plane(s, {}, {1, 0, 0});
    constexpr double first = 0.1025;
    for (int i = 0; i < 5; ++i) add_sphere(s, 1, 0.1, {first + 0.2 * i, 0, 0});
    const int ball = add_sphere(s, 1, 0.1, {first + 0.7825 + 0.8, 0, 0});
    s.bodies[ball].linear_velocity = {-10, 0, 0};
    EXPECT_GT(expect_none(s, model, 1, "wakes", 5), 1) << "nothing woke";
  }
}

// arms that swing until their joints are at their limits, one after the other; others have friction
// and hold each other
TEST(FirstImpact, OfAJointWithItsLimitAllocatesNothing) {
  constexpr const char* arm = R"(<mujoco><compiler angle="radian"/><worldbody>
<body pos="0 0 1"><joint axis="0 1 0" range="-1 0.3"/><geom size="0.05" pos="0.2 0 0"/>
<body pos="0.3 0 0"><joint axis="0 1 0" range="-1 0.5"/><geom size="0.05" pos="0.2 0 0"/>
<body pos="0.3 0 0"><joint axis="0 1 0" range="-1 0.7"/><geom size="0.05"/></body></body></body>
<body pos="0 1 1"><joint name="a" axis="0 1 0" frictionloss="0.01"/><geom size="0.05" pos="0.2 0 0"/></body>
<body pos="0 2 1"><joint name="b" axis="0 1 0" frictionloss="0.01"/><geom size="0.05" pos="0.2 0 0"/></body>
<body pos="0 3 1"><joint name="c" axis="0 1 0"/><geom size="0.05" pos="0.2 0 0"/></body>
</worldbody><equality><joint joint1="a" joint2="b"/><joint joint1="b" joint2="c"/><joint joint1="a" joint2="c"/>
</equality></mujoco>)";
  for (const ContactModel model : convex_models) {
    WorldOptions o;
    o.model = model;
    World w(load_mjcf_text(arm, "arm.xml"), o);
    const std::uint64_t before = allocation_count();
    w.step();
    const int others = w.problem().scalars.size();
    EXPECT_EQ(others, 5);
    int most = 0;
    for (int i = 0; i < 1000; ++i) {
      w.step();
      most = std::max(most, w.problem().scalars.size());
    }
    EXPECT_EQ(allocation_count() - before, 0u) << to_string(model);
    EXPECT_GE(most, others + 2);
  }
}

}  // namespace
}  // namespace abut
