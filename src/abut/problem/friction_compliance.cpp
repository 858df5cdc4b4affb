#include "abut/problem/friction_compliance.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "abut/core/error.hpp"

namespace abut {
namespace {

Vec3 diagonal(const FrictionProblem& p, int row) {
  const Mat3& w = p.delassus.block[p.delassus.find(row, row)];
  return {w(0, 0), w(1, 1), w(2, 2)};
}

}  // namespace

std::vector<Vec3> relative_compliance(const FrictionProblem& p, double alpha) {
  require(alpha > 0 && std::isfinite(alpha), "alpha", alpha, "", "must be positive");
  std::vector<Vec3> result;
  for (int i = 0; i < p.rows(); ++i) result.push_back(alpha * diagonal(p, i));
  return result;
}

std::vector<Vec3> sap_compliance(const FrictionProblem& p, const SapCompliance& s) {
  require(s.stiffness > 0, "stiffness", s.stiffness, "N/m", "must be positive");
  require(s.dissipation_time >= 0, "dissipation time", s.dissipation_time, "s",
          "must not be negative");
  require(s.near_rigid > 0, "near-rigid parameter", s.near_rigid, "", "must be positive");
  require(s.stiction_ratio > 0, "stiction ratio", s.stiction_ratio, "", "must be positive");
  const double h = p.time_step, pi = std::numbers::pi;
  const double part = s.near_rigid * s.near_rigid / (4 * pi * pi);
  const double soft = 1 / (h * (h + s.dissipation_time) * s.stiffness);
  std::vector<Vec3> result;
  for (int i = 0; i < p.rows(); ++i) {
    const double w = p.mobility(i).x, across = s.stiction_ratio * w;
    result.push_back(i < p.contacts() ? Vec3{across, across, std::max(part * w, soft)}
                                      : part * p.mobility(i));
  }
  return result;
}

FrictionProblem with_compliance(FrictionProblem p, std::span<const Vec3> compliance) {
  if (std::ssize(compliance) != p.rows()) {
    fail_input("compliance: has " + std::to_string(compliance.size()) + " rows, the problem " +
               std::to_string(p.rows()));
  }
  for (int i = 0; i < p.rows(); ++i) {
    Mat3& w = p.delassus.block[p.delassus.find(i, i)];
    for (int r = 0; r < 3; ++r) w(r, r) += compliance[i][r];
  }
  return p;
}

}  // namespace abut
