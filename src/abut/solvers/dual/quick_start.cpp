#include "abut/solvers/dual/quick_start.hpp"

#include <algorithm>
#include <cmath>

#include "abut/solvers/dual/gauss_seidel.hpp"

namespace abut {
namespace {

/// Sweeps before Newton's method, and more where it failed.
constexpr int first_sweeps = 2, more_sweeps = 4;

/// An error above this says that sweeps found little.
constexpr double told_little = 0.15;

/// As many sweeps are always worth it; others cost less than what they may save, an interior point
/// method of about 15 iterations, if they take less than this part of its time.
constexpr int few_sweeps = 3, many_sweeps = 12;
constexpr double worth_sweeping = 0.4, iterations_saved = 15;

/// Sweeps that are still missing at the rate at which the error fell; many if it did not.
double sweeps_left(double before, double now, int sweeps, double tolerance) {
  if (!(now < before)) return HUGE_VAL;
  return std::log(now / tolerance) / std::log(before / now) * sweeps;
}

/// About how many sweeps take as long as an iteration of the interior point method.
double sweeps_per_iteration(const FrictionProblem& p, const BlockLu& lu) {
  const auto blocks = static_cast<double>(p.delassus.column.size());
  const double sweep = 40.0 * p.rows() + 2 * blocks;  // ns
  return (50.0 * p.rows() + 15 * blocks + lu.flops() / 12) / sweep;
}

}  // namespace

/// The error after one more sweep.
double QuickStart::sweep(const ScaledProblem& problem, const FrictionOptions& options,
                         FrictionReport& report) {
  const FrictionProblem& p = problem.scaled;
  sweep_contacts(p, options.model, gamma_);
  ++report.iterations;
  p.delassus.multiply(gamma_, sigma_);
  for (int i = 0; i < p.rows(); ++i) sigma_[i] += p.velocity[i];
  return problem.error(options, gamma_, sigma_);
}

double QuickStart::run(const ScaledProblem& problem, const FrictionOptions& options,
                       CentralPath& path, SemismoothNewton& newton, std::vector<Vec3>& impulse,
                       double error, FrictionReport& report) {
  using Guess = SemismoothNewton::Guess;
  const double tolerance = options.tolerance;
  gamma_ = impulse;
  sigma_.resize(gamma_.size());
  converges_slowly_ = false;
  double before = error, now = error;
  const auto sweep_on = [&](double most) {  // and the last two errors
    for (int k = 0; k < most && now > tolerance; ++k) {
      before = now;
      now = sweep(problem, options, report);
      if (now < error) {
        error = now;
        impulse = gamma_;
      }
    }
  };
  const auto ask_newton = [&](Guess guess) {  // from what was swept last
    tried_ = gamma_;
    const double found = newton.try_guess(problem, options, guess, path.lu(), tried_, now, report);
    if (found < error) {
      error = found;
      impulse = tried_;
    }
    return error <= tolerance;
  };
  sweep_on(first_sweeps);
  if (sweeps_left(before, now, 1, tolerance) <= few_sweeps) sweep_on(few_sweeps);
  if (now <= tolerance) return error;
  const bool found_little = now > told_little;
  if (ask_newton(found_little ? Guess::all_hold : Guess::of_impulses)) return error;

  const double first = now;
  sweep_on(more_sweeps);
  if (now <= tolerance) return error;
  const double left = sweeps_left(first, now, more_sweeps, tolerance);
  const double affordable =
      worth_sweeping * iterations_saved * sweeps_per_iteration(problem.scaled, path.lu());
  converges_slowly_ = left >= many_sweeps && left < affordable;
  if (left < std::min<double>(affordable, many_sweeps)) sweep_on(1.5 * left + few_sweeps);
  if (now > tolerance && now < told_little && now < 0.5 * first) {
    ask_newton(Guess::of_impulses);
  }
  return error;
}

}  // namespace abut
