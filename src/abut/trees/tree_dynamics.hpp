#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/core/aligned_buffer.hpp"
#include "abut/linalg/dense_spd.hpp"
#include "abut/linalg/rotation.hpp"
#include "abut/trees/joint.hpp"
#include "abut/trees/tree_kernels.hpp"

namespace abut {

/// Kinematics and dynamics of a tree at one state. Twists are taken at the world's origin, in world
/// axes: the linear velocity is that of the point there.
struct TreeMotion {
  AlignedBuffer<TreeNodeState> nodes;
  AlignedBuffer<double> columns, jacobian;  ///< as TreeView has them; of the latter a pack more
  std::vector<double> bias;                 ///< C(q, v) v + g(q), by velocity [N m or N]
  std::vector<double> mass;   ///< M with armature: the lower triangle of nv x nv, row-major
  double kinetic_energy = 0;  ///< with that of rotors [J]
  double moment[4] = {};      ///< masses times their centers [kg m], and a zero

  Pose pose(int node) const {
    const TreeNodeState& s = nodes[node];
    return {vector(s.origin),
            {{vector(s.rotation), vector(s.rotation + 4), vector(s.rotation + 8)}}};
  }
  Vec3 first_moment() const { return vector(moment); }
  Vec3 linear(int node) const { return vector(nodes[node].linear); }    ///< of its twist [m/s]
  Vec3 angular(int node) const { return vector(nodes[node].angular); }  ///< [rad/s]
  Vec3 center(int node) const { return vector(nodes[node].center); }    ///< of its body's mass [m]

  /// Of the twist that a unit of velocity k gives what its joint carries.
  Vec3 linear_column(int k) const { return vector(columns.data() + 8 * std::ptrdiff_t{k}); }
  Vec3 angular_column(int k) const { return vector(columns.data() + 8 * std::ptrdiff_t{k} + 4); }
  /// The velocity that it gives a point that moves with the joint.
  Vec3 velocity_at(int k, const Vec3& point) const {
    return linear_column(k) + cross(angular_column(k), point);
  }

 private:
  static Vec3 vector(const double* at) { return {at[0], at[1], at[2]}; }
};

/// Both triangles of M.
void copy_mass(const TreeMotion& motion, std::span<double> matrix);

/// Forward kinematics, the recursive Newton-Euler algorithm and the composite rigid body algorithm
/// [FEATHERSTONE 5.3, 6.2] in one pass out and one back, all in world axes at the world's origin.
class TreeDynamics {
 public:
  /// A joint and the node behind it, which hangs on an earlier node (-1: the world). `placement`:
  /// of the joint's frame in that node; a hinge turns about the frame's origin. Coordinates and
  /// velocities begin at `position` and `velocity`; those of a free joint are of the node's origin
  /// in the world, and in the node's axes; quaternions x y z w. Returns its index.
  int add_node(int parent, const Joint& joint, const Pose& placement, int position, int velocity);

  /// The body that moves with a node: inertia about its center of mass, both in the node's frame
  /// [kg, m, kg m^2].
  void set_body(int node, double mass, const Vec3& center, const Mat3& inertia);

  /// Makes room for a state, once all nodes are there.
  void start(TreeMotion& motion);
  void compute(const Vec3& gravity, std::span<const double> q, std::span<const double> v,
               TreeMotion& motion);

 private:
  void turn_hinges(std::span<const double> q, TreeMotion& motion);

  std::vector<TreeNode> nodes_;
  std::vector<std::int32_t> hinges_, balls_;     ///< nodes; free joints are balls, too
  AlignedBuffer<double> angle_, sine_, cosine_;  ///< of hinges, padded
  std::vector<double> armature_;                 ///< by velocity
  std::vector<IndexRun> runs_;                   ///< by velocity: the velocities that move its node
  std::vector<std::int32_t> run_end_;
  AlignedBuffer<double> momenta_;  ///< as TreeView has them
};

}  // namespace abut
