#pragma once

#include "abut/laws/normal_law.hpp"

namespace abut {

/// By the law of the step's number, of which all are known here.
NormalEval<double> evaluate_own_law(const NormalStep<double>& step, double vn);
double solve_own_law_alone(const NormalStep<double>& step, double w, double v_free);

/// Contacts of any normal laws side by side, one by one: laws that look up, or call functions of
/// which there is no form for packs.
class PointwiseLaws {
 public:
  template <class Real>
  static ABUT_LAW_INLINE NormalEval<Real> evaluate(const NormalStep<Real>& step, const Real& vn) {
    if constexpr (is_one_contact<Real>) {
      return evaluate_own_law(step, vn);
    } else {
      double v[lanes<Real>], potential[lanes<Real>], impulse[lanes<Real>], slope[lanes<Real>];
      __builtin_memcpy(v, &vn, sizeof(Real));
      for_each_lane(
          step, [&](int i, const NormalStep<double>& one) __attribute__((always_inline)) {
            const NormalEval<double> e = evaluate_own_law(one, v[i]);
            potential[i] = e.potential, impulse[i] = e.impulse, slope[i] = e.slope;
          });
      return {pack<Real>(potential), pack<Real>(impulse), pack<Real>(slope)};
    }
  }

  template <class Real>
  static ABUT_LAW_INLINE Real solve_alone(const NormalStep<Real>& step, const Real& w,
                                          const Real& v_free) {
    if constexpr (is_one_contact<Real>) {
      return solve_own_law_alone(step, w, v_free);
    } else {
      double mobility[lanes<Real>], v[lanes<Real>], impulse[lanes<Real>];
      __builtin_memcpy(mobility, &w, sizeof(Real));
      __builtin_memcpy(v, &v_free, sizeof(Real));
      for_each_lane(
          step, [&](int i, const NormalStep<double>& one) __attribute__((always_inline)) {
            impulse[i] = solve_own_law_alone(one, mobility[i], v[i]);
          });
      return pack<Real>(impulse);
    }
  }

 private:
  template <class Real>
  static constexpr int lanes = sizeof(Real) / sizeof(double);

  template <class Real>
  static ABUT_LAW_INLINE Real pack(const double (&from)[lanes<Real>]) {
    Real to;
    __builtin_memcpy(&to, from, sizeof(Real));
    return to;
  }

  /// Calls f(i, step) for each contact of a pack.
  template <class Real, class F>
  static ABUT_LAW_INLINE void for_each_lane(const NormalStep<Real>& step, const F& f) {
    const auto take = [](const Real& x, double(&to)[lanes<Real>]) __attribute__((always_inline)) {
      __builtin_memcpy(to, &x, sizeof(Real));
    };
    double v_hat[lanes<Real>], linear[lanes<Real>], quadratic[lanes<Real>], offset[lanes<Real>],
        per_speed[lanes<Real>], law[lanes<Real>];
    take(step.v_hat, v_hat), take(step.linear, linear), take(step.quadratic, quadratic);
    take(step.offset, offset), take(step.per_speed, per_speed), take(step.law, law);
    for (int i = 0; i < lanes<Real>; ++i) {
      f(i, NormalStep<double>{.v_hat = v_hat[i],
                              .linear = linear[i],
                              .quadratic = quadratic[i],
                              .offset = offset[i],
                              .per_speed = per_speed[i],
                              .law = law[i],
                              .tables = {step.tables.lanes[i], step.tables.time_step}});
    }
  }
};
static_assert(StepLaw<PointwiseLaws>);

}  // namespace abut
