#include "abut/problem/friction_problem.hpp"

#include <cmath>
#include <string>

#include "abut/core/disjoint_sets.hpp"
#include "abut/core/error.hpp"

namespace abut {
namespace {

void check_rows(const BlockMatrix& w) {
  const auto size = static_cast<std::int64_t>(w.column.size());
  if (w.start.front() != 0 || w.start.back() != size || w.block.size() != w.column.size()) {
    fail_input("delassus: its rows do not end where its " + std::to_string(size) + " blocks do");
  }
  for (int i = 0; i < w.rows(); ++i) {
    const Origin row{.file = {}, .line = 0, .element = "delassus row " + std::to_string(i)};
    bool has_diagonal = false;
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      const int j = w.column[k];
      require(j >= 0 && j < w.rows(), "column", j, "", "must be a contact", row);
      require(k == w.start[i] || j > w.column[k - 1], "column", j, "", "columns must ascend", row);
      for (const Vec3& c : w.block[k].col) {
        require(is_finite(c), "W", c.x + c.y + c.z, "1/kg", "must be finite", row);
      }
      has_diagonal = has_diagonal || j == i;
    }
    if (!has_diagonal) fail_input("has no block on the diagonal", row);
  }
  for (int i = 0; i < w.rows(); ++i) {
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      const int j = w.column[k];
      if (w.find(j, i) >= 0) continue;
      fail_input("delassus: has block (" + std::to_string(i) + ", " + std::to_string(j) +
                 ") but not (" + std::to_string(j) + ", " + std::to_string(i) + ")");
    }
  }
}

}  // namespace

Vec3 FrictionProblem::mobility(int row) const {
  const Mat3& w = delassus.block[delassus.find(row, row)];
  if (row >= contacts()) return {w(0, 0), w(1, 1), w(2, 2)};
  const double mean = (w(0, 0) + w(1, 1) + w(2, 2)) / 3;
  return {mean, mean, mean};
}

void validate(const FrictionProblem& p) {
  const std::size_t n = p.friction.size() + p.bounds.size();
  const auto check = [&](std::size_t got, const char* what) {
    if (got == n) return;
    fail_input(std::string(what) + ": " + std::to_string(got) + ", but " +
               std::to_string(p.friction.size()) + " coefficients of friction" +
               (p.bounds.empty() ? "" : " and " + std::to_string(p.bounds.size()) + " bounds"));
  };
  check(static_cast<std::size_t>(p.delassus.rows()), "rows of the Delassus matrix");
  check(p.velocity.size(), "velocities");
  require(p.time_step > 0 && std::isfinite(p.time_step), "time_step", p.time_step, "s",
          "must be positive");
  check_rows(p.delassus);
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_contact = i < p.friction.size();
    const Origin at{
        .file = {}, .line = 0, .element = (is_contact ? "contact " : "row ") + std::to_string(i)};
    const Vec3 &g = p.velocity[i], w = p.mobility(static_cast<int>(i));
    require(is_finite(g), "velocity", g.x + g.y + g.z, "m/s", "must be finite", at);
    if (is_contact) {
      require(p.friction[i] >= 0 && std::isfinite(p.friction[i]), "friction", p.friction[i], "",
              "must not be negative", at);
      require(w.x > 0, "trace of W_ii / 3", w.x, "1/kg", "must be positive", at);
      continue;
    }
    const auto& [lower, upper] = p.bounds[i - p.friction.size()];
    for (int r = 0; r < 3; ++r) {
      require(w[r] > 0, "W_rr", w[r], "1/kg", "must be positive", at);
      require(lower[r] <= upper[r], "lower bound", lower[r], "N s",
              "must not be above the upper one", at);
      require(lower[r] < HUGE_VAL, "lower bound", lower[r], "N s", "must be below infinity", at);
      require(upper[r] > -HUGE_VAL, "upper bound", upper[r], "N s", "must be above -infinity", at);
    }
  }
}

std::vector<std::int32_t> islands_of(const FrictionProblem& p) {
  const BlockMatrix& w = p.delassus;
  DisjointSets sets;
  sets.reset(p.rows());
  for (int i = 0; i < w.rows(); ++i) {
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) sets.join(i, w.column[k]);
  }
  std::vector<std::int32_t> island(p.velocity.size());
  std::int32_t count = 0;
  for (int i = 0; i < p.rows(); ++i) {
    const int first = sets.smallest(i);
    island[i] = first == i ? count++ : island[first];
  }
  return island;
}

}  // namespace abut
