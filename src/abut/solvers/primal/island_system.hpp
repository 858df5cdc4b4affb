#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "abut/core/aligned_buffer.hpp"
#include "abut/linalg/block_cholesky.hpp"
#include "abut/problem/certify.hpp"
#include "abut/problem/prepared_problem.hpp"
#include "abut/solvers/primal/contact_kernels.hpp"
#include "abut/solvers/primal/island_scalars.hpp"
#include "abut/solvers/primal/linked_bodies.hpp"

namespace abut {

/// What the error of a step is measured by: max(|D J^T gamma|, min(|D A v|, |D A (v* - v0)|)). Both
/// shrink with the step as its impulses do, so that the error of an acceleration is bounded for any
/// h; a body's momentum, which does not, counts by the rounding that it brings along alone.
inline double step_scale(const BodySums& s, double free_change) {
  return std::sqrt(std::max({s.impulse, std::min(s.momentum, free_change),
                             momentum_rounding * momentum_rounding * s.momentum}));
}

/// Those of an island's contacts that belong to a patch of the problem.
struct IslandPatch {
  std::int32_t patch = 0, begin = 0, end = 0;
};

/// One island of a problem in the form that the kernels want: bodies as nodes with 8-padded
/// vectors, rigid bodies first, contacts in structure-of-arrays form, the pattern of the Hessian.
/// Vectors over the island follow BlockSymbolic's layout. Buffers are kept.
class IslandSystem {
 public:
  /// For all of the problem as one island, as large as its own buffers have grown.
  void make_room(const ContactProblem& problem);

  /// Gathers the island, without dormant contacts. The others keep their order.
  void build(const PreparedProblem& problem, const Islands& islands, int island);

  int vector_size() const { return vector_size_; }
  int contact_count() const { return static_cast<int>(contacts_.size()); }
  const ContactArrays& contacts() const { return arrays_; }
  std::span<const std::int32_t> contact_indices() const { return contacts_; }  ///< in the problem
  std::span<const IslandPatch> patches() const { return patches_; }
  const BlockPattern& pattern() const { return pattern_; }
  IslandScalars& scalars() { return scalars_; }
  const IslandScalars& scalars() const { return scalars_; }

  /// Copies a vector of the problem into the island's layout (padding zero), and back.
  void gather(std::span<const double> from, double* to) const;
  void scatter(const double* from, std::span<double> to) const;

  /// J x, written to three fields; with the contacts' bias if asked.
  void velocities(const double* x, ContactField first_field, bool with_bias);

  /// y = J^T gamma, of contacts and scalar constraints; of contacts alone.
  void impulses(double* y);
  void contact_impulses(double* y);

  /// momentum = A (v - v*), gradient = momentum - impulse, and the sums for the stopping test.
  BodySums residual(const double* v, const double* impulse, double* momentum,
                    double* gradient) const;

  /// |D A (v* - v0)|^2: what the step changes without contact.
  double free_change() const { return free_change_; }

  /// The largest error of the parts that nonzero impulses link, each judged alone; parts with
  /// momenta below `rest` count as 0, no scale is below `rounding`.
  double worst_part_error(const double* impulse, const double* momentum, double rest,
                          double rounding);

  StepSums step_terms(const double* step, const double* momentum, const double* gradient);

  /// A + sum of J^T K J, into the slots of `cholesky`, which was reset to the symbolic factor of
  /// place_blocks().
  void assemble(BlockCholesky& cholesky);

  /// Tells the patches where their blocks are.
  void place_blocks(const BlockSymbolic& symbolic);

  const double* free_velocity() const { return free_velocity_.data(); }

 private:
  struct DenseNode {
    std::int32_t node, tree, offset, size;
    const double* matrix;
  };
  void number_nodes(const ContactProblem& p, std::span<const std::int32_t> trees);
  void gather_bodies(const ContactProblem& p);
  void measure_free_change(const ContactProblem& p);
  void add_patches(const PreparedProblem& prepared, std::span<const std::int32_t> patches,
                   std::span<const char> dormant);
  int edge_of(const Patch& patch, const Patch* before);
  void gather_contacts(const PreparedProblem& prepared);
  int part_of(int node);
  void link_parts();
  BodyPatch body_patch(const PreparedProblem& prepared, const Patch& patch);

  RigidBodies bodies_;
  std::vector<DenseNode> dense_;
  std::vector<std::int32_t> tree_;      ///< of each node
  std::vector<std::int32_t> offset_;    ///< of each node in vectors
  std::vector<std::int32_t> velocity_;  ///< first dof of each node in the problem
  std::vector<std::int32_t> node_of_;   ///< of each tree of the problem in this island
  BlockPattern pattern_;
  std::vector<BodyPatch> body_patches_;
  std::vector<std::int32_t> edge_;                   ///< by patch, -1 if it joins no trees
  std::vector<std::int32_t> edge_begin_, edge_end_;  ///< contacts of each edge that has some
  LinkedBodies linked_;
  IslandScalars scalars_;
  std::vector<double> product_;  ///< A times a step, of one dense tree
  std::vector<std::int32_t> contacts_;
  std::vector<IslandPatch> patches_;
  ContactArrays arrays_;
  std::vector<Vec3> bias_;
  bool has_bias_ = false;
  int vector_size_ = 0;
  std::vector<std::int32_t> part_;  ///< by node: towards the smallest node of its part
  std::vector<BodySums> part_sums_;
  std::vector<double> change_, part_change_;  ///< |D A (v* - v0)|^2 by node, and by part
  double free_change_ = 0;
  AlignedBuffer<double> contact_data_, inertia_, scale2_, free_velocity_, free_momentum_, sums_;
};

}  // namespace abut
