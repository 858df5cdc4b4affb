#pragma once

#include <vector>

#include "abut/linalg/block_lu.hpp"
#include "abut/solvers/dual/compliant_row.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "abut/solvers/dual/proximal_newton.hpp"
#include "abut/solvers/dual/scaled_problem.hpp"

namespace abut {

/// Newton's method on the primal potential of the CCP with compliance R > 0 [CB 22, algorithm 4],
///
///     min over v of |v - v_f|_M^2 / 2 + psi(J v),   psi's slope -gamma(sigma), see compliant_row.
///
/// A friction problem has no M and no J: with v - v_f = M^-1 J^T lambda, where all its steps lie,
/// sigma = J v = W lambda + g, the potential is lambda.W lambda / 2 + psi(W lambda + g), and
/// Newton's step solves
///
///     (1 + D W) d = gamma(sigma) - lambda,   D = -d gamma / d sigma,
///
/// the same velocities whatever the rank of W. Of the step, the part is taken that ends where the
/// potential's slope along it is small. At the end lambda = gamma(sigma): the CCP's answer with W +
/// R, exactly.
///
/// As a FrictionSolver it solves the CCP itself: R is that of proximal steps, R = eps (of a
/// mobility of 1) with velocities g - R gamma_k, each from the answer before; eps falls. gamma has
/// the rounding of sigma / eps; where that stops it, ProximalNewton, whose unknown has not, ends
/// the step.
class ConvexNewton final : public FrictionSolver {
 public:
  std::string_view name() const noexcept override { return "newton-ccp"; }
  bool supports(RigidModel model) const noexcept override { return model == RigidModel::ccp; }

  /// Solves the CCP of W + R, R > 0 by block row [1/kg], from the impulses given; the report's
  /// certificate is that problem's. @throws InputError as solve() does, and at an R <= 0
  FrictionReport solve_compliant(const FrictionProblem& problem, std::span<const Vec3> compliance,
                                 const FrictionOptions& options, std::vector<Vec3>& impulse);

 private:
  void iterate(const FrictionProblem& problem, const FrictionOptions& options,
               std::span<Vec3> impulse, FrictionReport& report) override;
  void start(const FrictionProblem& problem);
  double minimize(const FrictionOptions& options, double tolerance, int limit, int patience,
                  FrictionReport& report);
  void evaluate();
  bool find_step();
  double part_of_step();
  double error_of(const FrictionOptions& options);

  ScaledProblem problem_;
  BlockLu lu_;
  BlockMatrix matrix_;                              ///< 1 + D W, rows scaled
  std::vector<Vec3> compliance_, velocity_;         ///< R, and g with a proximal term
  std::vector<Vec3> lambda_, sigma_, step_, turn_;  ///< turn_: W step_
  std::vector<CompliantAnswer> answer_;
  std::vector<Vec3> center_, gamma_;
  ProximalNewton proximal_;
};

}  // namespace abut
