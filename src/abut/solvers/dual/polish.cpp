#include "abut/solvers/dual/polish.hpp"

#include <algorithm>
#include <cmath>

namespace abut {
namespace {

constexpr double proximity = 1e-6;  // eps, of a mobility of 1
constexpr int rounds = 3, steps = 8;

/// What impulses become that are not allowed: Pi.
Vec3 limit(const FrictionProblem& p, int row, const Vec3& z) {
  if (row >= p.contacts()) return clamp(z, p.bounds[row - p.contacts()]);
  const double mu = p.friction[row];
  const double n = std::max(z.z, 0.0), t = std::hypot(z.x, z.y);
  const double within = t <= mu * n ? 1 : mu * n / t;
  return {within * z.x, within * z.y, n};
}

/// A derivative of limit(), one of several where it has kinks.
Mat3 slope(const FrictionProblem& p, int row, const Vec3& z) {
  Mat3 d{};
  if (row >= p.contacts()) {
    const auto& [lower, upper] = p.bounds[row - p.contacts()];
    for (int r = 0; r < 3; ++r) d(r, r) = z[r] > lower[r] && z[r] < upper[r] ? 1 : 0;
    return d;
  }
  const double mu = p.friction[row];
  if (!(z.z > 0)) return d;
  d(2, 2) = 1;
  const double t = std::hypot(z.x, z.y), most = mu * z.z;
  if (t <= most) {
    d(0, 0) = d(1, 1) = 1;
    return d;
  }
  const double x = z.x / t, y = z.y / t, turn = most / t;
  d(0, 0) = turn * y * y, d(1, 1) = turn * x * x;
  d(0, 1) = d(1, 0) = -turn * x * y;
  d(0, 2) = mu * x, d(1, 2) = mu * y;
  return d;
}

}  // namespace

double Polish::improve(const ScaledProblem& problem, const FrictionOptions& options, BlockLu& lu,
                       std::vector<Vec3>& impulse, double error, FrictionReport& report) {
  const FrictionProblem& p = problem.scaled;
  const std::size_t n = impulse.size();
  for (auto* v : {&z_, &gamma_, &sigma_, &change_}) v->resize(n);
  matrix_ = p.delassus;
  const auto evaluate = [&] {
    for (std::size_t i = 0; i < n; ++i) gamma_[i] = limit(p, static_cast<int>(i), z_[i]);
    p.delassus.multiply(gamma_, sigma_);
    for (std::size_t i = 0; i < n; ++i) sigma_[i] += p.velocity[i];
    return problem.error(options, gamma_, sigma_);
  };
  for (int round = 0; round < rounds && error > options.tolerance; ++round) {
    center_ = impulse;
    z_ = center_;
    evaluate();
    for (std::size_t i = 0; i < n; ++i) z_[i] = center_[i] - sigma_[i] / proximity;
    const double before = error;
    for (int k = 0; k < steps && error > options.tolerance; ++k) {
      evaluate();
      ++report.factorizations;
      if (!newton_step(p, lu)) return error;
      const double now = evaluate();
      if (!(now < error)) continue;
      error = now;
      impulse = gamma_;
    }
    if (!(error < 0.5 * before)) break;
  }
  return error;
}

/// z -= (eps + W Pi'(z))^-1 (eps (z - center) + sigma), at the sigma of Pi(z).
bool Polish::newton_step(const FrictionProblem& p, BlockLu& lu) {
  const BlockMatrix& w = p.delassus;
  for (int i = 0; i < w.rows(); ++i) {
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      const int j = w.column[k];
      matrix_.block[k] = w.block[k] * slope(p, j, z_[j]);
      if (j != i) continue;
      for (int r = 0; r < 3; ++r) matrix_.block[k](r, r) += proximity;
    }
    change_[i] = proximity * (z_[i] - center_[i]) + sigma_[i];
  }
  if (!lu.factor(matrix_)) return false;
  lu.solve(change_);
  for (std::size_t i = 0; i < z_.size(); ++i) z_[i] -= change_[i];
  return true;
}

}  // namespace abut
