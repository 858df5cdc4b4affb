#pragma once

#include <cstdint>
#include <vector>

namespace abut {

constexpr std::int32_t world_tree = -1;

/// All contacts between two trees, tree_a < tree_b; the world comes first. A tree's contact with
/// itself counts as one with the world, with its relative Jacobian.
struct Patch {
  std::int32_t tree_a = world_tree, tree_b = 0;
  std::int32_t begin = 0, end = 0;  ///< contacts
};

/// A second patch of the same trees would overwrite the first one's block of the Hessian.
/// @throws InputError
void require_one_patch_per_pair(const std::vector<Patch>& patches);

}  // namespace abut
