#include "abut/solvers/dual/interior_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut {
namespace {

/// Of the longest step to the boundary, where k is large.
constexpr double to_boundary = 0.9;
constexpr int iteration_limit = 100;

/// The largest step a <= 1 with |x + a dx| <= y + a dy in both parts, (x, y) being inside.
double step_in_cone(double x0, double x1, double y, double dx0, double dx1, double dy) {
  double step = 1;
  if (y + dy < 0) step = std::min(step, y / -dy);
  // |x + a dx|^2 = (y + a dy)^2: the first positive root
  const double a = dx0 * dx0 + dx1 * dx1 - dy * dy, b = x0 * dx0 + x1 * dx1 - y * dy;
  const double c = std::min(x0 * x0 + x1 * x1 - y * y, 0.0);
  if (a + 2 * b + c <= 0 && b <= -c) return step;
  const double root = b * b - a * c;
  if (root < 0) return step;
  const double q = -(b + std::copysign(std::sqrt(root), b));
  for (const double r : {a != 0 ? q / a : -1, q != 0 ? c / q : -1}) {
    if (r >= 0) step = std::min(step, r);
  }
  return step;
}

}  // namespace

void InteriorPoint::iterate(const FrictionProblem& p, const FrictionOptions& options,
                            std::span<Vec3> impulse, FrictionReport& report) {
  const int n = p.contacts();
  problem_.set(p);
  for (auto* v : {&residual_, &row_scale_, &rhs_, &trial_, &velocity_}) v->assign(n, {});
  to_gamma_.resize(n);
  to_sigma_.resize(n);
  x_.resize(n);
  matrix_ = problem_.scaled.delassus;
  lu_.analyze(matrix_);
  best_.resize(n);
  for (int i = 0; i < n; ++i) {
    best_[i] = project_on_cone(problem_.from_problem(i, impulse[i]), problem_.scaled.friction[i]);
  }
  problem_.scaled.delassus.multiply(best_, velocity_);
  for (int i = 0; i < n; ++i) velocity_[i] += problem_.scaled.velocity[i];
  best_error_ = problem_.natural_error(options.model, best_, velocity_);
  const int limit = options.iteration_limit > 0 ? options.iteration_limit : iteration_limit;
  report.status = SolveStatus::stalled;
  for (const double size : {1.0, 1e4}) {
    if (best_error_ <= options.tolerance) break;
    start(size);
    follow_path(options, report, limit);
    if (best_error_ > options.tolerance && best_error_ < 1e-2) {
      best_error_ = polish_.improve(problem_, options, lu_, best_, best_error_, report);
    }
  }
  if (best_error_ <= options.tolerance) report.status = SolveStatus::converged;
  for (int i = 0; i < n; ++i) impulse[i] = problem_.to_problem(i, best_[i]);
}

void InteriorPoint::start(double size) {
  for (Contact& c : x_) c = {{0, 0, size}, {0, 0, size}, size};
}

/// The residual of sigma, k and the error of the impulses, projected on their cones.
void InteriorPoint::measure() {
  const FrictionProblem& p = problem_.scaled;
  for (std::size_t i = 0; i < x_.size(); ++i) trial_[i] = x_[i].gamma;
  p.delassus.multiply(trial_, residual_);
  double sum = 0;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const Contact& c = x_[i];
    residual_[i] += p.velocity[i] - c.sigma;
    const double normal = c.gamma.z * c.sigma.z;
    sum += normal + p.friction[i] * c.gamma.z * c.eta + c.gamma.x * c.sigma.x +
           c.gamma.y * c.sigma.y;
  }
  path_ = sum / (2 * static_cast<double>(x_.size()));
}

double InteriorPoint::keep_if_best(const FrictionOptions& options) {
  const FrictionProblem& p = problem_.scaled;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    trial_[i] = project_on_cone(x_[i].gamma, p.friction[i]);
  }
  p.delassus.multiply(trial_, velocity_);
  for (std::size_t i = 0; i < x_.size(); ++i) velocity_[i] += p.velocity[i];
  const double error = problem_.natural_error(options.model, trial_, velocity_);
  if (error < best_error_) {
    best_error_ = error;
    best_ = trial_;
  }
  return error;
}

/// Newton's method towards k = 0 until the error is below the tolerance, or it comes to no end.
double InteriorPoint::follow_path(const FrictionOptions& options, FrictionReport& report,
                                  int limit) {
  int short_steps = 0, without_progress = 0;
  double last_best = std::numeric_limits<double>::infinity();
  for (int it = 0; it < limit; ++it) {
    measure();
    const double error = keep_if_best(options);
    if (!std::isfinite(error) || error <= options.tolerance) break;
    if (error < 0.9 * last_best) {
      last_best = error;
      without_progress = 0;
    } else if (++without_progress >= 15) {
      break;
    }
    ++report.iterations;
    ++report.factorizations;
    if (!linearize()) {
      report.status = SolveStatus::numerical_failure;
      break;
    }
    find_direction(0, nullptr, affine_);
    affine_.step = longest_step(affine_);
    double affine_k = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const Contact &c = x_[i], &d = affine_.change[i];
      const Vec3 g = c.gamma + affine_.step * d.gamma, s = c.sigma + affine_.step * d.sigma;
      const double eta = c.eta + affine_.step * d.eta;
      affine_k += g.z * s.z + problem_.scaled.friction[i] * g.z * eta + g.x * s.x + g.y * s.y;
    }
    affine_k /= 2 * static_cast<double>(x_.size());
    const double ratio = affine_k / path_;
    double sigma = std::clamp(ratio * ratio * ratio, 1e-6, 1.0);
    if (affine_.step < 0.1) sigma = 0.5;
    find_direction(sigma * path_, affine_.step > 0.02 ? &affine_ : nullptr, centered_);
    centered_.step = longest_step(centered_);
    if (centered_.step < 0.3) {
      double score = centered_.step;
      for (const auto& [part, weight] : {std::pair(0.5, 1.0), {0.9, 0.4}}) {
        find_direction(part * path_, nullptr, candidate_);
        candidate_.step = longest_step(candidate_);
        if (weight * candidate_.step <= score) continue;
        score = weight * candidate_.step;
        std::swap(candidate_, centered_);
      }
    }
    const double step = std::min(1.0, std::max(to_boundary, 1 - path_) * centered_.step);
    short_steps = step < 0.02 ? short_steps + 1 : 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      x_[i].gamma += step * centered_.change[i].gamma;
      x_[i].sigma += step * centered_.change[i].sigma;
      x_[i].eta += step * centered_.change[i].eta;
    }
    if (short_steps >= 3) break;
  }
  return best_error_;
}

/// A, B and the factors of A + B W, of the equations linearized at x_ without d_eta.
bool InteriorPoint::linearize() {
  const FrictionProblem& p = problem_.scaled;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const auto& [gamma, sigma, eta] = x_[i];
    const double mu = p.friction[i];
    Mat3 &a = to_gamma_[i] = {}, &b = to_sigma_[i] = {};
    a(2, 2) = sigma.z;
    b(2, 2) = gamma.z;
    if (mu == 0) {  // gamma_t = 0
      a(0, 0) = a(1, 1) = 1;
      continue;
    }
    const double load = mu * gamma.z;
    for (int r = 0; r < 2; ++r) {
      a(r, 2) = mu * sigma[r] - gamma[r] * eta / gamma.z;
      for (int c = 0; c < 2; ++c) {
        a(r, c) = -gamma[r] * sigma[c] / load;
        b(r, c) = -gamma[r] * gamma[c] / load;
      }
      a(r, r) += eta;
      b(r, r) += load;
    }
  }
  const BlockMatrix& w = p.delassus;
  for (int i = 0; i < w.rows(); ++i) {
    Vec3 most;
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      Mat3& m = matrix_.block[k] = to_sigma_[i] * w.block[k];
      if (w.column[k] == i) m = m + to_gamma_[i];
      for (const Vec3& c : m.col) {
        for (int r = 0; r < 3; ++r) most[r] = std::max(most[r], std::abs(c[r]));
      }
    }
    row_scale_[i] = {1 / most.x, 1 / most.y, 1 / most.z};
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      for (Vec3& c : matrix_.block[k].col) {
        c = {c.x * row_scale_[i].x, c.y * row_scale_[i].y, c.z * row_scale_[i].z};
      }
    }
  }
  return lu_.factor(matrix_);
}

/// Newton's step towards complementarity k, with the second-order terms of the predictor if given.
void InteriorPoint::find_direction(double k, const Direction* predictor, Direction& result) {
  const FrictionProblem& p = problem_.scaled;
  result.change.resize(x_.size());
  const auto rhs_of_eta = [&](std::size_t i) {
    const auto& [gamma, sigma, eta] = x_[i];
    double b = k - (p.friction[i] * gamma.z * eta + gamma.x * sigma.x + gamma.y * sigma.y);
    if (predictor != nullptr) {
      const Contact& d = predictor->change[i];
      b -= p.friction[i] * d.gamma.z * d.eta + d.gamma.x * d.sigma.x + d.gamma.y * d.sigma.y;
    }
    return b;
  };
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const auto& [gamma, sigma, eta] = x_[i];
    const double mu = p.friction[i];
    Vec3 b{0, 0, k - gamma.z * sigma.z};
    if (predictor != nullptr) {
      const Contact& d = predictor->change[i];
      b.z -= d.gamma.z * d.sigma.z;
    }
    if (mu == 0) {
      b.x = -gamma.x, b.y = -gamma.y;
    } else {
      const double along = rhs_of_eta(i) / (mu * gamma.z);
      for (int r = 0; r < 2; ++r) {
        b[r] = -(mu * gamma.z * sigma[r] + eta * gamma[r]) - gamma[r] * along;
        if (predictor == nullptr) continue;
        const Contact& d = predictor->change[i];
        b[r] -= mu * d.gamma.z * d.sigma[r] + d.eta * d.gamma[r];
      }
    }
    b -= to_sigma_[i] * residual_[i];
    rhs_[i] = {b.x * row_scale_[i].x, b.y * row_scale_[i].y, b.z * row_scale_[i].z};
  }
  lu_.solve(rhs_);
  p.delassus.multiply(rhs_, velocity_);
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const auto& [gamma, sigma, eta] = x_[i];
    Contact& d = result.change[i];
    d.gamma = rhs_[i];
    d.sigma = velocity_[i] + residual_[i];
    d.eta = 0;
    if (p.friction[i] == 0) continue;
    d.eta = (rhs_of_eta(i) - p.friction[i] * eta * d.gamma.z - sigma.x * d.gamma.x -
             sigma.y * d.gamma.y - gamma.x * d.sigma.x - gamma.y * d.sigma.y) /
            (p.friction[i] * gamma.z);
  }
}

/// To the boundary of the first cone, at most 1.
double InteriorPoint::longest_step(const Direction& d) const {
  double step = 1;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const auto& [gamma, sigma, eta] = x_[i];
    const Contact& c = d.change[i];
    const double mu = problem_.scaled.friction[i];
    if (gamma.z + c.gamma.z < 0) step = std::min(step, gamma.z / -c.gamma.z);
    if (sigma.z + c.sigma.z < 0) step = std::min(step, sigma.z / -c.sigma.z);
    if (mu == 0) continue;
    step = std::min(step, step_in_cone(gamma.x, gamma.y, mu * gamma.z, c.gamma.x, c.gamma.y,
                                       mu * c.gamma.z));
    step = std::min(step, step_in_cone(sigma.x, sigma.y, eta, c.sigma.x, c.sigma.y, c.eta));
  }
  return step;
}

}  // namespace abut
