#pragma once

#include "abut/laws/normal_law.hpp"

namespace abut {

/// Linear elasticity with Hunt & Crossley dissipation.
///
/// Force, for penetration x [m] and rate xdot = -v_n [m/s]:
///     f = k (x)_+ (1 + d xdot)_+                                [N]     [ICF 22] [ICFT 13]
/// Impulse over a step, with x = -phi0 - h v_n:
///     n(v_n) = h k (-phi0 - h v_n)_+ (1 - d v_n)_+              [N s]   [ICF 7] [ICFT 6]
/// It is zero for v_n >= v_hat = min(-phi0/h, 1/d) [m/s]. At v_hat one factor vanishes, so with
/// y = v_hat - v_n:  n = h^2 k (a y + b y^2), where
///     (a, b) = (1 - d v_hat, d)              if v_hat = -phi0/h, the surfaces part,
///     (a, b) = (d (-phi0/h - 1/d), d)        if v_hat = 1/d, the force vanishes in overlap.
/// No term of n or of its potential cancels another.
struct HuntCrossley {
  static constexpr std::string_view name = "hunt-crossley";

  static NormalStep<double> discretize(const PointMaterial& m, double dt, double gap) {
    const double scale = dt * dt * m.stiffness, d = m.dissipation;
    const double v_part = -gap / dt;
    if (d * v_part <= 1) {
      return {
          .v_hat = v_part, .linear = scale * (1 - d * v_part), .quadratic = scale * d, .offset = 0};
    }
    return {
        .v_hat = 1 / d, .linear = scale * (d * v_part - 1), .quadratic = scale * d, .offset = 0};
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
static_assert(NormalLaw<HuntCrossley>);

}  // namespace abut
