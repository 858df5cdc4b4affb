#include "abut/problem/certify_friction.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "abut/core/error.hpp"
#include "abut/problem/certify_contact.hpp"

namespace abut {
namespace {

using Real = long double;

/// A maximum that NaN wins.
void raise(double& to, Real x) {
  const auto value = static_cast<double>(x);
  if (value > to || std::isnan(value)) to = std::isnan(to) ? to : value;
}

void raise(RigidErrors& to, const CertifiedContact::Errors& e, Real time_step) {
  raise(to.primal, e.primal / time_step);
  raise(to.dual, e.dual / time_step);
  raise(to.complementarity, e.complementarity / (time_step * time_step));
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
    Real sigma[3] = {p.velocity[i].x, p.velocity[i].y, p.velocity[i].z}, diagonal[3] = {},
         tilt[2] = {};
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
        for (int c = 0; c < 2; ++c) tilt[c] = block(2, c);
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
    const Real mobility = (diagonal[0] + diagonal[1] + diagonal[2]) / 3, mu = p.friction[i];
    const Real turn = diagonal[2] > 0 ? mu / diagonal[2] : 0;
    const CertifiedContact contact{.gamma = {gamma[0], gamma[1], gamma[2]},
                                   .sigma = {sigma[0], sigma[1], sigma[2]},
                                   .tilt = {turn * tilt[0], turn * tilt[1]},
                                   .mobility = mobility,
                                   .friction = mu};
    raise(result.ncp, contact.errors(RigidModel::ncp), h);
    const CertifiedContact::Errors errors = contact.errors(model);
    raise(result.model, errors, h);
    own.missed += mobility * mobility * errors.squared_map;
    own.energy += mobility * errors.squared_map;
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
