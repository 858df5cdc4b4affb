#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/linalg/rotation.hpp"
#include "abut/problem/contact_problem.hpp"
#include "abut/trees/tree_group.hpp"

namespace abut {

/// Free rigid bodies: each a tree of six dofs at its center of mass, in structure-of-arrays form.
/// Generalized position: center of mass in the world and orientation R_WB; generalized velocity:
/// (linear velocity of the center of mass; angular velocity), world axes.
class FreeBodies {
 public:
  /// Inertia about the center of mass, axes of B.
  void add(double mass, const Mat3& inertia, const Vec3& center, const Quaternion& orientation,
           const Vec3& linear_velocity, const Vec3& angular_velocity);

  int size() const { return static_cast<int>(mass.size()); }

  /// Rotation matrices and inertias in world axes, from the orientations.
  void update_kinematics();

  /// Adds each body as a tree of `problem`, with v* = v + h M^-1 k(q0, v): gravity and outer loads
  /// explicit, the gyroscopic moment implicit in the angular velocity, so that spin cannot gain
  /// energy however large the step.
  void add_trees(double dt, const Vec3& gravity, ContactProblem& problem) const;

  /// Takes the new velocities (of this group's trees, in order) and moves by h v: symplectic Euler.
  void integrate(double dt, std::span<const double> velocity);

  double kinetic_energy() const;                       ///< [J]
  double potential_energy(const Vec3& gravity) const;  ///< -sum m g . center [J]

  // State.
  std::vector<Vec3> center;             ///< [m]
  std::vector<Quaternion> orientation;  ///< R_WB
  std::vector<Vec3> linear_velocity;    ///< [m/s]
  std::vector<Vec3> angular_velocity;   ///< [rad/s]

  // Loads from outside, kept until changed.
  std::vector<Vec3> force;   ///< at the center of mass, world axes [N]
  std::vector<Vec3> moment;  ///< world axes [N m]

  // Constants.
  std::vector<double> mass;     ///< [kg]
  std::vector<Mat3> inertia_B;  ///< [kg m^2]

  // From update_kinematics().
  std::vector<Mat3> rotation;   ///< R_WB
  std::vector<Mat3> inertia_W;  ///< [kg m^2]
};
static_assert(TreeGroup<FreeBodies>);

}  // namespace abut
