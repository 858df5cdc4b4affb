#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/linalg/block_pattern.hpp"
#include "abut/problem/prepared_problem.hpp"

namespace abut {

/// The nodes of an island's pattern: trees that are rigid bodies, then dense ones, then the groups
/// of sparse ones (NodeGroups). Vectors over the island hold node after node, each padded to 8.
class IslandNodes {
 public:
  void make_room(const ContactProblem& problem);

  /// Those of the trees, whose sizes are written to the pattern.
  void number(const PreparedProblem& problem, std::span<const std::int32_t> trees,
              BlockPattern& pattern);

  int count() const { return static_cast<int>(tree_.size()); }
  int rigid_bodies() const { return rigid_bodies_; }
  int vector_size() const { return vector_size_; }

  int tree(int node) const { return tree_[node]; }
  int offset(int node) const { return offset_[node]; }  ///< in vectors
  /// Of a tree of the island the first node.
  int node_of(int tree) const { return node_of_[tree]; }
  bool is_first(int node) const { return node_of_[tree_[node]] == node; }

  /// Where a dof is: its node, in vectors, and in the node.
  struct Place {
    std::int32_t node, at, dof;
  };
  Place place(int tree, int dof) const {
    const std::int32_t node = node_of_[tree];
    if (sparse_.empty()) return {node, offset_[node] + dof, dof};
    return place_in_group(tree, dof);
  }
  const NodeGroups& groups(int tree) const { return prepared_->masses().sparse(tree).groups(); }
  std::span<const std::int32_t> sparse_trees() const { return sparse_; }

  /// Copies a vector of the problem into the island's layout (padding zero), and back.
  void gather(std::span<const double> from, double* to) const;
  void scatter(const double* from, std::span<double> to) const;

 private:
  void add(int tree, int dofs, BlockPattern& pattern);
  Place place_in_group(int tree, int dof) const;

  const PreparedProblem* prepared_ = nullptr;
  std::vector<std::int32_t> tree_, offset_;  ///< by node
  std::vector<std::int32_t> node_of_;        ///< by tree of the problem, if it is here
  std::vector<std::int32_t> sparse_;         ///< trees
  int rigid_bodies_ = 0, whole_trees_ = 0;   ///< nodes that are a rigid body, or one tree
  int vector_size_ = 0;
};

}  // namespace abut
