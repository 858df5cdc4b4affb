#pragma once

// The passes over the nodes of a tree that are compiled once per instruction set, and their data.
// Vectors of three numbers have a fourth one, zero; matrices are three columns.

#include <cstdint>

#include "abut/trees/joint.hpp"

namespace abut {

/// A joint and what moves with it, in its own frame, which is at `placement` in that of the node
/// before when the joint does nothing.
struct alignas(32) TreeNode {
  double turn[12], shift[4];  ///< of the placement
  double axis[4];             ///< of a hinge or slide
  double center[4];           ///< of the body's mass [m]
  double inertia[12];         ///< about it [kg m^2]
  double mass;                ///< [kg]; 0: no body
  std::int32_t parent;        ///< an earlier node, -1: the world
  std::int32_t position, velocity, size;
  JointKind kind;
  std::int8_t axis_index;  ///< 0, 1, 2: the axis is x, y or z; -1: another
  bool is_turned;          ///< whether the placement has a rotation
};

/// A node at one state. World axes; twists, accelerations, forces and momenta at the world's
/// origin.
struct alignas(32) TreeNodeState {
  double rotation[12], origin[4];
  double linear[4], angular[4];  ///< twist [m/s, rad/s]
  double center[4];              ///< of its body's mass [m]
  double joint[12];              ///< ball, free: its rotation; hinge: sine, cosine
  double linear_acceleration[4], angular_acceleration[4];  ///< but for that of velocities
  // What the body needs and has; then with all behind it.
  double force[4], moment[4];  ///< [N, N m]
  double first_moment[4];      ///< mass times center [kg m]
  double inertia[12];          ///< [kg m^2]
  double mass;                 ///< [kg]
};

/// What the passes read and write.
struct TreeView {
  const TreeNode* nodes;
  TreeNodeState* states;
  std::int32_t count;
  std::int32_t lead;  ///< of the rows of `jacobian`
  const double* gravity;
  const double* q;  ///< coordinates
  const double* v;  ///< velocities
  double*
      columns;  ///< by velocity: the twist that a unit of it gives, (linear; angular), each of four
  double* jacobian;  ///< the same as six rows
  double* momenta;   ///< by velocity: of what its joint carries at that twist, six numbers of eight
  double* bias;      ///< C(q, v) v + g(q)
  double* first_moment;  ///< of all bodies, four numbers [kg m]
};

/// Angles up to this [rad] have their sines and cosines from find_turns().
constexpr double most_turned = 1e5;

struct TreeKernels {
  /// Out: kinematics, accelerations, what bodies need. Back: bias forces, and the momenta of what
  /// joints carry. Returns the kinetic energy of the bodies [J]. The rotations of joints are given.
  double (*pass_out_and_back)(const TreeView&);
  /// Sines and cosines of angles up to most_turned; whole packs are read and written.
  void (*find_turns)(int count, const double* angle, double* sine, double* cosine);
};

/// The table for active_isa().
const TreeKernels& tree_kernels();

namespace isa_baseline {
extern const TreeKernels tree_table;
}
namespace isa_avx2 {
extern const TreeKernels tree_table;
}
namespace isa_avx512 {
extern const TreeKernels tree_table;
}

}  // namespace abut
