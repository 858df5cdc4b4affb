// A state, by whatever way it was reached: read and set again, sent as bytes, refused half way.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "abut/io/snapshot_bytes.hpp"
#include "abut/sim/world.hpp"
#include "support/every_kind.hpp"
#include "support/model_case.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

World world_of_every_kind(const ModelCase& c, int threads = 1) {
  WorldOptions o;
  o.model = c.model;
  o.law = c.law;
  o.threads = threads;
  World w(scene_of_every_kind(), o);
  for (int a = 0; a < w.actuators(); ++a) w.set_control(a, 0.3 + 0.1 * a);
  w.set_load(1, {0.5, 0, 0}, {0, 0, 0.1});
  return w;
}

// attempts between, other threads, a way through bytes: nothing but the state decides
TEST(EveryKind, GoesOnWithTheSameBits) {
  for (const ModelCase& c : model_cases) {
    SCOPED_TRACE(name(c));
    World first = world_of_every_kind(c), second = world_of_every_kind(c, 3);
    std::mt19937 random(4);
    std::uniform_real_distribution<double> exponent(-3.5, -2.3);
    for (int i = 0; i < 120; ++i) {
      const double dt = i % 3 == 0 ? 2e-3 : std::pow(10, exponent(random));
      if (i % 7 == 0) second.attempt(0.5 * dt);
      if (i % 20 == 5) {
        const Snapshot there = decode_snapshot(encode(second.snapshot()));
        second = World(second.scene(), second.options());
        second.restore(there);
      }
      first.step(dt), second.step(dt);
      ASSERT_TRUE(encode(first.snapshot()) == encode(second.snapshot())) << "step " << i;
    }
    EXPECT_GT(first.report().contacts, 0);
    EXPECT_EQ(first.report().solve.status, SolveStatus::converged);
  }
}

// what is read and set again is no other state, however hard constraints are at work; only the last
// bits of joint coordinates are rounded
TEST(EveryKind, IsNotDisturbedByWhatIsSetAsItWas) {
  World w = world_of_every_kind(model_cases[0]);
  w.set_joint_state(5, {{-1.005}, {0}});  // beyond its limit, and the string is long
  for (int i = 0; i < 100; ++i) w.step();
  const auto other = w.clone();
  for (int b = 0; b < std::ssize(w.scene().bodies); ++b) {
    switch (w.scene().bodies[b].kind) {
      case BodyKind::fixed: break;
      case BodyKind::free: other->set_body_state(b, other->body_state(b)); break;
      case BodyKind::linked: other->set_joint_state(b, other->joint_state(b)); break;
    }
  }
  const State &a = w.state(), &b = other->state();
  EXPECT_EQ(a.coupling_allowances, b.coupling_allowances);
  EXPECT_EQ(a.limit_allowances, b.limit_allowances);
  EXPECT_EQ(a.contacts.impulses.size(), b.contacts.impulses.size());
  for (int i = 0; i < 20; ++i) w.step(), other->step();
  for (int k = 0; k < std::ssize(w.scene().bodies); ++k) {
    EXPECT_LT(norm(w.body_state(k).position - other->body_state(k).position), 1e-9) << k;
    EXPECT_LT(norm(w.body_state(k).linear_velocity - other->body_state(k).linear_velocity), 1e-6)
        << k;
  }
}

// pairs of hulls, and of round shapes with hulls, begin at what the step before found
TEST(Hulls, GoOnFromBytesWithTheSameBits) {
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k)
    corners.push_back({k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 0.1 : -0.1});
  const Shape plate = Shape::convex(make_convex_hull(corners));
  for (Vec3& x : corners) x = {0.1 * x.x, 0.1 * x.y, x.z};
  const Shape brick = Shape::convex(make_convex_hull(corners));
  Scene s;
  add_plane(s);
  s.geoms.back().shape = plate;
  const Shape shapes[] = {Shape::cylinder(0.1, 0.15), Shape::ellipsoid({0.1, 0.15, 0.2}), brick};
  for (int i = 0; i < 3; ++i) {
    const double height = i == 2 ? 0.15 : 0.27;  // the brick begins in the plate
    add_body(s, shapes[i], 1, {0.01, 0.01, 0.01}, {0.6 * (i - 1), 0.07, height});
    s.bodies.back().orientation = exp_rotation({0.2, 0.3, 0.1});
    s.bodies.back().angular_velocity = {0.3, -0.2, 0.5};
  }
  World first(s), second(s);
  for (int i = 0; i < 300; ++i) {
    second = World(s);
    second.restore(decode_snapshot(encode(first.snapshot())));
    first.step(), second.step();
    ASSERT_EQ(first.state_hash(), second.state_hash()) << "step " << i;
  }
  EXPECT_GT(first.report().contacts, 6);
}

/// A cart of 1 kg that lies on the lower stop of its slide along z, of k = 100 N/m; another beside
/// it, and a ball that hangs by a connection as soft.
Scene soft_stop() {
  Scene s;
  for (int i = 0; i < 2; ++i) {
    add_cart_with_motor(s);
    SceneJoint& slide = s.bodies[i].joints[0];
    slide.axis = {0, 0, 1};
    slide.limited = true;
    slide.lower = 0, slide.upper = 1;
    slide.limit_stiffness = 100;
  }
  s.bodies[1].position = {1, 0, 0};
  SceneEquality soft;
  soft.body_a = add_sphere(s, 1, 0.1, {2, 0, 0});
  soft.pose_b.p = {2, 0, 0};
  soft.stiffness = 100;
  s.equalities = {soft};
  return s;
}

// stops and connections go on bearing what they bear
TEST(JointState, ThatIsSetAsItWasLeavesBodiesOnTheirStops) {
  World w(soft_stop());
  for (int i = 0; i < 300; ++i) w.step();
  const auto other = w.clone();
  for (int i = 0; i < 300; ++i) {
    for (int b = 0; b < 2; ++b) w.set_joint_state(b, w.joint_state(b));
    w.step(), other->step();
  }
  EXPECT_EQ(w.state_hash(), other->state_hash());
  EXPECT_GT(w.joint_position(0, 0), -2 * 9.81 / 100) << "the swing about m g/k";
}

// what hangs elsewhere does not feel where others are put; nor did it move with them
TEST(BodyState, OfAnotherPlaceLeavesOthersHeld) {
  Scene s = soft_stop();
  const int ball = add_sphere(s, 1, 0.1, {3, 0, 0});
  World w(s);
  for (int i = 0; i < 300; ++i) w.step();
  const auto other = w.clone();
  for (int i = 0; i < 300; ++i) {
    w.set_body_state(ball, {{3, 0, 0.01 * i}, {}, {}, {}});
    w.set_joint_state(0, {{0.5 - 0.001 * i}, {0}});
    w.step(), other->step();
  }
  EXPECT_EQ(w.joint_position(1, 0), other->joint_position(1, 0));
  EXPECT_EQ(w.body_state(2).position.z, other->body_state(2).position.z);
}

// the other way round: what is put elsewhere begins anew, and does not shoot back
TEST(JointState, OfAnotherPlaceLetsGoSlowly) {
  World w(soft_stop());
  for (int i = 0; i < 1000; ++i) w.step();
  w.set_joint_state(0, {{-0.5}, {0}});
  double fastest = 0;
  for (int i = 0; i < 1000; ++i) {
    w.step();
    fastest = std::max(fastest, w.joint_velocity(0, 0));
  }
  EXPECT_LT(fastest, 1) << "of the swing about its rest, of the spring it were 5 m/s";
}

// connections, welds, ropes and equalities of joints and tendons that were met: what is put off
// them returns at 0.1 m/s, not by springs of 10 MN/m
TEST(BodyState, OffItsConstraintsReturnsSlowly) {
  Scene s;
  s.gravity = {};
  for (int i = 0; i < 2; ++i) add_cart_with_motor(s);
  for (int i = 0; i < 3; ++i) add_sphere(s, 1 + i, 0.1, {0, 2.0 * i, 5});
  SceneEquality connect, weld, joint, along;
  connect.body_a = 2;
  connect.pose_b.p = s.bodies[2].position;
  weld.kind = EqualityKind::weld;
  weld.body_b = 3;
  weld.pose_a.p = s.bodies[3].position;
  joint.kind = EqualityKind::joint;
  joint.body_a = 0;
  std::fill_n(joint.polynomial, 5, 0.0);
  along.kind = EqualityKind::tendon;
  along.tendon_a = 1;
  std::fill_n(along.polynomial, 5, 0.0);
  s.equalities = {connect, weld, joint, along};
  SceneTendon rope, sum;
  rope.points = {{world_body, s.bodies[4].position}, {4, {}}};
  rope.limited = true, rope.upper = 0.1;
  sum.joints = {{1, 0, 2}};
  s.tendons = {rope, sum};
  World w(s);
  for (int i = 0; i < 10; ++i) w.step();
  for (const int cart : {0, 1}) w.set_joint_state(cart, {{0.4}, {0}});
  for (const int ball : {2, 3, 4}) {
    BodyState state = w.body_state(ball);
    state.position.x += 0.5;
    w.set_body_state(ball, state);
  }
  for (int i = 0; i < 500; ++i) {
    w.step();
    for (int b = 0; b < 5; ++b) {
      const double rate = b == 1 ? 0.05 : 0.1;  // its tendon is twice as fast
      ASSERT_NEAR(w.body_state(b).linear_velocity.x, -rate, 0.1 * rate) << b << ", step " << i;
    }
  }
}

// all or nothing: the second body's state is what no body can have
TEST(Keyframe, ThatCannotBeIsRefusedBeforeAnythingMoves) {
  const auto fast = [](Keyframe& key) { key.bodies[1].linear_velocity = {0, 2e9, 0}; };
  const auto spun = [](Keyframe& key) { key.bodies[1].angular_velocity = {0, 0, -2e9}; };
  const auto long_quaternion = [](Keyframe& key) {
    key.bodies[6].joint_positions = {1.1, 0, 0, 0};
  };
  for (const auto& spoil :
       std::vector<std::function<void(Keyframe&)>>{fast, spun, long_quaternion}) {
    Scene scene = scene_of_every_kind();
    Keyframe key;
    for (const SceneBody& body : scene.bodies) key.bodies.push_back(initial_state(body));
    scene.keyframes = {key};
    EXPECT_NO_THROW(scene.validate());
    spoil(scene.keyframes[0]);
    EXPECT_THROW(World{scene}, InputError);
  }
}

TEST(StartOfJoints, MustTurnByUnitQuaternions) {
  for (const auto& [body, place] : {std::pair{6, 0}, {8, 3}}) {
    Scene scene = scene_of_every_kind();
    Keyframe::State state = initial_state(scene.bodies[body]);
    ASSERT_EQ(state.joint_positions[place], 1) << body;
    state.joint_positions[place] = 1.1;
    scene.bodies[body].joint_positions = state.joint_positions;
    EXPECT_THROW(scene.validate(), InputError) << body;
  }
}

}  // namespace
}  // namespace abut
