#include "abut/geometry/line_contact.hpp"

namespace abut {
namespace {

enum Slot : std::uint32_t { lower_outer = 1, upper_outer, lower_inner, upper_inner };

void add_node(const LineNode& node, double weight, Slot slot, double margin, Manifold& m) {
  if (weight < smallest_weight || node.gap > margin) return;
  merge_point(node.position, node.gap, weight, slot, m);
}

}  // namespace

void add_line(const LineContact& line, double margin, Manifold& m) {
  double weight[2][2] = {};  // [lower, upper][outer, inner]
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const LineNode &lower = i ? line.inner[0] : line.outer[0],
                     &upper = j ? line.inner[1] : line.outer[1];
      const double chance =
          (i ? line.fall[0] : 1 - line.fall[0]) * (j ? line.fall[1] : 1 - line.fall[1]);
      if (chance == 0) continue;
      const double length = std::abs(upper.at - lower.at);
      const double full = length < line.full_length ? length / line.full_length : 1;
      const double tilt = std::clamp((upper.gap - lower.gap) / line.level, -1.0, 1.0);
      weight[0][i] += chance / 2 * (1 + full + (1 - full) * tilt);
      weight[1][j] += chance / 2 * (1 + full - (1 - full) * tilt);
    }
  }
  const double w = line.weight;
  const bool crossing = line.inner[0].at == line.inner[1].at;
  add_node(line.outer[0], w * weight[0][0], lower_outer, margin, m);
  add_node(line.inner[0], w * weight[0][1], lower_inner, margin, m);
  add_node(line.inner[1], w * weight[1][1], crossing ? lower_inner : upper_inner, margin, m);
  add_node(line.outer[1], w * weight[1][0], upper_outer, margin, m);
}

LinePair nearest_on_segments(const Vec3& c, const Vec3& a, double half_a, const Vec3& b,
                             double half_b) {
  // Where both derivatives of |c + t b - s a|^2 vanish: s (1 - k^2) = c.a - k c.b.
  const double k = dot(a, b), ca = dot(c, a), cb = dot(c, b), sine2 = squared_norm(cross(a, b));
  double s = sine2 > 1e-14 ? (ca - k * cb) / sine2 : ca;
  s = std::clamp(s, -half_a, half_a);
  const double t = std::clamp(s * k - cb, -half_b, half_b);
  s = std::clamp(ca + k * t, -half_a, half_a);
  return {s, t};
}

void add_line_pair(const RoundLine& a, const RoundLine& b, const Vec3& n, double gap,
                   const LinePair& deepest, double weight, double margin, Manifold& m) {
  const double cosine = dot(a.direction, b.direction);
  // Both lines over the common axis w: between `lower` and `upper` they run side by side.
  const Vec3 w = direction_or(a.direction + std::copysign(1.0, cosine) * b.direction, a.direction);
  const double wa = dot(w, a.direction), wb = dot(w, b.direction);
  const Vec3 center_a = center_behind_surface(a, n), center_b = center_behind_surface(b, -n);
  const Vec3 c = center_b - center_a;
  const double cw = dot(c, w), span_a = a.half_length * wa, span_b = b.half_length * std::abs(wb);
  const double lower = std::fmax(-span_a, cw - span_b), upper = std::fmin(span_a, cw + span_b);
  // Beyond 30 degrees the outer nodes fade; from 45 on they could change ends.
  const double aligned = std::clamp(4 * cosine * cosine - 2, 0.0, 1.0);

  LineContact line;
  line.weight = weight;
  const double length = 2 * std::fmin(a.half_length, b.half_length);
  const bool edges = a.radius == 0 && b.radius == 0;
  line.full_length = edges ? length : std::fmin(length, std::fmin(a.radius, b.radius));
  line.level = contact_level(gap, line.full_length);

  const double reach_a = reach_along(a, n), reach_b = reach_along(b, n);
  const Vec3 centers = center_a + center_b + (reach_a - reach_b) * n;
  const auto middle = [&](double s, double t) {
    return 0.5 * (centers + s * a.direction + t * b.direction);
  };
  const double at = 0.5 * (deepest.a + (cw + deepest.b * wb) / wa);
  line.inner[0] = line.inner[1] = {middle(deepest.a, deepest.b), at, gap};
  line.outer[0] = line.outer[1] = line.inner[0];
  line.fall[0] = line.fall[1] = 1;
  if (aligned > 0 && upper > lower) {
    const Vec3 sideways = direction_or(cross(n, w), w);
    for (const int end : {0, 1}) {
      const double x = end == 0 ? lower : upper, s = x / wa, t = (x - cw) / wb;
      const Vec3 across = c + t * b.direction - s * a.direction;
      const double rise = dot(across, n), aside = std::abs(dot(across, sideways));
      const double g =
          (rise > 0 ? std::sqrt(rise * rise + aside * aside) : rise + aside) - reach_a - reach_b;
      line.outer[end] = {middle(s, t), s, g};
      line.fall[end] = 1 - aligned * (1 - fall_of(g, gap, line.level));
    }
  }
  add_line(line, margin, m);
}

}  // namespace abut
