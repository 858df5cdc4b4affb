// Constraints that contradict each other, those that only seem to, and how what is off returns.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "abut/io/mjcf.hpp"
#include "abut/sim/statistics.hpp"

namespace abut {
namespace {

World world_of(const std::string& bodies, const std::string& rest, double dt) {
  WorldOptions o;
  o.time_step = dt;
  return World(load_mjcf_text("<mujoco><compiler angle='radian'/><worldbody>" + bodies +
                                  "</worldbody>" + rest + "</mujoco>",
                              "v.xml"),
               o);
}

void run(World& w, double seconds) {
  const auto steps = std::lround(seconds / w.time_step());
  for (long i = 0; i < steps; ++i) ASSERT_EQ(w.step().solve.status, SolveStatus::converged);
}

/// The indices of the equality constraints that are not going to be met.
std::vector<int> unmet_equalities(const World& w) {
  std::vector<int> list;
  for (const Violation& v : w.violations()) {
    if (v.kind == ConstraintKind::equality && v.is_unmet()) list.push_back(v.index);
  }
  return list;
}

bool any_unmet(const World& w) {
  bool any = false;
  for (const Violation& v : w.violations()) any = any || v.is_unmet();
  return any;
}

const std::string box =
    "<body name='a' pos='0 0 1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>";
const std::string weld_here = "<weld name='here' body1='a'/>";
std::string weld_at(double x) {
  return "<weld name='there' body1='a' relpose='" + std::to_string(x) + " 0 -1 1 0 0 0'/>";
}

// the second asks for 1 cm from where the first does: what one is short of the other has
TEST(Violations, TwoWeldsThatDisagreeAreFlagged) {
  for (const double dt : {1e-3, 1e-2}) {
    World w = world_of(box, "<equality>" + weld_here + weld_at(0.01) + "</equality>", dt);
    Statistics statistics;
    for (int i = 1; i * dt < 2; ++i) {
      statistics.add(w.step(), i);
      ASSERT_EQ(w.report().solve.status, SolveStatus::converged);
    }
    ASSERT_EQ(w.violations().size(), 2u);
    EXPECT_NEAR(w.violations()[0].size + w.violations()[1].size, 0.01, 1e-5);
    EXPECT_FALSE(w.violations()[0].is_angle);
    const std::vector<int> unmet = unmet_equalities(w);
    EXPECT_TRUE(std::find(unmet.begin(), unmet.end(), 1) != unmet.end());
    EXPECT_EQ(w.report().equality.index, 1);
    EXPECT_EQ(w.report().limit.index, -1);
    EXPECT_NEAR(statistics.equality_max.size, 0.01, 1e-5);
    EXPECT_LT(norm(w.body_state(0).linear_velocity), 1e-6);
  }
}

// halfway each is off by half
TEST(Violations, TwoWeldsShareWhatTheyDisagreeAbout) {
  World w = world_of(box, "<equality>" + weld_here + weld_at(0.01) + "</equality>", 1e-3);
  // the welds are of the box where the file has it
  w.set_body_state(0, {{-0.005, 0, 1}, {}, {}, {}});
  run(w, 1);
  EXPECT_EQ(unmet_equalities(w), (std::vector<int>{0, 1}));
  for (const Violation& v : w.violations()) EXPECT_NEAR(v.size, 0.005, 1e-4);
}

TEST(Violations, WeldsThatAgreeAreNot) {
  World w = world_of(box, "<equality>" + weld_here + weld_at(0) + "</equality>", 1e-3);
  run(w, 2);
  EXPECT_FALSE(any_unmet(w));
  EXPECT_LT(w.report().equality.size, 1e-5);
  EXPECT_GT(w.report().equality.size, 0);  // its weight
}

const std::string two_arms =
    "<body name='a'><joint name='a' axis='0 1 0'/><geom size='.1' mass='1' pos='0 0 -1'/></body>"
    "<body name='b' pos='1 0 0'><joint name='b' axis='0 1 0' limited='true' range='-1 1'/>"
    "<geom size='.1' mass='1' pos='0 0 -1'/></body>";

TEST(Violations, JointsThatCannotMimicEachOtherTwiceAreFlagged) {
  World w = world_of(two_arms,
                     "<equality><joint joint1='a' joint2='b' polycoef='0 1 0 0 0'/>"
                     "<joint joint1='a' joint2='b' polycoef='0.2 1 0 0 0'/></equality>",
                     1e-3);
  run(w, 3);
  EXPECT_EQ(unmet_equalities(w), std::vector<int>{1});
  EXPECT_TRUE(w.report().equality.is_angle);
  double sum = 0;
  for (const Violation& v : w.violations()) sum += v.size;
  EXPECT_NEAR(sum, 0.2, 1e-3);
}

// a = 2 and b = a, but b is at most 1: the limit and the equality are at odds
TEST(Violations, AnEqualityAgainstALimitIsFlagged) {
  World w = world_of(two_arms,
                     "<equality><joint joint1='a' joint2='b'/>"
                     "<joint joint1='a' polycoef='2 0 0 0 0'/></equality>",
                     1e-3);
  run(w, 15);  // it goes there at 0.1 rad/s
  EXPECT_TRUE(any_unmet(w));
  EXPECT_NEAR(w.report().equality.size, 1, 0.01);
}

// what comes back is not flagged, however far it has to
TEST(Violations, WhatReturnsIsNotFlagged) {
  World w = world_of(two_arms, "<keyframe><key name='far' qpos='0 3'/></keyframe>", 1e-3);
  w.set_keyframe(0);
  for (int i = 0; i < 21000; ++i) {
    w.step();
    ASSERT_FALSE(any_unmet(w)) << w.time();
    if (i == 0) {
      EXPECT_NEAR(w.report().limit.size, 2, 1e-9);
      EXPECT_EQ(w.report().limit.kind, ConstraintKind::joint_limit);
      EXPECT_EQ(w.report().limit.index, 1);
    }
  }
  EXPECT_LT(w.report().limit.size, 1e-4);
}

// a state that is set is a new beginning
TEST(Violations, AreForgottenWithTheState) {
  World w = world_of(box, "<equality>" + weld_here + weld_at(0.01) + "</equality>", 1e-3);
  run(w, 1);
  EXPECT_TRUE(any_unmet(w));
  w.restore(w.snapshot());
  w.step();
  EXPECT_FALSE(any_unmet(w));
}

// a spring as soft as 1 kN/m gives way by far more than 1 mm: that is what it was asked to do
TEST(Violations, ASoftEqualityUnderItsLoadIsMet) {
  Scene scene = load_mjcf_text(
      "<mujoco><worldbody>" + box + "</worldbody><equality>" + weld_here + "</equality></mujoco>",
      "v.xml");
  scene.equalities[0].stiffness = 1e3;
  WorldOptions o;
  o.time_step = 1e-2;
  World w(std::move(scene), o);
  run(w, 2);
  EXPECT_NEAR(w.report().equality.size, 9.81 / 1e3, 1e-4);
  EXPECT_FALSE(any_unmet(w));
}

// 50 kg give way by m g/k at any step; at 0.1 ms they did not hold once
TEST(Return, IsNotWhatAConstraintResistsWith) {
  for (const double dt : {1e-4, 1e-3, 1e-2}) {
    World w = world_of(
        "<body name='a' pos='0 0 1'><freejoint/><geom type='box' size='.1 .1 .1' mass='50'/>"
        "</body><body name='b' pos='1 0 0'><joint axis='0 1 0' limited='true' range='-1 0'/>"
        "<geom size='.1' mass='50' pos='1 0 0'/></body>",
        "<equality><weld body1='a'/></equality>", dt);
    run(w, 0.5);
    EXPECT_NEAR(w.body_state(0).position.z, 1 - 50 * 9.81 / 1e7, 1e-6) << dt;
    EXPECT_LT(w.report().limit.size, 1e-4) << dt;
    EXPECT_FALSE(any_unmet(w));
  }
}

// a motor of 20 N m drives a finger of 10 g into its stop
TEST(Return, AStrongMotorDoesNotDriveAFingerThroughItsLimit) {
  World w = world_of(
      "<body><joint name='f' axis='0 1 0' limited='true' range='0 1'/>"
      "<geom size='.01' mass='.01' pos='0 0 -.03'/></body>",
      "<actuator><motor joint='f'/></actuator>", 2e-3);
  w.set_control(0, 20);
  double last = 0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(w.step().solve.status, SolveStatus::converged);
    if (i == 499) last = w.joint_state(0).positions[0];
  }
  EXPECT_NEAR(w.joint_state(0).positions[0], last, 1e-6);
  EXPECT_LT(last, 1.5);  // the stop of so light a link is soft: R is bounded by its mobility
}

// from 0.3 rad beyond it comes back at 0.1 rad/s; what pushes it out again meets the whole spring
TEST(Return, IsSlowAndDoesNotGiveWay) {
  World w = world_of(two_arms,
                     "<option gravity='0 0 0'/><actuator><motor joint='b'/></actuator>"
                     "<keyframe><key qpos='0 1.3'/></keyframe>",
                     1e-3);
  w.set_keyframe(0);
  run(w, 1);
  EXPECT_NEAR(w.joint_state(1).velocities[0], -0.1, 1e-3);
  const double q = w.joint_state(1).positions[0];
  EXPECT_NEAR(q, 1.2, 1e-3);
  w.set_control(0, 3000);
  const auto other = w.clone();
  run(w, 1);
  EXPECT_NEAR(w.joint_state(1).positions[0], q, 1e-3);
  run(*other, 1);
  EXPECT_EQ(other->state_hash(), w.state_hash());
}

TEST(Violations, OfATendonAreLengths) {
  World w = world_of(
      "<site name='hook'/><body name='a' pos='0 0 -2'><freejoint/><geom size='.1' mass='1'/>"
      "<site name='eye'/></body>",
      "<tendon><spatial limited='true' range='0 1'><site site='hook'/><site site='eye'/></spatial>"
      "</tendon>",
      1e-3);
  w.step();
  EXPECT_EQ(w.report().limit.kind, ConstraintKind::tendon_limit);
  EXPECT_NEAR(w.report().limit.size, 1, 1e-12);
  EXPECT_FALSE(w.report().limit.is_angle);
}

}  // namespace
}  // namespace abut
