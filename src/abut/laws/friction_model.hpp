#pragma once

#include "abut/laws/normal_law.hpp"
#include "abut/laws/real.hpp"

namespace abut {

/// One contact of the convex problem, as a model evaluates it.
template <class Real>
struct ModelPoint {
  Triple<Real> n;           ///< unit normal
  Real mu;                  ///< friction coefficient [-]
  NormalStep<Real> normal;  ///< the normal law; for SAP linear = 1/R_n, quadratic = 1/R_s [kg]
  Real tangential;          ///< SAP: 1/R_t [kg]; Anchored: h^2 k_t [kg]
  Real slip_tolerance;      ///< Lagged, Similar, Anchored: eps [m/s]
  Real lagged_impulse;      ///< Lagged, Anchored: gamma_n0 [N s]
  Triple<Real> anchor{Real(0), Real(0), Real(0)};  ///< Anchored: h T0, across n [N s]
};

/// A model's answer at one contact velocity v_c, with x = v_c - (n . v_c) n, less Anchored's
/// origin. Every model of this family has the same shape:
///
///     gamma = normal_impulse n - slip_damping x
///     hess l = slip_damping (P - t t^T) + slope q q^T,   P = I - n n^T,
///     q = n - coupling t,  t = inverse_slip x
///
/// (slip_damping t, inverse_slip and coupling vanish where friction does not depend on a
/// direction.)
template <class Real>
struct ModelEval {
  Real potential;       ///< l [J]
  Real normal_impulse;  ///< gamma_n [N s]
  Real slip_damping;    ///< [kg], friction impulse per velocity
  Real inverse_slip;    ///< [s/m], 1 over the (soft) norm of x
  Real slope;           ///< [kg], -d gamma_n / d z >= 0
  Real coupling;        ///< mu where the normal force depends on slip, else 0
  Real friction_limit;  ///< mu gamma_n that multiplies the soft norm's gradient [N s]
};

/// How easily a contact's own impulse moves it [1/kg], and what its friction is limited by: the
/// normal impulse that it is about to give (`own_limit`), with eps = max(stiction_tolerance,
/// slip_tolerance_slope gamma_n), or gamma_n0.
template <class Real>
struct LonePoint {
  Real normal_mobility, tangential_mobility;
  Real slip_tolerance_slope;  ///< R_t mu [m/s per N s]
  double stiction_tolerance;  ///< v_s [m/s]
  bool own_limit;
};

/// What a contact alone answers to the velocity v that it has without its own impulse, v_t being
/// its tangential part: gamma = impulse n - drag v_t, where the law sees velocity n + slip_scale
/// v_t.
template <class Real>
struct LoneAnswer {
  Real velocity, impulse, drag, slip_scale;
};

/// Slip x with x (1 + w F / sqrt(x^2 + eps^2)) = X: Newton from below its root, to a percent but
/// where w F is nearly X, to 5 % of X there. Always as many steps, so that a contact's answer does
/// not depend on those beside it in a pack.
template <class Real>
ABUT_LAW_INLINE Real settle_slip(const Real& slip_free, const Real& w, const Real& limit,
                                 const Real& eps) {
  const Real most = w * limit;
  Real x = max(slip_free - most, slip_free / (1.0 + most / eps));
  for (int i = 0; i < 2; ++i) {
    const Real inverse = 1.0 / sqrt(x * x + eps * eps), drag = most * inverse;
    const Real soft = eps * inverse;
    const Real change = (x * (1.0 + drag) - slip_free) / (1.0 + drag * soft * soft);
    x = min(max(x - change, 0.5 * x), slip_free);
  }
  return x;
}

/// The answer where friction of at most `limit`, in the soft norm of eps, slows the slip down.
template <class Real>
ABUT_LAW_INLINE LoneAnswer<Real> brake(const Real& velocity, const Real& impulse,
                                       const Real& slip_free, const Real& slip, const Real& limit,
                                       const Real& eps) {
  const auto slips = Real(0) < slip_free;
  const Real scale = select(slips, slip / slip_free, Real(1));
  const Real drag = limit / sqrt(slip * slip + eps * eps) * scale;
  return {velocity, impulse, select(slips, drag, Real(0)), scale};
}

/// 1/sqrt(|x|^2 + eps^2) and s(x) = sqrt(|x|^2 + eps^2) - eps without cancellation [ICFT A].
template <class Real>
struct SoftNorm {
  Real inverse, value;
  ABUT_LAW_INLINE SoftNorm(const Real& x2, const Real& eps) {
    const Real root = sqrt(x2 + eps * eps);
    inverse = Real(1) / root;
    value = x2 / (root + eps);
  }
};

}  // namespace abut
