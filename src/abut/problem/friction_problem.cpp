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

double FrictionProblem::mobility(int contact) const {
  const Mat3& w = delassus.block[delassus.find(contact, contact)];
  return (w(0, 0) + w(1, 1) + w(2, 2)) / 3;
}

void validate(const FrictionProblem& p) {
  const std::size_t n = p.friction.size();
  const auto check = [&](std::size_t got, const char* what) {
    if (got == n) return;
    fail_input(std::string(what) + ": " + std::to_string(got) + ", but " + std::to_string(n) +
               " coefficients of friction");
  };
  check(static_cast<std::size_t>(p.delassus.rows()), "rows of the Delassus matrix");
  check(p.velocity.size(), "velocities");
  require(p.time_step > 0 && std::isfinite(p.time_step), "time_step", p.time_step, "s",
          "must be positive");
  check_rows(p.delassus);
  for (std::size_t i = 0; i < n; ++i) {
    const Origin at{.file = {}, .line = 0, .element = "contact " + std::to_string(i)};
    require(p.friction[i] >= 0 && std::isfinite(p.friction[i]), "friction", p.friction[i], "",
            "must not be negative", at);
    const Vec3& g = p.velocity[i];
    require(is_finite(g), "velocity", g.x + g.y + g.z, "m/s", "must be finite", at);
    const double w = p.mobility(static_cast<int>(i));
    require(w > 0, "trace of W_ii / 3", w, "1/kg", "must be positive", at);
  }
}

std::vector<std::int32_t> islands_of(const FrictionProblem& p) {
  const BlockMatrix& w = p.delassus;
  DisjointSets sets;
  sets.reset(p.contacts());
  for (int i = 0; i < w.rows(); ++i) {
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) sets.join(i, w.column[k]);
  }
  std::vector<std::int32_t> island(p.friction.size());
  std::int32_t count = 0;
  for (int i = 0; i < p.contacts(); ++i) {
    const int first = sets.smallest(i);
    island[i] = first == i ? count++ : island[first];
  }
  return island;
}

}  // namespace abut
