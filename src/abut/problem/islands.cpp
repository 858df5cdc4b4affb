#include "abut/problem/islands.hpp"

#include <algorithm>

#include "abut/core/grow.hpp"

namespace abut {

void Islands::clear() {
  dormant.clear();
  for (auto* v : {&tree_start, &trees, &patch_start, &patches, &island_of_}) v->clear();
}

void Islands::copy(const Islands& from) {
  make_room(dormant, from.dormant.capacity());
  assign(dormant, from.dormant);
  make_room(tree_start, from.tree_start.capacity());
  make_room(trees, from.trees.capacity());
  make_room(patch_start, from.patch_start.capacity());
  make_room(patches, from.patches.capacity());
  make_room(awake_, from.patches.capacity());  // what find() needs
  make_room(is_acted_on_, from.island_of_.size());
  sets_.make_room(from.island_of_.size());
  assign(tree_start, from.tree_start);
  assign(trees, from.trees);
  assign(patch_start, from.patch_start);
  assign(patches, from.patches);
  assign(island_of_, from.island_of_);
}

bool Islands::is_awake(const Patch& patch) const {
  if (dormant.empty()) return true;
  const auto begin = dormant.begin();
  return std::find(begin + patch.begin, begin + patch.end, 0) != begin + patch.end;
}

/// find() of a single mechanism, where there is nothing to sort.
void Islands::find_of_one_tree(std::span<const Patch> all_patches, bool has_scalars) {
  patches.clear();
  for (std::int32_t k = 0; k < std::ssize(all_patches); ++k) {
    if (is_awake(all_patches[k])) patches.push_back(k);
  }
  const bool is_acted_on = has_scalars || !patches.empty();
  assign(island_of_, 1, is_acted_on ? 0 : -1);
  tree_start.assign(1, 0);
  patch_start.assign(1, 0);
  trees.clear();
  if (!is_acted_on) return;
  trees.push_back(0);
  tree_start.push_back(1);
  patch_start.push_back(static_cast<std::int32_t>(patches.size()));
}

void Islands::find(int tree_count, std::span<const Patch> all_patches, const ScalarPool& scalars) {
  for (auto* v : {&trees, &tree_start, &patch_start}) make_room(*v, tree_count + 1);
  make_room(patches, all_patches.size());
  make_room(awake_, patches.capacity());
  if (tree_count == 1) return find_of_one_tree(all_patches, scalars.size() > 0);

  sets_.reset(tree_count);
  assign(is_acted_on_, tree_count, false);
  const auto join = [&](int a, int b) {
    is_acted_on_[a] = is_acted_on_[b] = true;
    sets_.join(a, b);
  };
  awake_.clear();
  for (std::int32_t k = 0; k < std::ssize(all_patches); ++k) {
    const Patch& p = all_patches[k];
    if (!is_awake(p)) continue;
    awake_.push_back({k, p.tree_b});
    join(p.tree_a < 0 ? p.tree_b : p.tree_a, p.tree_b);
  }
  for (int i = 0; i < scalars.size(); ++i) {
    const std::span<const RowEntry> row = scalars.row(i);
    int last = row.front().tree;
    join(last, last);
    for (const RowEntry& e : row) {
      if (e.tree != last) join(last, e.tree);
      last = e.tree;
    }
  }

  // number the islands by their smallest trees, and count
  const std::span<const std::int32_t> set = sets_.all_smallest();
  assign(island_of_, tree_count, -1);
  tree_start.assign(1, 0);
  for (int t = 0; t < tree_count; ++t) {
    if (!is_acted_on_[t]) continue;
    if (set[t] == t) {
      island_of_[t] = static_cast<std::int32_t>(tree_start.size()) - 1;
      tree_start.push_back(0);
    }
    island_of_[t] = island_of_[set[t]];
    ++tree_start[island_of_[t] + 1];
  }
  assign(patch_start, tree_start.size(), 0);
  for (const Awake& patch : awake_) ++patch_start[island_of_[patch.tree] + 1];
  for (std::size_t i = 1; i < tree_start.size(); ++i) {
    tree_start[i] += tree_start[i - 1];
    patch_start[i] += patch_start[i - 1];
  }

  // fill in ascending order; the starts run ahead and are shifted back
  resize(trees, tree_start.back());
  resize(patches, patch_start.back());
  for (int t = 0; t < tree_count; ++t) {
    if (is_acted_on_[t]) trees[tree_start[island_of_[t]]++] = t;
  }
  for (const auto& [index, tree] : awake_) patches[patch_start[island_of_[tree]]++] = index;
  for (std::size_t i = tree_start.size() - 1; i > 0; --i) {
    tree_start[i] = tree_start[i - 1];
    patch_start[i] = patch_start[i - 1];
  }
  tree_start[0] = patch_start[0] = 0;
}

}  // namespace abut
