#pragma once

#include "abut/laws/law_kind.hpp"
#include "abut/laws/normal_law.hpp"

namespace abut {

/// A barrier with Hunt & Crossley dissipation:
///     f = k d_hat B(s) (1 + d xdot)_+   [N],   s = x/d_hat,   B that of BarrierForce
/// where x [m] is how far the other surface is within the layer of thickness d_hat [m], and xdot =
/// -v_n [m/s]. The gap phi0 is that of the layer: the surfaces touch at phi0 = -d_hat.
///
/// Impulse over a step, with x = -phi0 - h v_n and v_hat = min(-phi0/h, 1/d), y = v_hat - v_n:
///     n = B(s0 + h y/d_hat) (c1 + c2 y)
/// where s0 = 0, c1 = h k d_hat (1 - d v_hat) if v_hat = -phi0/h (it leaves the layer), and
/// s0 = (-phi0 - h/d)/d_hat, c1 = 0 if v_hat = 1/d (the force vanishes within); c2 = h k d_hat d.
/// n and its potential are finite everywhere.
template <NormalLawKind kind>
struct Barrier {
  static constexpr std::string_view name = traits(kind).name;

  static NormalStep<double> discretize(const PointMaterial& m, double dt, double gap);

  static NormalEval<double> evaluate(const NormalStep<double>& step, double vn);

  /// y + w n(y) = v_hat - v_free, whose left side is convex: Newton's method from above.
  static double solve_alone(const NormalStep<double>& step, double w, double v_free);
};

using LogBarrier = Barrier<NormalLawKind::log_barrier>;
using IpcBarrier = Barrier<NormalLawKind::ipc_barrier>;
static_assert(NormalLaw<LogBarrier> && NormalLaw<IpcBarrier>);

}  // namespace abut
