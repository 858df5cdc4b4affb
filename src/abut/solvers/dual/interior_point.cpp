#include "abut/solvers/dual/interior_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "abut/solvers/dual/gauss_seidel.hpp"

namespace abut {
namespace {

/// Of the longest step to the boundary, where k is large.
constexpr double to_boundary = 0.9;
constexpr int factorization_limit = 2000;

/// Impulses and velocities at the start, in units of the scaled problem: impulses of large masses
/// that rest on small ones are 10^6 of them. In the order that solves most, before and after
/// sweeps.
constexpr double first_sizes[] = {1, 1e4}, other_sizes[] = {1e2, 10, 1e6, 0.1};

/// Sweeps where the path jams, and how many are made before one looks.
constexpr int sweep_limit = 3000, sweeps_at_once = 20;

/// Likewise of path following, and the factorizations of each attempt.
constexpr double arc_sizes[] = {1, 1e3, 1e6};
constexpr int arc_limit = 400;

/// k of the point from which a guess of the answer is improved.
constexpr double warm_k = 1e-4;

/// Below this error Newton's method may take the last digits.
constexpr double worth_polishing = 1e-2;

}  // namespace

void InteriorPoint::iterate(const FrictionProblem& p, const FrictionOptions& options,
                            std::span<Vec3> impulse, FrictionReport& report) {
  const auto n = static_cast<std::size_t>(p.contacts());
  problem_.set(p);
  path_.set(problem_.scaled);
  for (auto* v : {&residual_, &trial_, &velocity_, &best_}) v->resize(n);
  for (auto* d : {&predictor_, &chosen_, &other_}) d->change.resize(n);
  x_.resize(n);
  target_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    x_[i].gamma = problem_.from_problem(static_cast<int>(i), impulse[i]);
  }
  best_error_ = std::numeric_limits<double>::infinity();
  keep_if_best(options);
  const int limit = options.iteration_limit > 0 ? options.iteration_limit : factorization_limit;
  report.status = SolveStatus::stalled;
  if (options.is_warm && best_error_ > options.tolerance) {
    start_warm();
    follow_path(options, report, limit);
    polish(options, report);
  }
  try_sizes(first_sizes, options, report, limit);
  sweep(options, report);
  try_sizes(other_sizes, options, report, limit);
  if (best_error_ > options.tolerance && report.factorizations < limit) {
    follow_by_arc_length(options, report, limit);
  }
  if (best_error_ <= options.tolerance) report.status = SolveStatus::converged;
  for (std::size_t i = 0; i < n; ++i) {
    impulse[i] = problem_.to_problem(static_cast<int>(i), best_[i]);
  }
}

void InteriorPoint::try_sizes(std::span<const double> sizes, const FrictionOptions& options,
                              FrictionReport& report, int limit) {
  for (const double size : sizes) {
    if (best_error_ <= options.tolerance || report.factorizations >= limit) return;
    for (Contact& c : x_) c = {{0, 0, size}, {0, 0, size}, size};
    follow_path(options, report, limit);
    polish(options, report);
  }
}

/// From the best impulses, or from none if these are no better than none.
void InteriorPoint::sweep(const FrictionOptions& options, FrictionReport& report) {
  const FrictionProblem& p = problem_.scaled;
  for (std::size_t i = 0; i < x_.size(); ++i) x_[i].gamma = best_[i];
  std::vector<Vec3>& gamma = residual_;
  gamma = best_;
  for (int s = 0; s < sweep_limit && best_error_ > options.tolerance; s += sweeps_at_once) {
    for (int k = 0; k < sweeps_at_once; ++k) sweep_contacts(p, options.model, gamma);
    report.iterations += sweeps_at_once;
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i].gamma = gamma[i];
    const double before = best_error_;
    keep_if_best(options);
    if (s % 400 == 0 && best_error_ < before) polish(options, report);
  }
  polish(options, report);
}

void InteriorPoint::polish(const FrictionOptions& options, FrictionReport& report) {
  if (best_error_ <= options.tolerance || best_error_ > worth_polishing) return;
  best_error_ = polish_.improve(problem_, options, path_.lu(), best_, best_error_, report);
}

void InteriorPoint::follow_by_arc_length(const FrictionOptions& options, FrictionReport& report,
                                         int limit) {
  double polished = best_error_;
  for (const double size : arc_sizes) {
    if (best_error_ <= options.tolerance) return;
    const int used =
        path_following_.run(path_, size, std::min(arc_limit, limit - report.factorizations),
                            [&](std::span<const Contact> x) {
                              std::copy(x.begin(), x.end(), x_.begin());
                              keep_if_best(options);
                              if (best_error_ < 0.1 * polished) {
                                polish(options, report);
                                polished = best_error_;
                              }
                              return best_error_ <= options.tolerance;
                            });
    report.iterations += used;
    report.factorizations += used;
    polish(options, report);
  }
}

/// The error of the impulses, projected on their cones.
double InteriorPoint::keep_if_best(const FrictionOptions& options) {
  const FrictionProblem& p = problem_.scaled;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    trial_[i] = project_on_cone(x_[i].gamma, p.friction[i]);
  }
  p.delassus.multiply(trial_, velocity_);
  for (std::size_t i = 0; i < x_.size(); ++i) velocity_[i] += p.velocity[i];
  const double error = problem_.error(options, trial_, velocity_);
  if (error < best_error_) {
    best_error_ = error;
    best_ = trial_;
  }
  return error;
}

/// The point of the central path at warm_k that is nearest to the impulses given and their
/// velocities: there gamma - sigma keeps its normal part and its direction across.
void InteriorPoint::start_warm() {
  const FrictionProblem& p = problem_.scaled;
  p.delassus.multiply(best_, velocity_);
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const Vec3 sigma = velocity_[i] + p.velocity[i], d = best_[i] - sigma;
    const double root = std::sqrt(d.z * d.z + 4 * warm_k);
    const double normal = d.z > 0 ? 0.5 * (d.z + root) : 2 * warm_k / (root - d.z);
    const double load = p.friction[i] * normal, across = std::hypot(d.x, d.y);
    if (load == 0) {
      x_[i] = {{0, 0, normal}, {sigma.x, sigma.y, warm_k / normal}, 0};
      continue;
    }
    // slip t >= 0 and friction load t / eta(t) on the path, which add up to |d_t|
    const auto eta_at = [&](double t) {
      const double half = 0.5 * warm_k / load;
      return half + std::sqrt(half * half + t * t);
    };
    double low = 0, high = across;
    for (int k = 0; k < 50; ++k) {
      const double t = 0.5 * (low + high);
      (t * (load / eta_at(t) + 1) < across ? low : high) = t;
    }
    const double eta = eta_at(low), held = load * low / eta;
    const Vec3 along = across > 0 ? Vec3{d.x / across, d.y / across, 0} : Vec3{};
    x_[i] = {held * along, -low * along, eta};
    x_[i].gamma.z = normal, x_[i].sigma.z = warm_k / normal;
  }
}

/// Newton's method towards k = 0 until the error is below the tolerance, or it comes to no end.
void InteriorPoint::follow_path(const FrictionOptions& options, FrictionReport& report, int limit) {
  int short_steps = 0, without_progress = 0;
  double last = std::numeric_limits<double>::infinity();
  while (report.factorizations < limit) {
    const double error = keep_if_best(options);
    if (!std::isfinite(error) || error <= options.tolerance) return;
    without_progress = error < 0.9 * last ? 0 : without_progress + 1;
    if (without_progress >= 15) return;
    last = std::min(last, error);
    path_.residuals(x_, residual_);
    const double k = path_.complementarity(x_, x_, 0);
    ++report.iterations;
    ++report.factorizations;
    if (!path_.linearize(x_)) return;
    choose_direction(k);
    const double step = std::min(1.0, std::max(to_boundary, 1 - k) * chosen_.step);
    for (std::size_t i = 0; i < x_.size(); ++i) {
      x_[i].gamma += step * chosen_.change[i].gamma;
      x_[i].sigma += step * chosen_.change[i].sigma;
      x_[i].eta += step * chosen_.change[i].eta;
    }
    short_steps = step < 0.02 ? short_steps + 1 : 0;
    if (short_steps >= 3) return;
  }
  report.status = SolveStatus::iteration_limit;
}

/// Mehrotra's, or where it is short the better of two that stay closer to the path.
void InteriorPoint::choose_direction(double k) {
  find_direction(0, nullptr, predictor_);
  const double ratio = path_.complementarity(x_, predictor_.change, predictor_.step) / k;
  const double part = predictor_.step < 0.1 ? 0.5 : std::clamp(ratio * ratio * ratio, 1e-6, 1.0);
  find_direction(part * k, predictor_.step > 0.02 ? &predictor_ : nullptr, chosen_);
  if (chosen_.step >= 0.3) return;
  double score = chosen_.step;
  for (const auto& [part_kept, weight] : {std::pair(0.5, 1.0), {0.9, 0.4}}) {
    find_direction(part_kept * k, nullptr, other_);
    if (weight * other_.step <= score) continue;
    score = weight * other_.step;
    std::swap(other_, chosen_);
  }
}

/// Newton's step towards k, with the second-order terms of the predictor if given.
void InteriorPoint::find_direction(double k, const Direction* predictor, Direction& result) {
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const double mu = problem_.scaled.friction[i];
    CentralPath::Target& t = target_[i] = path_.missing(x_[i], mu, k);
    t.residual = residual_[i];
    if (predictor == nullptr) continue;
    const auto& [gamma, sigma, eta] = predictor->change[i];
    t.normal -= gamma.z * sigma.z;
    if (mu == 0) continue;
    t.along -= mu * gamma.z * eta + gamma.x * sigma.x + gamma.y * sigma.y;
    for (int r = 0; r < 2; ++r) t.across[r] -= mu * gamma.z * sigma[r] + eta * gamma[r];
  }
  path_.solve(x_, target_, result.change);
  result.step = path_.longest_step(x_, result.change);
}

}  // namespace abut
