#pragma once

#include <functional>
#include <set>
#include <vector>

#include "placements.hpp"

namespace abut {

/// Net wrench on B of unit springs at the points, about A's center.
struct Wrench {
  Vec3 force, moment;
};

inline Wrench wrench(const Placement& p, const Manifold& m) {
  Wrench w;
  for (int i = 0; i < m.size; ++i) {
    const Vec3 f = m.points[i].weight * std::fmax(0, -m.points[i].gap) * m.points[i].normal;
    w.force += f;
    w.moment += cross(m.points[i].position - p.X_WA.p, f);
  }
  return w;
}

/// A motion: the placement at every time in [0, 1].
using Motion = std::function<Placement(double)>;

/// What a motion did to the contact. Jumps are what is left when the two sides of a step come
/// together to 1e-11: true discontinuities, not steep slopes.
struct SweepReport {
  double wrench_jump = 0;  ///< while the normal stays, by the largest force; moments by `arm`
  double gap_jump = 0;     ///< of the deepest point [m]
  double at = 0;           ///< time of the worst wrench jump
  int turns = 0;           ///< times the normal jumped
  double turn_excess = 0;  ///< most that the gaps along the normals before and after differ [m]
  double max_force = 0;
  int feature_changes = 0;  ///< points in contact that came or went, over all steps
  int most_points = 0;
  bool always_in_contact = true;
};

inline SweepReport sweep(const Motion& motion, double margin, double arm, int steps = 400) {
  struct State {
    Wrench w;
    Vec3 normal;
    double gap = 0;
    std::set<std::uint32_t> features;
    int size = 0;
  };
  const auto state = [&](double t) {
    const Placement p = motion(t);
    const Manifold m = collide(p, margin);
    State s;
    s.size = m.size;
    if (m.size == 0) return s;
    s.w = wrench(p, m), s.normal = m.normal, s.gap = deepest(m).gap;
    for (int i = 0; i < m.size; ++i) {
      if (m.points[i].gap < 0) s.features.insert(m.points[i].feature);
    }
    return s;
  };
  const auto difference = [&](const State& a, const State& b) {
    return std::fmax(norm(a.w.force - b.w.force), norm(a.w.moment - b.w.moment) / arm);
  };
  SweepReport report;
  std::vector<State> states;
  for (int i = 0; i <= steps; ++i) {
    states.push_back(state(double(i) / steps));
    report.max_force = std::fmax(report.max_force, norm(states[i].w.force));
    report.most_points = std::max(report.most_points, states[i].size);
    report.always_in_contact = report.always_in_contact && states[i].size > 0;
  }
  for (int i = 0; i < steps; ++i) {
    State a = states[i], b = states[i + 1];
    for (const auto f : a.features) report.feature_changes += !b.features.count(f);
    for (const auto f : b.features) report.feature_changes += !a.features.count(f);
    double lower = double(i) / steps, upper = double(i + 1) / steps;
    while (upper - lower > 1e-11) {  // follow the half with the larger change
      const double middle = (lower + upper) / 2;
      const State c = state(middle);
      const bool first = difference(a, c) > difference(c, b);
      (first ? upper : lower) = middle;
      (first ? b : a) = c;
    }
    if (a.size == 0 || b.size == 0) continue;
    report.gap_jump = std::fmax(report.gap_jump, std::abs(a.gap - b.gap));
    if (norm(a.normal - b.normal) > 1e-6) {
      const Placement p = motion(lower);
      const double excess = std::abs(gap_along(p, a.normal) - gap_along(p, b.normal));
      ++report.turns, report.turn_excess = std::fmax(report.turn_excess, excess);
      continue;
    }
    const double jump = difference(a, b) / report.max_force;
    if (jump > report.wrench_jump) report.wrench_jump = jump, report.at = lower;
  }
  return report;
}

}  // namespace abut
