#pragma once

#include <span>
#include <vector>

#include "abut/problem/friction_problem.hpp"

namespace abut {

/// How far impulses are from solving a rigid model, recomputed by code that no solver uses. Per
/// contact lambda = gamma / h [N] and sigma / h [m/s^2] [CB 15]; each figure is the worst
/// contact's; scalar constraints have no part in them.
struct RigidErrors {
  double primal = 0;           ///< distance of lambda to the cone K [N]
  double dual = 0;             ///< distance of sigma, with the model's Gamma, to K* [m/s^2]
  double complementarity = 0;  ///< |lambda . (sigma + Gamma)| [N m/s^2]
};

struct FrictionCertificate {
  /// The natural map sqrt(sum of |w_i (gamma_i - P_K(gamma_i - c_i / w_i))|^2) / |g| [-] of the
  /// worst island (block rows that blocks of W link), c_i being sigma_i + mu |sigma_t| n of the
  /// NCP, sigma_i of the CCP: each contact in units of its own mobility; likewise of scalar
  /// constraints, with their bounds in place of K and their own velocities. 0 if and only if the
  /// model is solved; solvers stop by it.
  double natural_error = 0;
  /// sqrt(sum of w_i |gamma_i - P_K(gamma_i - c_i / w_i)|^2) [J^(1/2)] of the worst island.
  double energy_error = 0;
  RigidErrors model;  ///< of the model that was solved
  RigidErrors ncp;    ///< of the NCP: one ruler for all models

  /// True if no number of it is NaN or infinite.
  bool is_finite() const;
};

/// In extended precision.
/// @throws InputError if there are not as many impulses as block rows
FrictionCertificate certify(const FrictionProblem& problem, RigidModel model,
                            std::span<const Vec3> impulse);

}  // namespace abut
