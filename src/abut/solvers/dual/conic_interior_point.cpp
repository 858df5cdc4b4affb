#include "abut/solvers/dual/conic_interior_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "abut/solvers/dual/gauss_seidel.hpp"

namespace abut {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

/// Impulses and velocities at the start: those of heavy bodies on light ones are 10^6.
constexpr double sizes[] = {1, 1e3, 1e6};

/// Of the longest step; k of a warm start; factorizations in all, and of one start.
constexpr double to_boundary = 0.95, short_step = 0.7, warm_k = 1e-4;
constexpr int factorization_limit = 300, patience = 8;

/// Newton's method for the last digits: below which error, how near, how often.
constexpr double worth_polishing = 1e-2, polish_eps = 1e-6;
constexpr int polish_rounds = 4, polish_steps = 8;

}  // namespace

Vec3 ConicInteriorPoint::to_cone(int row, const Vec3& gamma) const {
  return {gamma.x, gamma.y, problem_.scaled.friction[row] * gamma.z};
}

Vec3 ConicInteriorPoint::dual_to_cone(int row, const Vec3& sigma) const {
  return {sigma.x, sigma.y, sigma.z / problem_.scaled.friction[row]};
}

void ConicInteriorPoint::start(double size) {
  for (int i = 0; i < problem_.scaled.rows(); ++i) {
    Row& row = x_[i];
    if (is_cone(i)) {
      const double mu = problem_.scaled.friction[i];
      row.gamma = {0, 0, size / mu};
      row.sigma = {0, 0, size * mu};
    } else {
      row.bounded = start_bounded(bounds_[i], size, row.gamma);
      row.sigma = row.bounded.z_lower - row.bounded.z_upper;
    }
  }
}

/// The point of the central path that has the impulses less velocities of a guess.
void ConicInteriorPoint::start_warm(std::span<const Vec3> impulse) {
  const FrictionProblem& p = problem_.scaled;
  p.delassus.multiply(impulse, trial_);
  for (int i = 0; i < p.rows(); ++i) {
    Row& row = x_[i];
    const Vec3 sigma = trial_[i] + p.velocity[i];
    if (is_cone(i)) {
      const double mu = p.friction[i];
      const Vec3 d = to_cone(i, impulse[i]) - dual_to_cone(i, sigma);
      const Vec3 x = jordan_root(d, warm_k), s = jordan_root(-d, warm_k);
      row.gamma = {x.x, x.y, x.z / mu};
      row.sigma = {s.x, s.y, s.z * mu};
    } else {
      row.bounded = nearest_on_path(bounds_[i], warm_k, impulse[i] - sigma, row.gamma);
      row.sigma = row.bounded.z_lower - row.bounded.z_upper;
    }
  }
}

/// Projects the impulses and keeps them if they are the best; returns their error.
double ConicInteriorPoint::keep() {
  for (int i = 0; i < problem_.scaled.rows(); ++i) {
    trial_[i] = project(problem_.scaled, i, x_[i].gamma);
  }
  return newton_.keep(trial_);
}

double ConicInteriorPoint::complementarity(double step) const {
  double sum = 0;
  for (int i = 0; i < problem_.scaled.rows(); ++i) {
    const Row &at = x_[i], &d = change_[i];
    if (is_cone(i)) {
      sum += dot(at.gamma + step * d.gamma, at.sigma + step * d.sigma);
    } else {
      sum += products(at.bounded, d.bounded, step);
    }
  }
  return products_ > 0 ? sum / products_ : 0;
}

double ConicInteriorPoint::longest_step() const {
  double step = 1;
  for (int i = 0; i < problem_.scaled.rows(); ++i) {
    const Row &at = x_[i], &d = change_[i];
    if (is_cone(i)) {
      step = step_in_cone(to_cone(i, at.gamma), to_cone(i, d.gamma), step);
      step = step_in_cone(dual_to_cone(i, at.sigma), dual_to_cone(i, d.sigma), step);
    } else {
      step = abut::longest_step(at.bounded, d.bounded, step);
    }
  }
  return step;
}

/// Factors A + B W, rows scaled; rows of impulses that are fixed leave these as they are.
bool ConicInteriorPoint::linearize() {
  const FrictionProblem& p = problem_.scaled;
  const BlockMatrix& w = p.delassus;
  for (int i = 0; i < p.rows(); ++i) {
    Mat3 a, &b = to_sigma_[i];
    if (is_cone(i)) {
      const double mu = p.friction[i];
      a = arrow(dual_to_cone(i, x_[i].sigma));
      b = arrow(to_cone(i, x_[i].gamma));
      a.col[2] *= mu, b.col[2] *= 1 / mu;
    } else {
      a = Mat3::diagonal(stiffness(x_[i].bounded));
      b = Mat3::identity();
      for (int r = 0; r < 3; ++r) {
        if (is_fixed(bounds_[i], r)) a(r, r) = 1, b(r, r) = 0;
      }
    }
    Vec3 most;
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      Mat3& m = matrix_.block[k] = b * w.block[k];
      if (w.column[k] == i) m = m + a;
      for (const Vec3& c : m.col) {
        for (int r = 0; r < 3; ++r) most[r] = std::max(most[r], std::abs(c[r]));
      }
    }
    row_scale_[i] = {1 / most.x, 1 / most.y, 1 / most.z};
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      for (Vec3& c : matrix_.block[k].col) c = multiply_each(row_scale_[i], c);
    }
  }
  return lu_.factor(matrix_);
}

/// Newton's step towards k, with the second-order terms of the step at hand if that is a predictor.
void ConicInteriorPoint::find_direction(double k, bool has_predictor) {
  const FrictionProblem& p = problem_.scaled;
  for (int i = 0; i < p.rows(); ++i) {
    if (is_cone(i)) {
      const Vec3 x = to_cone(i, x_[i].gamma), d = dual_to_cone(i, x_[i].sigma);
      rhs_[i] = Vec3{0, 0, k} - jordan_product(x, d) - to_sigma_[i] * residual_[i];
      if (has_predictor) {
        rhs_[i] -= jordan_product(to_cone(i, change_[i].gamma), dual_to_cone(i, change_[i].sigma));
      }
      rhs_[i] = multiply_each(row_scale_[i], rhs_[i]);
      continue;
    }
    targets_[i] = missing(x_[i].bounded, k);
    if (has_predictor) {
      const BoundedRow& d = change_[i].bounded;
      targets_[i].lower -= multiply_each(d.from_lower, d.z_lower);
      targets_[i].upper -= multiply_each(d.to_upper, d.z_upper);
    }
    rhs_[i] = pull(x_[i].bounded, targets_[i]) - residual_[i];
    for (int r = 0; r < 3; ++r) {
      if (is_fixed(bounds_[i], r)) rhs_[i][r] = 0;
    }
    rhs_[i] = multiply_each(row_scale_[i], rhs_[i]);
  }
  lu_.solve(rhs_);
  p.delassus.multiply(rhs_, trial_);
  for (int i = 0; i < p.rows(); ++i) {
    change_[i].gamma = rhs_[i];
    change_[i].sigma = trial_[i] + residual_[i];
    if (!is_cone(i)) change_[i].bounded = change_of(x_[i].bounded, targets_[i], rhs_[i]);
  }
}

void ConicInteriorPoint::follow_path(const FrictionOptions& options, int limit,
                                     FrictionReport& report) {
  const FrictionProblem& p = problem_.scaled;
  double last = inf, last_k = inf;
  int without_progress = 0;
  while (report.factorizations < limit) {
    const double error = keep();
    if (!std::isfinite(error) || error <= options.tolerance) return;
    for (int i = 0; i < p.rows(); ++i) rhs_[i] = x_[i].gamma;
    p.delassus.multiply(rhs_, residual_);
    for (int i = 0; i < p.rows(); ++i) residual_[i] += p.velocity[i] - x_[i].sigma;
    const double k = complementarity(0);
    without_progress = error < 0.9 * last || k < 0.5 * last_k ? 0 : without_progress + 1;
    if (without_progress >= patience) return;
    last = std::min(last, error), last_k = std::min(last_k, k);
    ++report.iterations;
    ++report.factorizations;
    if (!linearize()) return;
    find_direction(0, false);
    const double ahead = longest_step(), left = k > 0 ? complementarity(ahead) / k : 0;
    find_direction(std::clamp(left * left * left, 1e-8, 1.0) * k, ahead > 0.02);
    double longest = longest_step(), score = longest;
    if (longest < short_step) {  // then the better of two that stay closer to the path
      for (const auto& [part, weight] : {std::pair(0.5, 1.0), {0.9, 0.4}}) {
        chosen_ = change_;
        find_direction(part * k, false);
        const double other = longest_step();
        if (weight * other > score) {
          score = weight * other, longest = other;
        } else {
          std::swap(change_, chosen_);
        }
      }
    }
    const double step = std::min(1.0, to_boundary * longest);
    for (int i = 0; i < p.rows(); ++i) {
      x_[i].gamma += step * change_[i].gamma;
      x_[i].sigma += step * change_[i].sigma;
      if (is_cone(i)) continue;
      BoundedRow &b = x_[i].bounded, &d = change_[i].bounded;
      b.from_lower += step * d.from_lower, b.to_upper += step * d.to_upper;
      b.z_lower += step * d.z_lower, b.z_upper += step * d.z_upper;
    }
  }
  report.status = SolveStatus::iteration_limit;
}

void ConicInteriorPoint::polish(const FrictionOptions& options, FrictionReport& report) {
  for (int round = 0; round < polish_rounds; ++round) {
    const double before = newton_.best_error();
    if (before <= options.tolerance || before > worth_polishing) return;
    trial_ = newton_.best();
    newton_.start(trial_, trial_, polish_eps);
    newton_.run(trial_, polish_eps, 0.1 * options.tolerance, polish_steps, report);
    if (newton_.best_error() > 0.5 * before) return;
  }
}

/// From the best impulses.
void ConicInteriorPoint::go_on_by_newton(const FrictionProblem& original,
                                         const FrictionOptions& options, int limit,
                                         FrictionReport& report) {
  FrictionOptions rest = options;
  rest.is_warm = true;
  if (options.iteration_limit > 0) rest.iteration_limit = limit - report.factorizations;
  const std::vector<Vec3>& best = newton_.best();
  for (int i = 0; i < original.rows(); ++i) guess_[i] = problem_.to_problem(i, best[i]);
  const FrictionReport r = convex_newton_.solve_island(original, rest, guess_);
  report.iterations += r.iterations;
  report.factorizations += r.factorizations;
  for (int i = 0; i < original.rows(); ++i) guess_[i] = problem_.from_problem(i, guess_[i]);
  newton_.keep(guess_);
}

void ConicInteriorPoint::iterate(const FrictionProblem& original, const FrictionOptions& options,
                                 std::span<Vec3> impulse, FrictionReport& report) {
  problem_.set(original);
  const FrictionProblem& p = problem_.scaled;
  const auto n = static_cast<std::size_t>(p.rows());
  matrix_ = p.delassus;
  lu_.analyze(matrix_);
  newton_.set(problem_, options);
  for (auto* v : {&residual_, &rhs_, &trial_, &row_scale_}) v->resize(n);
  x_.resize(n), change_.assign(n, {}), to_sigma_.resize(n), targets_.resize(n), bounds_.resize(n);
  products_ = 0;
  for (int i = 0; i < p.rows(); ++i) {
    if (is_cone(i)) {
      ++products_;
      continue;
    }
    bounds_[i] = i < p.contacts() ? ImpulseBounds{{}, {0, 0, inf}} : p.bounds[i - p.contacts()];
    for (int r = 0; r < 3; ++r) {
      if (is_fixed(bounds_[i], r)) continue;
      products_ += std::isfinite(bounds_[i].lower[r]) + std::isfinite(bounds_[i].upper[r]);
    }
  }
  guess_.resize(n);
  for (int i = 0; i < p.rows(); ++i) guess_[i] = problem_.from_problem(i, impulse[i]);
  newton_.keep(guess_);
  if (newton_.best_error() > options.tolerance) {  // a lone contact is solved by one sweep
    trial_ = guess_;
    sweep_contacts(p, options.model, trial_);
    newton_.keep(trial_);
  }
  const int limit = options.iteration_limit > 0 ? options.iteration_limit : factorization_limit;
  report.status = SolveStatus::stalled;
  const auto is_done = [&] {
    return newton_.best_error() <= options.tolerance || report.factorizations >= limit;
  };
  if (options.is_warm && !is_done()) {
    start_warm(guess_);
    follow_path(options, limit, report);
    polish(options, report);
  }
  for (const double size : sizes) {
    if (is_done()) break;
    start(size);
    follow_path(options, limit, report);
    polish(options, report);
    if (size == sizes[0] && !is_done()) go_on_by_newton(original, options, limit, report);
  }
  if (newton_.best_error() <= options.tolerance) report.status = SolveStatus::converged;
  for (int i = 0; i < p.rows(); ++i) impulse[i] = problem_.to_problem(i, newton_.best()[i]);
}

}  // namespace abut
