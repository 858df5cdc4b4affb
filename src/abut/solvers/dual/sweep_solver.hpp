#pragma once

#include <algorithm>
#include <vector>

#include "abut/solvers/dual/friction_solver.hpp"
#include "abut/solvers/dual/scaled_problem.hpp"

namespace abut {

/// Takes the block rows of a problem in turn: `update(i, W_ii, g~)` gives a contact's new impulse,
/// g~ being its velocity without its own impulse (Gauss-Seidel); scalar constraints are solved one
/// by one. Of the new impulse the share `relaxation` is taken, beyond 1 as far as the model's cone
/// and the bounds go: gamma <- P_K((1 - a) gamma + a gamma_new) [CB 25], where a and 1 - a are
/// printed the other way round.
template <class Update>
void sweep_rows(const FrictionProblem& p, RigidModel model, double relaxation,
                std::span<Vec3> gamma, const Update& update) {
  const BlockMatrix& w = p.delassus;
  for (int i = 0; i < p.rows(); ++i) {
    Vec3 g = p.velocity[i];
    const Mat3* own = nullptr;
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      if (w.column[k] == i) {
        own = &w.block[k];
      } else {
        g += w.block[k] * gamma[w.column[k]];
      }
    }
    Vec3 next = gamma[i];
    if (i < p.contacts()) {
      next = update(i, *own, g);
    } else {
      const auto& [lower, upper] = p.bounds[i - p.contacts()];
      for (int r = 0; r < 3; ++r) {
        double sigma = g[r];
        for (int c = 0; c < 3; ++c) sigma += (*own)(r, c) * next[c];
        next[r] = std::clamp(next[r] - sigma / (*own)(r, r), lower[r], upper[r]);
      }
    }
    gamma[i] = relaxation == 1
                   ? next
                   : project(p, model, i, (1 - relaxation) * gamma[i] + relaxation * next);
  }
}

/// A solver that sweeps over the block rows, and stops by the error, which is looked at less and
/// less often as it costs as much as a sweep. It ends as `iteration_limit` with the best impulses
/// that were looked at, after 10,000 sweeps if no limit is given.
class SweepSolver : public FrictionSolver {
 private:
  void iterate(const FrictionProblem& problem, const FrictionOptions& options,
               std::span<Vec3> impulse, FrictionReport& report) final;

  /// Before the first sweep over a scaled problem.
  virtual void prepare(const FrictionProblem& /*scaled*/, const FrictionOptions& /*options*/) {}
  virtual void sweep(const FrictionProblem& scaled, const FrictionOptions& options,
                     std::span<Vec3> gamma) = 0;

  ScaledProblem problem_;
  std::vector<Vec3> gamma_, sigma_, best_;
};

}  // namespace abut
