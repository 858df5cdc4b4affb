#pragma once

#include <span>
#include <vector>

#include "abut/problem/friction_problem.hpp"

namespace abut {

/// What simulators that solve the CCP by velocities add to its W, the diagonal R >= 0 [1/kg], so
/// that impulses are unique functions of velocities [CB 21-22]. By block row; scalar constraints,
/// which bring their own compliance, get the same part of their W_rr as contacts get of theirs.

/// MuJoCo's rule, R = alpha diag(W) [CB III-B]. @throws InputError unless alpha > 0
std::vector<Vec3> relative_compliance(const FrictionProblem& problem, double alpha);

/// Material and settings of SAP's rule.
struct SapCompliance {
  double stiffness = 1e6;        ///< k [N/m]
  double dissipation_time = 0;   ///< tau_d [s]
  double near_rigid = 1;         ///< beta [-]
  double stiction_ratio = 1e-3;  ///< sigma [-]
};

/// Drake's rule [SAP 29], w being a contact's mobility and h the time step:
///
///     R_n = max(beta^2/(4 pi^2) w, 1/(h (h + tau_d) k)),   R_t = sigma w
///
/// Scalar constraints get R = beta^2/(4 pi^2) W_rr. @throws InputError at a setting out of range
std::vector<Vec3> sap_compliance(const FrictionProblem& problem, const SapCompliance& settings);

/// The problem with R added to W's diagonal, whose answer any solver finds and any certificate
/// judges. @throws InputError if there are not as many as block rows
FrictionProblem with_compliance(FrictionProblem problem, std::span<const Vec3> compliance);

}  // namespace abut
