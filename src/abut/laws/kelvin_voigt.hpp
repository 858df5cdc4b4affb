#pragma once

#include "abut/laws/normal_law.hpp"

namespace abut {

/// Linear spring and damper in parallel, never pulling: f = k (x + tau_d xdot)_+ [N], for
/// penetration x [m] and rate xdot = -v_n [m/s].
///
/// Over a step, with x = -phi0 - h v_n:   n(v_n) = h k (h + tau_d) (v_hat - v_n)_+   [N s],
/// v_hat = -phi0 / (h + tau_d)   [SAP 17]. Quadratic potential.
struct KelvinVoigt {
  static constexpr std::string_view name = "kelvin-voigt";

  static NormalStep<double> discretize(const PointMaterial& m, double dt, double gap) {
    const double horizon = dt + m.relaxation_time;
    return {
        .v_hat = -gap / horizon, .linear = dt * m.stiffness * horizon, .quadratic = 0, .offset = 0};
  }

  template <class Real>
  static ABUT_LAW_INLINE NormalEval<Real> evaluate(const NormalStep<Real>& s, const Real& vn) {
    return evaluate_polynomial(s, vn);
  }

  template <class Real>
  static ABUT_LAW_INLINE Real solve_alone(const NormalStep<Real>& s, const Real& w,
                                          const Real& v_free) {
    return solve_alone_polynomial(s, w, v_free);
  }
};
static_assert(NormalLaw<KelvinVoigt>);

}  // namespace abut
