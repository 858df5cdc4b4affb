#include "abut/problem/certify_forces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "abut/core/error.hpp"

namespace abut {
namespace {

using Real = long double;

/// A maximum that NaN wins.
void raise(double& to, Real x) {
  const auto value = static_cast<double>(x);
  if (value > to || std::isnan(value)) to = std::isnan(to) ? to : value;
}

void judge_friction(const ForceContact& c, const std::vector<Real>& a, std::span<const double> f,
                    ForceCertificate& result) {
  Real force[2] = {0, 0}, acceleration[2] = {0, 0};
  for (int t = 0; t < c.tangent_count(); ++t) {
    force[t] = f[c.tangents[t]], acceleration[t] = a[c.tangents[t]];
  }
  const Real limit = Real(c.friction) * f[c.normal], size = std::hypot(force[0], force[1]);
  if (c.slips()) {
    const Real speed = std::hypot(Real(c.slip[0]), Real(c.slip[1]));
    raise(result.misdirection,
          std::hypot(force[0] + limit * c.slip[0] / speed, force[1] + limit * c.slip[1] / speed));
    return;
  }
  raise(result.excess, size - limit);
  raise(result.drive, force[0] * acceleration[0] + force[1] * acceleration[1]);
  raise(result.slack,
        std::hypot(acceleration[0], acceleration[1]) * std::max(Real(0), limit - size));
}

}  // namespace

ForceCertificate certify(const ForceProblem& p, std::span<const double> f) {
  if (f.size() != p.bias.size()) {
    fail_input("certify: got " + std::to_string(f.size()) + " forces, the problem has " +
               std::to_string(p.bias.size()) + " rows");
  }
  std::vector<Real> a(p.bias.begin(), p.bias.end());
  Real largest_force = 0, largest_bias = 0;
  for (int i = 0; i < p.rows(); ++i) {
    for (int j = 0; j < p.rows(); ++j) a[i] += Real(p.entry(i, j)) * f[j];
    largest_force = std::max(largest_force, std::abs(Real(f[i])));
    largest_bias = std::max(largest_bias, std::abs(Real(p.bias[i])));
  }
  ForceCertificate result;
  for (const ForceContact& c : p.contacts) {
    raise(result.pull, -Real(f[c.normal]));
    raise(result.approach, -a[c.normal]);
    raise(result.complementarity, std::abs(f[c.normal] * a[c.normal]));
    judge_friction(c, a, f, result);
  }
  for (const BilateralRow& b : p.bilaterals) {
    raise(result.excess, std::max(Real(b.lower) - f[b.row], Real(f[b.row]) - b.upper));
    // a > 0 is for what is at its lower bound, a < 0 at its upper one
    const Real rest = a[b.row] > 0 ? Real(f[b.row]) - b.lower : Real(b.upper) - f[b.row];
    if (std::isfinite(rest)) {
      raise(result.complementarity, std::abs(a[b.row]) * std::max(Real(0), rest));
    } else {
      raise(result.bilateral, std::abs(a[b.row]));
    }
  }
  const auto judge = [&](double value, Real unit) {
    if (value != 0) raise(result.error, value / unit);
  };
  for (const double x : {result.approach, result.bilateral}) judge(x, largest_bias);
  for (const double x : {result.pull, result.excess, result.misdirection}) judge(x, largest_force);
  for (const double x : {result.complementarity, result.drive, result.slack}) {
    judge(x, largest_bias * largest_force);
  }
  if (std::isnan(result.error)) result.error = std::numeric_limits<double>::infinity();
  return result;
}

}  // namespace abut
