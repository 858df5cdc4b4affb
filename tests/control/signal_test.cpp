// Signals by what defines them, and PD control by its recurrence on one rotor.

#include "abut/control/signal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "abut/control/controller.hpp"

namespace abut {
namespace {

constexpr double pi = std::numbers::pi;

double uniform(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

/// One of each kind, of two channels.
std::vector<Signal> signals(std::mt19937& random) {
  TrajectorySignal trajectory{2, {}, {}};
  double t = uniform(random, -1, 1);
  for (int k = 0; k < 7; ++k) {
    trajectory.times.push_back(t += std::pow(10, uniform(random, -3, 0)));
    for (int c = 0; c < 2; ++c) trajectory.values.push_back(uniform(random, -5, 5));
  }
  const double low = uniform(random, -3, 3);
  return {ConstantSignal{{uniform(random, -1, 1), 7}},
          SineSignal{uniform(random, -2, 2), uniform(random, 0, 5), uniform(random, -9, 9), 1},
          trajectory, RandomSignal{{low, -1}, {low + 2, -1}, uniform(random, 0.01, 1), random()}};
}

// within the range that is told, which is no wider than needed; between values its mean rate
TEST(Signal, StaysInItsRangeAndMovesByItsMeanRate) {
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i) {
    for (const Signal& signal : signals(random)) {
      SCOPED_TRACE(signal.index());
      const bool jumps = std::holds_alternative<RandomSignal>(signal);
      for (const int c : {0, 1}) {
        const auto [low, high] = value_range(signal, c);
        double least = HUGE_VAL, most = -HUGE_VAL;
        for (int k = 0; k < 4000; ++k) {
          const double t = -2 + 0.005 * k, x = value_at(signal, c, t);
          least = std::fmin(least, x), most = std::fmax(most, x);
          if (k % 40 != 0) continue;
          const double dt = std::pow(10, uniform(random, -6, 1));
          const double rise = value_at(signal, c, t + dt) - x;
          EXPECT_NEAR(mean_rate(signal, c, t, dt) * dt, jumps ? 0 : rise, 1e-12);
        }
        EXPECT_GE(least, low - 1e-14);
        EXPECT_LE(most, high + 1e-14);
        const auto* sine = std::get_if<SineSignal>(&signal);
        const bool seen = sine == nullptr || sine->frequency > 0.1;  // a whole period in 20 s
        if (seen && !std::holds_alternative<TrajectorySignal>(signal)) {
          EXPECT_LE(high - low, (most - least) * 1.5 + 1e-9);
        }
      }
    }
  }
}

// each knot at its time, and nothing but straight lines between
TEST(TrajectorySignal, GoesThroughItsKnotsInStraightLines) {
  std::mt19937 random(2);
  for (int i = 0; i < 100; ++i) {
    const Signal signal = signals(random)[2];
    const auto& s = std::get<TrajectorySignal>(signal);
    for (std::size_t k = 0; k < s.times.size(); ++k) {
      for (const int c : {0, 1}) {
        EXPECT_NEAR(value_at(signal, c, s.times[k]), s.values[2 * k + c], 1e-13);
        if (k == 0) continue;
        const double share = uniform(random, 0, 1), before = s.values[2 * k - 2 + c];
        const double t = s.times[k - 1] + share * (s.times[k] - s.times[k - 1]);
        EXPECT_NEAR(value_at(signal, c, t), before + share * (s.values[2 * k + c] - before), 1e-9);
      }
    }
    for (const int c : {0, 1}) {
      EXPECT_EQ(value_at(signal, c, s.times.front() - 10), s.values[c]);
      EXPECT_EQ(value_at(signal, c, s.times.back() + 10), s.values[12 + c]);
    }
  }
  const TrajectorySignal one{1, {3}, {42}};  // a single knot is a constant
  for (const double t : {-1e9, 3.0, 1e9}) EXPECT_EQ(value_at(one, 0, t), 42);
}

// the times of steps are sums of roundings: a number lasts its interval's steps, no more or fewer
TEST(RandomSignal, ChangesAfterEachIntervalOfSteps) {
  for (const double dt : {1e-3, 2e-3, 1.0 / 3, 0.1}) {
    for (const int steps : {1, 3, 7, 50}) {
      const RandomSignal s{{0}, {1}, steps * dt, 5};
      double last = -1, sum = 0;
      for (int i = 0; i < 20 * steps; ++i, sum += dt) {
        const double x = value_at(s, 0, i * dt);
        EXPECT_EQ(value_at(s, 0, sum), x) << "step " << i << " of " << dt << " s";
        EXPECT_EQ(x == last, i % steps != 0) << "step " << i << " of " << dt << " s";
        last = x;
      }
    }
  }
}

std::string error_of(const Signal& signal, int channels) {
  try {
    validate(signal, channels, {"s.toml", 7, "controller 'c'"});
  } catch (const InputError& e) {
    const std::string text = e.what(), place = "s.toml:7: controller 'c': ";
    EXPECT_EQ(text.substr(0, place.size()), place);
    return text.substr(place.size());
  }
  return "";
}

TEST(Signal, NumbersOutOfRangeAreRefused) {
  std::mt19937 random(3);
  for (const Signal& signal : signals(random)) EXPECT_EQ(error_of(signal, 2), "");
  const std::string finite = ", must be finite, and at most 1e30";
  for (const auto& [x, text] : {std::pair{NAN, "nan"}, {-HUGE_VAL, "-inf"}, {2e30, "2e+30"}}) {
    EXPECT_EQ(error_of(SineSignal{x, 1, 0, 0}, 1), std::string("amplitude = ") + text + finite);
    EXPECT_EQ(error_of(SineSignal{1, 1, x, 0}, 1), std::string("phase = ") + text + finite);
    EXPECT_EQ(error_of(SineSignal{1, 1, 0, x}, 1), std::string("offset = ") + text + finite);
    EXPECT_EQ(error_of(TrajectorySignal{1, {x}, {0}}, 1), std::string("time = ") + text + finite);
    EXPECT_EQ(error_of(TrajectorySignal{1, {0}, {x}}, 1), std::string("values = ") + text + finite);
    EXPECT_EQ(error_of(RandomSignal{{x}, {1}, 1, 0}, 1), std::string("lower = ") + text + finite);
    EXPECT_EQ(error_of(RandomSignal{{0}, {x}, 1, 0}, 1), std::string("upper = ") + text + finite);
    const std::string frequency = error_of(SineSignal{1, x, 0, 0}, 1);
    EXPECT_EQ(frequency,
              std::string("frequency = ") + text + " Hz, must not be negative, and at most 1e9 Hz");
  }
  EXPECT_EQ(error_of(TrajectorySignal{1, {0}, {0}}, 2),
            "channels = 1, must be as many as the controller has");
  EXPECT_EQ(error_of(TrajectorySignal{2, {}, {}}, 2), "knots = 0, must be at least 1");
  EXPECT_EQ(error_of(TrajectorySignal{2, {0, 1}, {1, 2, 3}}, 2),
            "values = 3 numbers, must be one per channel");
  EXPECT_EQ(error_of(RandomSignal{{0, 0}, {1}, 1, 0}, 2),
            "upper = 1 numbers, must be one per channel");
  EXPECT_EQ(error_of(RandomSignal{{0}, {1}, HUGE_VAL, 0}, 1),
            "interval = inf s, must be positive and finite");
}

/// A rotor or a sledge with armature, damper and spring.
struct Drive {
  JointKind kind;
  double inertia, armature, damping, stiffness;
};

Scene scene_of(const Drive& d) {
  Scene s;
  s.gravity = {};
  SceneBody body;
  body.kind = BodyKind::linked;
  body.mass = d.kind == JointKind::slide ? d.inertia : 1;
  body.inertia = d.inertia * Mat3::identity();
  SceneJoint j;
  j.kind = d.kind;
  j.armature = d.armature, j.damping = d.damping, j.stiffness = d.stiffness;
  body.joints = {j};
  s.bodies = {body};
  return s;
}

// (A + h kd + h^2 kp) v' = A v* + h kp (s(t + h) - q) + kd (s(t + h) - s(t)), within the limit
TEST(PdController, IsItsRecurrence) {
  std::mt19937 random(4);
  int limited = 0, compared = 0;
  for (int i = 0; i < 40; ++i) {
    const Drive d = {i % 2 ? JointKind::slide : JointKind::hinge,
                     std::pow(10, uniform(random, -2, 2)), i % 3 ? 0.3 : 0, i % 5 ? 0.2 : 0,
                     i % 4 ? 2.0 : 0};
    for (const Signal& signal : signals(random)) {
      const double h = std::pow(10, uniform(random, -3.5, -2));
      Controller c;
      c.signal = signal;
      if (const auto* two = std::get_if<ConstantSignal>(&signal)) {
        c.signal = ConstantSignal{{two->values[0]}};
      } else if (const auto* knots = std::get_if<TrajectorySignal>(&signal)) {
        TrajectorySignal first{1, knots->times, {}};
        for (std::size_t k = 0; k < knots->values.size(); k += 2) {
          first.values.push_back(knots->values[k]);
        }
        c.signal = first;
      } else if (const auto* numbers = std::get_if<RandomSignal>(&signal)) {
        c.signal = RandomSignal{{numbers->lower[0]}, {numbers->upper[0]}, 0.05, numbers->seed};
      }
      c.joints = {{0, 0, 1}};
      c.kp = d.inertia * std::pow(10, uniform(random, -1, 3));
      c.kd = d.inertia * std::pow(10, uniform(random, -1, 1));
      if (i % 2) c.effort_limit = 3 * d.inertia;
      SCOPED_TRACE(testing::Message() << i << ", signal " << signal.index() << ", kp " << c.kp
                                      << ", kd " << c.kd << ", h " << h);
      Scene scene = scene_of(d);
      scene.time_step = h;
      add_controller(c, scene);
      WorldOptions options;
      options.tolerance = 1e-12;
      World world(scene, options);
      for (int step = 0; step < 150; ++step) {
        const double t = world.time(), q = world.joint_state(0).positions[0],
                     v = world.joint_state(0).velocities[0];
        update_controls({&c, 1}, world);
        world.step();
        if (d.kind == JointKind::hinge && std::abs(v) * h > 0.015) continue;  // done in parts
        const double A = d.inertia + d.armature + h * (d.damping + h * d.stiffness);
        const double free = v - h * (d.stiffness * q + (d.damping + h * d.stiffness) * v) / A;
        const double now = value_at(c.signal, 0, t), next = value_at(c.signal, 0, t + h);
        const bool jumps = std::holds_alternative<RandomSignal>(c.signal);
        const double moment = h * c.kp * (next - q) + (jumps ? 0 : c.kd * (next - now));
        double u = (A * free + moment) / (A + h * c.kd + h * h * c.kp);
        const double impulse = A * (u - free), most = h * c.effort_limit;
        if (std::abs(impulse) > most) u = free + std::copysign(most, impulse) / A, ++limited;
        EXPECT_NEAR(world.joint_state(0).velocities[0], u, 1e-8 * (1 + std::abs(u))) << step;
        ++compared;
      }
    }
  }
  EXPECT_GT(limited, 500);
  EXPECT_GT(compared, 15000);
}

// what the limit is: the controller's own, else that of the motor in the model's file
TEST(EffortController, HasTheLimitOfTheJointsMotor) {
  for (const double own : {0.5, 4.0, unlimited_force}) {
    for (const bool has_name : {false, true}) {
      for (const double gear : {1.0, 3.0}) {
        Scene scene = scene_of({JointKind::hinge, 2, 0, 0, 0});
        SceneActuator motor;
        motor.name = has_name ? "m" : "";
        motor.parts = {{0, 0, gear}};
        motor.lower_force = -1, motor.upper_force = 1.5;
        scene.actuators = {motor};
        Controller c;
        c.kind = ControllerKind::effort;
        c.signal = ConstantSignal{{-10}};
        c.joints = {{0, 0, 1}};
        c.effort_limit = own;
        add_controller(c, scene);
        World world(scene, {.time_step = 1e-3});
        update_controls({&c, 1}, world);
        world.step();
        const bool of_motor = own == unlimited_force && has_name && gear == 1;
        const double force = of_motor ? 1 : std::min(own, 10.0);
        EXPECT_NEAR(world.joint_state(0).velocities[0], -1e-3 * force / 2, 1e-12)
            << own << ' ' << has_name << ' ' << gear;
      }
    }
  }
}

}  // namespace
}  // namespace abut
