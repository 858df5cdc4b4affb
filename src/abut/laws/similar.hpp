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
template <NormalLaw Law>
struct Similar {
  static constexpr std::string_view name = "similar";
  static constexpr double dual_floor = 0;

  template <class Real>
  static ABUT_LAW_INLINE ModelEval<Real> evaluate(const ModelPoint<Real>& p, const Real& vn,
                                                  const Triple<Real>& vt) {
    const SoftNorm<Real> soft(dot(vt, vt), p.softness);
    const NormalEval<Real> normal = Law::evaluate(p.normal, vn - p.mu * soft.value);
    const Real limit = p.mu * normal.impulse;
    return {.potential = normal.potential,
            .normal_impulse = normal.impulse,
            .kappa = limit * soft.inverse,
            .shrink = soft.inverse,
            .slope = -normal.slope,
            .coupling = p.mu,
            .friction_limit = limit};
  }
};

}  // namespace abut
