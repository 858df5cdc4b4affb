#include "abut/linalg/sharing_plan.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "abut/core/grow.hpp"

namespace abut {
namespace {

/// Flops of a factorization, and of the shared fronts on average, below which threads would wait
/// for each other longer than they work.
constexpr double least_flops = 1e6, least_shared_flops = 1e5;

/// Of all flops, the largest part that one subtree has; that it has of two threads, at most.
constexpr double largest_subtree = 1.0 / 8, largest_of_two = 1.0 / 2;

/// Of what the first of two threads has in its subtrees the least part that the second one has:
/// else there are smaller ones.
constexpr double least_of_second = 0.5;

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

void clear(SharingPlan& plan) {
  plan.subtrees.clear();
  plan.shared.clear();
  plan.chunks.clear();
  plan.outside.clear();
}

}  // namespace

void SharingAnalysis::plan(std::span<Front> fronts, std::span<const Strip> strips,
                           std::span<FrontUpdate> updates, SharingPlans& result) {
  clear(result.of_two);
  clear(result.of_more);
  result.apart_count = 0;
  make_room(result.order, fronts.size());
  assign(result.order, 1, FrontRange{0, static_cast<std::int32_t>(fronts.size())});
  // room also for those that pay, which may come later
  make_room(parent_, fronts.size());
  make_room(flops_, fronts.size());
  make_room(others_, fronts.size());
  make_room(who_, fronts.size());
  total_ = 0;
  for (const Front& f : fronts) total_ += flops(f);
  if (total_ < least_flops) return;
  add_up(fronts, updates);
  limit_ = largest_subtree * total_;
  if (!pays(fronts)) return;
  plan(fronts, strips, updates, result.of_more);
  for (double largest = largest_of_two; largest >= largest_subtree; largest /= 2) {
    limit_ = largest * total_;
    clear(result.of_two);
    plan(fronts, strips, updates, result.of_two);
    if (divide(result.of_two)) break;
  }
  add_up_apart(fronts, updates, result);
}

/// Gives each subtree to who of two threads has least. False if they have too unlike shares.
bool SharingAnalysis::divide(SharingPlan& plan) {
  double first = 0, second = 0;
  others_.clear();
  std::erase_if(plan.subtrees, [&](const FrontRange& r) {
    const double work = flops_[r.end - 1];
    if (first <= second) {
      first += work;
      return false;
    }
    second += work;
    others_.push_back(r);
    return true;
  });
  std::ranges::sort(plan.subtrees, {}, &FrontRange::begin);
  std::ranges::sort(others_, {}, &FrontRange::begin);
  plan.second = static_cast<std::int32_t>(plan.subtrees.size());
  plan.subtrees.insert(plan.subtrees.end(), others_.begin(), others_.end());
  return std::min(first, second) >= least_of_second * std::max(first, second);
}

/// What the second of two threads contributes to shared fronts is added up apart, whoever does it
/// and by however many threads, so that it need not wait for the first one's. That comes first in
/// their updates; what other shared fronts contribute comes last.
void SharingAnalysis::add_up_apart(std::span<Front> fronts, std::span<FrontUpdate> updates,
                                   SharingPlans& result) {
  const SharingPlan& plan = result.of_two;
  assign(who_, fronts.size(), Who::first);
  for (auto t = static_cast<std::size_t>(plan.second); t < plan.subtrees.size(); ++t) {
    for (int k = plan.subtrees[t].begin; k < plan.subtrees[t].end; ++k) {
      who_[k] = Who::second;
      fronts[k].below_apart = plan.outside[k];
    }
  }
  for (const SharingPlan::SharedFront& shared : plan.shared) who_[shared.front] = Who::both;
  for (const SharingPlan::SharedFront& shared : plan.shared) {
    Front& f = fronts[shared.front];
    const std::span of_front = updates.subspan(f.update_begin, f.update_end - f.update_begin);
    std::ranges::sort(of_front, {},
                      [&](const FrontUpdate& u) { return std::pair(who_[u.source], u.source); });
    const auto end_of = [&](Who who) {
      const auto end = std::ranges::upper_bound(
          of_front, who, {}, [&](const FrontUpdate& u) { return who_[u.source]; });
      return f.update_begin + static_cast<std::int32_t>(end - of_front.begin());
    };
    f.apart_begin = end_of(Who::first);
    f.apart_end = end_of(Who::second);
    if (f.apart_begin == f.apart_end) continue;
    f.apart = result.apart_count;
    result.apart_count += std::int64_t{f.leading} * f.pivots + 8;
  }
  assign(result.order, plan.subtrees);
  for (const SharingPlan::SharedFront& shared : plan.shared) {
    result.order.push_back({shared.front, shared.front + 1});
  }
}

/// The flops of subtrees.
void SharingAnalysis::add_up(std::span<const Front> fronts, std::span<const FrontUpdate> updates) {
  assign(parent_, fronts.size(), -1);
  resize(flops_, fronts.size());
  for (std::size_t k = 0; k < fronts.size(); ++k) {
    const Front& f = fronts[k];
    flops_[k] = flops(f);
    for (int u = f.update_begin; u < f.update_end; ++u) {
      const int source = updates[u].source;
      if (updates[u].strip != fronts[source].below_begin) continue;  // not its first
      parent_[source] = static_cast<std::int32_t>(k);
      flops_[k] += flops_[source];
    }
  }
}

/// Whether there is enough to do in the shared fronts.
bool SharingAnalysis::pays(std::span<const Front> fronts) const {
  double shared = 0;
  int count = 0;
  for (int k = 0; k < std::ssize(fronts); ++k) {
    if (!is_shared(k)) continue;
    shared += flops(fronts[k]);
    ++count;
  }
  return count > 0 && shared >= count * least_shared_flops;
}

void SharingAnalysis::plan(std::span<const Front> fronts, std::span<const Strip> strips,
                           std::span<const FrontUpdate> updates, SharingPlan& result) const {
  const auto count = static_cast<int>(fronts.size());
  result.outside.resize(fronts.size());
  for (int k = 0, begin = 0; k < count; ++k) {  // a subtree's root comes last in it
    const Front& f = fronts[k];
    result.outside[k] = is_shared(k) ? f.pivot_begin : f.below_end;
    if (is_shared(k)) {
      SharingPlan::SharedFront& s = result.shared.emplace_back();
      s.front = k;
      s.chunk_begin = static_cast<std::int32_t>(result.chunks.size());
      add_chunks(f, strips, result.chunks);
      s.chunk_end = static_cast<std::int32_t>(result.chunks.size());
      for (int u = f.update_begin; u < f.update_end; ++u) {  // its sources come before it
        std::int32_t& outside = result.outside[updates[u].source];
        outside = std::min(outside, updates[u].strip);
      }
    } else if (parent_[k] >= 0 && !is_shared(parent_[k])) {
      continue;
    } else {
      result.subtrees.push_back({begin, k + 1});
    }
    begin = k + 1;
  }
  std::ranges::sort(result.subtrees, std::greater{},
                    [&](const FrontRange& r) { return flops_[r.end - 1]; });
}

}  // namespace abut
