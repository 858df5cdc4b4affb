// Actuators of every kind at once, several on a joint and joints of several mechanisms on one, at
// any step and mass, against the equations of sim/scene.hpp solved coordinate by coordinate.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "abut/sim/world.hpp"

namespace abut {
namespace {

/// Carts on slides along x, one mechanism each, with springs and dampers.
struct Carts {
  Scene scene;
  std::vector<double> q, v, activation, control, load;
};

/// What one actuator does: f = offset - slope c between bounds, c its velocity at the step's end.
struct Line {
  double offset, slope, lower, upper;
  double at(double c) const { return std::clamp(offset - slope * c, lower, upper); }
};

class RandomCarts {
 public:
  explicit RandomCarts(unsigned seed) : random_(seed) {}

  Carts make(int carts, int actuators) {
    Carts c;
    c.scene.gravity = {0.7, 0, -9.81};
    for (int i = 0; i < carts; ++i) {
      SceneBody body;
      body.kind = BodyKind::linked;
      body.mass = std::pow(10, uniform(-3, 3));
      body.inertia = Mat3::diagonal({1, 1, 1});
      body.position = {0, 1.0 * i, 0};
      SceneJoint slide;
      slide.kind = JointKind::slide;
      slide.axis = {1, 0, 0};
      slide.reference = uniform(-1, 1);
      if (chance(0.5)) slide.armature = body.mass * uniform(0, 2);
      if (chance(0.5)) slide.damping = body.mass * uniform(0, 10);
      if (chance(0.5)) slide.stiffness = body.mass * uniform(0, 100);
      slide.spring_reference = uniform(-1, 1);
      body.joints = {slide};
      c.q.push_back(uniform(-1, 1));
      c.v.push_back(uniform(-1, 1));
      c.load.push_back(body.mass * uniform(-1, 1));
      body.joint_positions = {c.q.back()}, body.joint_velocities = {c.v.back()};
      c.scene.bodies.push_back(body);
    }
    for (int i = 0; i < actuators; ++i) add_actuator(c);
    return c;
  }

  double uniform(double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(random_);
  }
  bool chance(double p) { return uniform(0, 1) < p; }

 private:
  void add_actuator(Carts& c) {
    SceneActuator a;
    double scale = 1e9;  // forces like the lightest cart's weight
    for (int parts = std::uniform_int_distribution<int>(1, 3)(random_); parts > 0; --parts) {
      const int cart =
          std::uniform_int_distribution<int>(0, static_cast<int>(c.q.size()) - 1)(random_);
      a.parts.push_back({cart, 0, chance(0.1) ? 0 : uniform(-2, 2)});
      scale = std::min(scale, c.scene.bodies[cart].mass);
    }
    a.gain[0] = scale * uniform(-5, 5);
    a.bias[0] = scale * uniform(-1, 1);
    if (chance(0.3)) {
      a.velocity_limit = uniform(0.1, 2);
    } else {  // of either sign: what drives motion on is taken at the step's start
      a.gain[1] = scale * uniform(-20, 20), a.gain[2] = scale * uniform(-2, 2);
      a.bias[1] = scale * uniform(-100, 5), a.bias[2] = scale * uniform(-10, 0.5);
    }
    if (chance(0.5)) a.lower_force = -scale * uniform(0, 3), a.upper_force = scale * uniform(0, 3);
    if (chance(0.5)) a.control_limited = true, a.lower_control = -0.5, a.upper_control = 0.3;
    a.activation = static_cast<Activation>(std::uniform_int_distribution<int>(0, 2)(random_));
    a.time_constant = std::pow(10, uniform(-5, 1));
    a.activation_early = chance(0.5);
    if (chance(0.3)) {
      a.activation_limited = true, a.lower_activation = -0.1, a.upper_activation = 0.2;
    }
    c.scene.actuators.push_back(a);
    c.activation.push_back(0);
    c.control.push_back(uniform(-1, 1));
  }

  std::mt19937 random_;
};

double sum_over(const SceneActuator& a, const std::vector<double>& x) {
  double sum = 0;
  for (const ScenePart& p : a.parts) sum += p.gear * x[p.body];
  return sum;
}

/// The force of actuator i in a step of h, whose activation goes to the step's end.
Line line_of(Carts& c, int i, double h) {
  const SceneActuator& a = c.scene.actuators[i];
  double u = c.control[i], &state = c.activation[i];
  if (a.control_limited) u = std::min(std::max(u, a.lower_control), a.upper_control);
  if (a.activation != Activation::none) {
    const double before = state;
    state = a.activation == Activation::integrator
                ? before + h * u
                : u + (before - u) * std::exp(-h / a.time_constant);
    if (a.activation_limited) {
      state = std::min(std::max(state, a.lower_activation), a.upper_activation);
    }
    u = a.activation_early ? state : before;
  }
  const double L = sum_over(a, c.q), dL = sum_over(a, c.v);
  const double now = a.gain[0] * u + a.bias[0] + (a.gain[1] * u + a.bias[1]) * L;
  const double slope = -h * (a.gain[1] * u + a.bias[1]) - (a.gain[2] * u + a.bias[2]);
  if (slope > 0) return {now, slope, a.lower_force, a.upper_force};
  const double f = std::clamp(now + (a.gain[2] * u + a.bias[2]) * dL, a.lower_force, a.upper_force);
  if (std::isinf(a.velocity_limit) || f == 0) return {f, 0, f, f};
  // f up to 99 % of the limit, nothing from it on
  const double steep = std::abs(f) / (0.01 * a.velocity_limit);
  return {steep * std::copysign(a.velocity_limit, f), steep, std::min(f, 0.0), std::max(f, 0.0)};
}

/// Momentum of cart i that a step to `v` lacks [N s]; rises with v[i].
double lack(const Carts& c, const std::vector<Line>& lines, int i, double h,
            const std::vector<double>& v) {
  const SceneBody& b = c.scene.bodies[i];
  const SceneJoint& j = b.joints[0];
  double force = c.load[i] + b.mass * c.scene.gravity.x - j.damping * v[i] -
                 j.stiffness * (c.q[i] + h * v[i] - j.spring_reference);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const SceneActuator& a = c.scene.actuators[k];
    double gear = 0;
    for (const ScenePart& p : a.parts) gear += p.body == i ? p.gear : 0;
    force += gear * lines[k].at(sum_over(a, v));
  }
  return (b.mass + j.armature) * (v[i] - c.v[i]) - h * force;
}

/// Gauss & Seidel with bisection.
void step(Carts& c, const std::vector<Line>& lines, double h) {
  std::vector<double> v = c.v;
  for (int sweep = 0; sweep < 1000; ++sweep) {
    double change = 0;
    for (int i = 0; i < std::ssize(v); ++i) {
      const double before = v[i];
      double lower = before - 1e-3, upper = before + 1e-3;
      const auto lack_at = [&](double x) { return v[i] = x, lack(c, lines, i, h, v); };
      while (lack_at(lower) > 0) lower -= 2 * (upper - lower);
      while (lack_at(upper) < 0) upper += 2 * (upper - lower);
      for (int k = 0; k < 60; ++k) {
        const double middle = 0.5 * (lower + upper);
        (lack_at(middle) < 0 ? lower : upper) = middle;
      }
      v[i] = 0.5 * (lower + upper);
      change = std::max(change, std::abs(v[i] - before));
    }
    if (change < 1e-13) break;
  }
  c.v = v;
  for (std::size_t i = 0; i < v.size(); ++i) c.q[i] += h * v[i];
}

TEST(Actuators, OfEveryKindAtOnceFollowTheirEquations) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    RandomCarts random(seed);
    Carts c = random.make(1 + seed % 4, 1 + seed % 6);
    WorldOptions options;
    options.tolerance = 1e-13;
    World w(c.scene, options);
    for (int k = 0; k < 25; ++k) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", step " << k);
      const double h = std::pow(10, random.uniform(-4, -1.5));
      for (int i = 0; i < w.actuators(); ++i) {
        if (random.chance(0.2)) c.control[i] = random.uniform(-1, 1);
        w.set_control(i, c.control[i]);
      }
      for (int i = 0; i < std::ssize(c.load); ++i) w.set_load(i, {c.load[i], 5, 5}, {});
      std::vector<double> length;
      std::vector<Line> lines;
      for (int i = 0; i < w.actuators(); ++i) {
        length.push_back(sum_over(c.scene.actuators[i], c.q));
        lines.push_back(line_of(c, i, h));
      }
      step(c, lines, h);
      w.step(h);
      for (int i = 0; i < w.actuators(); ++i) {
        const ActuatorState& a = w.actuator_state(i);
        const double speed = sum_over(c.scene.actuators[i], c.v), force = lines[i].at(speed);
        ASSERT_NEAR(a.length, length[i], 1e-6) << i;
        ASSERT_NEAR(a.velocity, speed, 1e-6) << i;
        ASSERT_NEAR(a.activation, c.activation[i], 1e-12) << i;
        ASSERT_NEAR(a.force, force, 1e-5 * (std::abs(force) + lines[i].slope)) << i;
      }
      for (int i = 0; i < std::ssize(c.q); ++i) {
        ASSERT_NEAR(w.joint_velocity(i, 0), c.v[i], 1e-6) << i;
        ASSERT_NEAR(w.joint_position(i, 0), c.q[i], 1e-6) << i;
      }
    }
  }
}

// one whose force is its control's alone takes a way of its own through a step
TEST(Actuators, OfAControlAloneAreAsTheGeneralOnes) {
  for (const SteppingScheme scheme : stepping_schemes) {
    SCOPED_TRACE(to_string(scheme));
    RandomCarts random(1);
    Carts whole = random.make(3, 0);
    for (int i = 0; i < 3; ++i) {
      SceneActuator motor;
      motor.parts = {{.body = i, .joint = 0, .gear = random.uniform(-5, 5)}};
      motor.gain[0] = random.uniform(-2, 2), motor.bias[0] = random.uniform(-1, 1);
      motor.lower_force = -1, motor.upper_force = 1;
      motor.control_limited = i != 1, motor.lower_control = -0.5, motor.upper_control = 0.7;
      whole.scene.actuators.push_back(motor);
    }
    Scene halves = whole.scene;  // two parts are no single joint
    for (SceneActuator& a : halves.actuators) {
      a.parts[0].gear *= 0.5;
      a.parts.push_back(a.parts[0]);
    }
    WorldOptions options;
    options.time_step = 0.01;
    options.scheme = scheme;
    if (scheme == SteppingScheme::accelerations) options.model = ContactModel::ncp;
    World a(whole.scene, options), b(halves, options);
    for (int step = 0; step < 50; ++step) {
      for (int i = 0; i < 3; ++i) {
        const double u = random.uniform(-1, 1);
        a.set_control(i, u), b.set_control(i, u);
      }
      a.step(), b.step();
      ASSERT_EQ(a.state_hash(), b.state_hash()) << "step " << step;
      for (int i = 0; i < 3; ++i) {
        const ActuatorState &x = a.actuator_state(i), &y = b.actuator_state(i);
        EXPECT_EQ(x.force, y.force);
        EXPECT_NEAR(x.length, y.length, 1e-12);
        EXPECT_NEAR(x.velocity, y.velocity, 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace abut
