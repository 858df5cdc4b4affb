#include "abut/linalg/sharing_plan.hpp"

#include <algorithm>

#include "abut/core/grow.hpp"

namespace abut {
namespace {

/// Flops of a factorization, and of the shared fronts on average, below which threads would wait
/// for each other longer than they work.
constexpr double least_flops = 1e6, least_shared_flops = 1e5;

/// Of all flops, the largest part that one thread takes.
constexpr double largest_subtree = 1.0 / 8;

/// Rows of a chunk, at least: four strips of rigid bodies, three vectors.
constexpr int chunk_rows = 24;

/// Chunks of pivots begin where a strip begins, too: its pivots are one thread's.
void add_chunks(const Front& f, std::span<const Strip> strips,
                std::vector<SharingPlan::Chunk>& chunks) {
  SharingPlan::Chunk c{.strip_begin = f.pivot_begin, .strip_end = f.pivot_begin};
  for (; c.strip_end < f.pivot_end; ++c.strip_end) {
    const int row = strips[c.strip_end].row;
    if (row % 8 != 0 || row - c.begin < chunk_rows) continue;
    c.end = row;
    chunks.push_back(c);
    c.begin = row;
    c.strip_begin = c.strip_end;
  }
  c.end = f.pivot_rows;
  chunks.push_back(c);
  c.strip_begin = c.strip_end;
  while (c.end < f.leading) {
    c.begin = c.end;
    c.end = std::min(c.begin + chunk_rows, f.leading);
    chunks.push_back(c);
  }
}

}  // namespace

void SharingAnalysis::plan(std::span<const Front> fronts, std::span<const Strip> strips,
                           std::span<const FrontUpdate> updates, SharingPlan& result) {
  result.subtrees.clear();
  result.shared.clear();
  result.chunks.clear();
  assign(parent_, fronts.size(), -1);
  resize(flops_, fronts.size());
  double total = 0;
  for (const Front& f : fronts) total += flops(f);
  if (total < least_flops) return;
  limit_ = largest_subtree * total;
  const auto count = static_cast<int>(fronts.size());
  double shared_flops = 0;
  for (int k = 0; k < count; ++k) {
    const Front& f = fronts[k];
    flops_[k] = flops(f);
    for (int u = f.update_begin; u < f.update_end; ++u) {
      const int source = updates[u].source;
      if (updates[u].strip != fronts[source].below_begin) continue;  // not its first
      parent_[source] = k;
      flops_[k] += flops_[source];
    }
    if (!is_shared(k)) continue;
    shared_flops += flops(f);
    result.shared.push_back({.front = k});
  }
  const auto shared_count = static_cast<double>(result.shared.size());
  if (shared_count == 0 || shared_flops < shared_count * least_shared_flops) {
    result.shared.clear();
    return;
  }
  for (int k = 0, begin = 0; k < count; ++k) {  // a subtree's root comes last in it
    if (!is_shared(k) && parent_[k] >= 0 && !is_shared(parent_[k])) continue;
    if (!is_shared(k)) result.subtrees.push_back({begin, k + 1});
    begin = k + 1;
  }
  for (SharingPlan::SharedFront& s : result.shared) {
    s.chunk_begin = static_cast<std::int32_t>(result.chunks.size());
    add_chunks(fronts[s.front], strips, result.chunks);
    s.chunk_end = static_cast<std::int32_t>(result.chunks.size());
  }
}

}  // namespace abut
