#include "abut/solvers/direct/baraff.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "abut/core/error.hpp"

namespace abut {
namespace {

void fill(const ForceProblem& p, Pivoting& to) {
  const int n = p.rows();
  to.reset(n);
  for (int j = 0; j < n; ++j) {
    double* column = to.column(j);
    for (int i = 0; i < n; ++i) column[i] = p.entry(i, j);
    to.bias(j) = p.bias[j];
  }
  for (const BilateralRow& b : p.bilaterals) {
    to.row(b.row) = {.lower = b.lower, .upper = b.upper};
  }
  for (const ForceContact& c : p.contacts) {
    const auto [x, y] = c.tangents;
    switch (c.tangent_count()) {
      case 0: break;
      case 1:
        to.row(x) = {.limit = RowLimit::coupled, .normal = c.normal, .friction = c.friction};
        if (c.slips()) to.row(x).dynamic = c.slip[0] < 0 ? 1 : -1;
        break;
      default:
        to.make_cone(x, y, c.normal, c.friction);
        if (c.slips()) to.make_dynamic(x, c.slip[0], c.slip[1]);
    }
  }
}

}  // namespace

std::string_view to_string(ForceStatus status) {
  switch (status) {
    case ForceStatus::solved: return "solved";
    case ForceStatus::unbounded_ray: return "unbounded ray";
    case ForceStatus::gave_up: return "gave up";
    case ForceStatus::inaccurate: return "inaccurate";
  }
  return {};
}

ForceReport BaraffSolver::solve(const ForceProblem& p, std::vector<double>& force,
                                double tolerance) {
  validate(p);
  require(tolerance > 0, "tolerance", tolerance, "", "must be positive");
  fill(p, pivoting_);
  const PivotEnd end = pivoting_.run();
  force.assign(pivoting_.forces().begin(), pivoting_.forces().end());
  ForceReport report;
  report.counts = pivoting_.counts();
  report.certificate = certify(p, force);
  if (report.certificate.error <= tolerance) {
    report.status = ForceStatus::solved;
    return report;
  }
  switch (end) {
    case PivotEnd::solved: report.status = ForceStatus::inaccurate; break;
    case PivotEnd::gave_up: report.status = ForceStatus::gave_up; break;
    case PivotEnd::unbounded_ray:
      report.status = ForceStatus::unbounded_ray;
      report.driven = pivoting_.driven();
      report.ray.assign(pivoting_.ray().begin(), pivoting_.ray().end());
  }
  return report;
}

double impulse_along_ray(const ForceProblem& p, std::span<const double> velocity,
                         std::span<const double> ray) {
  if (velocity.size() != p.bias.size() || ray.size() != p.bias.size()) {
    fail_input("impulse_along_ray: got " + std::to_string(velocity.size()) + " velocities and " +
               std::to_string(ray.size()) + " numbers of a ray, the problem has " +
               std::to_string(p.bias.size()) + " rows");
  }
  const auto change = [&](int row) {
    double sum = 0;
    for (int j = 0; j < p.rows(); ++j) sum += p.entry(row, j) * ray[j];
    return sum;
  };
  double least = std::numeric_limits<double>::infinity();
  for (const ForceContact& c : p.contacts) {
    if (!c.slips() || ray[c.normal] == 0) continue;
    // of the slip along its direction now
    double speed = 0, braked = 0;
    const double size = std::hypot(c.slip[0], c.slip[1]);
    for (int t = 0; t < c.tangent_count(); ++t) {
      speed += velocity[c.tangents[t]] * c.slip[t] / size;
      braked -= change(c.tangents[t]) * c.slip[t] / size;
    }
    if (braked > 0) least = std::min(least, std::max(speed, 0.0) / braked);
  }
  return least;
}

}  // namespace abut
