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
  std::int32_t velocity = 0;   ///< first of its dofs in vectors of the problem
  std::int32_t size = 6;       ///< dofs
  double mass = 0;             ///< [kg], of its heaviest body if it has several
  // rigid body
  Vec3 center;   ///< center of mass, world [m]
  Mat3 inertia;  ///< about it, world axes [kg m^2]
  // dense
  std::int64_t matrix = 0;  ///< first element of its A in ContactProblem::matrices, row-major
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

  std::vector<Patch> patches;  ///< each pair of trees once
  ContactPool contacts;
  std::vector<double> jacobians;  ///< 3 x nv blocks of contacts on dense trees, row-major
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

  /// A contact between trees a < b (a may be world_tree), normal from a into b. Contacts of one
  /// pair must follow each other. For a dense tree give its 3 x nv block of J, row-major, with the
  /// sign with which it enters v_c. Returns the contact's index.
  int add_contact(int tree_a, int tree_b, const ContactPoint& contact,
                  std::span<const double> jacobian_a = {}, std::span<const double> jacobian_b = {});

  /// A scalar constraint; its row names trees in ascending order. Returns its index.
  int add_scalar(const ScalarConstraint& constraint, std::span<const RowEntry> row);
};

/// Throws InputError at the first number or size that makes no sense: what preparation and the
/// solvers rely on. Meant for problems that come from outside.
void validate(const ContactProblem& problem);

}  // namespace abut
