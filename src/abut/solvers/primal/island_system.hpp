#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "abut/core/aligned_buffer.hpp"
#include "abut/core/disjoint_sets.hpp"
#include "abut/linalg/block_cholesky.hpp"
#include "abut/problem/certify.hpp"
#include "abut/problem/friction_ellipse.hpp"
#include "abut/problem/prepared_problem.hpp"
#include "abut/solvers/primal/contact_kernels.hpp"
#include "abut/solvers/primal/island_masses.hpp"
#include "abut/solvers/primal/island_nodes.hpp"
#include "abut/solvers/primal/island_patch.hpp"
#include "abut/solvers/primal/island_scalars.hpp"
#include "abut/solvers/primal/linked_bodies.hpp"
#include "abut/solvers/primal/mechanism_rows.hpp"

namespace abut {

/// What the error of a step is measured by: max(|D J^T gamma|, min(|D A v|, |D A (v* - v0)|)). Both
/// shrink with the step as its impulses do, so that the error of an acceleration is bounded for any
/// h; a body's momentum, which does not, counts by the rounding that it brings along alone.
inline double step_scale(const BodySums& s, double free_change) {
  return std::sqrt(std::max({s.impulse, std::min(s.momentum, free_change),
                             momentum_rounding * momentum_rounding * s.momentum}));
}

/// One island of a problem in the form that the kernels want: contacts in structure-of-arrays form,
/// the pattern of the Hessian. Vectors over the island are those of IslandNodes, in BlockSymbolic's
/// layout. Buffers are kept.
class IslandSystem {
 public:
  /// For all of the problem as one island, as large as its own buffers have grown.
  void make_room(const ContactProblem& problem);

  /// Gathers the island, without dormant contacts. The others keep their order.
  void build(const PreparedProblem& problem, const Islands& islands, int island) {
    build(problem, islands.trees_of(island), islands.patches_of(island), islands.dormant);
  }
  /// Of several islands their trees and patches, as one.
  void build(const PreparedProblem& problem, std::span<const std::int32_t> trees,
             std::span<const std::int32_t> patches, std::span<const char> dormant);

  int vector_size() const { return nodes_.vector_size(); }
  int contact_count() const { return static_cast<int>(contacts_.size()); }
  const ContactArrays& contacts() const { return arrays_; }
  std::span<const std::int32_t> contact_indices() const { return contacts_; }  ///< in the problem
  /// The normal law of all contacts; none if they differ.
  const LawMix& laws() const { return laws_; }
  std::span<const IslandPatch> patches() const { return patches_; }
  const BlockPattern& pattern() const { return pattern_; }
  const IslandNodes& nodes() const { return nodes_; }
  IslandScalars& scalars() { return scalars_; }
  const IslandScalars& scalars() const { return scalars_; }

  /// Copies a vector of the problem into the island's layout (padding zero), and back.
  void gather(std::span<const double> from, double* to) const { nodes_.gather(from, to); }
  void scatter(const double* from, std::span<double> to) const { nodes_.scatter(from, to); }

  /// Makes contacts as stiff as this share of what the problem says; 1 brings back all bits.
  void soften(double share);

  /// J x, written to three fields; with the contacts' bias if asked.
  void velocities(const double* x, ContactField first_field, bool with_bias);

  /// Contact i's impulse [N s], of which the arrays have what FrictionEllipse scales.
  Vec3 impulse(int i) const {
    const double* g = arrays_[ContactField::impulse_x] + i;
    const Vec3 gamma{g[0], g[arrays_.stride], g[2 * arrays_.stride]};
    return ellipses_.empty() ? gamma : ellipse(i).scaled(gamma);
  }
  /// What the arrays have of an impulse of contact i.
  Vec3 unscaled(int i, const Vec3& impulse) const {
    return ellipses_.empty() ? impulse : ellipse(i).unscaled(impulse);
  }

  /// y = J^T gamma, of contacts and scalar constraints; of contacts alone.
  void impulses(double* y);
  void contact_impulses(double* y);

  /// momentum = A (v - v*), gradient = momentum - impulse, and the sums for the stopping test.
  BodySums residual(const double* v, const double* impulse, double* momentum,
                    double* gradient) const;

  /// Likewise of one rigid body.
  BodySums body_residual(int node, const double* v, const double* impulse, double* momentum,
                         double* gradient) const;

  /// |D A (v* - v0)|^2: what the step changes without contact; of one node.
  double free_change() const { return free_change_; }
  double free_change(int node) const { return change_[node]; }

  /// Joins the nodes between which some contact transmits more than a trace of an impulse, or a
  /// scalar constraint any. Returns how many parts they make.
  int link_parts();
  /// The largest error of these parts, each judged alone; parts with momenta below `rest` count as
  /// 0, no scale is below `rounding`.
  double worst_part_error(const double* impulse, const double* momentum, double rest,
                          double rounding);

  /// Of step_terms() all but the quadratic one, which is 0.
  StepSums slopes(const double* step, const double* momentum, const double* gradient) const;
  StepSums step_terms(const double* step, const double* momentum, const double* gradient);

  /// A + sum of J^T K J, into the slots of `cholesky`, which was reset to the symbolic factor of
  /// place_blocks().
  void assemble(BlockCholesky& cholesky);

  /// Tells the patches where their blocks are.
  void place_blocks(const BlockSymbolic& symbolic);

  const double* free_velocity() const { return free_velocity_.data(); }

 private:
  /// Contacts of the same two trees, and a node of each.
  struct Link {
    std::int32_t a, b, begin, end;
  };
  void gather_bodies(const ContactProblem& p);
  void measure_free_change(const ContactProblem& p);
  void add_patches(const PreparedProblem& prepared, std::span<const std::int32_t> patches,
                   std::span<const char> dormant);
  void add_body_patches(const PreparedProblem& prepared);
  int edge_of(const ContactProblem& p, const IslandPatch& at, const Patch* before);
  void gather_contacts(const PreparedProblem& prepared);
  void gather_tables(const ContactProblem& problem);
  FrictionEllipse ellipse(int contact) const;
  void scale_hessians();
  BodyPatch body_patch(const PreparedProblem& prepared, const Patch& patch);

  IslandNodes nodes_;
  RigidBodies bodies_;
  IslandMasses masses_;
  BlockPattern pattern_;
  EdgeRequests requests_;
  std::vector<BodyPatch> body_patches_;
  std::vector<std::int32_t> edge_;  ///< by patch, -1 if it joins no trees or a sparse one
  std::vector<Link> links_;
  LinkedBodies linked_;
  MechanismRows rows_;
  bool is_by_rows_ = false;  ///< contacts are in rows_, not in body_patches_ and linked_
  IslandScalars scalars_;
  std::vector<std::int32_t> contacts_;
  std::vector<IslandPatch> patches_;
  ContactArrays arrays_;
  std::vector<Vec3> bias_;
  bool has_bias_ = false, is_softened_ = false;
  struct Ellipse {
    std::int32_t contact;
    FrictionEllipse ellipse;
    Vec3 kept;  ///< its impulse in the arrays, while they have another
  };
  std::vector<Ellipse> ellipses_;  ///< in the arrays' order
  const PreparedProblem* prepared_ = nullptr;
  LawMix laws_{NormalLawKind::kelvin_voigt};
  std::vector<const ForceTable*> tables_;
  DisjointSets parts_;  ///< of nodes
  std::vector<BodySums> part_sums_;
  std::vector<RigidSource> sources_;
  std::vector<double> change_, part_change_;  ///< |D A (v* - v0)|^2 by node, and by part
  double free_change_ = 0;
  AlignedBuffer<double> stiffness_;  ///< what soften() changes, as the problem has it
  AlignedBuffer<double> contact_data_, inertia_, scale2_, free_velocity_, free_momentum_, sums_;
  AlignedBuffer<double> step_change_, product_;  ///< v* - v0; A times a step
};

}  // namespace abut
