#pragma once

#include "abut/laws/normal_law.hpp"

namespace abut {

/// Hertz's elastic contact of smooth bodies with Hunt & Crossley dissipation:
///     f = k (x)_+^(3/2) (1 + d xdot)_+   [N],   k = 4/3 E* sqrt(R)   [N/m^(3/2)]
/// for penetration x [m] and rate xdot = -v_n [m/s].
///
/// Impulse over a step, with x = -phi0 - h v_n and v_hat = min(-phi0/h, 1/d), y = v_hat - v_n:
///     n = (y0 + y)^(3/2) (c1 + c2 y)
/// where y0 = 0, c1 = h^(5/2) k (1 - d v_hat) if v_hat = -phi0/h (the surfaces part), and
/// y0 = -phi0/h - 1/d, c1 = 0 if v_hat = 1/d (the force vanishes in overlap); c2 = h^(5/2) k d.
/// With s = sqrt(y0 + y), s0 = sqrt(y0) and e = s - s0 the potential is a sum of positive terms:
///     l = 2/5 c1 s^5 + 2 c2 (s0^5 e^2 + 3 s0^4 e^3 + 4 s0^3 e^4 + 14/5 s0^2 e^5 + s0 e^6 + e^7/7)
struct Hertz {
  static constexpr std::string_view name = "hertz";

  static NormalStep<double> discretize(const PointMaterial& m, double dt, double gap) {
    const double scale = dt * dt * sqrt(dt) * m.stiffness, d = m.dissipation;
    const double v_part = -gap / dt;
    if (d * v_part <= 1) {
      return {
          .v_hat = v_part, .linear = scale * (1 - d * v_part), .quadratic = scale * d, .offset = 0};
    }
    return {.v_hat = 1 / d, .linear = 0, .quadratic = scale * d, .offset = v_part - 1 / d};
  }

  template <class Real>
  static ABUT_LAW_INLINE NormalEval<Real> evaluate(const NormalStep<Real>& step, const Real& vn) {
    const Real zero = Real(0);
    const Real y = max(step.v_hat - vn, zero);
    const Real s0 = sqrt(step.offset), s = sqrt(step.offset + y);
    const Real tiny = Real(1e-300);
    const Real e = y / max(s + s0, tiny);
    const Real& c1 = step.linear;
    const Real& c2 = step.quadratic;
    const Real s2 = s * s, s02 = s0 * s0;
    const Real damped = e * e *
                        (s02 * s02 * (s0 + 3.0 * e) +
                         e * e * (4.0 * s02 * s0 + e * (2.8 * s02 + e * (s0 + (1.0 / 7) * e))));
    const Real factor = c1 + c2 * y;
    return {.potential = 0.4 * c1 * s2 * s2 * s + 2.0 * c2 * damped,
            .impulse = s2 * s * factor,
            .slope = -select(zero < y, s * (1.5 * factor + c2 * s2), zero)};
  }

  /// y + w n(y) = c with n convex and rising: Newton from y = c descends to the root.
  template <class Real>
  static ABUT_LAW_INLINE Real solve_alone(const NormalStep<Real>& step, const Real& w,
                                          const Real& v_free) {
    const Real c = max(step.v_hat - v_free, Real(0));
    Real y = c;
    for (int i = 0; i < 50; ++i) {
      const NormalEval<Real> e = evaluate(step, Real(step.v_hat - y));
      const Real change = (y + w * e.impulse - c) / (1.0 - w * e.slope);
      const auto done = change <= 1e-15 * c;  // and it stays so, whatever else is in a pack
      if (all(done)) break;
      y = select(done, y, y - change);
    }
    return select(Real(0) < c, evaluate(step, Real(step.v_hat - y)).impulse, Real(0));
  }
};
static_assert(NormalLaw<Hertz>);

}  // namespace abut
