#pragma once

#include <string_view>

#include "abut/laws/friction_model.hpp"

namespace abut {

/// Lagged friction that holds: a contact keeps the tangential force T0 of a spring from step to
/// step, so that a load below the limit F = mu gamma_n0 is borne without slip
/// (docs/laws/anchored.md). The normal force is fully implicit.
///
///     gamma_t = P(h T0 - kappa v_t),   kappa = max(h^2 k_t, F / eps),   gamma_n = n(v_n)
///
/// with P the projection on the disk of radius F and k_t the stiffness of the spring. In
/// x = v_t - h T0 / kappa that is minus the gradient of a Huber function:
///
///     l = N~(v_n) + kappa |x|^2 / 2             where kappa |x| < F
///     l = N~(v_n) + F (|x| - F / (2 kappa))     else
template <StepLaw Law>
struct Anchored {
  static constexpr std::string_view name = "anchored";
  static constexpr double dual_floor = 0;

  /// kappa [kg].
  template <class Real>
  static ABUT_LAW_INLINE Real slope(const ModelPoint<Real>& p) {
    return max(p.tangential, p.mu * p.lagged_impulse / p.slip_tolerance);
  }

  /// The velocity v_t at which there is no friction [m/s].
  template <class Real>
  static ABUT_LAW_INLINE Triple<Real> origin(const ModelPoint<Real>& p) {
    return inverse(slope(p)) * p.anchor;
  }

  /// At x.
  template <class Real>
  static ABUT_LAW_INLINE ModelEval<Real> evaluate(const ModelPoint<Real>& p, const Real& vn,
                                                  const Triple<Real>& x) {
    const Real zero(0), kappa = slope(p), limit = p.mu * p.lagged_impulse;
    const Real length = sqrt(dot(x, x)), trial = kappa * length;
    const auto sticks = trial < limit;  // strict: without friction nothing sticks
    const Real over_length = inverse(length);
    const NormalEval<Real> normal = Law::evaluate(p.normal, vn);
    const Real slides = limit * (length - 0.5 * limit * inverse(kappa));
    return {.potential = normal.potential + select(sticks, 0.5 * trial * length, slides),
            .normal_impulse = normal.impulse,
            .slip_damping = select(sticks, kappa, limit * over_length),
            .inverse_slip = select(sticks, zero, over_length),
            .slope = -normal.slope,
            .coupling = zero,
            .friction_limit = limit};
  }

  /// From the x that is free of its own impulse.
  template <class Real>
  static ABUT_LAW_INLINE LoneAnswer<Real> solve_alone(const ModelPoint<Real>& p,
                                                      const LonePoint<Real>& alone,
                                                      const Real& vn_free, const Real& x_free) {
    const Real& w = alone.tangential_mobility;
    const Real impulse = Law::solve_alone(p.normal, alone.normal_mobility, vn_free);
    const Real own = max(Real(alone.stiction_tolerance), alone.slip_tolerance_slope * impulse);
    const Real limit = p.mu * (alone.own_limit ? impulse : p.lagged_impulse);
    const Real kappa = alone.own_limit ? max(p.tangential, limit / own) : slope(p);
    const Real sticking = kappa / (1.0 + w * kappa);
    const auto slides = limit < sticking * x_free;
    const Real drag = select(slides, limit / select(slides, x_free, Real(1)), sticking);
    return {vn_free + alone.normal_mobility * impulse, impulse, drag, 1.0 - w * drag};
  }

 private:
  /// 1/a, and 0 for 0: Hertz's spring has no stiffness without a load.
  template <class Real>
  static ABUT_LAW_INLINE Real inverse(const Real& a) {
    return select(Real(0) < a, Real(1) / a, Real(0));
  }
};

}  // namespace abut
