#pragma once

#include <string_view>

#include "abut/laws/friction_model.hpp"

namespace abut {

/// Regularized friction on a lagged normal impulse gamma_n0, the normal force fully implicit
/// [ICFT VI-B]. Consistent and without gliding:
///
///     l = N~(v_n) + mu gamma_n0 s(v_t),   gamma = (-mu gamma_n0 t_s, n(v_n))
///
/// with the soft norm s, soft direction t_s = v_t / sqrt(|v_t|^2 + eps^2) and the normal law's
/// impulse n and potential N~ [ICFT 33].
template <StepLaw Law>
struct Lagged {
  static constexpr std::string_view name = "lagged";
  static constexpr double dual_floor = 0;

  template <class Real>
  static ABUT_LAW_INLINE ModelEval<Real> evaluate(const ModelPoint<Real>& p, const Real& vn,
                                                  const Triple<Real>& vt) {
    const SoftNorm<Real> soft(dot(vt, vt), p.slip_tolerance);
    const Real limit = p.mu * p.lagged_impulse;
    const NormalEval<Real> normal = Law::evaluate(p.normal, vn);
    return {.potential = normal.potential + limit * soft.value,
            .normal_impulse = normal.impulse,
            .slip_damping = limit * soft.inverse,
            .inverse_slip = soft.inverse,
            .slope = -normal.slope,
            .coupling = Real(0),
            .friction_limit = limit};
  }

  template <class Real>
  static ABUT_LAW_INLINE LoneAnswer<Real> solve_alone(const ModelPoint<Real>& p,
                                                      const LonePoint<Real>& alone,
                                                      const Real& vn_free, const Real& slip_free) {
    const Real impulse = Law::solve_alone(p.normal, alone.normal_mobility, vn_free);
    const Real own = max(Real(alone.stiction_tolerance), alone.slip_tolerance_slope * impulse);
    const Real eps = alone.own_limit ? own : p.slip_tolerance;
    const Real limit = p.mu * (alone.own_limit ? impulse : p.lagged_impulse);
    const Real slip = settle_slip(slip_free, alone.tangential_mobility, limit, eps);
    return brake(vn_free + alone.normal_mobility * impulse, impulse, slip_free, slip, limit, eps);
  }
};

}  // namespace abut
