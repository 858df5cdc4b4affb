#pragma once

#include <vector>

#include "abut/solvers/direct/lemke.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "abut/solvers/dual/scaled_problem.hpp"

namespace abut {

/// The LCP model by Lemke's algorithm, in the form of Stewart and Trinkle (1996), Anitescu and
/// Potra (1997): with the corners c_j = (+-1, +-1) of the pyramid gamma_t = sum of beta_j c_j, and
///
///     gamma_n >= 0  complementary to  sigma_n >= 0
///     beta_j  >= 0  complementary to  c_j.sigma_t + lambda >= 0
///     lambda  >= 0  complementary to  mu gamma_n - sum of beta_j >= 0
///
/// so that lambda = |sigma_t|_1 where the contact slips, and gamma_t is at its corner or edge
/// against the slip: the model's conditions |gamma_t|_inf <= mu gamma_n, each tangent opposed to
/// its own slip. Scalar constraints add gamma - lower >= 0 complementary to sigma + kappa >= 0,
/// kappa
/// >= 0 to upper - gamma >= 0. M is copositive, and where velocities come from those of bodies the
/// algorithm ends with an answer. Dense, with six variables per contact. A guess is only looked at.
class LemkeFriction final : public FrictionSolver {
 public:
  std::string_view name() const noexcept override { return "lemke"; }
  bool supports(RigidModel model) const noexcept override { return model == RigidModel::lcp; }

 private:
  /// A variable of the LCP that is part of an impulse.
  struct Part {
    int variable;
    int block;       ///< row of W
    Vec3 direction;  ///< of gamma in it
  };
  /// One that limits the sum of others: rhs + ratio z_normal - sum of z over begin to end.
  struct Limit {
    int variable, begin, end;
    int normal;  ///< variable; -1
    double ratio, rhs;
  };

  void iterate(const FrictionProblem& problem, const FrictionOptions& options,
               std::span<Vec3> impulse, FrictionReport& report) override;
  void list_variables(const FrictionProblem& problem);
  void fill(const FrictionProblem& problem);

  ScaledProblem problem_;
  Lemke lemke_;
  std::vector<Part> parts_;
  std::vector<std::int32_t> part_begin_;  ///< by block row
  std::vector<Limit> limits_;
  int variables_ = 0;
  std::vector<Vec3> fixed_;  ///< what impulses are where all variables are zero
  std::vector<Vec3> gamma_, sigma_;
};

}  // namespace abut
