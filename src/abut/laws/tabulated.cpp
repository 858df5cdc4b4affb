#include "abut/laws/tabulated.hpp"

#include <algorithm>
#include <cmath>

#include "abut/laws/force_table.hpp"

namespace abut {

NormalStep<double> Tabulated::discretize(const PointMaterial& m, double dt, double gap) {
  const double scale = dt * (m.table != nullptr ? m.weight : m.stiffness), d = m.dissipation;
  const double v_part = -gap / dt;
  NormalStep<double> step{
      .v_hat = v_part, .linear = scale * (1 - d * v_part), .quadratic = scale * d, .offset = 0};
  if (d * v_part > 1) {
    step.v_hat = 1 / d, step.linear = 0, step.offset = v_part - 1 / d;
  }
  step.tables = {m.table != nullptr ? m.table : &unit_line(), dt};
  return step;
}

NormalEval<double> Tabulated::evaluate(const NormalStep<double>& step, double vn) {
  const double end = step.v_hat - vn;
  if (!(end > 0)) return {0, 0, 0};
  const ForceTable& t = *step.tables.table;
  const double h = step.tables.time_step, start = h * step.offset;
  const double deepest = h * (step.offset + end);
  const int last = static_cast<int>(t.depth.size()) - 2;
  int line = t.line_of(start);
  double y = 0, force = t.force_at(start), factor = step.linear, potential = 0;
  const auto go_to = [&](double next, double next_force) {
    const double next_factor = step.linear + step.quadratic * next;
    potential += (next - y) *
                 (force * (2 * factor + next_factor) + next_force * (factor + 2 * next_factor)) / 6;
    y = next, force = next_force, factor = next_factor;
  };
  for (; line < last && deepest > t.depth[line + 1]; ++line) {
    go_to((t.depth[line + 1] - start) / h, t.force[line + 1]);
  }
  const double slope = t.slope_of(line);
  go_to(end, force + h * slope * (end - y));
  return {.potential = potential,
          .impulse = force * factor,
          .slope = -(h * slope * factor + step.quadratic * force)};
}

double Tabulated::solve_alone(const NormalStep<double>& step, double w, double v_free) {
  const double c = step.v_hat - v_free;
  if (!(c > 0)) return 0;
  const ForceTable& t = *step.tables.table;
  const double h = step.tables.time_step, start = h * step.offset;
  const int last = static_cast<int>(t.depth.size()) - 2;
  double y = 0, force = t.force_at(start), factor = step.linear;
  for (int line = t.line_of(start);; ++line) {
    const double rise = h * t.slope_of(line);
    const double left = std::max(0.0, c - y - w * force * factor);  // negative by rounding only
    const double next = (t.depth[line + 1] - start) / h;
    const double next_factor = step.linear + step.quadratic * next;
    if (line < last && next + w * t.force[line + 1] * next_factor < c) {
      y = next, force = t.force[line + 1], factor = next_factor;
      continue;
    }
    const double a = w * rise * step.quadratic;
    const double b = 1 + w * (rise * factor + step.quadratic * force);
    const double over = 2 * left / (b + std::sqrt(b * b + 4 * a * left));
    return (force + rise * over) * (factor + step.quadratic * over);
  }
}

}  // namespace abut
