// Free bodies against mechanisms of one free joint, and against the equations of motion of one
// rigid body.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "abut/trees/articulated_trees.hpp"
#include "abut/trees/free_bodies.hpp"

namespace abut {
namespace {

const Vec3 gravity{0.4, -0.3, -9.81};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  Vec3 vector() {
    std::normal_distribution<double> normal;
    return {normal(engine_), normal(engine_), normal(engine_)};
  }
  Quaternion orientation() { return normalized(exp_rotation(3 * vector())); }
  /// Of a ball with a dumbbell in it.
  Mat3 inertia(double size = 0.1) {
    const Mat3 S = Mat3::skew(vector());
    return size * size * (0.3 * Mat3::identity() + (-0.2) * (S * S));
  }

 private:
  std::mt19937 engine_;
};

struct Body {
  double mass;
  Mat3 inertia;
  FreeBodyState state;
};

std::vector<Body> random_bodies(int count, unsigned seed, double speed = 3) {
  Random random(seed);
  std::vector<Body> bodies;
  for (int i = 0; i < count; ++i) {
    bodies.push_back({std::pow(10, random.uniform(-3, 3)),
                      random.inertia(),
                      {.center = 5 * random.vector(),
                       .orientation = random.orientation(),
                       .linear_velocity = random.vector(),
                       .angular_velocity = speed * random.vector()}});
    bodies.back().inertia = bodies.back().mass * bodies.back().inertia;
  }
  return bodies;
}

/// All of them as free bodies; v* of a step.
struct Free {
  FreeBodies bodies;
  MovingBodies moving;
  ContactProblem problem;
  std::vector<FreeBodyState> states;
  FreeMotion motion;  ///< of the last step

  explicit Free(const std::vector<Body>& list,
                SteppingScheme scheme = SteppingScheme::symplectic_euler)
      : bodies(scheme) {
    for (const Body& b : list) bodies.add(b.mass, b.inertia, moving), states.push_back(b.state);
    bodies.update_kinematics(states, moving);
  }
  void step(double dt, const Vec3& g, std::span<const Load> loads) {
    problem.begin(bodies.size());
    problem.time_step = dt;
    motion = bodies.set_trees(dt, g, moving, loads, problem);
    bodies.integrate(dt, problem.free_velocity, states, states);
    bodies.update_kinematics(states, moving);
  }
  Vec3 momentum(const std::vector<Body>& list) const {
    Vec3 sum;
    for (std::size_t i = 0; i < list.size(); ++i) sum += list[i].mass * states[i].linear_velocity;
    return sum;
  }
  /// Of one body about its center.
  Vec3 spin(const std::vector<Body>& list, int i) const {
    const Mat3& R = moving.rotation[i];
    return R * (list[i].inertia * transpose_times(R, states[i].angular_velocity));
  }
};

// each is on its own: what the others are changes no bit
/// The kernels have the bits of the functions of matrices and quaternions.
TEST(FreeBodies, HaveTheKinematicsOfTheirStates) {
  std::vector<Body> list = random_bodies(20, 4);
  list[3].inertia = 0.7 * Mat3::identity();
  const Free free(list);
  ContactProblem problem;
  problem.begin(free.bodies.size());
  const std::vector<Load> loads(list.size());
  std::vector<Body> at_rest = list;
  for (Body& b : at_rest) b.state.angular_velocity = {};
  Free resting(at_rest);
  resting.bodies.set_trees(0.01, {}, resting.moving, loads, problem);  // inertia as it is now
  for (std::size_t i = 0; i < list.size(); ++i) {
    const FreeBodyState& s = list[i].state;
    EXPECT_EQ(free.moving.center[i], s.center);
    EXPECT_EQ(free.moving.orientation[i], s.orientation);
    EXPECT_EQ(free.moving.linear_velocity[i], s.linear_velocity);
    EXPECT_EQ(free.moving.angular_velocity[i], s.angular_velocity);
    const Mat3 R = to_matrix(s.orientation), I = R * list[i].inertia * transpose(R);
    EXPECT_EQ(free.moving.rotation[i], R);
    const Mat3& inertia = problem.trees[i].inertia;
    EXPECT_EQ(inertia, transpose(inertia));
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c <= r; ++c) {
        EXPECT_EQ(inertia(r, c), i == 3 ? list[i].inertia(r, c) : I(r, c));
      }
    }
  }
}

TEST(FreeBodies, MoveAndTurnByTheirNewVelocities) {
  constexpr double dt = 0.01;
  const std::vector<Body> list = random_bodies(20, 6);
  Random random(7);
  const Free free(list);
  std::vector<double> velocity;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Vec3 v = random.vector(),
               w = (i == 2 ? 0 : std::pow(10, random.uniform(-3, 2))) * random.vector();
    velocity.insert(velocity.end(), {v.x, v.y, v.z, w.x, w.y, w.z});
  }
  std::vector<FreeBodyState> end(list.size());
  free.bodies.integrate(dt, velocity, free.states, end);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const double* u = velocity.data() + 6 * i;
    const Vec3 v{u[0], u[1], u[2]}, w{u[3], u[4], u[5]};
    const FreeBodyState& s = list[i].state;
    EXPECT_EQ(end[i].center, s.center + dt * v);
    EXPECT_EQ(end[i].linear_velocity, v);
    EXPECT_EQ(end[i].angular_velocity, w);
    EXPECT_EQ(end[i].orientation,
              w == Vec3{} ? s.orientation : normalized(exp_rotation(dt * w) * s.orientation));
  }
}

TEST(FreeBodies, DoNotKnowOfEachOther) {
  for (const int count : {0, 1, 2, 40}) {
    const std::vector<Body> list = random_bodies(count, 1);
    Random random(2);
    std::vector<Load> loads;
    for (int i = 0; i < count; ++i) loads.push_back({random.vector(), 0.01 * random.vector()});
    Free all(list);
    EXPECT_EQ(all.bodies.dofs(), 6 * count);
    all.step(5e-3, gravity, loads);
    EXPECT_EQ(std::ssize(all.problem.trees), count);
    double kinetic = 0, potential = 0;
    for (int i = 0; i < count; ++i) {
      Free alone({list[i]});
      alone.step(5e-3, gravity, {&loads[i], 1});
      EXPECT_EQ(alone.states[0], all.states[i]) << i;
      kinetic += alone.bodies.kinetic_energy(alone.moving);
      potential += alone.bodies.potential_energy(gravity, alone.moving);
    }
    EXPECT_NEAR(all.bodies.kinetic_energy(all.moving), kinetic, 1e-12 * kinetic);
    EXPECT_NEAR(all.bodies.potential_energy(gravity, all.moving), potential,
                1e-12 * std::abs(potential) + 1e-9);
  }
}

/// The same body on a free joint, its frame off its center of mass.
Link link_of(const Body& b, const Vec3& center) {
  Link link;
  link.joints.resize(1);
  link.joints[0].kind = JointKind::free;
  link.mass = b.mass, link.center_of_mass = center, link.inertia = b.inertia;
  return link;
}

// energies, velocities and, as the step shrinks, the motion under loads
TEST(FreeBodies, AreMechanismsOfOneFreeJoint) {
  const std::vector<Body> list = random_bodies(10, 3);
  for (int i = 0; i < 10; ++i) {
    SCOPED_TRACE(i);
    Random random(i);
    const Body& b = list[i];
    const Vec3 center = random.vector();
    const Load load = {b.mass * random.vector(), 0.1 * b.mass * random.vector()};
    double off[2];
    for (const int fine : {0, 1}) {
      const double dt = fine ? 5e-5 : 1e-4;
      Free free({b});
      MovingBodies links;
      ArticulatedTrees trees;
      trees.add({link_of(b, center)}, links);
      const FreeBodyState& s = b.state;
      const Mat3 R = to_matrix(s.orientation);
      const Vec3 origin = s.center - R * center;
      const Vec3 v = s.linear_velocity + cross(s.angular_velocity, origin - s.center),
                 w = transpose_times(R, s.angular_velocity);
      const Quaternion& o = s.orientation;
      const std::vector<double> position{origin.x, origin.y, origin.z, o.w, o.x, o.y, o.z},
          velocity{v.x, v.y, v.z, w.x, w.y, w.z};
      std::vector<double> q(7), u(6);
      trees.tree(0).from_joints(position, velocity, q, u);
      const std::vector<double> none(6, 0.0);
      std::vector<double> next;
      for (int step = 0; step < std::lround(0.05 / dt); ++step) {
        trees.update_kinematics(q, u, gravity, links);
        if (step == 0) {
          EXPECT_LT(norm(links.center[0] - s.center), 1e-13 * (1 + norm(s.center)));
          EXPECT_LT(norm(links.linear_velocity[0] - s.linear_velocity), 1e-13 * (1 + norm(v)));
          EXPECT_LT(norm(links.angular_velocity[0] - s.angular_velocity), 1e-13 * (1 + norm(w)));
          const double energy = free.bodies.kinetic_energy(free.moving);
          EXPECT_NEAR(trees.kinetic_energy(), energy, 1e-11 * energy);
          EXPECT_NEAR(trees.potential_energy(gravity),
                      free.bodies.potential_energy(gravity, free.moving), 1e-11 * b.mass * 100);
        }
        ContactProblem problem;
        problem.time_step = dt;
        trees.add_trees(dt, {&load, 1}, none, {}, problem);
        next = problem.free_velocity;
        trees.integrate(dt, next, q);
        u = next;
        free.step(dt, gravity, {&load, 1});
      }
      trees.update_kinematics(q, u, gravity, links);
      off[fine] = norm(links.center[0] - free.states[0].center) +
                  norm(links.angular_velocity[0] - free.states[0].angular_velocity);
      EXPECT_LT(off[fine], 100 * dt);
    }
    EXPECT_LT(off[1], 0.6 * off[0] + 1e-9) << "they part by O(h)";
  }
}

// forces change the momentum by h times their sum, in steps of any size; those at rest stay
TEST(FreeBodies, LoadsAreTheRateOfMomentum) {
  for (const double dt : {1e-6, 1e-3, 0.1}) {
    const std::vector<Body> list = random_bodies(8, 4);
    Random random(5);
    std::vector<Load> loads;
    Vec3 sum;
    for (const Body& b : list) {
      loads.push_back({b.mass * random.vector(), {}});
      sum += loads.back().force + b.mass * gravity;
    }
    Free all(list);
    const Vec3 before = all.momentum(list);
    for (int step = 0; step < 10; ++step) all.step(dt, gravity, loads);
    EXPECT_LT(norm(all.momentum(list) - before - 10 * dt * sum), 1e-12 * norm(before)) << dt;
  }
  std::vector<Body> still = random_bodies(3, 6);
  for (Body& b : still) b.state.linear_velocity = b.state.angular_velocity = {};
  Free rest(still);
  for (int step = 0; step < 5; ++step) rest.step(0.1, {}, std::vector<Load>(3));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(rest.states[i], still[i].state);
}

// a moment M for a time T gives M T of angular momentum, whatever the body's shape and spin
TEST(FreeBodies, AMomentIsTheRateOfAngularMomentum) {
  for (const double speed : {0.0, 3.0, 30.0}) {
    const std::vector<Body> list = random_bodies(6, 7, speed);
    Random random(8);
    std::vector<Load> loads;
    for (const Body& b : list) loads.push_back({{}, 0.05 * b.mass * random.vector()});
    double off[2] = {0, 0};
    for (const int fine : {0, 1}) {
      const double dt = fine ? 1e-4 : 2e-4;
      Free all(list);
      std::vector<Vec3> before;
      for (int i = 0; i < 6; ++i) before.push_back(all.spin(list, i));
      for (int step = 0; step < std::lround(0.1 / dt); ++step) all.step(dt, gravity, loads);
      for (int i = 0; i < 6; ++i) {
        const Vec3 change = all.spin(list, i) - before[i] - 0.1 * loads[i].moment;
        off[fine] =
            std::max(off[fine], norm(change) / (norm(before[i]) + 0.1 * norm(loads[i].moment)));
      }
    }
    EXPECT_LT(off[0], 1e-3 * (1 + speed)) << speed;
    EXPECT_LT(off[1], 0.6 * off[0] + 1e-12) << speed;
  }
}

// Euler's top with two equal moments: in its own axes the spin turns about the third axis with
// (I3 - I1)/I1 w3, and its length and w3 stay
TEST(FreeBodies, ASymmetricTopPrecessesAsEulerSays) {
  for (const double ratio : {0.3, 0.9, 1.1, 1.9}) {
    Random random(9);
    const Quaternion o = random.orientation();
    const Vec3 w0 = {0.8, 0, 2};
    const std::vector<Body> top = {{2,
                                    Mat3::diagonal({0.01, 0.01, 0.01 * ratio}),
                                    {.center = {},
                                     .orientation = o,
                                     .linear_velocity = {},
                                     .angular_velocity = to_matrix(o) * w0}}};
    const double T = 0.5, rate = (ratio - 1) * w0.z;
    double off[2];
    for (const int fine : {0, 1}) {
      const double dt = fine ? 2.5e-5 : 5e-5;
      Free body(top);
      for (int step = 0; step < std::lround(T / dt); ++step)
        body.step(dt, {}, std::vector<Load>(1));
      const Vec3 w = transpose_times(body.moving.rotation[0], body.states[0].angular_velocity);
      const Vec3 exact = {0.8 * std::cos(rate * T), 0.8 * std::sin(rate * T), 2};
      off[fine] = norm(w - exact);
    }
    EXPECT_LT(off[0], 1e-3) << ratio;
    EXPECT_NEAR(off[1], 0.5 * off[0], 0.05 * off[0]) << ratio;
  }
}

// midpoint: energy and angular momentum of a spinning body stay to round-off, its orientation is
// right to second order; Euler's methods are of first order in all three
TEST(FreeBodies, MidpointKeepsEnergyAndMomentumOfATop) {
  const std::vector<Body> list = random_bodies(8, 11, 10);
  const std::vector<Load> none(8);
  for (const double dt : {1e-3, 2e-2}) {
    Free all(list, SteppingScheme::midpoint);
    const double energy = all.bodies.kinetic_energy(all.moving);
    std::vector<Vec3> L;
    for (int i = 0; i < 8; ++i) L.push_back(all.spin(list, i));
    for (int step = 0; step < 2000; ++step) {
      all.step(dt, {}, none);
      ASSERT_TRUE(all.motion.converged);
      ASSERT_LE(all.motion.iterations, 8);
    }
    EXPECT_NEAR(all.bodies.kinetic_energy(all.moving), energy, 1e-11 * energy) << dt;
    for (int i = 0; i < 8; ++i) {
      EXPECT_LT(norm(all.spin(list, i) - L[i]), 1e-11 * norm(L[i])) << dt << ", body " << i;
    }
  }
}

// under a moment that stays in the world too: R I w = R0 I w0 + h t, whatever the step
TEST(FreeBodies, MidpointAddsAMomentToTheAngularMomentum) {
  const std::vector<Body> list = random_bodies(8, 12, 5);
  Random random(13);
  std::vector<Load> loads;
  for (const Body& b : list) loads.push_back({{}, 0.05 * b.mass * random.vector()});
  Free all(list, SteppingScheme::midpoint);
  std::vector<Vec3> before;
  for (int i = 0; i < 8; ++i) before.push_back(all.spin(list, i));
  for (int step = 0; step < 20; ++step) all.step(0.01, gravity, loads);
  for (int i = 0; i < 8; ++i) {
    const Vec3 change = all.spin(list, i) - before[i] - 0.2 * loads[i].moment;
    EXPECT_LT(norm(change), 1e-12 * (norm(before[i]) + 0.2 * norm(loads[i].moment))) << i;
  }
}

TEST(FreeBodies, ATopTurnsInTheOrderOfItsScheme) {
  const std::vector<Body> list = random_bodies(1, 14, 5);
  const Vec3 push = {0.02 * list[0].mass, 0, 0.01 * list[0].mass};
  const std::vector<Load> loads = {{push, 0.1 * push}};
  const auto end = [&](SteppingScheme scheme, double dt) {
    Free body(list, scheme);
    for (int step = 0; step < std::lround(0.5 / dt); ++step) body.step(dt, gravity, loads);
    return body.states[0];
  };
  // two schemes agree on where it goes
  const FreeBodyState exact = end(SteppingScheme::midpoint, 1e-5);
  const auto off = [&](const FreeBodyState& s) {
    const Quaternion &a = s.orientation, &b = exact.orientation;
    return norm(Quaternion{a.w - b.w, a.x - b.x, a.y - b.y, a.z - b.z}) +
           norm(s.angular_velocity - exact.angular_velocity) + norm(s.center - exact.center);
  };
  for (const SteppingScheme scheme : velocity_schemes) {
    const double coarse = off(end(scheme, 1e-3)), fine = off(end(scheme, 5e-4));
    const double order = scheme == SteppingScheme::midpoint ? 2 : 1;
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.1) << to_string(scheme);
  }
}

// a point mass in gravity: midpoint follows the parabola to round-off
TEST(FreeBodies, MidpointFollowsTheParabola) {
  Free body(random_bodies(1, 15, 0), SteppingScheme::midpoint);
  const FreeBodyState s = body.states[0];
  for (int step = 0; step < 10; ++step) body.step(0.1, gravity, std::vector<Load>(1));
  const Vec3 exact = s.center + s.linear_velocity + 0.5 * gravity;
  EXPECT_LT(norm(body.states[0].center - exact), 1e-13 * (1 + norm(exact)));
}

// where no solution is found it is said, and the motion is that of a robust scheme
TEST(FreeBodies, ASpinThatCannotBeSolvedForIsReported) {
  const std::vector<Body> list = random_bodies(8, 16, 1e4);
  Free all(list, SteppingScheme::implicit_euler);
  bool converged = true;
  for (int step = 0; step < 20; ++step) {
    all.step(0.01, {}, std::vector<Load>(8));
    converged = converged && all.motion.converged;
  }
  EXPECT_FALSE(converged);
  for (const FreeBodyState& s : all.states) {
    EXPECT_TRUE(std::isfinite(norm(s.angular_velocity) + norm(s.orientation)));
  }
}

// a ball feels no gyroscopic moment: its spin keeps every bit, as do steps of no length its state
TEST(FreeBodies, ABallSpinsOn) {
  std::vector<Body> list = random_bodies(4, 10, 50);
  for (Body& b : list) b.inertia = 0.01 * b.mass * Mat3::identity();
  Free all(list);
  for (int step = 0; step < 100; ++step) all.step(0.02, {}, std::vector<Load>(4));
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(all.states[i].angular_velocity, list[i].state.angular_velocity);
    EXPECT_NEAR(norm(all.states[i].orientation), 1, 1e-14);
  }
}

}  // namespace
}  // namespace abut
