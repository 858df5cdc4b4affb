#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "abut/linalg/block_cholesky.hpp"
#include "abut/linalg/block_pattern.hpp"
#include "abut/linalg/block_symbolic.hpp"
#include "abut/problem/contact_problem.hpp"

namespace abut {

/// The nodes of a sparse tree in pairs of neighbours, and some alone: the nodes of a pattern. Six
/// rows are what a factorization eliminates at once (Strip); larger groups fill in more than they
/// save (docs/linalg.md).
struct NodeGroups {
  static constexpr int most = 2;  ///< nodes of a group

  std::vector<std::int32_t> group,
      place;                        ///< by node: its group, and how many come before it there
  std::vector<std::int32_t> begin;  ///< by group and one more: into `nodes`
  std::vector<std::int32_t> nodes;  ///< group after group
  std::vector<BlockEdge> edges;     ///< groups that share blocks of A, a < b
  std::vector<std::int32_t> edge;   ///< by block of A: its edge, -1 within a group

  int size() const { return static_cast<int>(begin.size()) - 1; }
  int dofs(int i) const { return 3 * (begin[i + 1] - begin[i]); }

  /// The same for the same pattern of A.
  void find(const ContactProblem& problem, int tree);

 private:
  void gather(const ContactProblem& problem, const Tree& tree);
  void find_edges(const ContactProblem& problem, const Tree& tree);

  std::vector<std::int32_t> start_, neighbours_;               ///< of the nodes
  std::vector<std::pair<std::uint64_t, std::int32_t>> links_;  ///< groups as a number, block
};

/// What a sparse tree's mass does: A^-1, by a factor of its own. Buffers are kept from step to
/// step, as are groups and elimination order where A has the same pattern.
class SparseMass {
 public:
  /// False if A is not positive definite.
  bool factor(const ContactProblem& problem, int tree);

  const NodeGroups& groups() const { return groups_; }

  /// u += A^-1 x, of the tree's dofs. Not to be called by two threads at once.
  void add_inverse_times(const double* x, double* u);

  /// The inverse of a node's diagonal block: what a load on the node does to it while the others
  /// rest.
  const Mat3& inverse_block(int node) const { return inverse_blocks_[node]; }

 private:
  bool has_pattern_of(const ContactProblem& problem, const Tree& tree) const;

  std::vector<std::int64_t> row_end_;  ///< those of the pattern that groups and order are of
  std::vector<std::int32_t> column_;
  NodeGroups groups_;
  std::vector<std::int32_t> all_edges_;
  BlockPattern pattern_;
  std::shared_ptr<const BlockSymbolic> symbolic_;  ///< at one address for all copies
  SymbolicAnalysis analysis_;
  BlockCholesky cholesky_;
  std::vector<Mat3> inverse_blocks_;
  AlignedBuffer<double> vector_;
};

/// Adds A of a sparse tree to a matrix whose pattern has its groups from `first_node` on and their
/// edges at those numbers.
void add_sparse_matrix(const ContactProblem& problem, const Tree& tree, const NodeGroups& groups,
                       int first_node, std::span<const std::int32_t> edges,
                       BlockCholesky& cholesky);

}  // namespace abut
