// Everything that can act on one joint at once, step by step against the root of the scalar
// equation that docs/notation.md gives for it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "abut/sim/world.hpp"

namespace abut {
namespace {

struct Setting {
  JointKind kind = JointKind::slide;
  double inertia = 1, armature = 0;  ///< [kg or kg m^2]
  double damping = 0, stiffness = 0, rest = 0, dry = 0;
  double gravity = 0;  ///< along the axis, on slides
  double kp = 0, kd = 0, most = unlimited_force, control = 0;
  double limit_stiffness = 1e7, range = 0.1;  ///< from -range to range
  double h = 1e-3, q = 0, v = 0;

  double mass() const { return inertia + armature + h * damping + h * h * stiffness; }
};

Setting random_setting(std::mt19937& random) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto maybe = [&](double x) { return uniform(0, 1) < 0.6 ? x : 0; };
  Setting s;
  s.kind = uniform(0, 1) < 0.5 ? JointKind::slide : JointKind::hinge;
  s.inertia = std::pow(10, uniform(-3, 3));
  s.armature = maybe(s.inertia * std::pow(10, uniform(-2, 2)));
  s.h = std::pow(10, uniform(-4, -1.7));
  // periods of springs from far below the step to far above
  const auto stiffness = [&] { return s.inertia * std::pow(10, uniform(-1, 7)); };
  s.damping = maybe(s.inertia * std::pow(10, uniform(-2, 4)));
  s.stiffness = maybe(stiffness()), s.rest = uniform(-0.2, 0.2);
  s.gravity = s.kind == JointKind::slide ? maybe(9.81) : 0;
  s.dry = maybe(s.inertia * std::pow(10, uniform(-1, 2)));
  s.kp = maybe(stiffness()), s.kd = maybe(s.inertia * std::pow(10, uniform(-1, 3)));
  s.most = uniform(0, 1) < 0.5 ? unlimited_force : s.inertia * std::pow(10, uniform(0, 2));
  s.control = s.kp > 0 ? s.kp * uniform(-0.2, 0.2) : s.inertia * uniform(-20, 20);
  s.limit_stiffness = s.inertia * std::pow(10, uniform(3, 8));
  s.q = uniform(-0.12, 0.12), s.v = uniform(-1, 1);
  return s;
}

Scene scene_of(const Setting& s) {
  Scene scene;
  scene.gravity = {0, 0, s.gravity};
  SceneBody body;
  body.kind = BodyKind::linked;
  body.mass = s.kind == JointKind::slide ? s.inertia : 1;
  body.inertia = s.inertia * Mat3::identity();
  SceneJoint j;
  j.kind = s.kind, j.axis = {0, 0, 1};
  j.armature = s.armature, j.damping = s.damping, j.stiffness = s.stiffness;
  j.spring_reference = s.rest, j.dry_friction = s.dry;
  j.limited = true, j.lower = -s.range, j.upper = s.range, j.limit_stiffness = s.limit_stiffness;
  body.joints = {j};
  body.joint_positions = {s.q}, body.joint_velocities = {s.v};
  scene.bodies = {body};
  SceneActuator servo;
  servo.parts = {{0, 0, 1}};
  servo.bias[1] = -s.kp, servo.bias[2] = -s.kd;
  servo.lower_force = -s.most, servo.upper_force = s.most;
  scene.actuators = {servo};
  return scene;
}

/// What one step makes of (q, v): the root of A (u - v*) = sum of impulses(u), which fall with u.
double velocity_after(const Setting& s, double q, double v, double& allowed) {
  const double h = s.h, A = s.mass(), w = 1 / A;
  double impulse = -h * (s.stiffness * (q - s.rest) + (s.damping + h * s.stiffness) * v) +
                   h * s.gravity * s.inertia;
  const bool is_force = s.kp == 0 && s.kd == 0;
  if (is_force) impulse += h * std::clamp(s.control, -s.most, s.most);
  const double free = v + impulse / A;
  const double relax = h / std::numbers::pi, back = h + relax;
  allowed = std::min(allowed, std::max(0.0, std::abs(q) - s.range - 0.1 * back));
  const double limit_r =
      std::max(w / (4 * std::numbers::pi * std::numbers::pi), 1 / (h * back * s.limit_stiffness));
  const auto rest = [&](double u) {
    double sum = A * (free - u);
    if (s.dry > 0) sum += std::clamp(-u / (1e-3 * w), -h * s.dry, h * s.dry);
    if (!is_force) {
      const double f = s.control - s.kp * q, rate = h * s.kp + s.kd;
      sum += std::clamp(h * f - h * rate * u, -h * s.most, h * s.most);
    }
    for (const double side : {1.0, -1.0}) {  // the lower stop, the upper one
      const double gap = s.range + side * q, left = gap < 0 ? gap + allowed : gap;
      sum += side * std::max(0.0, (-left / back - side * u) / limit_r);
    }
    return sum;
  };
  double lower = -1e6, upper = 1e6;
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (lower + upper);
    (rest(middle) > 0 ? lower : upper) = middle;
  }
  return 0.5 * (lower + upper);
}

TEST(OneJoint, MovesByTheRootOfItsEquation) {
  std::mt19937 random(1);
  int compared = 0, at_stop = 0, stuck = 0, saturated = 0;
  for (int i = 0; i < 300; ++i) {
    const Setting s = random_setting(random);
    SCOPED_TRACE(testing::Message()
                 << i << ": " << to_string(s.kind) << ", inertia " << s.inertia << " + "
                 << s.armature << ", h " << s.h << ", damping " << s.damping << ", spring "
                 << s.stiffness << ", dry " << s.dry << ", servo " << s.kp << " " << s.kd
                 << " up to " << s.most << ", stop " << s.limit_stiffness);
    WorldOptions options;
    options.time_step = s.h;
    options.tolerance = 1e-12;
    World world(scene_of(s), options);
    world.set_control(0, s.control);
    double allowed = std::numeric_limits<double>::infinity();
    double fastest = std::abs(s.v);
    for (int step = 0; step < 60; ++step) {
      const double q = world.joint_state(0).positions[0], v = world.joint_state(0).velocities[0];
      const double u = velocity_after(s, q, v, allowed);
      ASSERT_NE(world.step().solve.status, SolveStatus::numerical_failure);
      // a hinge that turns fast has its springs in parts of a step, and may meet a stop unforeseen
      const double turn = s.h * std::max(std::abs(v), std::abs(u));
      if (s.kind == JointKind::hinge && turn > 0.02) continue;
      fastest = std::max({fastest, std::abs(u), std::abs(v)});
      ASSERT_NEAR(world.joint_state(0).velocities[0], u, 1e-7 * fastest + 1e-12) << step;
      ASSERT_NEAR(world.joint_state(0).positions[0], q + s.h * u, 1e-7 * s.h * fastest + 1e-15);
      ++compared;
      at_stop += std::abs(q) > s.range;
      stuck += s.dry > 0 && std::abs(u) < 1e-6 * fastest;
      saturated += std::abs(world.actuator_state(0).force) > 0.999 * s.most;
    }
  }
  for (const int count : {at_stop, stuck, saturated}) EXPECT_GT(count, 500);
  EXPECT_GT(compared, 15000);
}

}  // namespace
}  // namespace abut
