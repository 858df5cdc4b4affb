#pragma once

#include <vector>

#include "abut/solvers/dual/anderson.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "abut/solvers/dual/scaled_problem.hpp"
#include "abut/solvers/dual/splitting.hpp"

namespace abut {

/// Staggered projections [CB algorithm 7]: in turn, two convex problems are solved, each with the
/// other's impulses,
///
///     gamma_n = argmin over gamma_n >= 0 of gamma.W gamma / 2 + g.gamma, gamma_t fixed,
///     gamma_t = argmin over |gamma_t| <= mu gamma_n of the same, gamma_n fixed,
///
/// until the model's error is below the tolerance: what both leave alone solves the NCP, and with
/// |gamma_t|_inf the LCP. Scalar constraints are unknowns of both. Each problem is solved by
/// Splitting, as well as the whole is solved so far and by a factor more.
///
/// Nothing says that it converges. The friction impulses are accelerated by Anderson's method; a
/// proposal is taken back where they change by more in the next round.
class Staggered final : public FrictionSolver {
 public:
  std::string_view name() const noexcept override { return "staggered"; }
  bool supports(RigidModel model) const noexcept override {
    return model == RigidModel::ncp || model == RigidModel::lcp;
  }

 private:
  /// One of the two problems: its unknowns' part of W, on which Splitting works.
  struct Half {
    BlockMatrix matrix;
    Splitting splitting;
    std::vector<Vec3> g;
  };
  void iterate(const FrictionProblem& problem, const FrictionOptions& options,
               std::span<Vec3> impulse, FrictionReport& report) override;
  void cut(bool is_normal, Half& half);
  bool solve_part(bool is_normal, const FrictionOptions& options, double tolerance, Half& half,
                  FrictionReport& report);
  double error(const FrictionOptions& options);

  ScaledProblem problem_;
  Half normal_, tangential_;
  Anderson anderson_;
  std::vector<Vec3> gamma_, sigma_, part_, rest_, best_;
  std::vector<double> friction_, change_, plain_;  ///< gamma_t, two by contact
};

}  // namespace abut
