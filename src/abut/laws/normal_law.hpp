#pragma once

#include <concepts>
#include <string_view>

#include "abut/core/error.hpp"
#include "abut/laws/real.hpp"

namespace abut {

struct ForceTable;

/// Parameters of one contact point's normal force; each law reads those it has.
struct PointMaterial {
  double stiffness = 1e7;         ///< k: N/m, or N/m^(3/2) for Hertz
  double dissipation = 10;        ///< d [s/m], Hunt & Crossley
  double relaxation_time = 1e-4;  ///< tau_d [s], Kelvin-Voigt
  double thickness = 1e-3;        ///< d_hat [m], barriers
  double weight = 1;              ///< of the point; `stiffness` has it, the table has it not
  const ForceTable* table{};      ///< Tabulated; without one a line of that stiffness

  /// Throws InputError unless k > 0, d >= 0, tau_d >= 0, d_hat > 0, all finite.
  void validate(const Origin& at = {}) const;
};

/// The tables of a pack's contacts, and h [s]: what Tabulated looks up.
template <class Real>
struct StepTables {
  const ForceTable* const* lanes = nullptr;
  double time_step = 0;
};
template <>
struct StepTables<double> {
  const ForceTable* table = nullptr;
  double time_step = 0;
};

/// A normal law over one step, reduced to what its evaluation needs. The impulse is zero for
/// v_n >= v_hat; y = v_hat - v_n > 0 otherwise.
template <class Real>
struct NormalStep {
  Real v_hat;                ///< [m/s]
  Real linear, quadratic;    ///< coefficients of n in y, units as the law says
  Real offset;               ///< y0 [m/s], Hertz and Tabulated; s0 [-] of barriers
  Real per_speed = Real(0);  ///< h/d_hat [s/m], barriers
  Real law = Real(0);        ///< number of the NormalLawKind, for laws side by side
  StepTables<Real> tables{};
};

/// Potential l [J], impulse n = -dl/dv_n [N s] >= 0 and slope dn/dv_n [kg] <= 0: the last is what
/// makes l convex [ICFT 8].
template <class Real>
struct NormalEval {
  Real potential, impulse, slope;
};

/// What friction models need of a normal law: for any Real one evaluation over a step, and the
/// impulse n = n(v_free + w n) of a lone point with mobility w [1/kg].
template <class Law>
concept StepLaw = requires(double x, const NormalStep<double>& step) {
  { Law::evaluate(step, x) } -> std::same_as<NormalEval<double>>;
  { Law::solve_alone(step, x, x) } -> std::same_as<double>;
};

/// A normal law: that, and its discretization over a step.
template <class Law>
concept NormalLaw = StepLaw<Law> && requires(const PointMaterial& m, double x) {
  { Law::name } -> std::convertible_to<std::string_view>;
  { Law::discretize(m, x, x) } -> std::same_as<NormalStep<double>>;
};

/// n = y (c1 + c2 y), l = y^2 (c1/2 + c2 y/3): shared by the laws that are linear in penetration.
template <class Real>
ABUT_LAW_INLINE NormalEval<Real> evaluate_polynomial(const NormalStep<Real>& s, const Real& vn) {
  const Real y = max(s.v_hat - vn, Real(0));
  const Real c1 = select(Real(0) < y, s.linear, Real(0));
  return {.potential = y * y * (0.5 * c1 + (1.0 / 3) * s.quadratic * y),
          .impulse = y * (c1 + s.quadratic * y),
          .slope = -(c1 + 2.0 * s.quadratic * y)};
}

/// y + w n(y) = v_hat - v_free for the same laws: a quadratic equation.
template <class Real>
ABUT_LAW_INLINE Real solve_alone_polynomial(const NormalStep<Real>& s, const Real& w,
                                            const Real& v_free) {
  const Real c = max(s.v_hat - v_free, Real(0));
  const Real a = w * s.quadratic, b = 1.0 + w * s.linear;
  const Real y = 2.0 * c / (b + sqrt(b * b + 4.0 * a * c));
  return y * (s.linear + s.quadratic * y);
}

}  // namespace abut
