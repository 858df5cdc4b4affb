#include "abut/solvers/dual/sweep_solver.hpp"

#include <limits>

namespace abut {
namespace {

constexpr int sweep_limit = 10000;

}  // namespace

void SweepSolver::iterate(const FrictionProblem& original, const FrictionOptions& options,
                          std::span<Vec3> impulse, FrictionReport& report) {
  problem_.set(original);
  const FrictionProblem& p = problem_.scaled;
  gamma_.resize(impulse.size());
  sigma_.resize(impulse.size());
  for (int i = 0; i < p.rows(); ++i) gamma_[i] = problem_.from_problem(i, impulse[i]);
  best_ = gamma_;
  prepare(p, options);
  const int limit = options.iteration_limit > 0 ? options.iteration_limit : sweep_limit;
  double least = std::numeric_limits<double>::infinity();
  report.status = SolveStatus::iteration_limit;
  for (int done = 0, next_look = 0; done <= limit; ++done) {
    if (done == next_look || done == limit) {
      next_look += 1 + done / 10;
      p.delassus.multiply(gamma_, sigma_);
      for (int i = 0; i < p.rows(); ++i) sigma_[i] += p.velocity[i];
      const double error = problem_.error(options, gamma_, sigma_);
      if (error < least) {
        least = error;
        best_ = gamma_;
      }
      if (error <= options.tolerance) {
        report.status = SolveStatus::converged;
        break;
      }
      if (done == limit) break;
    }
    ++report.iterations;
    sweep(p, options, gamma_);
  }
  for (int i = 0; i < p.rows(); ++i) impulse[i] = problem_.to_problem(i, best_[i]);
}

}  // namespace abut
