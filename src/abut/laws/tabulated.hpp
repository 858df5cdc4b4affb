#pragma once

#include "abut/laws/normal_law.hpp"

namespace abut {

/// A force by points with Hunt & Crossley dissipation:
///     f = F(x) (1 + d xdot)_+   [N],   F the table's force, straight between its points
/// for penetration x [m] and rate xdot = -v_n [m/s]. Without a table F = k x.
///
/// Impulse over a step, with x = -phi0 - h v_n and v_hat = min(-phi0/h, 1/d), y = v_hat - v_n:
///     n = F(h (y0 + y)) (c1 + c2 y)
/// where y0 = 0, c1 = h (1 - d v_hat) if v_hat = -phi0/h (the surfaces part), and
/// y0 = -phi0/h - 1/d, c1 = 0 if v_hat = 1/d (the force vanishes in overlap); c2 = h d. Both
/// factors are linear in y between the table's points: with their values F_a, F_b and g_a, g_b at
/// the ends of such a piece the potential is the sum over pieces of
///     (y_b - y_a) (2 F_a g_a + F_a g_b + F_b g_a + 2 F_b g_b) / 6
/// whose terms all are positive. The slope jumps at the points.
struct Tabulated {
  static constexpr std::string_view name = "tabulated";

  static NormalStep<double> discretize(const PointMaterial& m, double dt, double gap);

  static NormalEval<double> evaluate(const NormalStep<double>& step, double vn);

  /// y + w n(y) = v_hat - v_free, piece by piece: in each a quadratic equation.
  static double solve_alone(const NormalStep<double>& step, double w, double v_free);
};
static_assert(NormalLaw<Tabulated>);

}  // namespace abut
