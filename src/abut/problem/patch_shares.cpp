#include "abut/problem/patch_shares.hpp"

#include <algorithm>

#include "abut/core/grow.hpp"

namespace abut {
namespace {

/// Patches below which threads would wait for each other longer than they work.
constexpr int least_shared = 64;

/// A worker's patches, at most, in even shares, before the trees are shared out anew: what goes to
/// another worker comes slowly.
constexpr double most_uneven = 1.1;

}  // namespace

void PatchShares::find(std::span<const Patch> patches, int trees, const ThreadPool* pool) {
  const auto count = static_cast<int>(patches.size());
  const int workers = pool != nullptr && count >= least_shared ? pool->threads() : 1;
  const int most = pool != nullptr ? pool->threads() : 1;
  make_room(ranges_, 2 * static_cast<std::size_t>(most));
  make_room(first_tree_, static_cast<std::size_t>(most) + 1);
  if (workers == 1) {
    workers_ = 1;
    first_tree_.assign({0, trees});
    ranges_.clear();
    if (count > 0) ranges_.push_back({0, count, 0, 0});
    return;
  }
  if (workers == workers_ && std::ssize(first_tree_) == workers + 1 &&
      trees == first_tree_.back()) {
    divide(patches);
    if (is_balanced(count)) return;
  }
  workers_ = workers;
  assign(first_tree_, workers + 1, trees);
  first_tree_.front() = 0;
  int rest = count;  // of this worker and those behind it
  for (int w = 1; w < workers; ++w) {
    const int share = rest / (workers - w + 1);
    // the least tree before which there are so many patches more
    std::int32_t low = first_tree_[w - 1], high = trees;
    while (low < high) {
      first_tree_[w] = low + (high - low) / 2;
      divide(patches);
      if (count_of(w - 1) < share) {
        low = first_tree_[w] + 1;
      } else {
        high = first_tree_[w];
      }
    }
    first_tree_[w] = low;
    divide(patches);
    rest -= count_of(w - 1);
  }
  divide(patches);
}

/// Finds the ranges of the workers' trees.
void PatchShares::divide(std::span<const Patch> patches) {
  ranges_.clear();
  const auto world_end =
      std::ranges::partition_point(patches, [](const Patch& x) { return x.tree_a == world_tree; });
  const auto divide_part = [&](auto begin, auto last) {
    for (int w = 0; w < workers_ && begin != last; ++w) {
      const std::int32_t tree = first_tree_[w + 1];  // the next worker's first
      const auto end =
          w + 1 == workers_ ? last : std::partition_point(begin, last, [&](const Patch& x) {
            return (x.tree_a == world_tree ? x.tree_b : x.tree_a) < tree;
          });
      if (begin == end) continue;
      const auto place = [&](auto at) { return static_cast<std::int32_t>(at - patches.begin()); };
      ranges_.push_back({place(begin), place(end), w, static_cast<std::int32_t>(ranges_.size())});
      begin = end;
    }
  };
  divide_part(patches.begin(), world_end);
  divide_part(world_end, patches.end());
}

int PatchShares::count_of(int worker) const {
  int count = 0;
  for (const Range& r : ranges_) count += r.worker == worker ? r.end - r.begin : 0;
  return count;
}

bool PatchShares::is_balanced(int patches) const {
  for (int w = 0; w < workers_; ++w) {
    if (static_cast<double>(count_of(w)) * workers_ > most_uneven * patches) return false;
  }
  return true;
}

}  // namespace abut
