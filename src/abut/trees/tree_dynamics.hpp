#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/core/aligned_buffer.hpp"
#include "abut/linalg/dense_spd.hpp"
#include "abut/linalg/rotation.hpp"
#include "abut/trees/joint.hpp"

namespace abut {

/// Kinematics and dynamics of a tree at one state. Twists are taken at the world's origin, in world
/// axes: the linear velocity is that of the point there.
struct TreeMotion {
  std::vector<Pose> poses;            ///< by node
  std::vector<Vec3> linear, angular;  ///< by node: its twist [m/s, rad/s]
  std::vector<Vec3> center;           ///< by node: of its body's mass, world [m]
  std::vector<double> bias;           ///< C(q, v) v + g(q), by velocity [N m or N]
  /// Six rows of lead() and a pack: the twist (linear; angular) that a unit of each velocity gives
  /// what its joint carries.
  AlignedBuffer<double> jacobian;
  std::vector<double> mass;   ///< M with armature: the lower triangle of nv x nv, row-major
  double kinetic_energy = 0;  ///< with that of rotors [J]

  int lead() const { return round_up_8(static_cast<int>(bias.size())); }
  Vec3 linear_column(int k) const { return column(k, 0); }
  Vec3 angular_column(int k) const { return column(k, 3); }
  /// By a unit of velocity k, of what moves with the joint at a point.
  Vec3 velocity_at(int k, const Vec3& point) const {
    return linear_column(k) + cross(angular_column(k), point);
  }

 private:
  Vec3 column(int k, int row) const {
    const std::ptrdiff_t lead = this->lead();
    const double* at = jacobian.data() + row * lead + k;
    return {at[0], at[lead], at[2 * lead]};
  }
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
  struct Node {
    int parent, position, velocity, size;
    JointKind kind;
    Vec3 axis;
    int axis_index;  ///< 0, 1, 2: the axis is x, y or z; -1: another
    bool is_turned;  ///< whether the placement has a rotation
    Pose placement;
    double mass = 0;
    Vec3 center;
    Mat3 inertia;
  };
  /// Symmetric, 3 x 3.
  struct Inertia {
    double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
    Vec3 operator*(const Vec3& u) const {
      return {xx * u.x + xy * u.y + xz * u.z, xy * u.x + yy * u.y + yz * u.z,
              xz * u.x + yz * u.y + zz * u.z};
    }
    Inertia& operator+=(const Inertia& b) {
      xx += b.xx, yy += b.yy, zz += b.zz, xy += b.xy, xz += b.xz, yz += b.yz;
      return *this;
    }
  };
  /// What a node bears and moves: its own, then with all behind it, at the world's origin.
  struct Load {
    Vec3 force, moment;    ///< that accelerate it [N, N m]
    double mass = 0;       ///< [kg]
    Vec3 first_moment;     ///< mass times center [kg m]
    Inertia inertia;       ///< [kg m^2]
    Vec3 linear, angular;  ///< spatial acceleration but for that of velocities [m/s^2, 1/s^2]
  };

  static Inertia turned(const Mat3& R, const Mat3& inertia);
  static void place(const Node& n, const Pose& frame, const double* q, Pose& X);
  static void write_columns(const Node& n, const Pose& frame, const Pose& X, int lead,
                            double* jacobian);
  void go_out(std::size_t node, const Vec3& gravity, TreeMotion& motion);
  void go_back(std::size_t node, TreeMotion& motion);

  std::vector<Node> nodes_;
  std::vector<double> armature_;  ///< by velocity
  std::vector<ColumnRun> runs_;   ///< by velocity: the velocities that move its node
  std::vector<std::int32_t> run_end_;
  std::vector<Load> loads_;        ///< by node
  AlignedBuffer<double> momenta_;  ///< by velocity: of what its joint carries, six numbers of eight
};

}  // namespace abut
