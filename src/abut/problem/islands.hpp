#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/constraints/scalar_pool.hpp"
#include "abut/core/disjoint_sets.hpp"
#include "abut/problem/patch.hpp"

namespace abut {

/// The independent parts of a problem: trees linked by contacts that are awake and by scalar
/// constraints. Trees on which none acts belong to no island, nor do patches without a contact that
/// is awake. Islands are ordered by their smallest tree; trees and patches in each ascend.
struct Islands {
  std::vector<char> dormant;  ///< by contact, of those that are left out; empty: none is
  std::vector<std::int32_t> tree_start, trees;     ///< trees of island i: tree_start[i] ...
  std::vector<std::int32_t> patch_start, patches;  ///< patches of island i

  int size() const { return tree_start.empty() ? 0 : static_cast<int>(tree_start.size()) - 1; }
  std::span<const std::int32_t> trees_of(int i) const {
    return {trees.data() + tree_start[i], trees.data() + tree_start[i + 1]};
  }
  std::span<const std::int32_t> patches_of(int i) const {
    return {patches.data() + patch_start[i], patches.data() + patch_start[i + 1]};
  }

  /// The island of each tree, -1 for none.
  std::span<const std::int32_t> island_of_tree() const { return island_of_; }

  /// Becomes equal to `from`; allocates only where the buffers here never held as much.
  void copy(const Islands& from);

  void clear();

  /// Of these trees, patches, by `dormant`, and scalar constraints.
  void find(int tree_count, std::span<const Patch> all_patches, const ScalarPool& scalars);

 private:
  bool is_awake(const Patch& patch) const;
  void find_of_one_tree(std::span<const Patch> all_patches, bool has_scalars);

  DisjointSets sets_;              ///< of trees
  std::vector<char> is_acted_on_;  ///< by tree
  std::vector<std::int32_t> island_of_;
  /// A patch with contacts that are not dormant, and a tree of it.
  struct Awake {
    std::int32_t patch, tree;
  };
  std::vector<Awake> awake_;
};

}  // namespace abut
