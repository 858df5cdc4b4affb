#pragma once

#include <span>
#include <vector>

#include "abut/linalg/rotation.hpp"

namespace abut {

/// How the nodes of a tree, each the end of one joint, move: twists at the world's origin, world
/// axes. And what keeps their velocities as they are.
struct TreeMotion {
  std::vector<Vec3> linear, angular;  ///< by node [m/s, rad/s]
  std::vector<Vec3> center;           ///< by node: of its body's mass, world [m]
  std::vector<double> bias;           ///< C(q, v) v + g(q), by velocity [N m or N]
};

/// Bias forces by the recursive Newton-Euler algorithm [FEATHERSTONE 5.3], all in world axes at the
/// world's origin: with the joints' Jacobians at hand no kinematics is done twice.
class BiasForces {
 public:
  /// A node behind its parent (an earlier node, -1 for the world), whose joint has `size`
  /// velocities from `velocity` on and axes that are constant in the node. Returns its index.
  int add_node(int parent, int velocity, int size);

  /// The body that moves with a node: inertia about its center of mass, both in the node's frame
  /// [kg, m, kg m^2].
  void set_body(int node, double mass, const Vec3& center, const Mat3& inertia);

  /// `poses` of the nodes; `jacobian`: 6 numbers per velocity, the twist (linear, angular) that a
  /// unit of it gives at the world's origin.
  void compute(const Vec3& gravity, std::span<const Pose> poses, const double* jacobian,
               std::span<const double> velocity, TreeMotion& motion);

 private:
  struct Node {
    int parent, velocity, size;
    double mass = 0;
    Vec3 center;
    Mat3 inertia;
  };
  std::vector<Node> nodes_;
  int velocities_ = 0;
  std::vector<Vec3> linear_, angular_;  ///< by node: spatial acceleration at the world's origin
  std::vector<Vec3> force_, moment_;    ///< by node: on it and all behind, at the world's origin
};

}  // namespace abut
