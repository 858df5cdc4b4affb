#pragma once

#include "abut/laws/hertz.hpp"
#include "abut/laws/hunt_crossley.hpp"
#include "abut/laws/kelvin_voigt.hpp"
#include "abut/laws/law_kind.hpp"

namespace abut {

/// Contacts of different normal laws side by side: each answers by that of its step's number, in
/// the order of NormalLawKind. All laws are evaluated; those whose numbers a step has not may give
/// anything.
template <NormalLaw... Laws>
struct LawsOf {
  template <class Real>
  static ABUT_LAW_INLINE NormalEval<Real> evaluate(const NormalStep<Real>& step, const Real& vn) {
    NormalEval<Real> chosen{Real(0), Real(0), Real(0)};
    double after = 0.5;
    const auto take = [&](const NormalEval<Real>& e) __attribute__((always_inline)) {
      const auto is_own = Real(after - 1) < step.law && step.law < Real(after);
      chosen = {.potential = select(is_own, e.potential, chosen.potential),
                .impulse = select(is_own, e.impulse, chosen.impulse),
                .slope = select(is_own, e.slope, chosen.slope)};
      after += 1;
    };
    (take(Laws::evaluate(step, vn)), ...);
    return chosen;
  }

  template <class Real>
  static ABUT_LAW_INLINE Real solve_alone(const NormalStep<Real>& step, const Real& w,
                                          const Real& v_free) {
    Real chosen = Real(0);
    double after = 0.5;
    const auto take = [&](const Real& impulse) __attribute__((always_inline)) {
      chosen = select(Real(after - 1) < step.law && step.law < Real(after), impulse, chosen);
      after += 1;
    };
    (take(Laws::solve_alone(step, w, v_free)), ...);
    return chosen;
  }
};

using MixedLaws = LawsOf<KelvinVoigt, HuntCrossley, Hertz>;
static_assert(StepLaw<MixedLaws>);

}  // namespace abut
