#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/constraints/contact_pool.hpp"
#include "abut/constraints/scalar_pool.hpp"
#include "abut/laws/law_kind.hpp"
#include "abut/linalg/vec3.hpp"
#include "abut/problem/patch.hpp"

namespace abut {

/// Which normal impulse gamma_n0 Lagged friction takes for the one it does not know yet.
enum class LaggedRule : std::uint8_t {
  fixed_point,  ///< that of the step's own end: the prediction, solved again with the normal
                ///< impulse that came out, until the two agree to `lag_tolerance`
  state,        ///< h f(phi0, v_n0), from the state at the step's start [ICFT 29]
  prediction,   ///< of one pass of the normal laws from the last step's impulses
};

/// Numerical parameters of friction and of near-rigid contact.
struct FrictionParameters {
  double stiction_tolerance = 1e-4;  ///< v_s [m/s], Lagged and Similar: eps >= v_s
  double sigma = 1e-3;               ///< R_t = sigma w [-]
  double beta = 1;  ///< SAP's near-rigid switch: R_n >= beta^2 w / (4 pi^2) [-]; 0: the user's k
  LaggedRule lagged_rule = LaggedRule::fixed_point;
  double lag_tolerance = 0.1;  ///< of gamma_n0 against gamma_n, relative, by island [-]

  /// @throws InputError at the first value out of range.
  void validate() const;
};

enum class TreeKind : std::uint8_t { rigid_body, dense };

/// The dofs of one mechanism: a clique of the problem. A rigid body has six, the linear velocity
/// of its center of mass and its angular velocity, both in world axes; A = diag(m I, I_W).
struct Tree {
  TreeKind kind = TreeKind::rigid_body;
  bool brings_factor = false;  ///< dense: its inverse factor is among inverse_factors
  std::int32_t first_dof = 0;  ///< in vectors of the problem
  std::int32_t size = 6;       ///< dofs
  double mass = 0;             ///< [kg], of its heaviest body if it has several
  // rigid body
  Vec3 center;   ///< center of mass, world [m]
  Mat3 inertia;  ///< about it, world axes [kg m^2]
  // dense
  std::int64_t first_element = 0;  ///< of its A in ContactProblem::matrices, row-major
};

/// A body of a dense tree that contacts touch. Its velocities (linear, of the point `center`;
/// angular) are J u with the tree's velocities u. They and `center` are in the contacts' frame.
struct ContactBody {
  std::int32_t tree = 0;
  std::int64_t jacobian =
      0;        ///< first of J's 6 x nv elements in ContactProblem::jacobians, row-major
  Vec3 center;  ///< [m]
};

/// One step's convex contact problem (docs/notation.md):
///
///     min over v:  1/2 |v - v*|_A^2 + sum_i l_i(J_i v + b_i)
///
/// over contacts and scalar constraints.
///
/// Plain data: build it (clear, add_..., add_contact); a PreparedProblem of it is what solvers
/// take. Buffers are kept by clear(), so that a step of known size allocates nothing.
struct ContactProblem {
  double time_step = 0;  ///< h [s]
  ContactModel model = ContactModel::sap;
  NormalLawKind law = NormalLawKind::hunt_crossley;  ///< not read by SAP
  FrictionParameters friction;
  double wake_gap = 1e-3;  ///< [m]; contacts that come closer than this are solved from the start

  std::vector<Tree> trees;
  std::vector<double> matrices;         ///< A of the dense trees, row-major
  std::vector<double> inverse_factors;  ///< of those that brought one, tree after tree
  std::vector<double> velocity;         ///< v0, at the step's start; also the solvers' first guess
  std::vector<double> free_velocity;    ///< v*, what the step gives without contact impulses

  std::vector<ContactBody> bodies;  ///< of dense trees
  std::vector<double> jacobians;    ///< theirs
  std::vector<Patch> patches;       ///< those of a pair of trees side by side
  ContactPool contacts;
  ScalarPool scalars;

  int dofs() const { return static_cast<int>(velocity.size()); }
  void clear();

  /// A free rigid body at the center of mass; inertia about it in world axes [kg m^2]; velocities
  /// (linear; angular) in world axes. Returns its tree.
  int add_rigid_body(double mass, const Vec3& center, const Mat3& inertia,
                     std::span<const double, 6> velocity, std::span<const double, 6> free_velocity);

  /// A tree with a dense A (row-major, n x n) and the mass of its heaviest body [kg]. Who has A's
  /// inverse factor (linalg/dense_spd.hpp) gives it: A then need not be factored again.
  int add_tree(std::span<const double> matrix, std::span<const double> velocity,
               std::span<const double> free_velocity, double heaviest_mass,
               std::span<const double> inverse_factor = {});

  /// A body of a dense tree, which contacts of it may name: 6 x nv, row-major, its velocity at
  /// `center` and its angular velocity. Returns its index among `bodies`.
  int add_body(int tree, const Vec3& center, std::span<const double> jacobian);

  /// A contact between trees a <= b (a may be world_tree; a tree may touch itself by two of its
  /// bodies), normal from a into b. Contacts of one pair of trees must follow each other, best body
  /// by body. For a dense tree give the body. Returns the contact's index.
  int add_contact(int tree_a, int tree_b, const ContactPoint& contact, int body_a, int body_b);

  /// A contact of trees a < b whose dense trees bring their own 3 x nv blocks of J, row-major, with
  /// the sign with which they enter v_c: as a body of its own each.
  int add_contact(int tree_a, int tree_b, const ContactPoint& contact,
                  std::span<const double> jacobian_a = {}, std::span<const double> jacobian_b = {});

  /// A scalar constraint; its row names trees in ascending order. Returns its index.
  int add_scalar(const ScalarConstraint& constraint, std::span<const RowEntry> row);
};

/// Throws InputError at the first number or size that makes no sense: what preparation and the
/// solvers rely on. Meant for problems that come from outside.
void validate(const ContactProblem& problem);

}  // namespace abut
