// Whole robots in flight while their limbs spin: energy, momentum and angular momentum, by scheme.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "abut/io/mjcf.hpp"
#include "abut/sim/world.hpp"

namespace abut {
namespace {

constexpr double g = 9.81, start_height = 5, flight = 0.2;  // [m/s^2, m, s]

/// Without dampers, limits and the ground: nothing but weight and the joints' springs acts.
Scene robot(const std::string& name) {
  Scene s = load_mjcf(std::string(ABUT_SCENES) + "/" + name);
  s.geoms.clear();
  for (SceneBody& b : s.bodies) {
    for (SceneJoint& j : b.joints) {
      j.damping = j.dry_friction = 0;
      j.limited = false;
      if (j.stiffness > 0) j.stiffness = 5;  // swings that steps of 2 ms resolve
    }
  }
  s.keyframes.clear();
  s.actuators.clear();
  return s;
}

struct Motion {
  Vec3 momentum, angular_momentum;  ///< about the common center of mass [kg m/s, kg m^2/s]
  double energy = 0;                ///< [J]
};

Motion motion_of(const World& w) {
  Motion m;
  Vec3 center;
  double mass = 0;
  const std::vector<SceneBody>& bodies = w.scene().bodies;
  const auto each = [&](const auto& visit) {
    for (int b = 0; b < std::ssize(bodies); ++b) {
      if (bodies[b].kind == BodyKind::fixed) continue;
      const BodyState s = w.body_state(b);
      visit(bodies[b], s, s.position + to_matrix(s.orientation) * bodies[b].center_of_mass);
    }
  };
  each([&](const SceneBody& b, const BodyState&, const Vec3& x) {
    center += b.mass * x;
    mass += b.mass;
  });
  center = (1 / mass) * center;
  each([&](const SceneBody& b, const BodyState& s, const Vec3& x) {
    m.momentum += b.mass * s.linear_velocity;
    const Mat3 R = to_matrix(s.orientation);
    m.angular_momentum += b.mass * cross(x - center, s.linear_velocity) +
                          R * (b.inertia * transpose_times(R, s.angular_velocity));
  });
  m.energy = w.kinetic_energy() + w.potential_energy();
  return m;
}

struct Errors {
  double energy, linear, angular;
};

/// Of energy, momentum and angular momentum after the flight, from a state in which all joints
/// turn.
Errors fly(const std::string& name, SteppingScheme scheme, double h) {
  WorldOptions o;
  o.scheme = scheme;
  o.time_step = h;
  World w(robot(name), o);
  double mass = 0;
  for (int b = 0; b < std::ssize(w.scene().bodies); ++b) {
    const SceneBody& body = w.scene().bodies[b];
    mass += body.mass;
    if (body.kind != BodyKind::linked) continue;
    JointState s = w.joint_state(b);
    for (std::size_t k = 0; k < s.velocities.size(); ++k) {
      s.velocities[k] = 3 * std::sin(b + 0.7 * static_cast<double>(k));
    }
    if (s.positions.size() == 7) s.positions[2] += start_height;
    w.set_joint_state(b, s);
  }
  const Motion before = motion_of(w);
  const auto steps = std::lround(flight / h);
  for (long i = 0; i < steps; ++i) {
    EXPECT_EQ(w.step().solve.status, SolveStatus::converged);
  }
  const Motion after = motion_of(w);
  const double time = h * static_cast<double>(steps);
  return {std::abs(after.energy - before.energy),
          norm(after.momentum - before.momentum - Vec3{0, 0, -g * mass * time}),
          norm(after.angular_momentum - before.angular_momentum)};
}

class Flight : public testing::TestWithParam<const char*> {};

TEST_P(Flight, ErrsInTheOrderOfItsScheme) {
  for (const SteppingScheme scheme : {SteppingScheme::midpoint, SteppingScheme::implicit_euler,
                                      SteppingScheme::symplectic_euler}) {
    SCOPED_TRACE(to_string(scheme));
    const Errors coarse = fly(GetParam(), scheme, 1e-3), fine = fly(GetParam(), scheme, 5e-4);
    const bool second = scheme == SteppingScheme::midpoint;
    for (const auto error : {&Errors::energy, &Errors::linear, &Errors::angular}) {
      if (second) {
        EXPECT_NEAR(coarse.*error / fine.*error, 4, 0.3);
      } else {
        EXPECT_LT(coarse.*error / fine.*error, 2.2);
        EXPECT_GT(coarse.*error, 20 * fly(GetParam(), SteppingScheme::midpoint, 1e-3).*error);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Robots, Flight, testing::Values("solo12.xml", "talos.xml"));

}  // namespace
}  // namespace abut
