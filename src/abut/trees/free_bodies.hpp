#pragma once

#include <span>
#include <vector>

#include "abut/linalg/rotation.hpp"
#include "abut/problem/contact_problem.hpp"
#include "abut/trees/moving_bodies.hpp"

namespace abut {

/// State of a free body.
struct FreeBodyState {
  Vec3 center;             ///< of mass, world [m]
  Quaternion orientation;  ///< R_WB
  Vec3 linear_velocity;    ///< of the center of mass, world axes [m/s]
  Vec3 angular_velocity;   ///< world axes [rad/s]

  bool operator==(const FreeBodyState&) const = default;
};

/// Free rigid bodies: each a tree of six dofs at its center of mass. They are the first of the
/// world's moving bodies. Generalized velocity: (linear velocity of the center of mass; angular
/// velocity), world axes.
class FreeBodies {
 public:
  /// Inertia about the center of mass, axes of B. `bodies` must have no other kind yet.
  void add(double mass, const Mat3& inertia, MovingBodies& bodies);

  int size() const { return static_cast<int>(mass_.size()); }
  int dofs() const { return 6 * size(); }

  /// Poses, velocities and inertias in world axes, of one body or all.
  void update_kinematics(int body, const FreeBodyState& state, MovingBodies& bodies);
  void update_kinematics(std::span<const FreeBodyState> states, MovingBodies& bodies);

  /// Adds each body as a tree of `problem`, with v* = v + h M^-1 k(q0, v): gravity and loads (of
  /// moving bodies) explicit, the gyroscopic moment implicit in the angular velocity, so that spin
  /// cannot gain energy however large the step.
  void add_trees(double dt, const Vec3& gravity, const MovingBodies& bodies,
                 std::span<const Load> loads, ContactProblem& problem) const;

  /// Moves from `from` by h v, with the new velocities of these trees: symplectic Euler.
  static void integrate(double dt, std::span<const double> velocity,
                        std::span<const FreeBodyState> from, std::span<FreeBodyState> to);

  double kinetic_energy(const MovingBodies& bodies) const;  ///< [J]
  /// -sum m g . center [J]
  double potential_energy(const Vec3& gravity, const MovingBodies& bodies) const;

 private:
  std::vector<double> mass_;     ///< [kg]
  std::vector<Mat3> inertia_B_;  ///< [kg m^2]
  std::vector<Mat3> inertia_W_;  ///< [kg m^2], from update_kinematics()
};

}  // namespace abut
