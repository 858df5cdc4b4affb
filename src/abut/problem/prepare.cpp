#include "abut/problem/prepare.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "abut/core/error.hpp"
#include "abut/core/grow.hpp"

namespace abut {

namespace {

/// A second patch of the same trees would overwrite the first one's block of the Hessian.
void require_each_pair_once(const ContactProblem& p) {
  const auto trees = [](const Patch& x) { return std::pair(x.tree_a, x.tree_b); };
  const auto ascends = [&](const Patch& x, const Patch& y) { return trees(x) < trees(y); };
  const auto not_ascending = [&](const Patch& x, const Patch& y) { return !ascends(x, y); };
  if (std::adjacent_find(p.patches.begin(), p.patches.end(), not_ascending) == p.patches.end()) {
    return;  // the order in which a sorted list of contacts comes
  }
  std::vector<Patch> sorted = p.patches;
  std::sort(sorted.begin(), sorted.end(), ascends);
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end(), not_ascending);
  if (twice == sorted.end()) return;
  fail_input("contacts of trees " + std::to_string(twice->tree_a) + " and " +
             std::to_string(twice->tree_b) +
             " are in two places: those of one pair must follow "
             "each other");
}

}  // namespace

void prepare(ContactProblem& p) {
  require_each_pair_once(p);
  invert_masses(p);
  estimate_delassus(p);
  if (p.model != ContactModel::sap) predict_impulses(p);
  find_dormant(p);
  make_room(p.islands.patches, p.patches.capacity());
  p.islands.find(static_cast<int>(p.trees.size()), p.patches, p.dormant);
  if (p.model == ContactModel::sap) regularize_normals(p);
}

}  // namespace abut
