#include "abut/problem/force_problem.hpp"

#include <cmath>
#include <string>

#include "abut/core/error.hpp"

namespace abut {
namespace {

/// Each row has one owner.
void check_rows(const ForceProblem& p) {
  std::vector<bool> taken(p.bias.size(), false);
  const auto take = [&](int row, const Origin& at) {
    require(row >= 0 && row < p.rows(), "row", row, "", "must be a row of A", at);
    require(!taken[row], "row", row, "", "must not be used twice", at);
    taken[row] = true;
  };
  for (std::size_t i = 0; i < p.contacts.size(); ++i) {
    const ForceContact& c = p.contacts[i];
    const Origin at{.file = {}, .line = 0, .element = "contact " + std::to_string(i)};
    take(c.normal, at);
    if (c.tangents[0] < 0 && c.tangents[1] >= 0) fail_input("has a second tangent alone", at);
    for (int t = 0; t < c.tangent_count(); ++t) take(c.tangents[t], at);
    require(c.friction >= 0 && std::isfinite(c.friction), "friction", c.friction, "",
            "must not be negative", at);
    for (int t = 0; t < 2; ++t) {
      require(std::isfinite(c.slip[t]), "slip", c.slip[t], "m/s", "must be finite", at);
      require(t < c.tangent_count() || c.slip[t] == 0, "slip", c.slip[t], "m/s",
              "must be zero where there is no tangent", at);
    }
  }
  for (const BilateralRow& b : p.bilaterals) {
    const Origin at{.file = {}, .line = 0, .element = "bilaterals"};
    take(b.row, at);
    require(b.lower < b.upper, "lower bound", b.lower, "N", "must be below the upper one", at);
  }
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (!taken[i]) fail_input("row " + std::to_string(i) + " is of no contact and not bilateral");
  }
}

}  // namespace

void validate(const ForceProblem& p) {
  if (p.matrix.size() != p.bias.size() * p.bias.size()) {
    fail_input("matrix: " + std::to_string(p.matrix.size()) + " numbers, but " +
               std::to_string(p.bias.size()) + " rows");
  }
  for (int i = 0; i < p.rows(); ++i) {
    const Origin at{.file = {}, .line = 0, .element = "row " + std::to_string(i)};
    require(std::isfinite(p.bias[i]), "bias", p.bias[i], "m/s^2", "must be finite", at);
    for (int j = 0; j < p.rows(); ++j) {
      require(std::isfinite(p.entry(i, j)), "A", p.entry(i, j), "1/kg", "must be finite", at);
    }
    require(p.entry(i, i) > 0, "A_ii", p.entry(i, i), "1/kg", "must be positive", at);
  }
  check_rows(p);
}

}  // namespace abut
