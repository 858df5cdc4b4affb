#pragma once

#include <vector>

#include "abut/solvers/dual/sweep_solver.hpp"

namespace abut {

/// Sweeps of projected steps [CB algorithms 1, 2, 6], sigma being of the impulses at hand:
///
///   LCP, NCP: gamma_n <- max(0, gamma_n - sigma_n / W_nn),
///             gamma_t <- P(gamma_t - s sigma_t), on the square or disk of radius mu gamma_n
///   CCP:      gamma <- P_K(gamma - s sigma)
///
/// The steps printed, s = 1 / min(W_xx, W_yy) and 3 / tr(W_ii), diverge where W_ii is far from a
/// multiple of 1: beyond 2 / lambda_max, of W_tt and of W_ii, a step rises further than it fell.
/// Here they are 1.6 / lambda_max at most. Cheap sweeps, about twice as many as with exact local
/// solves.
class ProjectedGaussSeidel final : public SweepSolver {
 public:
  std::string_view name() const noexcept override { return "projected-gauss-seidel"; }
  bool supports(RigidModel model) const noexcept override { return model != RigidModel::raisim; }

 private:
  void prepare(const FrictionProblem& p, const FrictionOptions& options) override;
  void sweep(const FrictionProblem& p, const FrictionOptions& options,
             std::span<Vec3> gamma) override;

  std::vector<double> step_;  ///< s of each contact
};

}  // namespace abut
