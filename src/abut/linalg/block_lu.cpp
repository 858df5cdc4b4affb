#include "abut/linalg/block_lu.hpp"

#include <algorithm>

#include "abut/core/grow.hpp"
#include "abut/linalg/kernels.hpp"

namespace abut {

LuFactorView BlockLu::view() const {
  return {plan().rows.data(), static_cast<std::int32_t>(plan().rows.size()), plan().updates.data(),
          plan().runs.data(), plan().columns.data()};
}

void BlockLu::analyze(const BlockMatrix& pattern) {
  const auto is_same = [&](const Plan& p) {
    return p.last_use >= 0 && p.start == pattern.start && p.column == pattern.column;
  };
  if (!is_same(plan())) {
    const auto known = std::ranges::find_if(plans_, is_same);
    const auto to =
        known != plans_.end() ? known : std::ranges::min_element(plans_, {}, &Plan::last_use);
    current_ = static_cast<int>(to - plans_.begin());
    if (known == plans_.end()) {
      ++analyses_;
      const int n = pattern.rows();
      make_room_for_largest();
      assign(plan().start, std::span<const std::int64_t>(pattern.start));
      assign(plan().column, std::span<const std::int32_t>(pattern.column));
      pattern_.clear();
      assign(pattern_.sizes, n, 3);
      for (int i = 0; i < n; ++i) {
        for (std::int64_t k = pattern.start[i]; k < pattern.start[i + 1]; ++k) {
          if (pattern.column[k] > i) pattern_.edges.push_back({i, pattern.column[k]});
        }
      }
      adjacency_.build(pattern_);
      ordering_.find(n, adjacency_, plan().order);
      find_structure(n);
      postorder(n);
      find_structure(n);
      plan_rows(n);
      plan_slots();
      note_sizes();
    }
    values_.resize(plan().values + 8);
    inverse_.resize(9 * plan().order.size());
    work_.resize(3 * plan().order.size() + 1);
  }
  plan().last_use = uses_++;
}

/// All plans get room for the largest there was: patterns that come again find it in any.
void BlockLu::make_room_for_largest() {
  Plan& p = plan();
  p.start.reserve(largest_[0]);
  p.column.reserve(largest_[1]);
  p.slots.reserve(largest_[1]);
  for (auto* v : {&p.order, &p.place}) v->reserve(largest_[0]);
  p.rows.reserve(largest_[0]);
  p.updates.reserve(largest_[2]);
  p.runs.reserve(largest_[3]);
  p.columns.reserve(largest_[4]);
}

void BlockLu::note_sizes() {
  const Plan& p = plan();
  const std::size_t sizes[] = {p.start.size(), p.column.size(), p.updates.size(), p.runs.size(),
                               p.columns.size()};
  for (int k = 0; k < 5; ++k) largest_[k] = std::max(largest_[k], sizes[k]);
}

/// Finds, row by row of the factors, the later ones that elimination links with it.
void BlockLu::find_structure(int n) {
  const std::vector<std::int32_t>& order = plan().order;
  std::vector<std::int32_t>& place = plan().place;
  place.resize(n);
  for (int k = 0; k < n; ++k) place[order[k]] = k;
  assign(first_child_, n, -1);
  assign(next_child_, n, -1);
  assign(mark_, n, -1);
  below_.begin.clear();
  below_.item.clear();
  for (int k = 0; k < n; ++k) {
    below_.begin.push_back(static_cast<std::int32_t>(below_.item.size()));
    mark_[k] = k;
    const auto add = [&](std::int32_t j) {
      if (j <= k || mark_[j] == k) return;
      mark_[j] = k;
      below_.item.push_back(j);
    };
    for (const auto& neighbour : adjacency_.of(order[k])) add(place[neighbour.node]);
    for (int child = first_child_[k]; child >= 0; child = next_child_[child]) {
      for (int m = below_.begin[child]; m < below_.begin[child + 1]; ++m) add(below_.item[m]);
    }
    const auto first = below_.item.begin() + below_.begin[k];
    std::sort(first, below_.item.end());
    if (first == below_.item.end()) continue;
    next_child_[k] = first_child_[*first];
    first_child_[*first] = k;
  }
  below_.begin.push_back(static_cast<std::int32_t>(below_.item.size()));
}

/// Puts each row behind all that it waits for, at once: what is eliminated together then lies
/// together. Fill stays as it is.
void BlockLu::postorder(int n) {
  new_order_.resize(n);
  stack_.clear();
  int next = n;  // from the last to the first: each row before its children, reversed
  for (int root = n - 1; root >= 0; --root) {
    if (below_.begin[root + 1] > below_.begin[root]) continue;
    stack_.push_back(root);
    while (!stack_.empty()) {
      const std::int32_t k = stack_.back();
      stack_.pop_back();
      new_order_[--next] = plan().order[k];
      for (int c = first_child_[k]; c >= 0; c = next_child_[c]) stack_.push_back(c);
    }
  }
  assign(plan().order, std::span<const std::int32_t>(new_order_));
}

/// Lays out the rows of the factors and what each is reduced by.
void BlockLu::plan_rows(int n) {
  assign(left_.begin, n + 1, 0);
  for (const std::int32_t j : below_.item) ++left_.begin[j + 1];
  for (int j = 0; j < n; ++j) left_.begin[j + 1] += left_.begin[j];
  left_.item.resize(below_.item.size());
  assign(mark_, n, 0);  // how many there are so far
  for (int k = 0; k < n; ++k) {
    for (const std::int32_t j : below_.of(k)) left_.item[left_.begin[j] + mark_[j]++] = k;
  }
  Plan& p = plan();
  p.rows.clear();
  p.updates.clear();
  p.runs.clear();
  p.columns.clear();
  p.flops = 0;
  std::int64_t values = 0;
  std::vector<std::int32_t>& place_in_row = mark_;
  for (int i = 0; i < n; ++i) {
    const std::span<const std::int32_t> left = left_.of(i), below = below_.of(i);
    LuRow row;
    row.values = values;
    row.column_begin = static_cast<std::int64_t>(p.columns.size());
    p.columns.insert(p.columns.end(), left.begin(), left.end());
    p.columns.push_back(i);
    p.columns.insert(p.columns.end(), below.begin(), below.end());
    row.pivot = 3 * static_cast<std::int32_t>(left.size());
    row.width = 3 * static_cast<std::int32_t>(left.size() + 1 + below.size());
    values += 3 * std::int64_t{row.width};
    for (std::int32_t b = 0; b < row.width / 3; ++b) {
      place_in_row[p.columns[row.column_begin + b]] = 3 * b;
    }
    row.update_begin = static_cast<std::int32_t>(p.updates.size());
    for (const std::int32_t k : left) {
      LuUpdate update;
      update.row = k;
      update.run_begin = static_cast<std::int32_t>(p.runs.size());
      std::int32_t from = p.rows[k].pivot + 3;
      for (const std::int32_t j : below_.of(k)) {
        const std::int32_t to = place_in_row[j];
        const bool is_first = std::ssize(p.runs) == update.run_begin;
        if (!is_first && p.runs.back().to + p.runs.back().length == to) {
          p.runs.back().length += 3;
        } else {
          p.runs.push_back({from, to, 3});
        }
        from += 3;
      }
      p.flops += 54 + 54.0 * static_cast<double>(below_.of(k).size());
      update.run_end = static_cast<std::int32_t>(p.runs.size());
      p.updates.push_back(update);
    }
    row.update_end = static_cast<std::int32_t>(p.updates.size());
    p.rows.push_back(row);
  }
  p.values = values;
}

void BlockLu::plan_slots() {
  Plan& p = plan();
  p.slots.resize(p.column.size());
  for (int i = 0; i < std::ssize(p.order); ++i) {
    const LuRow& row = p.rows[p.place[i]];
    const auto first = p.columns.begin() + row.column_begin, last = first + row.width / 3;
    for (std::int64_t k = p.start[i]; k < p.start[i + 1]; ++k) {
      const auto at = std::lower_bound(first, last, p.place[p.column[k]]);
      p.slots[k] = row.values + 3 * (at - first);
    }
  }
}

bool BlockLu::factor(std::span<const Mat3> blocks) {
  const Plan& p = plan();
  values_.fill_zero();
  for (int i = 0; i < std::ssize(p.order); ++i) {
    const std::int32_t width = p.rows[p.place[i]].width;
    for (std::int64_t k = p.start[i]; k < p.start[i + 1]; ++k) {
      double* to = values_.data() + p.slots[k];
      const Mat3& block = blocks[k];
      for (int c = 0; c < 3; ++c) {
        to[c] = block.col[c].x, to[width + c] = block.col[c].y, to[2 * width + c] = block.col[c].z;
      }
    }
  }
  return linalg_kernels().factor_lu(view(), values_.data(), inverse_.data());
}

void BlockLu::solve(std::span<Vec3> x) {
  const std::vector<std::int32_t>& order = plan().order;
  const auto n = static_cast<std::int32_t>(order.size());
  double* y = work_.data();
  y[3 * n] = 0;  // kernels read four numbers for three
  for (std::int32_t k = 0; k < n; ++k) {
    const Vec3& b = x[order[k]];
    y[3 * k] = b.x, y[3 * k + 1] = b.y, y[3 * k + 2] = b.z;
  }
  linalg_kernels().solve_lu(view(), values_.data(), inverse_.data(), y);
  for (std::int32_t k = 0; k < n; ++k) x[order[k]] = {y[3 * k], y[3 * k + 1], y[3 * k + 2]};
}

}  // namespace abut
