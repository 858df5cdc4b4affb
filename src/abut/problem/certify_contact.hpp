#pragma once

#include "abut/problem/friction_problem.hpp"

namespace abut {

/// A contact of a friction problem in extended precision, and what a rigid model makes of it: code
/// of the certificate alone.
struct CertifiedContact {
  using Real = long double;
  struct Vector {
    Real x = 0, y = 0, n = 0;
  };

  Vector gamma, sigma;  ///< [N s], [m/s]
  Vector tilt;          ///< a = mu (W_nx, W_ny) / W_nn of W_ii [-]
  Real mobility = 1;    ///< w [1/kg]
  Real friction = 0;    ///< mu [-]

  struct Errors {
    Real primal = 0;           ///< distance of gamma to K [N s]
    Real dual = 0;             ///< distance of c to K* [m/s]
    Real complementarity = 0;  ///< |gamma . c| [J]
    Real squared_map = 0;      ///< squared natural map [N^2 s^2], see FrictionCertificate
  };
  Errors errors(RigidModel model) const;

  /// P_K(gamma - c/w), which is gamma if and only if the model is satisfied (but for what of
  /// RaiSim's `squared_map` is missed).
  Vector natural_impulse(RigidModel model) const;
};

}  // namespace abut
