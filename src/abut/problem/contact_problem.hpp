#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abut/constraints/contact_pool.hpp"
#include "abut/constraints/scalar_pool.hpp"
#include "abut/core/aligned_vector.hpp"
#include "abut/laws/law_kind.hpp"
#include "abut/linalg/index_run.hpp"
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
inline constexpr std::array lagged_rules = {LaggedRule::fixed_point, LaggedRule::state,
                                            LaggedRule::prediction};
constexpr std::string_view to_string(LaggedRule rule) {
  switch (rule) {
    case LaggedRule::fixed_point: return "fixed_point";
    case LaggedRule::state: return "state";
    case LaggedRule::prediction: return "prediction";
  }
  return {};
}

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

/// What rigid models add to a step that they solve by velocities alone.
struct RigidRules {
  double restitution = 0;  ///< e: pairs that meet at -v_n part at e v_n, 0 to 1 [-]
  double baumgarte = 0.2;  ///< k_B h: the share of an overlap that a step lets out, 0 to 1 [-]
  /// Overlap that is let be [m]: what rounding and turning leave of touch. Pairs that face each
  /// other would ask for velocities that no motion has.
  double penetration_slop = 0;

  /// @throws InputError at the first value out of range.
  void validate() const;
};

enum class TreeKind : std::uint8_t { rigid_body, dense, sparse };
inline constexpr std::array tree_kinds = {TreeKind::rigid_body, TreeKind::dense, TreeKind::sparse};

/// The dofs of one mechanism. A rigid body has six, the linear velocity of its center of mass and
/// its angular velocity, both in world axes; A = diag(m I, I_W). Those of a sparse tree, such as a
/// deformable body, are the velocities of nodes, three each, and A couples a node with few others.
struct Tree {
  TreeKind kind = TreeKind::rigid_body;
  bool brings_factor = false;  ///< dense: its inverse factor is among inverse_factors
  std::int32_t first_dof = 0;  ///< in vectors of the problem
  std::int32_t size = 6;       ///< dofs
  double mass = 0;             ///< [kg], of its heaviest body if it has several
  // rigid body
  Vec3 center;   ///< center of mass, world [m]
  Mat3 inertia;  ///< about it, world axes [kg m^2]
  /// Dense: of its A in ContactProblem::matrices, row-major. Sparse: its first row of blocks in
  /// ContactProblem::sparse_matrices.
  std::int64_t first_element = 0;

  int nodes() const { return size / 3; }  ///< of a sparse tree
};

/// A of the sparse trees: of the lower triangle the 3 x 3 blocks that are not zero, row by row, the
/// diagonal one last in its row.
struct SparseMatrices {
  std::vector<std::int64_t> row_end;  ///< by row of blocks: where its blocks end
  std::vector<std::int32_t> column;   ///< by block: a node of its tree
  std::vector<double> elements;       ///< by block: 9, row-major

  void clear() { row_end.clear(), column.clear(), elements.clear(); }

  /// Calls f(row, column, block) for each block of a tree; rows and columns are nodes.
  template <class F>
  void for_each_block(const Tree& tree, const F& f) const {
    const auto first = tree.first_element;
    std::int64_t k = first == 0 ? 0 : row_end[first - 1];
    for (int row = 0; row < tree.nodes(); ++row) {
      for (; k < row_end[first + row]; ++k) f(row, column[k], elements.data() + 9 * k);
    }
  }
};

/// A body of a dense or sparse tree that contacts touch. Its velocities (linear, of the point
/// `center`; angular) are J u with those of the tree's velocities that move it. They and `center`
/// are in the contacts' frame.
struct ContactBody {
  std::int32_t tree = 0;
  std::int32_t runs = 0;           ///< at least 1, of dofs that move it; of a sparse tree one for
                                   ///< each node
  std::int64_t first_run = 0;      ///< among ContactProblem::body_runs
  std::int32_t columns = 0;        ///< of J: those of these dofs, run after run
  std::int64_t first_element = 0;  ///< of J in ContactProblem::jacobians, six rows
  Vec3 center;                     ///< [m]
};

/// One step's contact problem (docs/notation.md), of convex models
///
///     min over v:  1/2 |v - v*|_A^2 + sum_i l_i(J_i v + b_i)
///
/// over contacts and scalar constraints; of rigid ones A (v - v*) = J^T gamma with the model's
/// conditions on the contacts' gamma and v_c (RigidModel), and the same scalar constraints.
///
/// Plain data: build it (clear, add_..., add_contact); a PreparedProblem of it is what solvers
/// take. Buffers are kept by clear(), so that a step of known size allocates nothing.
struct ContactProblem {
  double time_step = 0;  ///< h [s]
  ContactModel model = ContactModel::sap;
  NormalLawKind law = NormalLawKind::hunt_crossley;  ///< of contacts that have none of their own
  FrictionParameters friction;
  RigidRules rigid;        ///< of rigid models
  double wake_gap = 1e-3;  ///< [m]; contacts that come closer than this are solved from the start

  std::vector<Tree> trees;
  AlignedVector<double> matrices;         ///< A of the dense trees, row-major
  SparseMatrices sparse_matrices;         ///< A of the sparse trees
  AlignedVector<double> inverse_factors;  ///< of those that brought one, tree after tree
  std::vector<double> velocity;           ///< v0, at the step's start
  std::vector<double> free_velocity;      ///< v*, what the step gives without contact impulses
  std::vector<double> first_guess;        ///< of v, for solvers that go on from one; empty: v0

  std::vector<ContactBody> bodies;  ///< of dense and sparse trees
  std::vector<double> jacobians;    ///< theirs
  std::vector<IndexRun> body_runs;  ///< of dofs of their trees, which move them
  std::vector<Patch> patches;       ///< those of a pair of trees side by side
  ContactPool contacts;
  ScalarPool scalars;

  int dofs() const { return static_cast<int>(velocity.size()); }
  /// The normal law of a contact: under SAP Kelvin-Voigt's, whatever is asked for.
  NormalLawKind law_of(int contact) const {
    return effective_law(model, contacts.law[contact].value_or(law));
  }
  bool is_rigid_body(int tree) const { return trees[tree].kind == TreeKind::rigid_body; }
  std::span<const IndexRun> runs_of(const ContactBody& body) const {
    return std::span(body_runs).subspan(body.first_run, body.runs);
  }
  /// Calls f(dof, column, count) for each run of dofs that move a body: its first dof in the tree
  /// and column of the Jacobian.
  template <class F>
  void for_each_run(const ContactBody& body, const F& f) const {
    int column = 0;
    for (const IndexRun& run : runs_of(body)) {
      f(run.begin, column, run.size());
      column += run.size();
    }
  }
  void clear();
  /// Leaves the trees of so many rigid bodies and the places of contacts, with whatever is in them:
  /// the trees are to be set, the contacts given their number (ContactPool::resize), set and added
  /// (add_patch).
  void begin(int rigid_bodies);

  /// A free rigid body at the center of mass; inertia about it in world axes [kg m^2]; velocities
  /// (linear; angular) in world axes. Returns its tree.
  int add_rigid_body(double mass, const Vec3& center, const Mat3& inertia,
                     std::span<const double, 6> velocity, std::span<const double, 6> free_velocity);

  /// As add_rigid_body(), one that begin() left. Different threads may set different ones.
  void set_rigid_body(int tree, double mass, const Vec3& center, const Mat3& inertia,
                      std::span<const double, 6> velocity,
                      std::span<const double, 6> free_velocity);

  /// A tree with a dense A (row-major, n x n, both triangles) and the mass of its heaviest body
  /// [kg]. Who has A's inverse factor (linalg/dense_spd.hpp) gives it: A then need not be factored
  /// again.
  int add_tree(std::span<const double> matrix, std::span<const double> velocity,
               std::span<const double> free_velocity, double heaviest_mass,
               std::span<const double> inverse_factor = {});

  /// A tree with a dense A, whose numbers but v0 are still to come: into its room.
  struct NewTree {
    int tree;
    std::int64_t first_factor;  ///< of its inverse factor, in inverse_factors
  };
  NewTree add_tree(std::span<const double> velocity, double heaviest_mass);
  struct TreeRoom {
    std::span<double> matrix;          ///< A, row-major, both triangles
    std::span<double> inverse_factor;  ///< of it
    std::span<double> free_velocity;   ///< v*
  };
  /// Lasts until something is added.
  TreeRoom room_of(const NewTree& added);

  /// A tree whose A has blocks of 3 x 3, such as a deformable body with A = M + h D + h^2 K of its
  /// nodes: those of the lower triangle, row by row, each row's columns ascending to the diagonal.
  /// row_end: where the blocks of each row end.
  int add_sparse_tree(std::span<const std::int64_t> row_end, std::span<const std::int32_t> columns,
                      std::span<const double> elements, std::span<const double> velocity,
                      std::span<const double> free_velocity, double heaviest_mass);

  /// A body of a dense tree, which contacts of it may name: 6 x nv, row-major, its velocity at
  /// `center` and its angular velocity. Columns of zeros are not kept, but for the first if there
  /// are no others. Returns its index among `bodies`.
  int add_body(int tree, const Vec3& center, std::span<const double> jacobian);

  /// The same by the dofs that move it, in ascending runs that do not touch. J is zero, and still
  /// to come.
  int add_body(int tree, const Vec3& center, std::span<const IndexRun> runs);
  /// J of a body, 6 rows of its columns. Lasts until something is added.
  std::span<double> jacobian_of(int body) {
    return std::span(jacobians).subspan(bodies[body].first_element,
                                        std::size_t{6} * bodies[body].columns);
  }

  /// A point of a sparse tree, likewise, that moves with the mean of some of its nodes: in a
  /// triangle with barycentric weights. Its contacts are to be at `center`.
  int add_point(int tree, const Vec3& center, std::span<const std::int32_t> nodes,
                std::span<const double> weights);

  /// A contact between trees a <= b (a may be world_tree; a tree may touch itself by two of its
  /// bodies), normal from a into b. Contacts of one pair of trees must follow each other, best body
  /// by body. For a dense or sparse tree give the body. Returns the contact's index.
  int add_contact(int tree_a, int tree_b, const ContactPoint& contact, int body_a, int body_b);

  /// A patch, likewise, of the `count` (>= 1) contacts after those of the last one. They are set in
  /// `contacts` beside it, before the problem is used. @throws InputError
  void add_patch(int tree_a, int tree_b, int count, int body_a, int body_b);

  /// A contact of trees a < b whose dense trees bring their own 3 x nv blocks of J, row-major, with
  /// the sign with which they enter v_c: as a body of its own each.
  int add_contact(int tree_a, int tree_b, const ContactPoint& contact,
                  std::span<const double> jacobian_a = {}, std::span<const double> jacobian_b = {});

  /// A scalar constraint; its row names trees in ascending order. Returns its index.
  int add_scalar(const ScalarConstraint& constraint, std::span<const RowEntry> row);

 private:
  void add_velocity(std::span<const double> v);
  void require_dense(int tree) const;
  void require_sides(int tree_a, int tree_b, int body_a, int body_b) const;
  void extend_patches(const Patch& next);
  int add_body_of_runs(int tree, const Vec3& center, std::int64_t first);
  int add_columns(int tree, const Vec3& center, std::span<const double> jacobian, double sign);
};

/// Throws InputError unless the rows of blocks that end at row_end, the first one beginning at
/// `begin`, are as SparseMatrices says.
void require_rows_of_blocks(std::span<const std::int64_t> row_end, std::int64_t begin,
                            std::span<const std::int32_t> columns, const std::string& tree);

/// Throws InputError at the first number or size that makes no sense: what preparation and the
/// solvers rely on. Meant for problems that come from outside.
void validate(const ContactProblem& problem);

}  // namespace abut
