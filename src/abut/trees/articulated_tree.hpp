#pragma once

#include <memory>
#include <span>
#include <vector>

#include "abut/linalg/rotation.hpp"
#include "abut/problem/contact_problem.hpp"
#include "abut/trees/joint.hpp"

namespace abut {

/// A body of an articulated tree with the joints that lead to it.
struct Link {
  int parent = -1;  ///< index of an earlier link, -1 for the world
  Pose pose;        ///< of B in its parent at the joints' reference; a free joint ignores it
  std::vector<Joint> joints;  ///< at least one
  double mass = 0;            ///< [kg]
  Vec3 center_of_mass;        ///< in B [m]
  Mat3 inertia;               ///< about the center of mass, axes of B [kg m^2]
};

/// A mechanism of rigid links without loops, fixed to the world or floating: its dynamics in
/// generalized coordinates, computed by Pinocchio, at the state of the last update().
///
/// A state is kept in coordinates q and velocities v as the step's solver sees them: the linear
/// velocity of a free joint in the link's axes, quaternions x y z w, coordinates from the
/// reference.
class ArticulatedTree {
 public:
  /// At the joints' references, free joints at their link's pose, at rest.
  explicit ArticulatedTree(std::vector<Link> links);
  ~ArticulatedTree();
  ArticulatedTree(ArticulatedTree&&) noexcept;
  ArticulatedTree& operator=(ArticulatedTree&&) noexcept;

  int positions() const;   ///< number of coordinates
  int velocities() const;  ///< number of velocities, nv
  int limits() const;      ///< number of joints with limits
  const std::vector<Link>& links() const;
  double heaviest_mass() const;  ///< of one link [kg]

  /// A state in the coordinates of joint.hpp, link after link, joint after joint; and back.
  /// Quaternions must not be zero.
  void to_joints(std::span<const double> q, std::span<const double> v, std::span<double> position,
                 std::span<double> velocity) const;
  void from_joints(std::span<const double> position, std::span<const double> velocity,
                   std::span<double> q, std::span<double> v) const;

  /// The velocity of a joint that moves no mass, in which the mass matrix, as of the last update(),
  /// is not positive definite; -1 if there is none.
  int massless_velocity() const;

  /// Kinematics, mass matrix and bias forces at a state, where they are not known yet.
  void update(std::span<const double> q, std::span<const double> v, const Vec3& gravity);

  // Of the last update():
  std::span<const double> coordinates() const;
  std::span<const double> velocity() const;
  Pose link_pose(int link) const;                      ///< X_WB
  Vec3 link_center(int link) const;                    ///< center of mass, world [m]
  Vec3 link_linear_velocity(int link) const;           ///< of the center of mass, world axes [m/s]
  Vec3 link_angular_velocity(int link) const;          ///< world axes [rad/s]
  std::span<const double> mass_matrix() const;         ///< M with armature, nv x nv
  std::span<const double> bias_forces() const;         ///< C(q, v) v + g(q) [N m or N], nv
  double kinetic_energy() const;                       ///< [J]
  double potential_energy(const Vec3& gravity) const;  ///< of weight and springs [J]

  /// The Jacobian of a link: 6 x nv, row-major, world axes; three rows for the velocity of a point
  /// of it, three for its angular velocity.
  void get_jacobian(int link, const Vec3& point, std::span<double> jacobian) const;

  /// Adds to the generalized forces (nv) what a force at a point of a link and a moment on it give,
  /// world axes [N, m, N m].
  void add_load(int link, const Vec3& point, const Vec3& force, const Vec3& moment,
                std::span<double> forces) const;

  /// A = M + h D + h^2 K into `matrix` (nv x nv), its inverse factor (linalg/dense_spd.hpp) into
  /// `inverse_factor` and the step's free velocity
  /// v* = v + A^-1 h (f - C v - g - K (q - q_s) - (D + h K) v) into `free_velocity`, with the
  /// generalized forces f; springs and dampers implicit. Explicit Coriolis forces gain energy where
  /// links spin: from 0.02 rad a step on they are taken at the middle, from 0.1 rad on in parts.
  void free_motion(double dt, std::span<const double> forces, std::span<double> matrix,
                   std::span<double> inverse_factor, std::span<double> free_velocity);

  /// Adds the limits that a step may reach and the dry friction of its joints to `problem`, whose
  /// tree `index` is this one, with names from `name` on, and lowers the allowances of its limits
  /// (limits.hpp). Returns the next name.
  int add_constraints(double dt, int index, int name, std::span<double> allowances,
                      ContactProblem& problem) const;

  /// Where new velocities v lead: q (+) h v, or from where the parts of free_motion() ended by
  /// h (v - v*).
  void integrate(double dt, std::span<const double> velocity, std::span<double> q);

 private:
  struct Data;
  std::unique_ptr<Data> d_;
};

}  // namespace abut
