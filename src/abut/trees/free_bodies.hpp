#pragma once

#include <span>
#include <vector>

#include "abut/linalg/rotation.hpp"
#include "abut/problem/contact_problem.hpp"
#include "abut/trees/moving_bodies.hpp"
#include "abut/trees/stepping_scheme.hpp"

namespace abut {

class ThreadPool;
struct FreeBodyView;

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
  static constexpr int least_per_range = 64;  ///< of those that threads share out

 public:
  explicit FreeBodies(SteppingScheme scheme = SteppingScheme::symplectic_euler) : scheme_(scheme) {}

  /// Inertia about the center of mass, axes of B. `bodies` must have no other kind yet.
  void add(double mass, const Mat3& inertia, MovingBodies& bodies);

  int size() const { return static_cast<int>(mass_.size()); }
  int dofs() const { return 6 * size(); }

  /// Poses, velocities and inertias in world axes, of one body or all.
  void update_kinematics(int body, std::span<const FreeBodyState> states, MovingBodies& bodies);
  void update_kinematics(std::span<const FreeBodyState> states, MovingBodies& bodies,
                         ThreadPool* pool = nullptr);

  /// Sets the first trees of `problem`, which begin(size()) has left, with v* = v + h M^-1 k:
  /// gravity and loads (of moving bodies) are those given, the gyroscopic moment is as the scheme
  /// says.
  ///
  ///   symplectic, implicit Euler   I (w* - w) + h w* x I w* = h R0^T t in the body's axes: spin
  ///                                cannot gain energy however large the step. Symplectic Euler
  ///                                does it in parts of at most 0.2 rad
  ///   midpoint                     keeps energy and angular momentum of a body without loads to
  ///                                round-off: integrate()
  ///   explicit Euler               I (w* - w) + h w x I w = h R0^T t
  FreeMotion set_trees(double dt, const Vec3& gravity, const MovingBodies& bodies,
                       std::span<const Load> loads, ContactProblem& problem,
                       ThreadPool* pool = nullptr) const;

  /// Moves from `from` by h v_q, with the new velocities of these trees. Midpoint turns a body by
  /// Cayley's map of x = h (w0 + w)/2, both in the body's axes at their own time, with which
  ///     I (w - w0) + x x I (w0 + w)/2 = h (t0 - x x t0/2)
  /// is R I w = R0 I w0 + h t in world axes.
  void integrate(double dt, std::span<const double> velocity, std::span<const FreeBodyState> from,
                 std::span<FreeBodyState> to, ThreadPool* pool = nullptr) const;

  double kinetic_energy(const MovingBodies& bodies) const;  ///< [J]
  /// -sum m g . center [J]
  double potential_energy(const Vec3& gravity, const MovingBodies& bodies) const;

 private:
  FreeBodyView view(std::span<const FreeBodyState> states, MovingBodies& bodies);

  SteppingScheme scheme_;
  std::vector<double> mass_;        ///< [kg]
  std::vector<Mat3> inertia_B_;     ///< [kg m^2]
  std::vector<char> is_isotropic_;  ///< whether that is a multiple of 1
  std::vector<Mat3> inertia_W_;     ///< [kg m^2], from update_kinematics()
};

}  // namespace abut
