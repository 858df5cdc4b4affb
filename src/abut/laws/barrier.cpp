#include "abut/laws/barrier.hpp"

#include <algorithm>
#include <cmath>

#include "abut/laws/barrier_force.hpp"

namespace abut {

template <NormalLawKind kind>
NormalStep<double> Barrier<kind>::discretize(const PointMaterial& m, double dt, double gap) {
  const double scale = dt * m.stiffness * m.thickness, d = m.dissipation;
  const double v_part = -gap / dt;
  NormalStep<double> step{
      .v_hat = v_part, .linear = scale * (1 - d * v_part), .quadratic = scale * d, .offset = 0};
  if (d * v_part > 1) {
    step.v_hat = 1 / d, step.linear = 0, step.offset = (-gap - dt / d) / m.thickness;
  }
  step.per_speed = dt / m.thickness;
  return step;
}

template <NormalLawKind kind>
NormalEval<double> Barrier<kind>::evaluate(const NormalStep<double>& step, double vn) {
  const double y = step.v_hat - vn;
  if (!(y > 0)) return {0, 0, 0};
  const BarrierForce force(kind);
  const double u = step.per_speed * y, s = step.offset + u;
  const double b = force.at(s), factor = step.linear + step.quadratic * y;
  const double work = step.linear > 0 ? step.linear * force.integral(s) / step.per_speed : 0;
  const double damped = step.quadratic > 0 ? step.quadratic * force.moment(step.offset, u) /
                                                 (step.per_speed * step.per_speed)
                                           : 0;
  return {.potential = work + damped,
          .impulse = b * factor,
          .slope = -(force.slope(s) * step.per_speed * factor + step.quadratic * b)};
}

template <NormalLawKind kind>
double Barrier<kind>::solve_alone(const NormalStep<double>& step, double w, double v_free) {
  const double c = step.v_hat - v_free;
  if (!(c > 0)) return 0;
  const auto at = [&](double y) { return evaluate(step, step.v_hat - y); };
  double y = c;
  const double wall = (BarrierForce::linear_from - step.offset) / step.per_speed;
  if (wall > 0 && wall < c && wall + w * at(wall).impulse > c) y = wall;
  for (int i = 0; i < 100; ++i) {
    const NormalEval<double> e = at(y);
    const double next = std::max(0.0, y - (y + w * e.impulse - c) / (1 - w * e.slope));
    if (!(next < y)) break;
    y = next;
  }
  return at(y).impulse;
}

template struct Barrier<NormalLawKind::log_barrier>;
template struct Barrier<NormalLawKind::ipc_barrier>;

}  // namespace abut
