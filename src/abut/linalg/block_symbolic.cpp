#include "abut/linalg/block_symbolic.hpp"

#include <algorithm>
#include <bit>

#include "abut/core/assert.hpp"
#include "abut/core/grow.hpp"

namespace abut {
namespace {

/// Predicted cycles of one front: strips that wait for each other, if it has more than one (which
/// kernels take in line), traffic of the lower triangle, arithmetic. Measured shape: the exact
/// numbers matter little.
double front_cost(double pivots, double rows) {
  const double strips = pivots > 6 ? 100 : 0;
  return strips + 0.35 * pivots * (0.5 * pivots + rows) + front_flops(pivots, rows) / 14;
}

}  // namespace

void SymbolicAnalysis::analyze(const BlockPattern& pattern, BlockSymbolic& result) {
  adjacency_.build(pattern);
  ordering_.find(pattern.nodes(), adjacency_, order_);
  finish(pattern, result);
}

void SymbolicAnalysis::analyze(const BlockPattern& pattern, const std::vector<std::int32_t>& order,
                               BlockSymbolic& result) {
  adjacency_.build(pattern);
  assign(order_, order);
  finish(pattern, result);
}

void SymbolicAnalysis::finish(const BlockPattern& pattern, BlockSymbolic& result) {
  find_parents();
  postorder();
  find_structures();
  find_supernodes(pattern);
  lay_out(pattern, result);
  const int fronts = static_cast<int>(result.fronts.size());
  result.diagonal.resize(pattern.sizes.size());
  result.off_diagonal.resize(pattern.edges.size());
  result.updates.clear();
  result.targets.clear();
  row_of_.resize(pattern.sizes.size());
  assign(waiting_, fronts, -1);
  next_.resize(fronts);
  progress_.resize(fronts);
  for (int f = 0; f < fronts; ++f) {
    place_rows(result.fronts[f], result);
    place_blocks(f, pattern, result);
    plan_updates(f, result);
  }
  sharing_.plan(result.fronts, result.strips, result.updates, result.sharing);
}

/// The elimination tree: the parent of a pivot is the first row below it (Liu's algorithm).
void SymbolicAnalysis::find_parents() {
  const int nodes = static_cast<int>(order_.size());
  place_.resize(nodes);
  for (int k = 0; k < nodes; ++k) place_[order_[k]] = k;
  assign(parent_, nodes, -1);
  assign(ancestor_, nodes, -1);
  for (int k = 0; k < nodes; ++k) {
    for (const auto [neighbour, edge] : adjacency_.of(order_[k])) {
      for (int j = place_[neighbour]; j != -1 && j < k;) {
        const int up = ancestor_[j];
        ancestor_[j] = k;
        if (up == -1) parent_[j] = k;
        j = up;
      }
    }
  }
}

/// Renames the nodes so that each subtree of the elimination tree is contiguous: supernodes then
/// are ranges, and an update finds its target's panel in cache. The fill does not change.
void SymbolicAnalysis::postorder() {
  const int nodes = static_cast<int>(order_.size());
  assign(child_, nodes, -1);
  assign(sibling_, nodes, -1);
  int root = -1;
  for (int k = nodes - 1; k >= 0; --k) {
    int& head = parent_[k] < 0 ? root : child_[parent_[k]];
    sibling_[k] = head;
    head = k;
  }
  scratch_.resize(nodes);  // old name -> new name
  int name = 0;
  for (int k = root; k != -1;) {
    while (child_[k] != -1) {  // down to the first leaf, each child visited once
      const int down = child_[k];
      child_[k] = -1;
      k = down;
    }
    scratch_[k] = name++;
    k = sibling_[k] != -1 ? sibling_[k] : parent_[k];
  }
  assign(ancestor_, order_);
  for (int k = 0; k < nodes; ++k) {
    order_[scratch_[k]] = ancestor_[k];
    place_[ancestor_[k]] = scratch_[k];
  }
  assign(child_, parent_);
  for (int k = 0; k < nodes; ++k) parent_[scratch_[k]] = child_[k] < 0 ? -1 : scratch_[child_[k]];
}

/// The rows below pivot k in ascending order: its later neighbours, and what its children leave.
void SymbolicAnalysis::find_structures() {
  const int nodes = static_cast<int>(order_.size());
  assign(child_, nodes, -1);
  assign(structure_start_, 1, 0);
  structure_.clear();
  assign(rows_, nodes / 64 + 1, 0);
  for (int k = 0; k < nodes; ++k) {
    int last = k;
    const auto take = [&](int j) {
      if (j <= k) return;
      rows_[j / 64] |= std::uint64_t{1} << (j % 64);
      last = std::max(last, j);
    };
    for (const auto [neighbour, edge] : adjacency_.of(order_[k])) take(place_[neighbour]);
    for (int c = child_[k]; c != -1; c = sibling_[c]) {
      for (int i = structure_start_[c]; i < structure_start_[c + 1]; ++i) take(structure_[i]);
    }
    for (int w = k / 64; w <= last / 64; ++w) {
      for (std::uint64_t& left = rows_[w]; left != 0; left &= left - 1) {
        structure_.push_back(64 * w + std::countr_zero(left));
      }
    }
    structure_start_.push_back(static_cast<std::int32_t>(structure_.size()));
    if (parent_[k] >= 0) {
      sibling_[k] = child_[parent_[k]];
      child_[parent_[k]] = k;
    }
  }
}

/// Groups chains of pivots where one front costs less than two: large ones with equal structures,
/// and others where explicit zeros are few.
void SymbolicAnalysis::find_supernodes(const BlockPattern& pattern) {
  const int nodes = static_cast<int>(order_.size());
  supernodes_.clear();
  for (int k = 0; k < nodes; ++k) {
    Supernode s{.first = k, .last = k, .pivots = pattern.sizes[order_[k]], .rows = 0};
    for (const int j : below(k)) s.rows += pattern.sizes[order_[j]];
    // backwards: k may absorb the supernode before it, which may have absorbed others
    while (!supernodes_.empty() && parent_[supernodes_.back().last] == s.first) {
      const Supernode& child = supernodes_.back();
      const double apart = front_cost(child.pivots, child.rows) + front_cost(s.pivots, s.rows) +
                           0.3 * child.rows * child.rows;
      if (front_cost(child.pivots + s.pivots, s.rows) > apart) break;
      s.first = child.first;
      s.pivots += child.pivots;
      supernodes_.pop_back();
    }
    supernodes_.push_back(s);
  }
}

void SymbolicAnalysis::add_strips(int node, std::int32_t row, const BlockPattern& pattern,
                                  BlockSymbolic& result) {
  const int size = pattern.sizes[order_[node]];
  for (int part = 0; part < size; part += 6) {
    result.strips.push_back({.row = row + part,
                             .count = std::min(6, size - part),
                             .vector = result.vector_offset[order_[node]] + part});
    strip_node_.push_back(node);
    strip_part_.push_back(part);
  }
}

void SymbolicAnalysis::lay_out(const BlockPattern& pattern, BlockSymbolic& result) {
  const int nodes = pattern.nodes();
  result.vector_offset.resize(nodes);
  result.vector_size = 0;
  for (int i = 0; i < nodes; ++i) {
    result.vector_offset[i] = result.vector_size;
    result.vector_size += round_up_8(pattern.sizes[i]);
  }
  result.fronts.clear();
  result.strips.clear();
  strip_node_.clear();
  strip_part_.clear();
  strip_node_.reserve(result.strips.capacity());  // the caller's room
  strip_part_.reserve(result.strips.capacity());
  front_of_.resize(nodes);
  std::int64_t values = 0, inverses = 0;
  result.flops = 0;
  result.factor_blocks = 0;
  for (const Supernode& s : supernodes_) {
    Front f{.pivots = s.pivots, .rows = s.rows, .pivot_rows = round_up_8(s.pivots)};
    f.leading = f.pivot_rows + round_up_8(s.rows);
    f.panel = values;
    f.inverse = inverses;
    f.pivot_begin = static_cast<std::int32_t>(result.strips.size());
    std::int32_t row = 0;
    for (int k = s.first; k <= s.last; ++k) {
      front_of_[k] = static_cast<std::int32_t>(result.fronts.size());
      add_strips(k, row, pattern, result);
      row += pattern.sizes[order_[k]];
    }
    f.pivot_end = f.below_begin = static_cast<std::int32_t>(result.strips.size());
    inverses += 48 * (f.pivot_end - f.pivot_begin);
    row = f.pivot_rows;
    for (const int j : below(s.last)) {
      add_strips(j, row, pattern, result);
      row += pattern.sizes[order_[j]];
    }
    f.below_end = f.below_apart = static_cast<std::int32_t>(result.strips.size());
    values += std::int64_t{f.leading} * f.pivots + 8;
    result.fronts.push_back(f);
    result.flops += flops(f);
    const std::int64_t pivot_nodes = s.last - s.first + 1;
    result.factor_blocks +=
        pivot_nodes * (pivot_nodes + 1) / 2 + pivot_nodes * std::ssize(below(s.last));
  }
  result.value_count = values;
  result.inverse_count = inverses;
}

/// Fills row_of_ for the nodes of this front.
void SymbolicAnalysis::place_rows(const Front& front, const BlockSymbolic& symbolic) {
  for (int i = front.pivot_begin; i < front.below_end; ++i) {
    if (strip_part_[i] == 0) row_of_[strip_node_[i]] = symbolic.strips[i].row;
  }
}

void SymbolicAnalysis::place_blocks(int front, const BlockPattern& pattern, BlockSymbolic& result) {
  const Front& f = result.fronts[front];
  const Supernode& s = supernodes_[front];
  for (int k = s.first; k <= s.last; ++k) {
    const int node = order_[k];
    const std::int64_t column = f.panel + std::int64_t{row_of_[k]} * f.leading;
    result.diagonal[node] = {.offset = column + row_of_[k], .leading = f.leading};
    for (const auto [neighbour, edge] : adjacency_.of(node)) {
      const int j = place_[neighbour];
      if (j < k) continue;
      result.off_diagonal[edge] = {.offset = column + row_of_[j],
                                   .leading = f.leading,
                                   .transposed = pattern.edges[edge].a == node};
    }
  }
}

/// Queues `source` at the front of its first strip not yet used as a column.
void SymbolicAnalysis::wait_for_next_front(int source, const BlockSymbolic& symbolic) {
  if (progress_[source] == symbolic.fronts[source].below_end) return;
  const int target = front_of_[strip_node_[progress_[source]]];
  next_[source] = waiting_[target];
  waiting_[target] = source;
}

/// Collects the updates of this front by the earlier ones that wait for it.
void SymbolicAnalysis::plan_updates(int front, BlockSymbolic& result) {
  result.fronts[front].update_begin = static_cast<std::int32_t>(result.updates.size());
  for (int source = waiting_[front]; source != -1;) {
    const int end = result.fronts[source].below_end;
    FrontUpdate update{.source = source,
                       .strip = progress_[source],
                       .target = static_cast<std::int32_t>(result.targets.size())};
    for (int i = update.strip; i < end; ++i) {
      if (front_of_[strip_node_[i]] == front) ++update.columns;
      result.targets.push_back(row_of_[strip_node_[i]] + strip_part_[i]);
    }
    result.updates.push_back(update);
    progress_[source] += update.columns;
    const int after = next_[source];
    wait_for_next_front(source, result);
    source = after;
  }
  Front& f = result.fronts[front];
  f.update_end = static_cast<std::int32_t>(result.updates.size());
  f.apart_begin = f.apart_end = f.update_end;
  progress_[front] = f.below_begin;
  wait_for_next_front(front, result);
}

}  // namespace abut
