// Anchored friction: what is below its limit holds, what is above slips, and neither rolling nor
// turning is held.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "abut/io/mjcf.hpp"
#include "abut/laws/barrier_force.hpp"
#include "abut/sim/world.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

constexpr double g = 9.81;

WorldOptions options(double time_step, NormalLawKind law = NormalLawKind::hunt_crossley) {
  WorldOptions o;
  o.model = ContactModel::anchored;
  o.law = law;
  o.time_step = time_step;
  return o;
}

void run(World& w, double seconds) {
  for (int i = 0; i < std::lround(seconds / w.time_step()); ++i) {
    ASSERT_EQ(w.step().solve.status, SolveStatus::converged);
  }
}

Vec3 tangential(const BodyState& b) {
  return {b.position.x, b.position.y, 0};
}

/// A box of 1 kg on the ground, friction 0.5, that a force along (cos 0.4, sin 0.4) pushes with
/// `load` times the limit.
World pushed_box(double load, const WorldOptions& o) {
  Scene s;
  add_plane(s);
  const double layer = traits(o.law).is_barrier ? PairMaterial{}.thickness : 0;
  add_box(s, 1, {0.05, 0.05, 0.05}, {0, 0, 0.05 + layer});
  set_friction(s, 0.5);
  World w(s, o);
  w.set_load(0, load * 0.5 * g * Vec3{std::cos(0.4), std::sin(0.4), 0}, {});
  return w;
}

// what Lagged creeps at is eps load / sqrt(1 - load^2): 10 to 700 um/s
TEST(Anchored, HoldsWhatIsBelowTheLimit) {
  for (const NormalLawKind law : normal_laws) {
    for (const double h : {1e-3, 2e-3, 1e-2}) {
      for (const double load : {0.1, 0.5, 0.9}) {
        SCOPED_TRACE(testing::Message() << to_string(law) << ", step " << h << ", load " << load);
        World w = pushed_box(load, options(h, law));
        run(w, 2);
        const Vec3 before = tangential(w.body_state(0));
        run(w, 8);
        EXPECT_LT(norm(tangential(w.body_state(0)) - before) / 8, 1e-9);
        EXPECT_LT(norm(before), 5e-5);  // what the springs give
      }
    }
  }
}

// but explicit Euler, under which nothing comes to rest
TEST(Anchored, HoldsUnderOtherSchemes) {
  for (const SteppingScheme scheme : velocity_schemes) {
    if (scheme == SteppingScheme::explicit_euler) continue;
    WorldOptions o = options(2e-3);
    o.scheme = scheme;
    World w = pushed_box(0.5, o);
    run(w, 2);
    const Vec3 before = tangential(w.body_state(0));
    run(w, 4);
    EXPECT_LT(norm(tangential(w.body_state(0)) - before) / 4, 1e-9) << to_string(scheme);
  }
}

// the spring is as stiff as the contacts are across, under their load: it gives way by F / sum k_t
double normal_stiffness(NormalLawKind law, double tangential, double f) {
  if (!traits(law).is_barrier) return tangential;
  const BarrierForce force(law);
  return tangential * force.slope(force.inverse(f / (tangential * PairMaterial{}.thickness)));
}

TEST(Anchored, GivesWayByTheStiffnessOfTheNormalLaw) {
  for (const NormalLawKind law : normal_laws) {
    for (const double k : {1e7, 1e9}) {
      WorldOptions o = options(1e-3, law);
      o.pair.stiffness = k;
      World w = pushed_box(0, o);
      run(w, 1);
      const Vec3 start = w.body_state(0).position;
      double expected = 0, lean = 0;
      for (const Vec3& gamma : w.solution().impulse) {
        const double f = gamma.z * 1e3;  // [N]
        const double weight = w.problem().contacts.weight[0];
        const double stiffness =
            law == NormalLawKind::hertz ? 1.5 * std::cbrt(weight * weight * k * k * f) : weight * k;
        expected += stiffness;
        lean += 0.25 * stiffness / normal_stiffness(law, stiffness, f);
      }
      expected = 0.1 / expected;
      w.set_load(0, {0, 0.1, 0}, {});
      run(w, 5);  // it nears its place by mu f/(v_s k_t), in 0.3 s where it is softest
      const Vec3 way = w.body_state(0).position - start;
      // its center is above the ground by 0.05 m, and leans as far again as 0.05 m by 0.05 m make
      // it where the normal springs are as stiff
      EXPECT_NEAR(way.y, (1 + lean) * expected, 2e-3 * (1 + lean) * expected)
          << to_string(law) << ", k = " << k;
      EXPECT_NEAR(way.x, 0, 1e-6 * expected);
    }
  }
}

// under a load that grows by a tenth of the limit in a second
TEST(Anchored, SlipStartsAtTheLimit) {
  for (const double h : {1e-3, 2e-3, 1e-2}) {
    double load = 0.95;
    World w = pushed_box(load, options(h));
    w.set_load(0, {load * 0.5 * g, 0, 0}, {});
    run(w, 1);
    for (; load < 1.1; load += 0.1 * h) {
      w.set_load(0, {load * 0.5 * g, 0, 0}, {});
      w.step();
      if (w.body_state(0).linear_velocity.x > 1e-5) break;
    }
    EXPECT_NEAR(load, 1, 1e-3 + 0.1 * h) << h;
  }
}

// and above the limit it slides as Coulomb has it
TEST(Anchored, SlidesAboveTheLimit) {
  for (const double h : {1e-4, 1e-3, 1e-2}) {
    World w = pushed_box(2, options(h));
    run(w, 1);
    const Vec3 v = w.body_state(0).linear_velocity;
    EXPECT_NEAR(std::hypot(v.x, v.y), 0.5 * g, 0.5 * g * (2e-4 + h)) << h;
    EXPECT_NEAR(std::atan2(v.y, v.x), 0.4, 1e-6);
  }
}

// when the push is gone the box goes back to where it was, and stays there
TEST(Anchored, ReturnsWhenTheLoadIsGone) {
  World w = pushed_box(0, options(1e-3));
  run(w, 1);
  const Vec3 start = tangential(w.body_state(0));
  w.set_load(0, {0.3 * 0.5 * g, 0, 0}, {});
  run(w, 1);
  const Vec3 there = tangential(w.body_state(0));
  w.set_load(0, {}, {});
  run(w, 1);
  EXPECT_GT(norm(there - start), 5e-8);
  EXPECT_LT(norm(tangential(w.body_state(0)) - start), 1e-3 * norm(there - start));
}

// a ball and a wheel on a slope, held by the friction of rolling alone
TEST(Anchored, DoesNotHoldWhatRolls) {
  const double angle = 0.2;
  for (const double h : {1e-3, 1e-2}) {
    for (const bool ball : {true, false}) {
      Scene s;
      s.gravity = {g * std::sin(angle), 0, -g * std::cos(angle)};
      add_plane(s);
      if (ball) {
        add_sphere(s, 1, 0.1, {0, 0, 0.1});
      } else {
        add_body(s, Shape::cylinder(0.1, 0.05), 1, {3e-3, 3e-3, 5e-3}, {0, 0, 0.1},
                 exp_rotation({std::acos(-1.0) / 2, 0, 0}));
      }
      set_friction(s, 0.5);
      World w(s, options(h));
      run(w, 2);
      const double a = (ball ? 5.0 / 7 : 2.0 / 3) * g * std::sin(angle);
      EXPECT_NEAR(w.body_state(0).linear_velocity.x, 2 * a, 2e-3 * 2 * a) << ball << ", " << h;
    }
  }
}

// a ball that rolls round another ball keeps its energy: the anchor turns with the contact
TEST(Anchored, RollsRoundABallWithoutLoss) {
  Scene s;
  s.gravity = {};
  SceneGeom fixed;
  fixed.shape = Shape::sphere(0.2);
  fixed.material.friction = 1;
  s.geoms.push_back(fixed);
  add_sphere(s, 1, 0.1, {0.3, 0, 0});
  s.geoms.back().material.friction = 1;
  World w(s, options(1e-3));
  const double speed = 1, pull = speed * speed / 0.3;
  BodyState b = w.body_state(0);
  b.linear_velocity = {0, 0, speed};
  b.angular_velocity = {0, -speed / 0.1, 0};
  w.set_body_state(0, b);
  for (int i = 0; i < 1000; ++i) {  // held on its way by 3 times what turns it
    const Vec3 p = w.body_state(0).position;
    w.set_load(0, (-3 * pull / norm(p)) * p, {});
    w.step();
  }
  const BodyState end = w.body_state(0);
  EXPECT_NEAR(norm(end.linear_velocity), speed, 0.02 * speed);
  EXPECT_NEAR(end.position.y, 0, 1e-9);
}

// straight steps lead a body off its circle by h^2 w^2 r/2 each: without the anchor's share in that
// it drifts out by 12 mm in this time at 1 ms
TEST(Anchored, HoldsOnATurntable) {
  for (const double h : {1e-3, 2e-3, 1e-2}) {
    World w(load_mjcf_text(R"(<mujoco><default><geom friction="1"/></default><worldbody>
        <body name="table"><joint name="turn" axis="0 0 1"/>
          <geom type="cylinder" size="1 .05" pos="0 0 -.05" mass="1000"/></body>
        <body name="box" pos=".5 0 .05"><freejoint/>
          <geom type="box" size=".05 .05 .05" mass="1"/></body>
      </worldbody></mujoco>)",
                           "turntable.xml"),
            options(h));
    JointState turn = w.joint_state(0);
    turn.velocities = {2};
    w.set_joint_state(0, turn);
    BodyState b = w.body_state(1);
    b.linear_velocity = {0, 1, 0};
    b.angular_velocity = {0, 0, 2};
    w.set_body_state(1, b);
    run(w, 1);
    const auto radius = [&] { return norm(tangential(w.body_state(1))); };
    const double before = radius();
    run(w, 11);
    EXPECT_NEAR(radius(), before, h < 5e-3 ? 2e-6 : 1e-4) << h;
  }
}

// what lies on the table turns with it, spinning where it lies on the axis
TEST(Anchored, SpinsWithTheTable) {
  World w(load_mjcf_text(R"(<mujoco><default><geom friction="1"/></default><worldbody>
      <body name="table"><joint axis="0 0 1"/>
        <geom type="cylinder" size="1 .05" pos="0 0 -.05" mass="1000"/></body>
      <body name="box" pos="0 0 .05"><freejoint/>
        <geom type="box" size=".05 .05 .05" mass="1"/></body>
    </worldbody></mujoco>)",
                         "turntable.xml"),
          options(2e-3));
  JointState turn = w.joint_state(0);
  turn.velocities = {2};
  w.set_joint_state(0, turn);
  BodyState b = w.body_state(1);
  b.angular_velocity = {0, 0, 2};
  w.set_body_state(1, b);
  const auto angle_between = [&] {
    const Quaternion q = w.body_state(1).orientation;
    return std::remainder(2 * std::atan2(q.z, q.w) - w.joint_position(0, 0), 4 * std::acos(0.0));
  };
  run(w, 1);
  const double before = angle_between();
  run(w, 9);
  EXPECT_NEAR(angle_between(), before, 1e-7);
}

/// A box of 0.2 kg that two fingers on slides press with 4 N each, by position servos or motors.
World pinch(bool by_servo, double h) {
  const std::string drive = by_servo ? "<position joint='l' kp='400' kv='20'/>"
                                       "<position joint='r' kp='400' kv='20'/>"
                                     : "<motor joint='l'/><motor joint='r'/>";
  World w(load_mjcf_text("<mujoco><default><geom friction='0.8'/></default><worldbody>"
                         "<body pos='-.06 0 0'><joint name='l' type='slide' axis='1 0 0'/>"
                         "<geom type='box' size='.01 .02 .03' mass='.1'/></body>"
                         "<body pos='.06 0 0'><joint name='r' type='slide' axis='-1 0 0'/>"
                         "<geom type='box' size='.01 .02 .03' mass='.1'/></body>"
                         "<body name='box'><freejoint/>"
                         "<geom type='box' size='.05 .05 .05' mass='.2'/></body>"
                         "</worldbody><actuator>" +
                             drive + "</actuator></mujoco>",
                         "pinch.xml"),
          options(h));
  for (const int finger : {0, 1}) w.set_control(finger, by_servo ? 0.01 : 4);
  return w;
}

// for a minute, at 1.96 N of the 6.4 N that friction can bear
TEST(Anchored, HoldsAPinchGraspForAMinute) {
  for (const bool by_servo : {true, false}) {
    for (const double h : {2e-3, 1e-2}) {
      World w = pinch(by_servo, h);
      run(w, 1);
      const BodyState before = w.body_state(2);
      run(w, 59);
      const BodyState after = w.body_state(2);
      EXPECT_LT(norm(after.position - before.position), 1e-9) << by_servo << ", " << h;
      EXPECT_LT(norm(after.linear_velocity), 1e-9);
      EXPECT_GT(after.position.z, -1e-4) << "it never fell";
    }
  }
}

// a pair's contacts come and go under other names; what they hold stays with the pair
TEST(Anchored, IsHandedOverToNewFeatures) {
  World w = pushed_box(0.8, options(2e-3));
  run(w, 2);
  const Vec3 before = tangential(w.body_state(0));
  for (int k = 1; k < 200; ++k) {
    Snapshot s = w.snapshot();
    for (ContactSource& source : s.state.contacts.sources) source.feature += 1000;
    w.restore(s);
    w.step();
  }
  EXPECT_LT(norm(tangential(w.body_state(0)) - before), 2e-7);
  EXPECT_LT(norm(w.body_state(0).linear_velocity), 1e-6);
}

// the same scene goes on under another model, whose contacts hold nothing
TEST(Anchored, LeavesNothingToOtherModels) {
  World w = pushed_box(0.8, options(2e-3));
  run(w, 1);
  BodyState b = w.body_state(0);
  b.angular_velocity.z = 5;
  w.set_body_state(0, b);
  run(w, 0.01);
  WorldOptions o = options(2e-3);
  o.model = ContactModel::lagged;
  World lagged(w.scene(), o), same(w.scene(), o);
  Snapshot s = w.snapshot();
  std::fill(s.state.contacts.slid.begin(), s.state.contacts.slid.end(), 0);
  lagged.restore(s);
  s.state.contacts.anchors.clear();
  s.state.contacts.points.clear();
  s.state.contacts.slid.clear();
  same.restore(s);
  run(lagged, 0.1);
  run(same, 0.1);
  EXPECT_EQ(lagged.state_hash(), same.state_hash());
}

// what is put elsewhere holds nothing, as a new world does
TEST(Anchored, IsForgottenByWhatIsPutElsewhere) {
  World w = pushed_box(0.8, options(2e-3));
  run(w, 1);
  EXPECT_GT(norm(w.state().contacts.anchors[0]), 0.1);
  BodyState b = w.body_state(0);
  b.position.x += 1e-3;
  w.set_body_state(0, b);
  for (const Vec3& force : w.state().contacts.anchors) EXPECT_EQ(force, Vec3{});
}

// boxes in a heap come to rest, and stay: no energy comes from their springs
TEST(Anchored, HeapsComeToRest) {
  for (const double h : {2e-3, 1e-2}) {
    Scene s;
    add_plane(s);
    for (int i = 0; i < 12; ++i) {
      add_box(s, 1, {0.05, 0.04, 0.06},
              {0.03 * std::sin(7.0 * i), 0.03 * std::cos(5.0 * i), 0.07 + 0.13 * i},
              exp_rotation({0.3 * std::sin(3.0 * i), 0.2 * std::cos(2.0 * i), 0.5 * i}));
    }
    set_friction(s, 0.5);
    World w(s, options(h));
    for (int i = 0; i < std::lround(4 / h); ++i) w.step();
    const double before = w.potential_energy();
    run(w, 1);
    EXPECT_LT(w.kinetic_energy(), 1e-12) << h;
    EXPECT_NEAR(w.potential_energy(), before, 1e-9);
  }
}

}  // namespace
}  // namespace abut
