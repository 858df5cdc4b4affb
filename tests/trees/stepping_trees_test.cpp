// Stepping schemes of mechanisms: the equation of v* and its solution, and the order in which
// motion, energy and momentum are right.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "random_links.hpp"

namespace abut {
namespace {

using enum SteppingScheme;

constexpr SteppingScheme new_schemes[] = {implicit_euler, midpoint, explicit_euler};

/// q (+) h v, by a tree of its own.
std::vector<double> moved(const std::vector<Link>& links, std::vector<double> q,
                          const std::vector<double>& v, double h) {
  ArticulatedTree tree(links);
  tree.update(q, v, gravity);
  tree.integrate(h, v, q);
  return q;
}

/// m(v) = M(q_t) (v - v0) - h k(q_t, v_t) [SAP 14], springs and dampers from the links; and the
/// size of M v.
struct Momentum {
  std::vector<double> m;
  double size = 0;
};
Momentum balance(const std::vector<Link>& links, const Alone& from, SteppingScheme scheme, double h,
                 const std::vector<double>& forces, const std::vector<double>& v) {
  const SchemeTraits t = traits(scheme);
  const std::size_t n = v.size();
  std::vector<double> v_q(n), v_t(n);
  for (std::size_t i = 0; i < n; ++i) {
    v_q[i] = (1 - t.theta_vq) * from.v[i] + t.theta_vq * v[i];
    v_t[i] = (1 - t.theta) * from.v[i] + t.theta * v[i];
  }
  const std::vector<double> q_t = moved(links, from.q, v_q, t.theta * h);
  ArticulatedTree tree(links);
  tree.update(q_t, v_t, gravity);
  std::vector<double> position(q_t.size()), velocity(n);
  tree.to_joints(q_t, v_t, position, velocity);
  Momentum out{.m = std::vector<double>(n)};
  int at = 0, coordinate = 0;
  for (const Link& link : links) {
    for (const Joint& j : link.joints) {
      const bool has_spring = position_count(j.kind) == 1;
      for (int k = 0; k < velocity_count(j.kind); ++k, ++at) {
        double left = 0, momentum = 0;
        for (std::size_t c = 0; c < n; ++c) {
          left += tree.mass_matrix()[at * n + c] * (v[c] - from.v[c]);
          momentum += std::abs(tree.mass_matrix()[at * n + c] * v[c]);
        }
        const double stretch = has_spring ? position[coordinate] - j.spring_reference : 0;
        const double force = forces[at] - tree.bias_forces()[at] - j.damping * v_t[at] -
                             (has_spring ? j.stiffness : 0) * stretch;
        out.m[at] = left - h * force;
        out.size = std::max(out.size, momentum);
      }
      coordinate += position_count(j.kind);
    }
  }
  return out;
}

double largest(const std::vector<double>& x) {
  double most = 0;
  for (const double a : x) most = std::max(most, std::abs(a));
  return most;
}

Alone random_tree(Random& random, const std::vector<Link>& links, double speed,
                  SteppingScheme scheme) {
  const ArticulatedTree probe(links);
  return Alone(links, numbers(random, probe.positions(), 1),
               numbers(random, probe.velocities(), speed), gravity, scheme);
}

/// Depth first or not, floating or not.
std::vector<std::vector<Link>> some_mechanisms(Random& random) {
  return {branched(random),
          {random.link(-1, {free}), random.link(0, {ball}), random.link(1, {hinge, slide}),
           random.link(0, {slide})},
          {random.link(-1, {free}), random.link(0, {hinge}), random.link(0, {ball}),
           random.link(1, {slide}), random.link(2, {hinge})}};
}

TEST(SteppingTrees, FreeMotionSolvesTheMomentumBalance) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Random random(seed);
    for (const auto& links : some_mechanisms(random)) {
      for (const SteppingScheme scheme : new_schemes) {
        for (const double h : {1e-4, 1e-2}) {
          Alone a = random_tree(random, links, 4, scheme);
          const std::vector<double> f = numbers(random, a.tree.velocities(), 10);
          const FreeMotion found = a.tree.free_motion(h, f, {}, a.matrix, a.factor, a.free);
          EXPECT_TRUE(found.converged) << to_string(scheme);
          const Momentum balanced = balance(links, a, scheme, h, f, a.free);
          EXPECT_LE(largest(balanced.m), 1e-12 * balanced.size) << to_string(scheme) << ", " << h;
        }
      }
    }
  }
}

// Newton's method with the exact slope: what is linear in v takes one iteration
TEST(SteppingTrees, LinearMotionTakesOneIteration) {
  for (const SteppingScheme scheme : {implicit_euler, midpoint}) {
    Random random(3);
    const std::vector<Link> slides = {random.link(-1, {slide}), random.link(0, {slide, slide})};
    Alone a = random_tree(random, slides, 5, scheme);
    const FreeMotion found =
        a.tree.free_motion(1e-2, numbers(random, 3, 10), {}, a.matrix, a.factor, a.free);
    EXPECT_EQ(found.iterations, 1) << to_string(scheme);
    EXPECT_LE(found.residual, 1e-13) << to_string(scheme);
  }
}

std::vector<Link> double_pendulum(double stiffness = 0, double damping = 0) {
  std::vector<Link> links(2);
  for (int i = 0; i < 2; ++i) {
    Link& l = links[i];
    l.parent = i - 1;
    if (i == 1) l.pose.p = {0.5, 0, 0};
    l.mass = 1 - 0.3 * i, l.center_of_mass = {0.25, 0, 0};
    l.inertia = Mat3::diagonal({0.01, 0.02, 0.02});
    Joint j;
    j.axis = {0, 1, 0};
    j.stiffness = stiffness, j.damping = damping;
    l.joints = {j};
  }
  return links;
}

TEST(SteppingTrees, AnArmOfTwoLinksTakesFewIterations) {
  Alone a(double_pendulum(), {0.4, 1.1}, {3, -2}, gravity, midpoint);
  const FreeMotion found = a.tree.free_motion(1e-2, {{0, 0}}, {}, a.matrix, a.factor, a.free);
  EXPECT_TRUE(found.converged);
  EXPECT_LE(found.iterations, 4);
}

// [SAP proposition 1]: A (v - v*) and m(v) differ by O(h^2) for v - v* = O(h)
TEST(SteppingTrees, TheProblemIsTheMomentumBalanceToSecondOrder) {
  for (const SteppingScheme scheme : {implicit_euler, midpoint}) {
    const std::vector<Link> links = double_pendulum(20, 0.5);
    std::vector<double> off;
    for (const double h : {1e-2, 1e-3, 1e-4}) {
      Alone a(links, {0.4, 1.1}, {3, -2}, gravity, scheme);
      const std::vector<double> f = {1, -2};
      a.step(h, f);
      std::vector<double> v = a.free;
      v[0] += 0.5 * h, v[1] += 0.8 * h;
      const std::vector<double> m = balance(links, a, scheme, h, f, v).m;
      double most = 0;
      for (int i = 0; i < 2; ++i) {
        const double linear =
            a.matrix[2 * i] * (v[0] - a.free[0]) + a.matrix[2 * i + 1] * (v[1] - a.free[1]);
        most = std::max(most, std::abs(m[i] - linear));
      }
      off.push_back(most);
    }
    EXPECT_GT(std::log10(off[0] / off[1]), 1.9);  // gravity's slope, of third order, shows there
    EXPECT_NEAR(std::log10(off[1] / off[2]), 2, 0.1);
  }
}

/// Follows a mechanism that nothing touches.
struct Flight {
  std::vector<Link> links;
  ArticulatedTree tree;
  std::vector<double> q, v, matrix, factor, free;
  Vec3 g;
  std::vector<Load> loads;

  Flight(const std::vector<Link>& list, const std::vector<double>& position,
         const std::vector<double>& velocity, const Vec3& gravity_, SteppingScheme scheme)
      : links(list), tree(list, scheme), q(position), v(velocity), g(gravity_) {
    tree.from_joints(position, velocity, q, v);
    const std::size_t n = v.size();
    matrix.resize(n * n), factor.resize(n * (n + 8)), free.resize(n);
    tree.update(q, v, g);
  }
  void step(double h) {
    const std::vector<double> none(v.size(), 0.0);
    EXPECT_TRUE(tree.free_motion(h, none, loads, matrix, factor, free).converged);
    tree.integrate(h, free, q);
    v = free;
    tree.update(q, v, g);
  }
  void run(double h, double time) {
    for (int i = 0; i < std::lround(time / h); ++i) step(h);
  }
  double energy() const { return tree.kinetic_energy() + tree.potential_energy(g); }
  Vec3 momentum() const {
    Vec3 sum;
    for (int i = 0; i < std::ssize(links); ++i) {
      sum += links[i].mass * tree.link_linear_velocity(i);
    }
    return sum;
  }
  Vec3 angular_momentum() const {
    Vec3 sum;
    for (int i = 0; i < std::ssize(links); ++i) {
      const Mat3 R = tree.link_pose(i).R;
      sum += links[i].mass * cross(tree.link_center(i), tree.link_linear_velocity(i)) +
             R * (links[i].inertia * transpose_times(R, tree.link_angular_velocity(i)));
    }
    return sum;
  }
};

/// M vdot = -C v - g of hinges by the classical method of order 4.
std::vector<double> by_runge_kutta(const std::vector<Link>& links, std::vector<double> x, double h,
                                   double time) {
  ArticulatedTree tree(links);
  const auto rate = [&](const std::vector<double>& y) {
    const std::vector<double> q(y.begin(), y.begin() + 2), v(y.begin() + 2, y.end());
    tree.update(q, v, gravity);
    const auto M = tree.mass_matrix();
    const auto b = tree.bias_forces();
    const double det = M[0] * M[3] - M[1] * M[2];
    return std::vector<double>{v[0], v[1], (-b[0] * M[3] + b[1] * M[1]) / det,
                               (b[0] * M[2] - b[1] * M[0]) / det};
  };
  const auto plus = [](std::vector<double> a, double s, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += s * b[i];
    return a;
  };
  for (int i = 0; i < std::lround(time / h); ++i) {
    const auto k1 = rate(x), k2 = rate(plus(x, h / 2, k1)), k3 = rate(plus(x, h / 2, k2)),
               k4 = rate(plus(x, h, k3));
    x = plus(plus(plus(plus(x, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
  }
  return x;
}

TEST(SteppingTrees, ADoublePendulumFollowsTheOdeInTheOrderOfItsScheme) {
  const std::vector<Link> links = double_pendulum();
  const std::vector<double> exact = by_runge_kutta(links, {0.4, 1.1, 3, -2}, 1e-4, 1);
  for (const SteppingScheme scheme : velocity_schemes) {
    std::vector<double> error, energy;
    for (const double h : {1e-3, 5e-4, 2.5e-4}) {
      Flight f(links, {0.4, 1.1}, {3, -2}, gravity, scheme);
      const double before = f.energy();
      f.run(h, 1);
      error.push_back(std::abs(f.q[0] - exact[0]) + std::abs(f.q[1] - exact[1]));
      energy.push_back(std::abs(f.energy() - before));
    }
    const double order = scheme == midpoint ? 2 : 1;
    EXPECT_NEAR(std::log2(error[1] / error[2]), order, 0.1) << to_string(scheme);
    EXPECT_NEAR(std::log2(energy[1] / energy[2]), order, 0.15) << to_string(scheme);
    if (scheme == midpoint) {
      EXPECT_LT(error[2], 1e-4);
    }
  }
}

/// A trunk with limbs on a hinge, a ball joint and a slide, that spin.
std::vector<Link> robot() {
  std::vector<Link> links(4);
  const Vec3 at[] = {{}, {0.3, 0, 0}, {-0.3, 0.1, 0}, {0.2, 0, 0}};
  const int parents[] = {-1, 0, 0, 1};
  const JointKind kinds[] = {free, hinge, ball, slide};
  for (int i = 0; i < 4; ++i) {
    Link& l = links[i];
    l.parent = parents[i], l.pose.p = at[i];
    l.mass = i == 0 ? 4 : 1, l.center_of_mass = {0.1, 0.02 * i, 0.03};
    l.inertia = (i == 0 ? 4.0 : 1.0) * Mat3::diagonal({0.01, 0.02, 0.025});
    Joint j;
    j.kind = kinds[i];
    j.axis = i == 3 ? Vec3{0, 1, 0} : Vec3{0, 0.6, 0.8};
    if (i == 3) j.stiffness = 50;
    l.joints = {j};
  }
  // its order is not depth first: the slide's parent comes two before it
  return links;
}

// nothing acts on it: energy and both momenta stay, to the scheme's order; in free fall too, with
// what gravity adds
TEST(SteppingTrees, ARobotInFlightKeepsEnergyAndMomentumInTheOrderOfItsScheme) {
  const std::vector<double> position = {0, 0, 0, 1, 0, 0, 0, 0.3, 0.8, 0.6, 0, 0, 0.05},
                            velocity = {0.5, -1, 2, 1, 2, -1, 4, -2, 3, 1, 0.5};
  for (const Vec3& g : {Vec3{}, gravity}) {
    for (const SteppingScheme scheme : velocity_schemes) {
      std::vector<double> energy, linear, angular;
      for (const double h : {2e-3, 1e-3, 5e-4}) {
        Flight f(robot(), position, velocity, g, scheme);
        const double before = f.energy(), time = 0.5;
        double mass = 0;
        for (const Link& l : f.links) mass += l.mass;
        const Vec3 p = f.momentum(), L = f.angular_momentum();
        Vec3 center;
        for (int i = 0; i < 4; ++i) center += f.links[i].mass * f.tree.link_center(i);
        f.run(h, time);
        const Vec3 fall = 0.5 * time * time * cross(p, g) + time * cross(center, g);
        energy.push_back(std::abs(f.energy() - before));
        linear.push_back(norm(f.momentum() - p - mass * time * g));
        angular.push_back(norm(f.angular_momentum() - L - fall));
      }
      const double order = scheme == midpoint ? 2 : 1;
      for (const auto& error : {energy, linear, angular}) {
        EXPECT_NEAR(std::log2(error[1] / error[2]), order, 0.15)
            << to_string(scheme) << " " << error[2];
      }
      if (scheme == midpoint) {
        EXPECT_LT(energy[2], 1e-4);
        EXPECT_LT(linear[2], 1e-4);
        EXPECT_LT(angular[2], 1e-4);
      }
    }
  }
}

// one body on a free joint that spins under a load, against steps of a fiftieth
TEST(SteppingTrees, LoadsOnLinksAreTakenWhereTheSchemeSays) {
  const std::vector<Link> links = {robot()[0]};
  const std::vector<double> position = {0, 0, 0, 1, 0, 0, 0}, velocity = {0, 0, 0, 2, 3, -1};
  const Load load{{3, -1, 2}, {0.3, 0.1, -0.2}};
  const auto end = [&](SteppingScheme scheme, double h) {
    Flight f(links, position, velocity, gravity, scheme);
    f.loads = {load};
    f.run(h, 0.5);
    return f.tree.link_center(0) + f.tree.link_pose(0).R * Vec3{1, 1, 1};
  };
  const Vec3 exact = end(midpoint, 2e-5);
  for (const SteppingScheme scheme : velocity_schemes) {
    const double order =
        std::log2(norm(end(scheme, 2e-3) - exact) / norm(end(scheme, 1e-3) - exact));
    EXPECT_NEAR(order, scheme == midpoint ? 2 : 1, 0.15) << to_string(scheme);
  }
}

// where no solution is found it is said, and the motion is that of a robust scheme
TEST(SteppingTrees, AnEquationThatCannotBeSolvedIsReported) {
  for (const SteppingScheme scheme : {implicit_euler, midpoint}) {
    Alone a(robot(), {0, 0, 0, 1, 0, 0, 0, 0.3, 0.8, 0.6, 0, 0, 0.05},
            {0, 0, 0, 400, -200, 100, 200, 300, 300, -200, 0}, gravity, scheme);
    const std::vector<double> none(11, 0.0);
    const FreeMotion found = a.tree.free_motion(1e-2, none, {}, a.matrix, a.factor, a.free);
    EXPECT_FALSE(found.converged) << to_string(scheme);
    a.tree.integrate(1e-2, a.free, a.q);
    for (const double x : a.q) EXPECT_TRUE(std::isfinite(x));
    for (const double x : a.free) EXPECT_TRUE(std::isfinite(x));
  }
}

/// An arm that turns about z, with this damping, and swings about y by what it turns; velocities
/// after `steps` steps, 0.05 rad from where it starts.
std::vector<double> swing(double damping, int steps) {
  std::vector<Link> links(2);
  for (int i = 0; i < 2; ++i) {
    links[i].parent = i - 1;
    links[i].mass = 1, links[i].inertia = 0.05 * Mat3::identity();
    Joint j;
    j.axis = i == 0 ? Vec3{0, 0, 1} : Vec3{0, 1, 0};
    j.damping = i == 0 ? damping : 0;
    links[i].joints = {j};
  }
  links[1].center_of_mass = {0.3, 0, 0.2};
  ArticulatedTree tree(links);
  const double h = 0.01 / steps;
  const std::vector<double> none(2);
  std::vector<double> q(2), v = {5, 0}, matrix(4), factor(16);
  for (int k = 0; k < steps; ++k) {
    tree.update(q, v, {});
    tree.free_motion(h, none, std::vector<Load>(2), matrix, factor, v);
    tree.integrate(h, v, q);
  }
  return v;
}

// h D from none of the inertia to a hundred times as much: the swing is that of the turn's mean
// square, and neither that of its start nor of half of it
TEST(SymplecticEuler, TakesCoriolisForcesAtTheMiddleOfDampedTurns) {
  const double free = swing(0, 1)[1];
  for (const double damping : {0.0, 0.2, 1.0, 10.0, 1e3}) {
    EXPECT_NEAR(swing(damping, 1)[1], swing(damping, 1000)[1], 0.02 * std::abs(free)) << damping;
  }
}

}  // namespace
}  // namespace abut
