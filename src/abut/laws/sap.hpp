#pragma once

#include <string_view>

#include "abut/laws/friction_model.hpp"

namespace abut {

/// Compliant contact with Coulomb friction by projection on the friction cone [SAP 22, App. C].
///
///     R = diag(R_t, R_t, R_n),  y = -R^-1 (v_c - v_hat),  gamma = P_K(y) in the norm of R,
///     l = gamma^T R gamma / 2
///
/// In three regions, with z = v_n - mu |v_t| and R_s = R_n + mu^2 R_t:
///     v_hat <= z               gamma = 0
///     |y_t| <= mu y_n          gamma = y                                     stiction
///     else                     gamma_n = (v_hat - z) / R_s,  gamma_t = -mu gamma_n v_t/|v_t|
struct Sap {
  static constexpr std::string_view name = "sap";
  static constexpr double dual_floor = 0.5;  ///< the least dual normal impulse, in units of gamma_n

  template <class Real>
  static ABUT_LAW_INLINE ModelEval<Real> evaluate(const ModelPoint<Real>& p, const Real& vn,
                                                  const Triple<Real>& vt) {
    const Real zero(0);
    const Real& gn = p.normal.linear;     // 1/R_n
    const Real& gs = p.normal.quadratic;  // 1/R_s
    const Real& gt = p.tangential;        // 1/R_t
    const Real slip = sqrt(dot(vt, vt));
    const Real approach = p.normal.v_hat - vn;       // R_n y_n
    const Real approach_z = approach + p.mu * slip;  // v_hat - z
    const Real yn = gn * approach, yt = gt * slip, sliding = gs * approach_z;
    const auto open = approach_z <= zero;
    const auto stick = yt < p.mu * yn;  // strict: without friction nothing sticks
    const Real inverse_slip = select(zero < slip, Real(1) / slip, zero);
    const Real limit = p.mu * sliding;
    const auto either = [&](const Real& a, const Real& b) {
      return select(open, zero, select(stick, a, b));
    };
    return {.potential = 0.5 * either(yn * approach + yt * slip, sliding * approach_z),
            .normal_impulse = either(yn, sliding),
            .slip_damping = either(gt, limit * inverse_slip),
            .inverse_slip = either(zero, inverse_slip),
            .slope = either(gn, gs),
            .coupling = either(zero, p.mu),
            .friction_limit = either(p.mu * yn, limit)};
  }

  /// The projection with the contact's own mobilities added to R.
  template <class Real>
  static ABUT_LAW_INLINE LoneAnswer<Real> solve_alone(const ModelPoint<Real>& p,
                                                      const LonePoint<Real>& alone,
                                                      const Real& vn_free, const Real& slip_free) {
    const Real zero(0);
    const Real rn = 1.0 / p.normal.linear + alone.normal_mobility;
    const Real rt = 1.0 / p.tangential + alone.tangential_mobility;
    const Real approach = p.normal.v_hat - vn_free, approach_z = approach + p.mu * slip_free;
    const auto open = approach_z <= zero;
    const auto stick = rn * slip_free <= p.mu * rt * approach;
    const Real sliding = approach_z / (rn + p.mu * p.mu * rt);
    const Real impulse = select(open, zero, select(stick, approach / rn, sliding));
    const Real brake = p.mu * sliding / select(zero < slip_free, slip_free, Real(1));
    const Real drag = select(open, zero, select(stick, 1.0 / rt, brake));
    return {vn_free + alone.normal_mobility * impulse, impulse, drag,
            1.0 - alone.tangential_mobility * drag};
  }
};

}  // namespace abut
