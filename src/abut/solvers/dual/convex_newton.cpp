#include "abut/solvers/dual/convex_newton.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>

#include "abut/core/error.hpp"
#include "abut/problem/friction_compliance.hpp"

namespace abut {
namespace {

/// Proximal steps: eps of the first, by how much less each time, and of the last.
constexpr double first_proximity = 1e-1, less = 0.1, last_proximity = 1e-8;
constexpr int newton_limit = 500, newton_limit_each = 25, polish_limit = 5, patience = 6,
              proximal_limit = 200;

/// Of the slope at the step's begin, where the search along it ends.
constexpr double flat = 0.1;
constexpr int search_limit = 30;

CompliantAnswer answer_of(const FrictionProblem& p, int row, const Vec3& sigma, const Vec3& r) {
  return row < p.contacts() ? compliant_contact(sigma, r, p.friction[row])
                            : compliant_constraints(sigma, r, p.bounds[row - p.contacts()]);
}

}  // namespace

void ConvexNewton::start(const FrictionProblem& p) {
  problem_.set(p);
  const auto n = static_cast<std::size_t>(p.rows());
  for (auto* v : {&compliance_, &lambda_, &sigma_, &step_, &turn_, &center_, &gamma_}) {
    v->resize(n);
  }
  answer_.resize(n);
  velocity_ = problem_.scaled.velocity;
  matrix_ = problem_.scaled.delassus;
  lu_.analyze(matrix_);
}

/// gamma and D at lambda_.
void ConvexNewton::evaluate() {
  const FrictionProblem& p = problem_.scaled;
  p.delassus.multiply(lambda_, sigma_);
  for (int i = 0; i < p.rows(); ++i) {
    sigma_[i] += velocity_[i];
    answer_[i] = answer_of(p, i, sigma_[i], compliance_[i]);
  }
}

bool ConvexNewton::find_step() {
  const BlockMatrix& w = problem_.scaled.delassus;
  for (int i = 0; i < w.rows(); ++i) {
    const Mat3& fall = answer_[i].fall;
    Vec3 most{1, 1, 1};
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      Mat3& m = matrix_.block[k] = fall * w.block[k];
      if (w.column[k] == i) m = m + Mat3::identity();
      for (const Vec3& c : m.col) {
        for (int r = 0; r < 3; ++r) most[r] = std::max(most[r], std::abs(c[r]));
      }
    }
    const Vec3 scale{1 / most.x, 1 / most.y, 1 / most.z};
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      for (Vec3& c : matrix_.block[k].col) c = multiply_each(scale, c);
    }
    step_[i] = multiply_each(scale, answer_[i].gamma - lambda_[i]);
  }
  if (!lu_.factor(matrix_)) return false;
  lu_.solve(step_);
  w.multiply(step_, turn_);
  return true;
}

/// The potential's slope along the step rises: a root of it in (0, 1), to a factor, or 1.
double ConvexNewton::part_of_step() {
  const FrictionProblem& p = problem_.scaled;
  const auto slope_at = [&](double a) {
    double sum = 0;
    for (int i = 0; i < p.rows(); ++i) {
      const Vec3 gamma = answer_of(p, i, sigma_[i] + a * turn_[i], compliance_[i]).gamma;
      sum += dot(lambda_[i] + a * step_[i] - gamma, turn_[i]);
    }
    return sum;
  };
  const double begin = slope_at(0), end = slope_at(1), enough = flat * std::abs(begin);
  if (!(begin < 0) || end <= enough) return 1;
  double low = 0, high = 1, at_low = begin, at_high = end;
  for (int k = 0; k < search_limit; ++k) {
    double a = (low * at_high - high * at_low) / (at_high - at_low);
    if (k % 3 == 2) a = (low + high) / 2;
    const double slope = slope_at(a);
    if (std::abs(slope) <= enough) return a;
    if (slope < 0) {
      low = a, at_low = slope;
    } else {
      high = a, at_high = slope;
    }
  }
  return low > 0 ? low : high;
}

/// What lambda misses of gamma(sigma), as velocities W (lambda - gamma) that the answer of its own
/// velocities would have: the error of the problem with compliance.
double ConvexNewton::error_of(const FrictionOptions& options) {
  const FrictionProblem& p = problem_.scaled;
  for (int i = 0; i < p.rows(); ++i) step_[i] = lambda_[i] - answer_[i].gamma;
  p.delassus.multiply(step_, turn_);
  double squares = 0;
  for (int i = 0; i < p.rows(); ++i) squares += problem_.squared_error(options, i, turn_[i]);
  return std::sqrt(squares);
}

/// Newton's method from lambda_; gamma in answer_. Returns the error that is left.
double ConvexNewton::minimize(const FrictionOptions& options, double tolerance, int limit,
                              int patience, FrictionReport& report) {
  int without_progress = 0;
  double error = 0, last = std::numeric_limits<double>::infinity();
  for (int k = 0;; ++k) {
    evaluate();
    error = error_of(options);
    without_progress = error < 0.9 * last ? 0 : without_progress + 1;
    if (!(error > tolerance) || k >= limit || without_progress >= patience) return error;
    last = std::min(last, error);
    ++report.iterations;
    ++report.factorizations;
    if (!find_step()) return std::numeric_limits<double>::infinity();
    const double part = part_of_step();
    for (std::size_t i = 0; i < lambda_.size(); ++i) lambda_[i] += part * step_[i];
  }
}

FrictionReport ConvexNewton::solve_compliant(const FrictionProblem& original,
                                             std::span<const Vec3> compliance,
                                             const FrictionOptions& options,
                                             std::vector<Vec3>& impulse) {
  require(options.tolerance > 0 && options.tolerance < 1, "tolerance", options.tolerance, "",
          "must lie in (0, 1)");
  require_support(options.model);
  const FrictionProblem whole = with_compliance(original, compliance);
  if (!options.is_warm) impulse.assign(whole.velocity.size(), {});
  if (impulse.size() != whole.velocity.size()) {
    fail_input("newton-ccp: the guess has " + std::to_string(impulse.size()) +
               " impulses, the problem " + std::to_string(whole.rows()) + " block rows");
  }
  start(original);
  for (int i = 0; i < original.rows(); ++i) {
    const Vec3 &s = problem_.scale[i], &r = compliance[i];
    for (int k = 0; k < 3; ++k) require(r[k] > 0, "compliance", r[k], "1/kg", "must be positive");
    compliance_[i] = multiply_each(s, multiply_each(s, r));
    lambda_[i] = problem_.from_problem(i, impulse[i]);
  }
  FrictionReport report;
  const auto begin = std::chrono::steady_clock::now();
  const int limit = options.iteration_limit > 0 ? options.iteration_limit : newton_limit;
  const double error =
      original.rows() > 0 ? minimize(options, 0.5 * options.tolerance, limit, limit, report) : 0;
  for (int i = 0; i < original.rows(); ++i) {
    impulse[i] = problem_.to_problem(i, answer_[i].gamma);
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  report.certificate = certify(whole, options.model, impulse);
  report.status = report.certificate.natural_error <= options.tolerance ? SolveStatus::converged
                  : !std::isfinite(error)      ? SolveStatus::numerical_failure
                  : report.iterations >= limit ? SolveStatus::iteration_limit
                                               : SolveStatus::stalled;
  return report;
}

void ConvexNewton::iterate(const FrictionProblem& original, const FrictionOptions& options,
                           std::span<Vec3> impulse, FrictionReport& report) {
  start(original);
  const FrictionProblem& p = problem_.scaled;
  const int n = p.rows(),
            limit = options.iteration_limit > 0 ? options.iteration_limit : newton_limit;
  for (int i = 0; i < n; ++i) center_[i] = problem_.from_problem(i, impulse[i]);
  lambda_ = center_;
  proximal_.set(problem_, options);
  proximal_.keep(center_);
  double best = proximal_.best_error(), proximity = first_proximity;
  if (options.is_warm) proximity = std::clamp(best, 1e-4, first_proximity);
  report.status = SolveStatus::stalled;
  for (int round = 0; round < proximal_limit && best > options.tolerance; ++round) {
    for (int i = 0; i < n; ++i) {
      compliance_[i] = {proximity, proximity, proximity};
      velocity_[i] = p.velocity[i] - proximity * center_[i];
    }
    const int left = std::min(newton_limit_each, limit - report.iterations);
    if (left <= 0) {
      report.status = SolveStatus::iteration_limit;
      break;
    }
    const double inner = 0.1 * options.tolerance;
    const double missed = minimize(options, inner, left, patience, report);
    if (!std::isfinite(missed)) {
      report.status = SolveStatus::numerical_failure;
      break;
    }
    const double before = best;
    for (int i = 0; i < n; ++i) {
      lambda_[i] = project(p, i, lambda_[i]);
      gamma_[i] = answer_[i].gamma;
    }
    bool is_root = missed <= inner;
    double error = proximal_.keep(gamma_);
    const auto take_if_better = [&](const std::vector<Vec3>& other) {
      const double now = proximal_.keep(other);
      if (now < error) error = now, gamma_ = other;
    };
    take_if_better(lambda_);
    if (!is_root) {  // gamma has the rounding of sigma / eps; z has not
      proximal_.start(gamma_, center_, proximity);
      is_root = proximal_.run(center_, proximity, inner, polish_limit, report) ==
                ProximalNewton::End::root;
      take_if_better(proximal_.gamma());
    }
    center_ = gamma_;
    best = proximal_.best_error();
    lambda_ = center_;
    const bool is_exact = is_root || missed <= 0.1 * before;
    proximity =
        is_exact ? std::max(less * proximity, last_proximity) : std::min(proximity / less, 1.0);
  }
  if (best <= options.tolerance) report.status = SolveStatus::converged;
  for (int i = 0; i < n; ++i) impulse[i] = problem_.to_problem(i, proximal_.best()[i]);
}

}  // namespace abut
