// Articulated trees against closed forms: pendulums, stops, dry friction, motors and servos,
// contact.

#include <gtest/gtest.h>

#include <cmath>

#include "abut/io/mjcf.hpp"
#include "abut/sim/world.hpp"
#include "abut/trees/limits.hpp"

namespace abut {
namespace {

constexpr double g = 9.81;

/// A point-like bob of 1 kg at 1 m on a massless rod that swings about y, hanging down at 0.
std::string pendulum(const std::string& joint, const std::string& rest = "", double mass = 1) {
  return "<mujoco><compiler angle='radian'/><worldbody><body pos='0 0 2'><joint name='j' axis='0 1 "
         "0' " +
         joint + "/><inertial pos='0 0 -1' mass='" + std::to_string(mass) +
         "' diaginertia='1e-9 1e-9 1e-9'/></body></worldbody>" + rest + "</mujoco>";
}

World world_of(const std::string& text, double dt, ContactModel model = ContactModel::sap) {
  WorldOptions o;
  o.time_step = dt;
  o.model = model;
  return World(load_mjcf_text(text, "p.xml"), o);
}

double angle(const World& w) {
  return w.joint_state(0).positions[0];
}
double speed(const World& w) {
  return w.joint_state(0).velocities[0];
}

void run(World& w, double seconds) {
  const auto steps = std::lround(seconds / w.time_step());
  for (long i = 0; i < steps; ++i) ASSERT_EQ(w.step().solve.status, SolveStatus::converged);
}

TEST(Mechanism, WhoseJointMovesNoMassIsRefused) {
  Scene s;
  SceneBody link;
  link.name = "arm";
  link.kind = BodyKind::linked;
  link.joints.emplace_back();
  s.bodies.push_back(link);
  try {
    const World w(s);
    ADD_FAILURE() << "nothing moves here, and nothing is said";
  } catch (const InputError& e) {
    EXPECT_STREQ(
        e.what(),
        "body 'arm': its joint moves no mass: give it a mass, or one that it carries, or the joint "
        "an armature");
  }
  s.bodies[0].joints[0].armature = 1;
  EXPECT_NO_THROW(World{s});
}

TEST(Pendulum, SwingsWithItsPeriod) {
  World w = world_of(pendulum(""), 1e-4);
  w.set_joint_state(0, {{0.1}, {0}});
  double last = angle(w), crossing = -1;
  for (int i = 0; i < 40000 && crossing < 0; ++i) {
    w.step();
    if (last < 0 && angle(w) >= 0) crossing = w.time();  // three quarters of a period
    last = angle(w);
  }
  constexpr double pi = 3.14159265358979;
  const double period = 2 * pi * std::sqrt(1 / g) * (1 + 0.01 / 16);
  EXPECT_NEAR(crossing, 0.75 * period, 1e-3);
}

// stops at its limit without sinking in or bouncing, and leaves it when pushed back
TEST(JointLimit, StopsAndLetsGo) {
  for (const double dt : {1e-3, 1e-2}) {
    World w = world_of(pendulum("range='-0.5 0.5' limited='true'"), dt);
    w.set_joint_state(0, {{0.45}, {2}});
    double most = 0;
    for (int i = 0; i < std::lround(0.3 / dt); ++i) {
      w.step();
      ASSERT_EQ(w.report().solve.status, SolveStatus::converged);
      most = std::max(most, angle(w));
    }
    EXPECT_LT(most, 0.5 + 2 * dt * 0.1) << dt;
    EXPECT_LT(speed(w), 0.1) << "gravity takes it away from the stop";
    EXPECT_LT(angle(w), 0.5) << dt;
    // held against the stop by a moment of 20 N m: the depth is the stop's compliance
    w.set_load(0, {}, {0, -20, 0});
    run(w, 2);
    EXPECT_NEAR(std::abs(angle(w)), 0.5, 1e-3) << dt;
    EXPECT_NEAR(speed(w), 0, 1e-6) << dt;
    w.set_load(0, {}, {});
    run(w, 0.2);
    EXPECT_LT(std::abs(angle(w)), 0.49) << "no sticking";
  }
}

// however far beyond: a stop is no catapult
TEST(JointLimit, TakesBackGently) {
  for (const double dt : {1e-3, 1e-2}) {
    World w =
        world_of(pendulum("range='-0.5 0.5' limited='true'", "<option gravity='0 0 0'/>"), dt);
    w.set_joint_state(0, {{1.5}, {0}});
    double fastest = 0;
    for (int i = 0; i < std::lround(12 / dt); ++i) {
      w.step();
      fastest = std::max(fastest, std::abs(speed(w)));
    }
    EXPECT_LE(fastest, 1.001 * return_speed) << dt;
    EXPECT_LT(angle(w), 0.5 + 1e-6) << dt;
  }
}

// a motor behind a filter of 0.1 s: a = 1 - exp(-t/T); one behind an integrator: a = t, at most
// 0.5. Both on a rotor of 1 kg m^2 without gravity, so that its speed is the integral of a.
TEST(Activation, FollowsItsClosedForm) {
  for (const double dt : {1e-3, 1e-2}) {
    const auto motor = [&](const std::string& dynamics) {
      return world_of(pendulum("", "<option gravity='0 0 0'/><actuator><general joint='j' " +
                                       dynamics + "/></actuator>"),
                      dt);
    };
    World filter = motor("dyntype='filter' dynprm='0.1'");
    World early = motor("dyntype='filterexact' dynprm='0.1' actearly='true'");
    World integrator = motor("dyntype='integrator' actlimited='true' actrange='-1 0.5'");
    for (World* w : {&filter, &early, &integrator}) {
      w->set_control(0, 1);
      run(*w, 0.4);
    }
    const double a = 1 - std::exp(-4.0);
    EXPECT_NEAR(filter.actuator_state(0).activation, a, 1e-9);
    EXPECT_NEAR(speed(filter), 0.4 - 0.1 * a, 0.6 * dt);
    EXPECT_NEAR(speed(early) - speed(filter), a * dt, 1e-3 * dt);
    EXPECT_NEAR(integrator.actuator_state(0).activation, 0.4, 1e-9);
    EXPECT_NEAR(speed(integrator), 0.08, 0.3 * dt);
    const Snapshot there = integrator.snapshot();
    run(integrator, 0.3);
    EXPECT_EQ(integrator.actuator_state(0).activation, 0.5);
    const std::uint64_t hash = integrator.state_hash();
    integrator.restore(there);
    run(integrator, 0.3);
    EXPECT_EQ(integrator.state_hash(), hash);
  }
}

TEST(DryFriction, HoldsUpToItsForce) {
  const std::string still = "<option gravity='0 0 0'/>";
  for (const double moment : {0.5, 0.9, 1.5}) {
    World w = world_of(pendulum("frictionloss='1'", still), 1e-3);
    w.set_load(0, {}, {0, moment, 0});
    run(w, 1);
    if (moment < 1) {
      EXPECT_LT(std::abs(speed(w)), 1e-5) << moment;  // regularized: it creeps
    } else {
      EXPECT_NEAR(speed(w), (moment - 1) * 1, 1e-3) << "I = 1 kg m^2";
    }
  }
}

// a servo: v = (m v0 + h (Kp (qd - q0)))/(m + h Kd + h^2 Kp) within its limit, else the limit
TEST(Servo, FollowsTheImplicitFormula) {
  const double kp = 100, kd = 5, h = 1e-2, target = 0.3;
  for (const double most : {1e3, 2.0}) {
    const std::string servo =
        "<option gravity='0 0 0'/><actuator><position joint='j' kp='100' kv='5' "
        "forcerange='-" +
        std::to_string(most) + " " + std::to_string(most) + "'/></actuator>";
    World w = world_of(pendulum("", servo), h);
    w.set_control(0, target);
    double q = 0, v = 0;
    for (int i = 0; i < 600; ++i) {
      const double free = (v + h * kp * (target - q)) / (1 + h * kd + h * h * kp);
      const double force = (free - v) / h;
      v = std::abs(force) <= most ? free : v + std::copysign(h * most, force);
      q += h * v;
      w.step();
      ASSERT_EQ(w.report().solve.status, SolveStatus::converged);
      EXPECT_NEAR(speed(w), v, 2e-6) << i;
      EXPECT_NEAR(w.actuator_state(0).force, std::clamp(force, -most, most), 1e-3 * most) << i;
      EXPECT_EQ(w.actuator_state(0).velocity, speed(w));
    }
    EXPECT_NEAR(angle(w), target, 1e-3);
  }
  // as stiff as can be, with a long step
  World w = world_of(pendulum("", "<actuator><position joint='j' kp='1e10'/></actuator>"), 0.1);
  w.set_control(0, 0.7);
  run(w, 3);
  EXPECT_NEAR(angle(w), 0.7, 1e-6);
  EXPECT_NEAR(speed(w), 0, 1e-6);
}

TEST(Motor, AcceleratesByItsGear) {
  World w = world_of(pendulum("armature='1'",
                              "<option gravity='0 0 0'/><actuator><motor joint='j' "
                              "gear='3' ctrlrange='-1 1' ctrllimited='true'/></actuator>"),
                     1e-3);
  w.set_control(0, 5);  // clamped to 1
  run(w, 1);
  EXPECT_NEAR(speed(w), 3.0 / 2, 1e-9) << "3 N m on 1 kg m^2 and a rotor of 1 kg m^2";
}

// a tray of which a scene says the armature alone stops at its limit and carries a ball
TEST(Armature, AloneHoldsLimitsAndContacts) {
  Scene s = load_mjcf_text(
      "<mujoco><worldbody><body><joint axis='0 1 0' armature='.5' limited='true' range='0 57'/>"
      "<geom type='box' size='.5 .2 .05' pos='-.5 0 0'/></body>"
      "<body pos='-.5 0 .15'><freejoint/><geom size='.1' mass='2'/></body></worldbody></mujoco>",
      "p.xml");
  s.bodies[0].mass = 0;
  s.bodies[0].inertia = {};
  for (const ContactModel model :
       {ContactModel::sap, ContactModel::lagged, ContactModel::similar}) {
    WorldOptions options;
    options.time_step = 2e-3;
    options.model = model;
    World w(s, options);
    run(w, 2);
    EXPECT_NEAR(angle(w), 0, 1e-3) << to_string(model);
    EXPECT_NEAR(w.body_state(1).position.z, 0.15, 2e-3) << to_string(model);
  }
}

TEST(Motor, DrivesNoFasterThanItsLimitAndDoesNotBrake) {
  Scene s;
  s.gravity = {};
  SceneBody wheel;
  wheel.kind = BodyKind::linked;
  wheel.joints.emplace_back();
  wheel.joints[0].armature = 0.5;
  s.bodies.push_back(wheel);
  SceneActuator motor;
  motor.parts = {{0, 0, 1}};
  motor.velocity_limit = 3;
  s.actuators.push_back(motor);
  WorldOptions options;
  options.time_step = 1e-3;
  World w(s, options);
  w.set_control(0, -2);
  run(w, 0.5);
  EXPECT_NEAR(speed(w), -2 * 0.5 / 0.5, 1e-9);  // u t / I
  EXPECT_NEAR(w.actuator_state(0).force, -2, 1e-9);
  run(w, 1.5);
  EXPECT_NEAR(speed(w), -3, 1e-4);
  EXPECT_NEAR(w.actuator_state(0).force, 0, 1e-2);
  w.set_joint_state(0, {{0}, {-5}});
  run(w, 0.1);
  EXPECT_EQ(speed(w), -5);
  w.set_control(0, 2);  // against the motion it brakes with all its force
  run(w, 0.1);
  EXPECT_NEAR(speed(w), -5 + 2 * 0.1 / 0.5, 1e-9);
  s.actuators[0].bias[2] = -1;
  EXPECT_THROW(World{s}, InputError);
}

// a double pendulum lying on the ground carries its weight there
TEST(ArticulatedContact, CarriesTheWeight) {
  const std::string chain =
      "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 0.1'><freejoint/>"
      "<geom type='capsule' fromto='-.3 0 0 .3 0 0' size='.1' mass='2'/>"
      "<body pos='.4 0 0'><joint axis='0 1 0'/>"
      "<geom type='capsule' fromto='0 0 0 .6 0 0' size='.1' "
      "mass='3'/></body></body></worldbody></mujoco>";
  for (const ContactModel model :
       {ContactModel::sap, ContactModel::lagged, ContactModel::similar}) {
    World w = world_of(chain, 2e-3, model);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(w.step().solve.status, SolveStatus::converged);
    double force = 0;
    for (const Vec3& impulse : w.solution().impulse) force += impulse.z / w.time_step();
    EXPECT_NEAR(force, 5 * g, 1e-3) << to_string(model);
    for (int b = 0; b < 2; ++b) EXPECT_LT(norm(w.body_state(b).linear_velocity), 1e-4);
  }
}

// the example stands on its servos, for 12 kg of weight
TEST(ArticulatedContact, AQuadrupedStands) {
  for (const ContactModel model :
       {ContactModel::sap, ContactModel::lagged, ContactModel::similar}) {
    for (const double dt : {1e-3, 1e-2}) {
      WorldOptions o;
      o.model = model;
      o.time_step = dt;
      World w(load_mjcf(ABUT_EXAMPLES "/quadruped.xml"), o);
      run(w, 3);
      double force = 0;
      for (const Vec3& impulse : w.solution().impulse) force += impulse.z / dt;
      EXPECT_NEAR(force, 12 * g, 0.1) << to_string(model) << ", dt " << dt;
      const BodyState trunk = w.body_state(0);
      EXPECT_GT(trunk.position.z, 0.31) << to_string(model) << ", dt " << dt;
      EXPECT_LT(norm(trunk.linear_velocity), 1e-3) << to_string(model) << ", dt " << dt;
    }
  }
}

// momentum of a floating mechanism: only gravity and contact change it
TEST(ArticulatedContact, KeepsMomentum) {
  const std::string two =
      "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/>"
      "<geom type='capsule' fromto='-.3 0 0 .3 0 0' size='.1' mass='2'/>"
      "<body pos='.4 0 0'><joint axis='0 1 0'/>"
      "<geom type='capsule' fromto='0 0 0 .6 0 0' size='.1' mass='3'/></body></body>"
      "<body pos='.2 .05 1'><freejoint/><geom type='sphere' size='.1' mass='1'/></body>"
      "</worldbody></mujoco>";
  World w = world_of(two, 1e-4);
  BodyState ball = w.body_state(2);
  ball.linear_velocity = {0, 0, -5};
  w.set_body_state(2, ball);
  const auto momentum = [&] {
    Vec3 sum;
    for (int b = 0; b < 3; ++b) sum += w.scene().bodies[b].mass * w.body_state(b).linear_velocity;
    return sum;
  };
  for (int i = 0; i < 4000; ++i) w.step();
  EXPECT_GT(w.body_state(2).linear_velocity.z, -4) << "they have met";
  EXPECT_LE(norm(momentum() - Vec3{0, 0, -5}), 5e-3) << "symplectic Euler of first order";
}

// a mechanism that whirls in space keeps its energy at a long step, where links turn by half a
// radian
TEST(ArticulatedMotion, FastSpinGainsNoEnergy) {
  const std::string whirl =
      "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/>"
      "<geom type='box' size='.1 .2 .3' mass='1'/><body pos='.2 0 0'><joint axis='0 1 1'/>"
      "<geom type='box' pos='.2 0 0' size='.2 .05 .1' "
      "mass='1'/></body></body></worldbody></mujoco>";
  World w = world_of(whirl, 1e-2);
  w.set_joint_state(0, {{0, 0, 0, 1, 0, 0, 0}, {0, 0, 0, 30, 40, 0}});
  w.set_joint_state(1, {{0}, {20}});
  const double start = w.kinetic_energy();
  double most = 0, least = start;
  for (int i = 0; i < 1000; ++i) {
    w.step();
    most = std::max(most, w.kinetic_energy());
    least = std::min(least, w.kinetic_energy());
  }
  EXPECT_LT(most, 1.25 * start);
  EXPECT_GT(least, 0.5 * start);
}

TEST(ArticulatedSnapshot, GoesOnWithTheSameBits) {
  World w = world_of(pendulum("range='-1 1' limited='true' frictionloss='.01'"), 1e-3);
  w.set_joint_state(0, {{0.9}, {3}});
  run(w, 0.1);
  const Snapshot half = w.snapshot();
  run(w, 0.3);
  const std::uint64_t end = w.state_hash();
  w.restore(half);
  run(w, 0.3);
  EXPECT_EQ(w.state_hash(), end);
  EXPECT_EQ(w.clone()->state_hash(), end);
}

}  // namespace
}  // namespace abut
