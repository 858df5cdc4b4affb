#pragma once

#include <vector>

#include "abut/solvers/direct/pivoting.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "abut/solvers/dual/scaled_problem.hpp"

namespace abut {

/// The LCP model by Dantzig's pivoting [BARAFF 4, 5], impulses and velocities in place of forces
/// and accelerations. Its pyramid |gamma_t|_inf <= mu gamma_n leaves each tangent a condition of
/// its own,
///
///     gamma_n >= 0, sigma_n >= 0, gamma_n sigma_n = 0
///     |gamma_t| <= mu gamma_n,   sigma_t = 0 inside, sigma_t <= 0 at +mu gamma_n, >= 0 at -mu
///     gamma_n
///
/// of t = t1, t2, so that rows are those of friction in 2D, and scalar constraints rows between two
/// bounds. W is taken dense: for islands of some hundred contacts at most. Where pivoting leads in
/// circles, in each order tried, the answer is what was reached and the status `stalled`. A guess
/// is only looked at: if it is the answer, it stays.
class Dantzig final : public FrictionSolver {
 public:
  std::string_view name() const noexcept override { return "dantzig"; }
  bool supports(RigidModel model) const noexcept override { return model == RigidModel::lcp; }

 private:
  void iterate(const FrictionProblem& problem, const FrictionOptions& options,
               std::span<Vec3> impulse, FrictionReport& report) override;

  ScaledProblem problem_;
  Pivoting pivoting_;
  std::vector<Vec3> gamma_, sigma_;
};

}  // namespace abut
