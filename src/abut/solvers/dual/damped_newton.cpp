#include "abut/solvers/dual/damped_newton.hpp"

#include <algorithm>

namespace abut {
namespace {

constexpr double first_eps = 1, warm_eps = 1e-3, last_eps = 1e-8, largest_eps = 10, less = 0.1;
constexpr int step_limit = 300, steps_each = 25, stuck_limit = 12;

}  // namespace

void DampedNewton::iterate(const FrictionProblem& original, const FrictionOptions& options,
                           std::span<Vec3> impulse, FrictionReport& report) {
  using End = ProximalNewton::End;
  problem_.set(original);
  newton_.set(problem_, options);
  const FrictionProblem& p = problem_.scaled;
  center_.resize(impulse.size());
  for (int i = 0; i < p.rows(); ++i) center_[i] = problem_.from_problem(i, impulse[i]);
  newton_.keep(center_);
  const int limit = options.iteration_limit > 0 ? options.iteration_limit : step_limit;
  double eps = options.is_warm ? warm_eps : first_eps;
  bool moves = options.is_warm;  // the center, or eps falls around the first one
  newton_.start(center_, center_, eps);
  int stuck = 0;
  report.status = SolveStatus::stalled;
  while (newton_.best_error() > options.tolerance && stuck < stuck_limit) {
    const int left = std::min(steps_each, limit - report.iterations);
    if (left <= 0) {
      report.status = SolveStatus::iteration_limit;
      break;
    }
    const End end = newton_.run(center_, eps, 0.1 * options.tolerance, left, report);
    const double last = eps;
    if (end == End::root) {
      moves = moves || eps <= last_eps;
      eps = std::max(less * eps, last_eps);
      if (moves) center_ = newton_.gamma();
    } else {
      ++stuck;
      moves = true;
      center_ = newton_.best();
      if (end == End::singular) newton_.start(center_, center_, eps);
      eps = std::min(eps / less, largest_eps);
    }
    newton_.change(last, eps);
  }
  if (newton_.best_error() <= options.tolerance) report.status = SolveStatus::converged;
  for (int i = 0; i < p.rows(); ++i) impulse[i] = problem_.to_problem(i, newton_.best()[i]);
}

}  // namespace abut
