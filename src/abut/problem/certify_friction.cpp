#include "abut/problem/certify_friction.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "abut/core/error.hpp"

namespace abut {
namespace {

using Real = long double;

/// A vector of a contact by its size across the normal and its normal part.
struct Polar {
  Real t, n;
};

/// Distance to {|x_t| <= mu x_n}; of mu = 0 to the normal's half-line.
Real distance_to_cone(const Polar& x, Real mu) {
  if (x.t <= mu * x.n) return 0;
  if (mu * x.t <= -x.n) return std::hypot(x.t, x.n);  // its tip is nearest
  return (x.t - mu * x.n) / std::sqrt(1 + mu * mu);
}

/// Distance to {mu |x_t| <= x_n}.
Real distance_to_dual_cone(const Polar& x, Real mu) {
  if (mu * x.t <= x.n) return 0;
  if (x.t <= -mu * x.n) return std::hypot(x.t, x.n);
  return (mu * x.t - x.n) / std::sqrt(1 + mu * mu);
}

/// The squared distance of y from its projection on the cone, and that from x: |x - P_K(y)|^2.
Real squared_miss(const Real x[3], const Real y[3], Real mu) {
  const Real t = std::hypot(y[0], y[1]);
  Real nearest[3] = {0, 0, 0};
  if (t <= mu * y[2]) {
    std::copy_n(y, 3, nearest);
  } else if (mu * t > -y[2]) {
    const Real n = (mu * t + y[2]) / (1 + mu * mu);
    nearest[0] = mu * n * (y[0] / t), nearest[1] = mu * n * (y[1] / t), nearest[2] = n;
  }
  Real sum = 0;
  for (int k = 0; k < 3; ++k) sum += (x[k] - nearest[k]) * (x[k] - nearest[k]);
  return sum;
}

/// A maximum that NaN wins.
void raise(double& to, Real x) {
  const auto value = static_cast<double>(x);
  if (value > to || std::isnan(value)) to = std::isnan(to) ? to : value;
}

}  // namespace

FrictionCertificate certify(const FrictionProblem& p, RigidModel model,
                            std::span<const Vec3> impulse) {
  if (impulse.size() != p.velocity.size()) {
    fail_input("certify: got " + std::to_string(impulse.size()) + " impulses, the problem has " +
               std::to_string(p.velocity.size()) +
               (p.bounds.empty() ? " contacts" : " block rows"));
  }
  const BlockMatrix& w = p.delassus;
  const Real h = p.time_step;
  FrictionCertificate result;
  const std::vector<std::int32_t> island = islands_of(p);
  struct Sums {
    Real missed = 0, given = 0, energy = 0;
  };
  std::vector<Sums> sums(island.empty() ? 0 : std::ranges::max(island) + 1);
  for (int i = 0; i < p.rows(); ++i) {
    Real sigma[3] = {p.velocity[i].x, p.velocity[i].y, p.velocity[i].z}, diagonal[3] = {};
    Sums& own = sums[island[i]];
    for (int r = 0; r < 3; ++r) own.given += sigma[r] * sigma[r];
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      const Mat3& block = w.block[k];
      const Vec3& other = impulse[w.column[k]];
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) sigma[r] += Real(block(r, c)) * Real(other[c]);
      }
      if (w.column[k] == i) {
        for (int r = 0; r < 3; ++r) diagonal[r] = block(r, r);
      }
    }
    const Real gamma[3] = {impulse[i].x, impulse[i].y, impulse[i].z};
    if (i >= p.contacts()) {
      const auto& [lower, upper] = p.bounds[i - p.contacts()];
      for (int r = 0; r < 3; ++r) {
        const Real back = gamma[r] - sigma[r] / diagonal[r];
        const Real off = gamma[r] - std::min(std::max(back, Real(lower[r])), Real(upper[r]));
        own.missed += diagonal[r] * diagonal[r] * off * off;
        own.energy += diagonal[r] * off * off;
      }
      continue;
    }
    const Real mu = p.friction[i];
    const Real slip = std::hypot(sigma[0], sigma[1]),
               along = sigma[0] * gamma[0] + sigma[1] * gamma[1];
    const auto judge = [&](RigidErrors& errors, Real normal) {
      raise(errors.primal, distance_to_cone({std::hypot(gamma[0], gamma[1]), gamma[2]}, mu) / h);
      raise(errors.dual, distance_to_dual_cone({slip, normal}, mu) / h);
      raise(errors.complementarity, std::abs(along + gamma[2] * normal) / (h * h));
    };
    const Real lifted = sigma[2] + mu * slip;
    judge(result.ncp, lifted);
    const Real normal = model == RigidModel::ncp ? lifted : sigma[2];
    judge(result.model, normal);
    const Real mobility = (diagonal[0] + diagonal[1] + diagonal[2]) / 3;
    const Real back[3] = {gamma[0] - sigma[0] / mobility, gamma[1] - sigma[1] / mobility,
                          gamma[2] - normal / mobility};
    const Real off = squared_miss(gamma, back, mu);
    own.missed += mobility * mobility * off;
    own.energy += mobility * off;
  }
  for (const auto& [missed, given, energy] : sums) {
    if (missed != 0) raise(result.natural_error, std::sqrt(missed / given));
    raise(result.energy_error, std::sqrt(energy));
  }
  return result;
}

bool FrictionCertificate::is_finite() const {
  return std::isfinite(natural_error + energy_error + model.primal + model.dual +
                       model.complementarity + ncp.primal + ncp.dual + ncp.complementarity);
}

}  // namespace abut
