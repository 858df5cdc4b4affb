#pragma once

#include <vector>

#include "abut/linalg/block_lu.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "abut/solvers/dual/polish.hpp"
#include "abut/solvers/dual/scaled_problem.hpp"

namespace abut {

/// The primal-dual interior point method for Coulomb's law itself, without De Saxce's term. With
/// one more unknown eta per contact, which goes to |sigma_t|, its central path is
///
///     gamma_n sigma_n = k,   mu gamma_n eta + gamma_t . sigma_t = k,
///     mu gamma_n sigma_t + eta gamma_t = 0,   sigma = W gamma + g,   k -> 0,
///
/// inside |gamma_t| < mu gamma_n and |sigma_t| < eta. Newton's method with predictor and
/// corrector (Mehrotra 1992); then a semi-smooth Newton method takes the last digits (Polish).
class InteriorPoint final : public FrictionSolver {
 public:
  std::string_view name() const noexcept override { return "interior-point"; }
  bool supports(RigidModel model) const noexcept override { return model == RigidModel::ncp; }

 private:
  struct Contact {
    Vec3 gamma, sigma;
    double eta = 0;
  };
  /// A direction, and the right-hand sides that it is for.
  struct Direction {
    std::vector<Contact> change;
    double step = 0;
  };
  void iterate(const FrictionProblem& problem, const FrictionOptions& options,
               std::span<Vec3> impulse, FrictionReport& report) override;
  void start(double size);
  double follow_path(const FrictionOptions& options, FrictionReport& report, int limit);
  void measure();
  bool linearize();
  void find_direction(double k, const Direction* predictor, Direction& result);
  double longest_step(const Direction& d) const;
  double keep_if_best(const FrictionOptions& options);

  ScaledProblem problem_;
  BlockLu lu_;
  BlockMatrix matrix_;                 ///< A + B W, rows scaled
  std::vector<Contact> x_;
  std::vector<Vec3> residual_;         ///< W gamma + g - sigma
  std::vector<Mat3> to_gamma_, to_sigma_;  ///< A and B
  std::vector<Vec3> row_scale_, rhs_, trial_, velocity_, best_;
  double path_ = 0;                    ///< k: mean complementarity
  double best_error_ = 0;
  Direction affine_, centered_, candidate_;
  Polish polish_;
};

}  // namespace abut
