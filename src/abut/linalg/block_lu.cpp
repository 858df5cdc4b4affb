#include "abut/linalg/block_lu.hpp"

#include <algorithm>

#include "abut/linalg/kernels.hpp"

namespace abut {

LuFactorView BlockLu::view() const {
  return {rows_.data(), static_cast<std::int32_t>(rows_.size()), updates_.data(), runs_.data(),
          columns_.data()};
}

void BlockLu::analyze(const BlockMatrix& pattern) {
  find_structure(pattern);
  plan();
  slots_.resize(pattern.column.size());
  for (int i = 0; i < pattern.rows(); ++i) {
    const LuRow& row = rows_[place_[i]];
    const auto first = columns_.begin() + row.column_begin, last = first + row.width / 3;
    for (std::int64_t k = pattern.start[i]; k < pattern.start[i + 1]; ++k) {
      const auto at = std::lower_bound(first, last, place_[pattern.column[k]]);
      slots_[k] = row.values + 3 * (at - first);
    }
  }
}

/// Orders the rows and finds, row by row, the later ones that elimination links with it.
void BlockLu::find_structure(const BlockMatrix& pattern) {
  const int n = pattern.rows();
  pattern_.clear();
  pattern_.sizes.assign(n, 3);
  for (int i = 0; i < n; ++i) {
    for (std::int64_t k = pattern.start[i]; k < pattern.start[i + 1]; ++k) {
      if (pattern.column[k] > i) pattern_.edges.push_back({i, pattern.column[k]});
    }
  }
  adjacency_.build(pattern_);
  minimum_degree_.order(n, adjacency_, order_);
  place_.resize(n);
  for (int k = 0; k < n; ++k) place_[order_[k]] = k;
  below_.resize(n);
  for (auto& b : below_) b.clear();
  std::vector<std::vector<std::int32_t>> children(n);
  std::vector<std::int32_t> mark(n, -1);
  for (int k = 0; k < n; ++k) {
    std::vector<std::int32_t>& below = below_[k];
    mark[k] = k;
    const auto add = [&](std::int32_t j) {
      if (j <= k || mark[j] == k) return;
      mark[j] = k;
      below.push_back(j);
    };
    for (const auto& neighbour : adjacency_.of(order_[k])) add(place_[neighbour.node]);
    for (const int child : children[k]) {
      for (const std::int32_t j : below_[child]) add(j);
    }
    std::sort(below.begin(), below.end());
    if (!below.empty()) children[below.front()].push_back(k);
  }
}

/// Lays out the rows of the factors and what each is reduced by.
void BlockLu::plan() {
  const int n = static_cast<int>(below_.size());
  std::vector<std::vector<std::int32_t>> left(n);
  for (int k = 0; k < n; ++k) {
    for (const std::int32_t j : below_[k]) left[j].push_back(k);  // ascending
  }
  rows_.clear();
  updates_.clear();
  runs_.clear();
  columns_.clear();
  std::int64_t values = 0;
  std::vector<std::int32_t> place_in_row(n, -1);
  for (int i = 0; i < n; ++i) {
    LuRow row;
    row.values = values;
    row.column_begin = static_cast<std::int64_t>(columns_.size());
    columns_.insert(columns_.end(), left[i].begin(), left[i].end());
    columns_.push_back(i);
    columns_.insert(columns_.end(), below_[i].begin(), below_[i].end());
    row.pivot = 3 * static_cast<std::int32_t>(left[i].size());
    row.width = 3 * static_cast<std::int32_t>(left[i].size() + 1 + below_[i].size());
    values += 3 * std::int64_t{row.width};
    for (std::int32_t p = 0; p < row.width / 3; ++p) {
      place_in_row[columns_[row.column_begin + p]] = 3 * p;
    }
    row.update_begin = static_cast<std::int32_t>(updates_.size());
    for (const std::int32_t k : left[i]) {
      LuUpdate update;
      update.row = k;
      update.run_begin = static_cast<std::int32_t>(runs_.size());
      std::int32_t from = rows_[k].pivot + 3;
      for (const std::int32_t j : below_[k]) {
        const std::int32_t to = place_in_row[j];
        LuRun* last =
            static_cast<std::int32_t>(runs_.size()) > update.run_begin ? &runs_.back() : nullptr;
        if (last != nullptr && last->to + last->length == to) {
          last->length += 3;
        } else {
          runs_.push_back({from, to, 3});
        }
        from += 3;
      }
      update.run_end = static_cast<std::int32_t>(runs_.size());
      updates_.push_back(update);
    }
    row.update_end = static_cast<std::int32_t>(updates_.size());
    rows_.push_back(row);
  }
  values_.resize(values + 8);
  inverse_.resize(9 * static_cast<std::int64_t>(n));
  work_.resize(3 * static_cast<std::int64_t>(n));
}

bool BlockLu::factor(const BlockMatrix& a) {
  values_.fill_zero();
  for (int i = 0; i < a.rows(); ++i) {
    const std::int32_t width = rows_[place_[i]].width;
    for (std::int64_t k = a.start[i]; k < a.start[i + 1]; ++k) {
      double* to = values_.data() + slots_[k];
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) to[r * width + c] = a.block[k](r, c);
      }
    }
  }
  return linalg_kernels().factor_lu(view(), values_.data(), inverse_.data());
}

void BlockLu::solve(std::span<Vec3> x) {
  const auto n = static_cast<std::int32_t>(rows_.size());
  double* y = work_.data();
  for (std::int32_t k = 0; k < n; ++k) {
    const Vec3& b = x[order_[k]];
    y[3 * k] = b.x, y[3 * k + 1] = b.y, y[3 * k + 2] = b.z;
  }
  linalg_kernels().solve_lu(view(), values_.data(), inverse_.data(), y);
  for (std::int32_t k = 0; k < n; ++k) x[order_[k]] = {y[3 * k], y[3 * k + 1], y[3 * k + 2]};
}

}  // namespace abut
