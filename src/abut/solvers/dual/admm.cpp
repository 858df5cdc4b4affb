#include "abut/solvers/dual/admm.hpp"

#include <cmath>

namespace abut {
namespace {

constexpr int iteration_limit = 10000;

/// A rigid model as Splitting sees it.
struct ModelConditions {
  const ScaledProblem& problem;
  const FrictionOptions& options;
  std::vector<Vec3>& sigma;

  Vec3 project(int row, const Vec3& x) const {
    return abut::project(problem.scaled, options.model, row, x);
  }
  double lift(int row, const Vec3& z) const {
    if (row >= problem.scaled.contacts()) return 0;
    const double mu = problem.scaled.friction[row];
    switch (options.model) {
      case RigidModel::ncp: return mu * std::hypot(z.x, z.y);
      case RigidModel::lcp: return mu * (std::abs(z.x) + std::abs(z.y));
      default: return 0;
    }
  }
  double error(std::span<const Vec3> gamma) const {
    const FrictionProblem& p = problem.scaled;
    p.delassus.multiply(gamma, sigma);
    for (std::size_t i = 0; i < gamma.size(); ++i) sigma[i] += p.velocity[i];
    return problem.error(options, gamma, sigma);
  }
};

}  // namespace

void Admm::iterate(const FrictionProblem& original, const FrictionOptions& options,
                   std::span<Vec3> impulse, FrictionReport& report) {
  problem_.set(original);
  const FrictionProblem& p = problem_.scaled;
  splitting_.set(p.delassus);
  gamma_.resize(impulse.size());
  sigma_.resize(impulse.size());
  for (int i = 0; i < p.rows(); ++i) gamma_[i] = problem_.from_problem(i, impulse[i]);
  const int limit = options.iteration_limit > 0 ? options.iteration_limit : iteration_limit;
  const Splitting::Result result = splitting_.run(
      p.velocity, ModelConditions{problem_, options, sigma_}, options.tolerance, limit, gamma_);
  report.iterations += result.iterations;
  report.factorizations += result.factorizations;
  report.status = !result.is_finite                   ? SolveStatus::numerical_failure
                  : result.error <= options.tolerance ? SolveStatus::converged
                                                      : SolveStatus::iteration_limit;
  for (int i = 0; i < p.rows(); ++i) impulse[i] = problem_.to_problem(i, gamma_[i]);
}

}  // namespace abut
