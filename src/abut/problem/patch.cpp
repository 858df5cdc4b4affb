#include "abut/problem/patch.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "abut/core/error.hpp"

namespace abut {

void require_one_patch_per_pair(const std::vector<Patch>& patches) {
  const auto trees = [](const Patch& x) { return std::pair(x.tree_a, x.tree_b); };
  const auto ascends = [&](const Patch& x, const Patch& y) { return trees(x) < trees(y); };
  const auto not_ascending = [&](const Patch& x, const Patch& y) { return !ascends(x, y); };
  if (std::adjacent_find(patches.begin(), patches.end(), not_ascending) == patches.end()) {
    return;  // the order in which a sorted list of contacts comes
  }
  std::vector<Patch> sorted = patches;
  std::sort(sorted.begin(), sorted.end(), ascends);
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end(), not_ascending);
  if (twice == sorted.end()) return;
  fail_input("trees " + std::to_string(twice->tree_a) + " and " + std::to_string(twice->tree_b) +
             " have two patches: contacts of one pair must follow each other");
}

}  // namespace abut
