#pragma once

#include <cstdint>

namespace abut {

constexpr std::int32_t world_tree = -1;

/// All contacts between two trees, tree_a < tree_b; the world comes first. A tree's contact with
/// itself counts as one with the world, with its relative Jacobian.
struct Patch {
  std::int32_t tree_a = world_tree, tree_b = 0;
  std::int32_t begin = 0, end = 0;  ///< contacts
};

}  // namespace abut
