#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/core/parallel.hpp"
#include "abut/problem/patch.hpp"

namespace abut {

/// Which worker of a pool has which trees, ranges of all trees, in loops over their patches and
/// what comes of them, so that its cache has what the other loops of this step and the last one
/// left there (docs/decisions/memory.md). A patch is its tree_a's, one with the world tree_b's: of
/// patches in the order of PairKey, which has those with the world first, each worker has two
/// ranges. In another order results are the same, and threads only slower.
class PatchShares {
 public:
  /// Patches [begin, end) of one worker. `index` counts the ranges in the patches' order.
  struct Range {
    std::int32_t begin = 0, end = 0;
    std::int32_t worker = 0, index = 0;
  };

  /// About as many patches for each worker of a pool, whether they share loops now or later, by the
  /// same trees as last time if that still serves; one range for one thread.
  void find(std::span<const Patch> patches, int trees, const ThreadPool* pool);

  int workers() const { return workers_; }
  /// Trees [first_tree(w), first_tree(w + 1)) are worker w's.
  std::int32_t first_tree(int worker) const { return first_tree_[worker]; }

  /// In the patches' order; none is empty.
  std::span<const Range> ranges() const { return ranges_; }

  /// Whether they are for the workers of this pool, who share loops now.
  bool are_for(const ThreadPool* pool) const {
    return workers_ > 1 && pool != nullptr && pool->is_shared() && pool->threads() == workers_;
  }

  /// Calls work(range), each range by its worker if they are for this pool; else by the caller's
  /// thread, in order.
  template <class Work>
  void for_each(ThreadPool* pool, Work&& work) const {
    if (!are_for(pool)) {
      for (const Range& r : ranges_) work(r);
      return;
    }
    pool->for_each_worker([&](int worker) {
      for (const Range& r : ranges_) {
        if (r.worker == worker) work(r);
      }
    });
  }

 private:
  void divide(std::span<const Patch> patches);
  int count_of(int worker) const;
  bool is_balanced(int patches) const;

  std::vector<Range> ranges_;
  std::vector<std::int32_t> first_tree_ = {0, 0};  ///< by worker and one more
  int workers_ = 1;
};

}  // namespace abut
