// Controllers against closed forms, on pendulums and rotors.

#include "abut/control/controller.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "abut/io/mjcf.hpp"
#include "support/allocation_counter.hpp"

namespace abut {
namespace {

constexpr double g = 9.81, pi = std::numbers::pi;

/// Bobs of `mass` kg at 1 m on massless rods that swing about y, hanging down at 0.
Scene pendulums(int count, double mass = 1, const Vec3& gravity = {0, 0, -g}) {
  std::string text = "<mujoco><compiler angle='radian'/><worldbody>";
  for (int i = 0; i < count; ++i) {
    text += "<body pos='0 " + std::to_string(2 * i) +
            " 2'><joint axis='0 -1 0'/><inertial pos='0 0 "
            "-1' mass='" +
            std::to_string(mass) + "' diaginertia='1e-9 1e-9 1e-9'/></body>";
  }
  Scene scene = load_mjcf_text(text + "</worldbody></mujoco>", "p.xml");
  scene.gravity = gravity;
  return scene;
}

std::vector<ScenePart> joints(int count) {
  std::vector<ScenePart> list;
  for (int i = 0; i < count; ++i) list.push_back({i, 0, 1});
  return list;
}

struct Controlled {
  std::vector<Controller> controllers;
  World world;

  Controlled(Scene scene, std::vector<Controller> list, double dt)
      : controllers(std::move(list)), world(make(std::move(scene), controllers, dt)) {}
  static World make(Scene scene, std::vector<Controller>& list, double dt) {
    for (Controller& c : list) add_controller(c, scene);
    scene.time_step = dt;
    return World(std::move(scene));
  }
  void step() {
    update_controls(controllers, world);
    ASSERT_EQ(world.step().solve.status, SolveStatus::converged);
  }
  void run(double seconds) {
    const auto steps = std::lround(seconds / world.time_step());
    for (long i = 0; i < steps; ++i) step();
  }
  double angle(int body = 0) const { return world.joint_state(body).positions[0]; }
  double speed(int body = 0) const { return world.joint_state(body).velocities[0]; }
};

Controller pd(Signal signal, int count, double kp, double kd) {
  return {.kind = ControllerKind::pd,
          .signal = std::move(signal),
          .joints = joints(count),
          .actuators = {},
          .kp = kp,
          .kd = kd,
          .origin = {}};
}

Controller effort(Signal signal, int count) {
  Controller c = pd(std::move(signal), count, 0, 0);
  c.kind = ControllerKind::effort;
  return c;
}

// kp (s - q) = m g l sin q
TEST(PdController, HangsBelowItsTargetByTheWeight) {
  for (const double kp : {50.0, 500.0}) {
    Controlled c(pendulums(1), {pd(ConstantSignal{{pi / 2}}, 1, kp, 30)}, 2e-3);
    c.run(20);
    const double q = c.angle();
    EXPECT_NEAR(kp * (pi / 2 - q), g * std::sin(q), 1e-6 * kp);
    EXPECT_GT(pi / 2 - q, 0.9 * g / kp);
  }
}

TEST(PdController, StopsAtItsEffortLimit) {
  Controller limited = pd(ConstantSignal{{pi / 2}}, 1, 1e4, 100);
  limited.effort_limit = 5;
  Scene scene = pendulums(1);
  scene.bodies[0].joints[0].damping = 5;
  Controlled c(scene, {limited}, 2e-3);
  c.run(30);
  EXPECT_NEAR(c.angle(), std::asin(5 / g), 1e-6) << "m g l sin q = limit";
  EXPECT_NEAR(c.world.actuator_state(0).force, 5, 1e-9);
}

TEST(PdController, IsStableHoweverStiff) {
  Controlled c(pendulums(1), {pd(ConstantSignal{{1}}, 1, 1e8, 0)}, 1e-2);
  double most = 0;
  for (int i = 0; i < 500; ++i) {
    c.step();
    most = std::max(most, c.angle());
  }
  EXPECT_LT(most, 1.001) << "it jumps there in one step, at 100 rad/s";
  EXPECT_NEAR(c.angle(), 1 - g * std::sin(1) / 1e8, 1e-9);
}

// up and down in straight lines, and a sine: what has next to no inertia is where it should be
TEST(PdController, FollowsTrajectories) {
  const TrajectorySignal zigzag{2, {0, 0.5, 1.5, 2}, {0, 0, 1, -0.5, -1, 0.5, 0, 0}};
  const SineSignal sine{0.8, 1.5, 0, 0};
  for (const Signal& signal : {Signal(zigzag), Signal(sine)}) {
    Controlled c(pendulums(2, 1e-3, {}), {pd(signal, 2, 1e4, 1e2)}, 5e-3);
    double worst = 0;
    while (c.world.time() < 2.2) {
      c.step();
      for (const int k : {0, 1}) {
        worst = std::max(worst, std::abs(c.angle(k) - value_at(signal, k, c.world.time())));
      }
    }
    EXPECT_LT(worst, 1e-4);
  }
}

// against the same servo of a MJCF file
TEST(PdController, IsTheServoOfMjcf) {
  const Scene model = load_mjcf_text(
      "<mujoco><option timestep='0.005'/><worldbody><body><joint name='j' axis='0 1 0' "
      "armature='0.1'/><geom type='capsule' size='0.05' fromto='0 0 0 0.5 0 0' "
      "mass='2'/></body></worldbody><actuator><position joint='j' kp='80' kv='4' forcerange='-6 "
      "6'/></actuator></mujoco>",
      "s.xml");
  World servo(model);
  servo.set_control(0, 0.7);
  Scene bare = model;
  bare.actuators.clear();
  Controller own = pd(ConstantSignal{{0.7}}, 1, 80, 4);
  own.effort_limit = 6;
  Controlled c(bare, {own}, 5e-3);
  for (int i = 0; i < 300; ++i) {
    servo.step();
    c.step();
    ASSERT_NEAR(c.angle(), servo.joint_state(0).positions[0], 1e-12) << i;
  }
}

// m l^2 dv/dt = A sin(2 pi f t): v = A (1 - cos)/(2 pi f), no energy after a whole period
TEST(EffortController, DoesTheWorkOfASine) {
  constexpr double amplitude = 3, frequency = 2;
  Controlled c(pendulums(1, 1, {}), {effort(SineSignal{amplitude, frequency, 0, 0}, 1)}, 1e-4);
  c.run(0.25);
  const double most = 2 * amplitude / (2 * pi * frequency);
  EXPECT_NEAR(c.speed(), most, 1e-4 * most) << "half a period";
  EXPECT_NEAR(c.world.kinetic_energy(), most * most / 2, 2e-4 * most);
  c.run(0.25);
  EXPECT_NEAR(c.world.kinetic_energy(), 0, 1e-8);
}

TEST(EffortController, PushesEachJointByItsConstant) {
  Controlled c(pendulums(2, 2, {}), {effort(ConstantSignal{{1, -3}}, 2)}, 1e-3);
  c.run(1);
  EXPECT_NEAR(c.speed(0), 0.5, 1e-9);  // t f / (m l^2)
  EXPECT_NEAR(c.speed(1), -1.5, 1e-9);
}

// two on one joint add up
TEST(Controllers, WorkSideBySide) {
  const double q = 0.6;
  Controlled c(pendulums(1),
               {pd(ConstantSignal{{q}}, 1, 50, 30), effort(ConstantSignal{{g * std::sin(q)}}, 1)},
               2e-3);
  c.run(20);
  EXPECT_NEAR(c.angle(), q, 1e-7) << "the effort bears the weight";
}

Controlled random_motors(std::uint64_t seed) {
  Scene scene = pendulums(2);
  for (int i = 0; i < 2; ++i) {
    SceneActuator motor;
    motor.parts = {{i, 0, 1}};
    scene.actuators.push_back(motor);
  }
  Controller c;
  c.kind = ControllerKind::control;
  c.signal = RandomSignal{{-2, 1}, {2, 5}, 0.05, seed};
  c.actuators = {0, 1};
  return {scene, {c}, 1e-2};
}

TEST(RandomController, RepeatsItselfBitByBit) {
  Controlled a = random_motors(7), b = random_motors(7), other = random_motors(8);
  Snapshot half;
  for (int i = 0; i < 200; ++i) {
    if (i == 100) half = a.world.snapshot();
    a.step(), b.step(), other.step();
    for (const int k : {0, 1}) {
      const double u = a.world.controls()[k];
      EXPECT_GE(u, k == 0 ? -2 : 1);
      EXPECT_LT(u, k == 0 ? 2 : 5);
    }
    if (i % 5 != 0) continue;  // constant in between
    const std::vector<double> begin = a.world.controls();
    for (int k = 0; k < 4; ++k) {
      a.step(), b.step(), other.step(), ++i;
      EXPECT_EQ(a.world.controls(), begin) << i;
    }
  }
  EXPECT_EQ(a.world.state_hash(), b.world.state_hash());
  EXPECT_NE(a.world.state_hash(), other.world.state_hash());
  const std::uint64_t end = a.world.state_hash();
  const std::uint64_t steps = a.world.steps();
  a.world.restore(half);
  while (a.world.steps() < steps) a.step();
  EXPECT_EQ(a.world.state_hash(), end);
}

// uniform and independent from interval to interval and from channel to channel
TEST(RandomSignal, IsUniform) {
  const RandomSignal signal{{0, 0}, {1, 1}, 0.1, 3};
  constexpr int n = 100000;
  double sum[2] = {}, squares = 0, lag = 0, cross = 0;
  for (int i = 0; i < n; ++i) {
    const double t = 0.1 * i + 0.05;
    const double x = value_at(signal, 0, t) - 0.5, y = value_at(signal, 1, t) - 0.5;
    sum[0] += x, sum[1] += y;
    squares += x * x;
    lag += x * (value_at(signal, 0, t + 0.1) - 0.5);
    cross += x * y;
  }
  const double sigma = 1 / std::sqrt(12.0 * n);  // of the mean
  EXPECT_LT(std::abs(sum[0] / n), 4 * sigma);
  EXPECT_LT(std::abs(sum[1] / n), 4 * sigma);
  EXPECT_NEAR(squares / n, 1.0 / 12, 1e-3);
  EXPECT_LT(std::abs(lag / n), 4.0 / 12 / std::sqrt(n));
  EXPECT_LT(std::abs(cross / n), 4.0 / 12 / std::sqrt(n));
}

TEST(TrajectorySignal, IsLinearBetweenKnotsAndStaysAtItsEnds) {
  const TrajectorySignal s{2, {1, 2, 4}, {0, 10, 1, 10, 3, 20}};
  EXPECT_EQ(value_at(s, 0, 0), 0);
  EXPECT_EQ(value_at(s, 1, 0.5), 10);
  EXPECT_EQ(value_at(s, 0, 1.25), 0.25);
  EXPECT_EQ(value_at(s, 0, 2), 1);
  EXPECT_EQ(value_at(s, 1, 3), 15);
  EXPECT_EQ(value_at(s, 1, 9), 20);
  EXPECT_DOUBLE_EQ(mean_rate(s, 1, 2.5, 0.1), 5);
  EXPECT_EQ(mean_rate(s, 1, 5, 0.1), 0);
}

TEST(Controllers, AllocateNothingInAStep) {
  Controlled c(
      pendulums(2),
      {pd(TrajectorySignal{2, {0, 1}, {0, 1, 2, 3}}, 2, 10, 1), effort(SineSignal{1, 2, 3, 4}, 2),
       effort(RandomSignal{{0}, {1}, 0.1, 0}, 1), pd(ConstantSignal{{1, 1}}, 2, 10, 1)},
      1e-2);
  c.run(0.1);
  const std::uint64_t before = allocation_count();
  for (int i = 0; i < 100; ++i) update_controls(c.controllers, c.world);
  EXPECT_EQ(allocation_count(), before);
}

TEST(Controllers, AreChecked) {
  const auto error = [](Controller c) -> std::string {
    Scene scene = pendulums(2);
    c.origin = {"s.toml", 3, "controller"};
    try {
      add_controller(c, scene);
    } catch (const InputError& e) {
      return std::string(e.what()).substr(std::string("s.toml:3: controller: ").size());
    }
    scene.validate();
    return "";
  };
  const ConstantSignal two{{0, 0}};
  EXPECT_EQ(error(pd(two, 2, 1, 0)), "");
  EXPECT_EQ(error(pd(two, 1, 1, 0)), "constant = 2 numbers, must be one per channel");
  EXPECT_EQ(error(pd(two, 0, 1, 0)), "it controls no joint");
  EXPECT_EQ(error(pd(two, 2, 0, 0)), "kp = 0 N m/rad, must be positive where kd is 0");
  EXPECT_EQ(error(pd(two, 2, -1, 0)), "kp = -1 N m/rad, must not be negative, and at most 1e30");
  EXPECT_EQ(error(pd(two, 2, 1, NAN)),
            "kd = nan N m s/rad, must not be negative, and at most 1e30");
  EXPECT_EQ(error(pd(ConstantSignal{{0, NAN}}, 2, 1, 0)),
            "constant = nan, must be finite, and at most 1e30");
  EXPECT_EQ(error(effort(SineSignal{1, -1, 0, 0}, 1)),
            "frequency = -1 Hz, must not be negative, and at most 1e9 Hz");
  EXPECT_EQ(error(effort(RandomSignal{{1}, {0}, 0.1, 0}, 1)), "lower = 1, must not exceed upper");
  EXPECT_EQ(error(effort(RandomSignal{{0}, {1}, 0, 0}, 1)),
            "interval = 0 s, must be positive and finite");
  EXPECT_EQ(error(effort(TrajectorySignal{1, {0, 0}, {0, 0}}, 1)),
            "time = 0 s, must be later than the one before");
  Controller none;
  none.kind = ControllerKind::control;
  none.signal = ConstantSignal{{1}};
  EXPECT_EQ(error(none), "it controls no actuator");
  none.actuators = {0};
  EXPECT_EQ(error(none), "actuator = 0, must be the index of an actuator");
}

}  // namespace
}  // namespace abut
