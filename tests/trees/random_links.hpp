#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <span>
#include <vector>

#include "abut/trees/articulated_tree.hpp"

namespace abut {

inline const Vec3 gravity{0.3, -0.2, -9.81};

/// Joints and links at random.
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
  Mat3 rotation() { return to_matrix(exp_rotation(vector())); }
  Joint joint(JointKind kind) {
    Joint j;
    j.kind = kind;
    const Vec3 v = vector();
    j.axis = v / norm(v);
    if (kind == JointKind::hinge || kind == JointKind::ball) j.anchor = 0.1 * vector();
    j.armature = uniform(0, 0.1), j.damping = uniform(0, 1);
    if (kind == JointKind::hinge || kind == JointKind::slide) j.stiffness = uniform(0, 20);
    return j;
  }
  Link link(int parent, std::vector<JointKind> kinds) {
    Link l;
    l.parent = parent;
    l.pose = {0.3 * vector(), rotation()};
    for (const JointKind kind : kinds) l.joints.push_back(joint(kind));
    l.mass = uniform(0.5, 3), l.center_of_mass = 0.2 * vector();
    const Mat3 S = Mat3::skew(vector());
    l.inertia = 0.02 * Mat3::identity() + (-0.01) * (S * S);
    return l;
  }

 private:
  std::mt19937 engine_;
};

using enum JointKind;

/// A trunk on a hinge and a slide, two arms on it, a hand with a ball joint.
inline std::vector<Link> branched(Random& random) {
  return {random.link(-1, {hinge, slide}), random.link(0, {hinge}), random.link(0, {slide, hinge}),
          random.link(1, {ball})};
}

/// A tree by itself at a state, with what a step gives.
struct Alone {
  ArticulatedTree tree;
  std::vector<double> q, v, matrix, factor, free;

  Alone(const std::vector<Link>& links, const std::vector<double>& position,
        const std::vector<double>& velocity, const Vec3& g = gravity,
        SteppingScheme scheme = SteppingScheme::symplectic_euler)
      : tree(links, scheme), q(position.size()), v(velocity.size()) {
    tree.from_joints(position, velocity, q, v);
    tree.update(q, v, g);
    const std::size_t n = v.size();
    matrix.resize(n * n), factor.resize(n * (n + 8)), free.resize(n);
  }
  const std::vector<double>& step(double dt, const std::vector<double>& forces) {
    tree.free_motion(dt, forces, {}, matrix, factor, free);
    return free;
  }
};

inline std::vector<double> numbers(Random& random, int count, double size) {
  std::vector<double> list(count);
  for (double& x : list) x = random.uniform(-size, size);
  return list;
}

inline void expect_near(std::span<const double> a, std::span<const double> b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  double size = 1;
  for (const double x : a) size = std::max(size, std::abs(x));
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], tolerance * size) << k;
}

}  // namespace abut
