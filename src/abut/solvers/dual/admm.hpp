#pragma once

#include <vector>

#include "abut/solvers/dual/friction_solver.hpp"
#include "abut/solvers/dual/scaled_problem.hpp"
#include "abut/solvers/dual/splitting.hpp"

namespace abut {

/// ADMM with a spectral rule for its penalty rho and Anderson's acceleration (Splitting) on the
/// scaled problem. The CCP is what the method is for [CB algorithm 3]; of the NCP and the LCP,
/// De Saxce's term mu |sigma_t| [CB 14] is taken from the velocities of the iteration before.
/// Linear convergence, with few iterations where masses are alike.
class Admm final : public FrictionSolver {
 public:
  std::string_view name() const noexcept override { return "admm"; }
  bool supports(RigidModel model) const noexcept override { return model != RigidModel::raisim; }

  /// A penalty that stays [-, of the scaled problem]; 0: by the rule.
  void fix_penalty(double rho) { splitting_.fix_rho(rho); }

 private:
  void iterate(const FrictionProblem& problem, const FrictionOptions& options,
               std::span<Vec3> impulse, FrictionReport& report) override;

  ScaledProblem problem_;
  Splitting splitting_;
  std::vector<Vec3> gamma_, sigma_;
};

}  // namespace abut
