#include "abut/solvers/dual/semismooth_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut {
namespace {

/// eps, of a mobility of 1, of the last digits and from a guess.
constexpr double proximity = 1e-6, guess_proximity = 1e-8;
constexpr int rounds = 3, steps = 8;

/// From a guess: factorizations, and steps with each.
constexpr int guess_factorizations = 4, guess_steps = 10;
/// It goes on while the error is below these multiples of the one at first, by factorization.
constexpr double guess_patience[guess_factorizations] = {30, 0.3, 0.03, 0};

/// What impulses become that are not allowed: Pi.
Vec3 limit(const FrictionProblem& p, int row, const Vec3& z) {
  if (row >= p.contacts()) return clamp(z, p.bounds[row - p.contacts()]);
  const double mu = p.friction[row];
  const double n = std::max(z.z, 0.0), t = std::sqrt(z.x * z.x + z.y * z.y);
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
  const double t = std::sqrt(z.x * z.x + z.y * z.y), most = mu * z.z;
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

/// Where nothing is at its limit.
Mat3 free_slope(const FrictionProblem& p, int row) {
  if (row < p.contacts()) {
    return Mat3::diagonal(p.friction[row] > 0 ? Vec3{1, 1, 1} : Vec3{0, 0, 1});
  }
  const auto& [lower, upper] = p.bounds[row - p.contacts()];
  Vec3 d;
  for (int r = 0; r < 3; ++r) d[r] = lower[r] < upper[r] ? 1 : 0;
  return Mat3::diagonal(d);
}

}  // namespace

void SemismoothNewton::resize(const FrictionProblem& p) {
  for (auto* v : {&z_, &gamma_, &allowed_, &sigma_, &change_}) v->resize(p.velocity.size());
  slope_.resize(p.velocity.size());
  matrix_.resize(p.delassus.block.size());
}

/// The error of Pi(z), and its velocities.
double SemismoothNewton::evaluate(const ScaledProblem& problem, const FrictionOptions& options) {
  const FrictionProblem& p = problem.scaled;
  for (int i = 0; i < p.rows(); ++i) gamma_[i] = limit(p, i, z_[i]);
  p.delassus.multiply(gamma_, sigma_);
  for (int i = 0; i < p.rows(); ++i) sigma_[i] += p.velocity[i];
  return problem.error(options, gamma_, sigma_);
}

/// Of eps + W Pi'(z).
bool SemismoothNewton::factor(const FrictionProblem& p, double eps, BlockLu& lu,
                              FrictionReport& report) {
  const BlockMatrix& w = p.delassus;
  for (int i = 0; i < p.rows(); ++i) slope_[i] = slope(p, i, z_[i]);
  for (int i = 0; i < p.rows(); ++i) {
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      Mat3& block = matrix_[k] = w.block[k] * slope_[w.column[k]];
      if (w.column[k] != i) continue;
      for (int r = 0; r < 3; ++r) block(r, r) += eps;
    }
  }
  ++report.factorizations;
  return lu.factor(matrix_);
}

/// z -= (eps + W Pi'(z))^-1 (eps (z - center) + sigma), at the sigma of Pi(z).
void SemismoothNewton::step(double eps, BlockLu& lu) {
  for (std::size_t i = 0; i < z_.size(); ++i) {
    change_[i] = eps * (z_[i] - center_[i]) + sigma_[i];
  }
  lu.solve(change_);
  for (std::size_t i = 0; i < z_.size(); ++i) z_[i] -= change_[i];
}

double SemismoothNewton::improve(const ScaledProblem& problem, const FrictionOptions& options,
                                 BlockLu& lu, std::vector<Vec3>& impulse, double error,
                                 FrictionReport& report) {
  resize(problem.scaled);
  for (int round = 0; round < rounds && error > options.tolerance; ++round) {
    center_ = impulse;
    z_ = center_;
    evaluate(problem, options);
    for (std::size_t i = 0; i < z_.size(); ++i) z_[i] = center_[i] - sigma_[i] / proximity;
    const double before = error;
    for (int k = 0; k < steps && error > options.tolerance; ++k) {
      evaluate(problem, options);
      if (!factor(problem.scaled, proximity, lu, report)) return error;
      step(proximity, lu);
      const double now = evaluate(problem, options);
      if (!(now < error)) continue;
      error = now;
      impulse = gamma_;
    }
    if (!(error < 0.5 * before)) break;
  }
  return error;
}

/// Of S (W + eps) + 1 - S with S = Pi'(z).
bool SemismoothNewton::factor_natural(const FrictionProblem& p, double eps, Guess guess,
                                      BlockLu& lu, FrictionReport& report) {
  const BlockMatrix& w = p.delassus;
  for (int i = 0; i < p.rows(); ++i) {
    const Mat3 s = guess == Guess::all_hold ? free_slope(p, i) : slope(p, i, z_[i]);
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      Mat3& block = matrix_[k] = s * w.block[k];
      if (w.column[k] == i) block = block + Mat3::identity() - (1 - eps) * s;
    }
  }
  ++report.factorizations;
  return lu.factor(matrix_);
}

/// gamma -= (S (W + eps) + 1 - S)^-1 (gamma - Pi(z - eps (gamma - center))); where all holds, Pi
/// is the identity.
void SemismoothNewton::step_natural(const FrictionProblem& p, double eps, Guess guess,
                                    BlockLu& lu) {
  for (int i = 0; i < p.rows(); ++i) {
    const Vec3 z = z_[i] - eps * (gamma_[i] - center_[i]);
    change_[i] = gamma_[i] - (guess == Guess::all_hold ? free_slope(p, i) * z : limit(p, i, z));
  }
  lu.solve(change_);
  for (int i = 0; i < p.rows(); ++i) gamma_[i] -= change_[i];
}

/// Sets z = gamma - sigma; the error of gamma within its limits.
double SemismoothNewton::evaluate_natural(const ScaledProblem& problem,
                                          const FrictionOptions& options) {
  const FrictionProblem& p = problem.scaled;
  p.delassus.multiply(gamma_, sigma_);
  bool is_allowed = true;
  for (int i = 0; i < p.rows(); ++i) {
    sigma_[i] += p.velocity[i];
    z_[i] = gamma_[i] - sigma_[i];
    allowed_[i] = limit(p, i, gamma_[i]);
    is_allowed = is_allowed && allowed_[i] == gamma_[i];
  }
  if (!is_allowed) {
    p.delassus.multiply(allowed_, sigma_);
    for (int i = 0; i < p.rows(); ++i) sigma_[i] += p.velocity[i];
  }
  return problem.error(options, allowed_, sigma_);
}

double SemismoothNewton::try_guess(const ScaledProblem& problem, const FrictionOptions& options,
                                   Guess guess, BlockLu& lu, std::vector<Vec3>& impulse,
                                   double error, FrictionReport& report) {
  const FrictionProblem& p = problem.scaled;
  constexpr double eps = guess_proximity;
  resize(p);
  center_.assign(impulse.size(), {});
  gamma_ = guess == Guess::all_hold ? center_ : impulse;
  evaluate_natural(problem, options);
  const double first = error;
  for (int k = 0; k < guess_factorizations; ++k) {
    if (!factor_natural(p, eps, guess, lu, report)) break;
    double now = 0, last = std::numeric_limits<double>::infinity();
    // while what holds and slides stays, the same factors are as good as new ones
    for (int s = 0; s < guess_steps; ++s) {
      step_natural(p, eps, guess, lu);
      now = evaluate_natural(problem, options);
      if (now < error) {
        error = now;
        impulse = allowed_;
      }
      if (error <= options.tolerance) return error;
      if (s > 0 && !(now < last)) {  // these factors are of another point
        gamma_ = center_;
        now = evaluate_natural(problem, options);
        break;
      }
      if (!(now < 0.2 * last)) break;
      last = now;
      center_ = gamma_;
    }
    if (!(now < guess_patience[k] * first)) break;
    guess = Guess::of_impulses;
  }
  return error;
}

}  // namespace abut
