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
  Real tangential;          ///< SAP: 1/R_t [kg]
  Real softness;            ///< Lagged, Similar: eps [m/s] of the soft norm
  Real lagged_impulse;      ///< Lagged: gamma_n0 [N s]
};

/// A model's answer at one contact velocity v_c, with v_t = v_c - (n . v_c) n. Every model of this
/// family has the same shape:
///
///     gamma = normal_impulse n - kappa v_t
///     hess l = kappa (P - t t^T) + slope q q^T,   P = I - n n^T,
///     q = n - coupling t,  t = shrink v_t
///
/// (kappa t, shrink and coupling vanish where friction does not depend on a direction.)
template <class Real>
struct ModelEval {
  Real potential;       ///< l [J]
  Real normal_impulse;  ///< gamma_n [N s]
  Real kappa;           ///< [kg], friction impulse per velocity
  Real shrink;          ///< [s/m], 1 over the (soft) norm of v_t
  Real slope;           ///< [kg], -d gamma_n / d z >= 0
  Real coupling;        ///< mu where the normal force depends on slip, else 0
  Real friction_limit;  ///< mu gamma_n that multiplies the soft norm's gradient [N s]
};

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
