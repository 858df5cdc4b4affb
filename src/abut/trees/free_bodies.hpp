#pragma once

#include <span>
#include <vector>

#include "abut/linalg/rotation.hpp"
#include "abut/problem/contact_problem.hpp"
#include "abut/trees/moving_bodies.hpp"

namespace abut {

/// Free rigid bodies: each a tree of six dofs at its center of mass. They are the first of the
/// world's moving bodies, which hold their state. Generalized position: center of mass in the world
/// and orientation R_WB; generalized velocity: (linear velocity of the center of mass; angular
/// velocity), world axes.
class FreeBodies {
 public:
  /// Inertia about the center of mass, axes of B. `bodies` must have no other kind yet.
  void add(double mass, const Mat3& inertia, const Vec3& center, const Quaternion& orientation,
           const Vec3& linear_velocity, const Vec3& angular_velocity, MovingBodies& bodies);

  int size() const { return static_cast<int>(mass_.size()); }
  int dofs() const { return 6 * size(); }

  /// Inertias in world axes, from the orientations.
  void update_kinematics(const MovingBodies& bodies);

  /// Adds each body as a tree of `problem`, with v* = v + h M^-1 k(q0, v): gravity and outer loads
  /// explicit, the gyroscopic moment implicit in the angular velocity, so that spin cannot gain
  /// energy however large the step.
  void add_trees(double dt, const Vec3& gravity, const MovingBodies& bodies,
                 ContactProblem& problem) const;

  /// Takes the new velocities (of this group's trees, in order) and moves by h v: symplectic Euler.
  void integrate(double dt, std::span<const double> velocity, MovingBodies& bodies);

  double kinetic_energy(const MovingBodies& bodies) const;  ///< [J]
  /// -sum m g . center [J]
  double potential_energy(const Vec3& gravity, const MovingBodies& bodies) const;

 private:
  std::vector<double> mass_;     ///< [kg]
  std::vector<Mat3> inertia_B_;  ///< [kg m^2]
  std::vector<Mat3> inertia_W_;  ///< [kg m^2], from update_kinematics()
};

}  // namespace abut
