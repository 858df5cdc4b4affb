#include "abut/solvers/direct/dantzig.hpp"

namespace abut {
namespace {

void fill(const FrictionProblem& p, Pivoting& to) {
  to.reset(3 * p.rows());
  const BlockMatrix& w = p.delassus;
  for (int i = 0; i < p.rows(); ++i) {
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      for (int c = 0; c < 3; ++c) {
        double* column = to.column(3 * w.column[k] + c) + 3 * std::int64_t{i};
        for (int r = 0; r < 3; ++r) column[r] = w.block[k](r, c);
      }
    }
    for (int r = 0; r < 3; ++r) to.bias(3 * i + r) = p.velocity[i][r];
    if (i < p.contacts()) {
      for (const int t : {3 * i, 3 * i + 1}) {
        to.row(t) = {.limit = RowLimit::coupled, .normal = 3 * i + 2, .friction = p.friction[i]};
      }
      continue;
    }
    const auto& [lower, upper] = p.bounds[i - p.contacts()];
    for (int r = 0; r < 3; ++r) to.row(3 * i + r) = {.lower = lower[r], .upper = upper[r]};
  }
}

}  // namespace

void Dantzig::iterate(const FrictionProblem& original, const FrictionOptions& options,
                      std::span<Vec3> impulse, FrictionReport& report) {
  problem_.set(original);
  const FrictionProblem& p = problem_.scaled;
  gamma_.resize(impulse.size());
  sigma_.resize(impulse.size());
  const auto error = [&] {
    p.delassus.multiply(gamma_, sigma_);
    for (int i = 0; i < p.rows(); ++i) sigma_[i] += p.velocity[i];
    return problem_.error(options, gamma_, sigma_);
  };
  for (int i = 0; i < p.rows(); ++i) gamma_[i] = problem_.from_problem(i, impulse[i]);
  const double guessed = error();
  report.status = SolveStatus::converged;
  if (guessed <= options.tolerance) return;
  fill(p, pivoting_);
  const int limit = options.iteration_limit;
  pivoting_.run(limit);
  const std::span<const double> f = pivoting_.forces();
  for (int i = 0; i < p.rows(); ++i) {
    const std::size_t k = 3 * static_cast<std::size_t>(i);
    gamma_[i] = {f[k], f[k + 1], f[k + 2]};
  }
  report.iterations = pivoting_.counts().pivots;
  report.factorizations = 1 + pivoting_.counts().refreshes + pivoting_.counts().restarts;
  const double reached = error();
  if (!(reached <= options.tolerance)) {
    const bool is_cut = limit > 0 && report.iterations >= limit;
    report.status = is_cut ? SolveStatus::iteration_limit : SolveStatus::stalled;
  }
  if (!(reached < guessed)) return;  // no better than what was given
  for (int i = 0; i < p.rows(); ++i) impulse[i] = problem_.to_problem(i, gamma_[i]);
}

}  // namespace abut
