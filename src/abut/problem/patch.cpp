#include "abut/problem/patch.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "abut/core/error.hpp"

namespace abut {

void require_patches_by_pair(const std::vector<Patch>& patches) {
  const auto trees = [](const Patch& x) { return std::pair(x.tree_a, x.tree_b); };
  const auto fail = [](int a, int b) {
    fail_input("contacts of trees " + std::to_string(a) + " and " + std::to_string(b) +
               " must follow each other");
  };
  bool is_sorted = true;
  for (std::size_t k = 1; k < patches.size(); ++k) {
    const Patch &x = patches[k - 1], &y = patches[k];
    is_sorted = is_sorted && trees(x) <= trees(y);
    if (trees(x) == trees(y) && x.body_a == y.body_a && x.body_b == y.body_b) {
      fail(x.tree_a, x.tree_b);
    }
  }
  if (is_sorted) return;  // the order in which a sorted list of contacts comes
  std::vector<std::pair<std::int32_t, std::int32_t>> runs;
  for (const Patch& x : patches) {
    if (runs.empty() || runs.back() != trees(x)) runs.push_back(trees(x));
  }
  std::sort(runs.begin(), runs.end());
  const auto twice = std::adjacent_find(runs.begin(), runs.end());
  if (twice != runs.end()) fail(twice->first, twice->second);
}

}  // namespace abut
