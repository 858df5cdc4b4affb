#pragma once

#include <string_view>

#include "abut/laws/friction_model.hpp"

namespace abut {

/// Strongly coupled regularized friction: the normal law acts on the similarity variable z
/// [ICFT VI-C]. Bodies glide at h mu |v_t| while they slip:
///
///     z = v_n - mu s(v_t),   l = N~(z),   gamma = n(z) (-mu t_s, 1)
///
/// with the soft norm s and soft direction t_s of Lagged. The Hessian's coefficient along t_s t_s^T
/// is mu f' n / eps - mu^2 n' f^2 (printed with mu n' f^2 in [ICFT 40]).
template <StepLaw Law>
struct Similar {
  static constexpr std::string_view name = "similar";
  static constexpr double dual_floor = 0;

  template <class Real>
  static ABUT_LAW_INLINE ModelEval<Real> evaluate(const ModelPoint<Real>& p, const Real& vn,
                                                  const Triple<Real>& vt) {
    const SoftNorm<Real> soft(dot(vt, vt), p.slip_tolerance);
    const NormalEval<Real> normal = Law::evaluate(p.normal, vn - p.mu * soft.value);
    const Real limit = p.mu * normal.impulse;
    return {.potential = normal.potential,
            .normal_impulse = normal.impulse,
            .slip_damping = limit * soft.inverse,
            .inverse_slip = soft.inverse,
            .slope = -normal.slope,
            .coupling = p.mu,
            .friction_limit = limit};
  }

  /// With the slip that its impulse n leaves: none where it sticks, x = X - mu w_t n where it
  /// slides, so that z = v_n - mu (x - eps) has the mobility w_n + mu^2 w_t.
  template <class Real>
  static ABUT_LAW_INLINE LoneAnswer<Real> solve_alone(const ModelPoint<Real>& p,
                                                      const LonePoint<Real>& alone,
                                                      const Real& vn_free, const Real& slip_free) {
    const Real& wn = alone.normal_mobility;
    const Real& wt = alone.tangential_mobility;
    const Real& eps = p.slip_tolerance;
    const Real sticks = Law::solve_alone(p.normal, wn, vn_free);
    const Real mobility = wn + p.mu * p.mu * wt, lifted = vn_free - p.mu * (slip_free - eps);
    const Real slides = Law::solve_alone(p.normal, mobility, lifted);
    const auto is_sliding = eps < slip_free - p.mu * wt * slides;
    const Real impulse = select(is_sliding, slides, sticks);
    const Real seen = select(is_sliding, lifted + mobility * slides, vn_free + wn * sticks);
    const Real limit = p.mu * impulse, slip = settle_slip(slip_free, wt, limit, eps);
    const Real lift = p.mu * (sqrt(slip * slip + eps * eps) - eps);  // what n saw is z
    return brake(Real(seen + lift), impulse, slip_free, slip, limit, eps);
  }
};

}  // namespace abut
