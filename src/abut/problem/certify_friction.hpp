#pragma once

#include <span>
#include <vector>

#include "abut/problem/friction_problem.hpp"

namespace abut {

/// How far impulses are from solving a rigid model, recomputed by code that no solver uses. Per
/// contact lambda = gamma / h [N] and sigma / h [m/s^2] [CB 15]; each figure is the worst
/// contact's; scalar constraints have no part in them. c is sigma as the model turns and lifts it,
/// see FrictionCertificate; K of the LCP is a pyramid.
struct RigidErrors {
  double primal = 0;  ///< distance of lambda to the cone K [N]
  double dual = 0;    ///< distance of c / h to K* [m/s^2]
  double complementarity =
      0;  ///< |lambda . c| / h [N m/s^2], and mu lambda_n times what RaiSim's c misses
};

struct FrictionCertificate {
  /// The natural map sqrt(sum of |w_i (gamma_i - P_K(gamma_i - c_i / w_i))|^2) / |g| [-] of the
  /// worst island (block rows that blocks of W link), each contact in units of its own mobility;
  /// likewise of scalar constraints, with their bounds in place of K and their own velocities. 0 if
  /// and only if the model is solved; solvers stop by it.
  ///
  /// c_i is sigma_i of the CCP, sigma_i + mu |sigma_t| n of the NCP, sigma_i + mu |sigma_t|_1 n of
  /// the LCP. That of RaiSim is the NCP's for a slip turned: (s, sigma_n + mu |s|), s = sigma_t +
  /// tau a, a = mu W_nt / W_nn, tau >= 0 with |s| = tau. For where a contact slides the map's zero
  /// says gamma_t = -mu gamma_n s / tau, thus sigma_t = -tau (gamma_t / (mu gamma_n) + a), which is
  /// [CB 24] with tau = mu gamma_n theta, and s = 0 only where sigma_t = 0. If |a| < 1 there is one
  /// tau for each sigma_t. If not there may be two, then the map is the smaller one; or none, then
  /// the contact cannot slide as it does, and min(gamma_n, (|s| - tau) / w) is one more component
  /// of the map, of tau where |s|^2 - tau^2 is least: 0 if the contact parts or sticks.
  double natural_error = 0;
  /// The same map as sqrt(sum of w_i |gamma_i - P_K(gamma_i - c_i / w_i)|^2) [J^(1/2)] of the worst
  /// island.
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
