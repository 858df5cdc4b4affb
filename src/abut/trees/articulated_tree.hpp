#pragma once

#include <memory>
#include <span>
#include <vector>

#include "abut/linalg/rotation.hpp"
#include "abut/problem/contact_problem.hpp"
#include "abut/trees/joint.hpp"
#include "abut/trees/moving_bodies.hpp"
#include "abut/trees/stepping_scheme.hpp"

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
/// generalized coordinates, at the state of the last update().
///
/// A state is kept in coordinates q and velocities v as the step's solver sees them: the linear
/// velocity of a free joint in the link's axes, quaternions x y z w, coordinates from the
/// reference.
class ArticulatedTree {
 public:
  /// At the joints' references, free joints at their link's pose, at rest.
  explicit ArticulatedTree(std::vector<Link> links,
                           SteppingScheme scheme = SteppingScheme::symplectic_euler);
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
  std::vector<double> mass_matrix() const;             ///< M with armature, nv x nv
  const double* lower_mass() const;                    ///< its lower triangle, rows of nv
  std::span<const double> bias_forces() const;         ///< C(q, v) v + g(q) [N m or N], nv
  double kinetic_energy() const;                       ///< [J]
  double potential_energy(const Vec3& gravity) const;  ///< of weight and springs [J]

  /// The velocities that move a link, in ascending runs.
  std::span<const IndexRun> support(int link) const;

  /// The Jacobian of a link, row-major, world axes: three rows for the velocity of a point of it,
  /// three for its angular velocity; columns for the velocities of support(link) alone.
  void get_jacobian(int link, const Vec3& point, std::span<double> jacobian) const;

  /// Adds to the generalized forces (nv) what a force at a point of a link and a moment on it give,
  /// world axes [N, m, N m].
  void add_load(int link, const Vec3& point, const Vec3& force, const Vec3& moment,
                std::span<double> forces) const;

  /// A into `matrix` (nv x nv), its inverse factor (linalg/dense_spd.hpp) into `inverse_factor` and
  /// the step's v* into `free_velocity`, with generalized forces f and loads of the links.
  ///
  ///   symplectic Euler   A = M + h D + h^2 K at q0, springs and dampers implicit:
  ///                      v* = v + A^-1 h (f - C v - g - K (q - q_s) - (D + h K) v). Explicit
  ///                      Coriolis forces gain energy where links spin: from 0.02 rad a step on
  ///                      they are taken at the middle, from 0.1 rad on in parts
  ///   explicit Euler     A = M at q0, all forces at the step's start
  ///   others             r = M(q_t) (v* - v) - h k(q_t, v_t) is 0 by Newton's method, to 1e-12 of
  ///                      what it is a sum of; A = M(q_t) + h theta D + h^2 theta theta_vq K. If it
  ///                      does not converge, v* and A are those of symplectic Euler
  FreeMotion free_motion(double dt, std::span<const double> forces, std::span<const Load> loads,
                         std::span<double> matrix, std::span<double> inverse_factor,
                         std::span<double> free_velocity);

  /// Adds the limits that a step may reach and the dry friction of its joints to `problem`, whose
  /// tree `index` is this one, with names from `name` on, and lowers the allowances of its limits
  /// (limits.hpp). Returns the next name.
  int add_constraints(double dt, int index, int name, std::span<double> allowances,
                      ContactProblem& problem) const;

  /// Where new velocities v lead: q (+) h v_q; under symplectic and implicit Euler, where
  /// free_motion() went in parts, from where they ended by h (v - v*).
  void integrate(double dt, std::span<const double> velocity, std::span<double> q);

 private:
  struct Data;
  std::unique_ptr<Data> d_;
};

}  // namespace abut
