#pragma once

#include <cstdint>
#include <vector>

namespace abut {

constexpr std::int32_t world_tree = -1;

/// Contacts between two bodies, of trees tree_a <= tree_b; the world comes first. A rigid-body tree
/// is one body, a dense tree has ContactProblem::bodies.
struct Patch {
  std::int32_t tree_a = world_tree, tree_b = 0;
  std::int32_t body_a = -1, body_b = -1;  ///< of dense trees; else -1
  std::int32_t begin = 0, end = 0;        ///< contacts

  /// Between two trees, which so share a block of the Hessian: not with the world, nor of a tree
  /// with itself.
  bool joins_trees() const { return tree_a != world_tree && tree_a != tree_b; }
  /// No mechanism takes part: two rigid bodies, or one and the world.
  bool is_of_rigid_bodies() const { return body_a < 0 && body_b < 0; }
};

/// Patches of the same two trees must follow each other, as they share a block of the Hessian.
/// @throws InputError
void require_patches_by_pair(const std::vector<Patch>& patches);

}  // namespace abut
