#pragma once

#include <span>
#include <vector>

#include "abut/linalg/block_lu.hpp"
#include "abut/problem/friction_problem.hpp"

namespace abut {

/// The equations of Coulomb's law on its central path, without De Saxce's term: with one more
/// unknown eta per contact, which goes to |sigma_t| as k goes to 0,
///
///     gamma_n sigma_n = k,   mu gamma_n eta + gamma_t . sigma_t = k,
///     mu gamma_n sigma_t + eta gamma_t = 0,   sigma = W gamma + g + residual,
///
/// inside |gamma_t| < mu gamma_n and |sigma_t| < eta. Newton's linear systems at a point, without
/// d_eta and d_sigma: (A + B W) d_gamma = ..., 3 x 3 blocks A and B, in the pattern of W.
class CentralPath {
 public:
  struct Contact {
    Vec3 gamma, sigma;
    double eta = 0;
  };
  /// What the linearized equations of a contact are to equal, in their order.
  struct Target {
    double normal = 0, along = 0;
    Vec3 across, residual;  ///< `across` has no normal part
  };

  /// Sets the (scaled) problem, which must outlive its use, and analyzes its pattern.
  void set(const FrictionProblem& problem);

  /// Factors the equations linearized at x; false if that is not possible.
  bool linearize(std::span<const Contact> x);

  /// The change at that point for given right-hand sides.
  void solve(std::span<const Contact> x, std::span<const Target> target, std::span<Contact> change);

  /// The right-hand sides of Newton's step towards k, but for `residual`.
  Target missing(const Contact& x, double mu, double k) const;

  /// W gamma + g - sigma, of each contact.
  void residuals(std::span<const Contact> x, std::span<Vec3> result);

  /// Mean of gamma_n sigma_n and mu gamma_n eta + gamma_t . sigma_t at x + step dx.
  double complementarity(std::span<const Contact> x, std::span<const Contact> dx,
                         double step) const;

  /// To the boundary of the first cone, at most `most`.
  double longest_step(std::span<const Contact> x, std::span<const Contact> dx,
                      double most = 1) const;

  const FrictionProblem& problem() const { return *problem_; }
  BlockLu& lu() { return lu_; }

 private:
  const FrictionProblem* problem_ = nullptr;
  BlockLu lu_;
  BlockMatrix matrix_;                     ///< A + B W, rows scaled
  std::vector<Mat3> to_gamma_, to_sigma_;  ///< A and B
  std::vector<Vec3> row_scale_, rhs_, velocity_;
};

}  // namespace abut
