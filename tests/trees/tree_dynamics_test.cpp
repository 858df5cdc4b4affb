// Bias forces and velocities of links against what the mass matrix and the positions say of them.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "abut/trees/articulated_tree.hpp"
#include "abut/trees/tree_kernels.hpp"

namespace abut {
namespace {

constexpr Vec3 gravity{0.7, -0.4, -9.81};

/// Hinges and slides on two branches, one link with two joints, `away` from the world's origin.
ArticulatedTree random_tree(unsigned seed, const Vec3& away) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto vector = [&] { return Vec3{normal(random), normal(random), normal(random)}; };
  const int parents[] = {-1, 0, 1, 2, 1, 4};
  std::vector<Link> links;
  for (const int parent : parents) {
    Link link;
    link.parent = parent;
    link.pose = {0.3 * vector() + (parent < 0 ? away : Vec3{}), to_matrix(exp_rotation(vector()))};
    for (std::size_t k = 0; k < 1 + links.size() % 2; ++k) {
      Joint joint;
      joint.kind = (links.size() + k) % 3 == 2 ? JointKind::slide : JointKind::hinge;
      const Vec3 axis = vector();
      joint.axis = axis / norm(axis);
      joint.anchor = 0.1 * vector();
      link.joints.push_back(joint);
    }
    link.mass = 0.5 + std::abs(normal(random));
    link.center_of_mass = 0.2 * vector();
    const Vec3 arm = vector();  // of a dumbbell in a ball
    link.inertia = 0.02 * Mat3::identity() + (-0.01) * (Mat3::skew(arm) * Mat3::skew(arm));
    links.push_back(link);
  }
  return ArticulatedTree(links);
}

struct State {
  std::vector<double> q, v;
};

State random_state(const ArticulatedTree& tree, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  State s{std::vector<double>(tree.positions()), std::vector<double>(tree.velocities())};
  for (double& q : s.q) q = normal(random);
  for (double& v : s.v) v = 3 * normal(random);
  return s;
}

/// f at q + d e_k minus f at q - d e_k, over 2 d, for all k at once.
template <class F>
std::vector<std::vector<double>> derivatives(ArticulatedTree& tree, const State& s, const F& f) {
  constexpr double d = 1e-5;
  std::vector<std::vector<double>> result;
  for (std::size_t k = 0; k < s.q.size(); ++k) {
    const auto at = [&](double shift) {
      std::vector<double> q = s.q;
      q[k] += shift;
      tree.update(q, s.v, gravity);
      return f();
    };
    std::vector<double> ahead = at(d);
    const std::vector<double> behind = at(-d);
    for (std::size_t i = 0; i < ahead.size(); ++i) ahead[i] = (ahead[i] - behind[i]) / (2 * d);
    result.push_back(ahead);
  }
  return result;
}

// Lagrange: C v + g = dM/dt v - d/dq (1/2 v . M v) + dV/dq
TEST(TreeDynamics, BiasForcesAreThoseOfTheLagrangian) {
  // far from the origin M is rounded more coarsely, which its differences see
  for (const auto& [away, tolerance] : {std::pair{Vec3{}, 1e-8}, {Vec3{20, -30, 5}, 1e-6}}) {
    double worst = 0;
    for (unsigned seed = 1; seed <= 10; ++seed) {
      ArticulatedTree tree = random_tree(seed, away);
      const State s = random_state(tree, seed);
      const std::size_t n = s.v.size();
      const auto dM = derivatives(tree, s, [&] {
        const auto M = tree.mass_matrix();
        return std::vector<double>(M.begin(), M.end());
      });
      const auto dV =
          derivatives(tree, s, [&] { return std::vector<double>{tree.potential_energy(gravity)}; });
      tree.update(s.q, s.v, gravity);
      for (std::size_t i = 0; i < n; ++i) {
        double expected = dV[i][0], size = std::abs(expected);
        for (std::size_t j = 0; j < n; ++j) {
          for (std::size_t k = 0; k < n; ++k) {
            const double term = (dM[k][i * n + j] - 0.5 * dM[i][j * n + k]) * s.v[j] * s.v[k];
            expected += term;
            size += std::abs(term);
          }
        }
        worst = std::max(worst, std::abs(tree.bias_forces()[i] - expected) / size);
      }
    }
    EXPECT_LT(worst, tolerance) << norm(away) << " m from the origin";
  }
}

TEST(TreeDynamics, LinksMoveAsTheirPositionsDo) {
  double worst = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    ArticulatedTree tree = random_tree(seed, {});
    const State s = random_state(tree, seed);
    const auto links = static_cast<int>(tree.links().size());
    const auto dx = derivatives(tree, s, [&] {  // 12 numbers a link
      std::vector<double> x;
      for (int i = 0; i < links; ++i) {
        const Mat3 R = tree.link_pose(i).R;
        for (const Vec3& v : {tree.link_center(i), R.col[0], R.col[1], R.col[2]}) {
          for (int k = 0; k < 3; ++k) x.push_back(v[k]);
        }
      }
      return x;
    });
    tree.update(s.q, s.v, gravity);
    for (int i = 0; i < links; ++i) {
      const Mat3 R = tree.link_pose(i).R;
      const Vec3 w = tree.link_angular_velocity(i);
      const Vec3 rates[] = {tree.link_linear_velocity(i), cross(w, R.col[0]), cross(w, R.col[1]),
                            cross(w, R.col[2])};
      for (int c = 0; c < 12; ++c) {
        double expected = 0;
        for (std::size_t k = 0; k < s.v.size(); ++k) expected += dx[k][12 * i + c] * s.v[k];
        worst = std::max(worst, std::abs(rates[c / 3][c % 3] - expected));
      }
    }
  }
  EXPECT_LT(worst, 1e-7);
}

// of random angles and of those near multiples of a quarter turn, where most digits cancel
TEST(FindTurns, SinesAndCosinesAreExactToTheLastPlace) {
  std::mt19937 random(4);
  std::vector<double> angles = {0, -0.0, 1e-300, -1e-9, most_turned, -most_turned};
  for (int k = -40; k <= 40; ++k) {
    const double quarters = k * (std::numbers::pi / 2);
    for (const double off : {0.0, 1e-12, -1e-6, 0.1}) angles.push_back(quarters + off);
  }
  for (int k = 0; k < 20000; ++k) {
    const double most = std::pow(10, std::uniform_real_distribution<double>(-6, 5)(random));
    angles.push_back(std::uniform_real_distribution<double>(-most, most)(random));
  }
  while (angles.size() % 8 != 0) angles.push_back(0.3);
  std::vector<double> sines(angles.size()), cosines(angles.size());
  tree_kernels().find_turns(static_cast<int>(angles.size()), angles.data(), sines.data(),
                            cosines.data());
  const auto last_place = [](long double x) {
    return std::nextafter(std::abs(static_cast<double>(x)), 2) - std::abs(static_cast<double>(x));
  };
  for (std::size_t k = 0; k < angles.size(); ++k) {
    const auto angle = static_cast<long double>(angles[k]);
    const long double sine = std::sin(angle), cosine = std::cos(angle);
    EXPECT_LE(std::abs(sines[k] - sine), 0.8L * last_place(sine)) << angles[k];
    EXPECT_LE(std::abs(cosines[k] - cosine), 0.8L * last_place(cosine)) << angles[k];
  }
}

// beyond what the kernel takes, and beside it: a joint that has turned often is where it would be
TEST(TreeDynamics, AngleMayBeLarge) {
  ArticulatedTree tree = random_tree(3, {});
  State s = random_state(tree, 3);
  tree.update(s.q, s.v, gravity);
  const Vec3 at = tree.link_center(2);
  for (const double turns : {1e3, 1e6}) {
    State far = s;
    far.q[0] += turns * (2 * std::numbers::pi);
    tree.update(far.q, far.v, gravity);
    EXPECT_LT(norm(tree.link_center(2) - at), 1e-8) << turns;
  }
  s.q[0] = std::nan("");
  tree.update(s.q, s.v, gravity);
  EXPECT_TRUE(std::isnan(norm(tree.link_center(2))));
}

}  // namespace
}  // namespace abut
