#include "abut/geometry/line_contact.hpp"

namespace abut {
namespace {

/// Names of the points; those of an end follow each other.
enum Slot : std::uint32_t { lower_outer = 1, lower_inner, upper_outer, upper_inner, deepest };

/// A node that an end may be, its blend and the weight it has got so far.
struct Choice {
  const LineNode* node;
  double blend = 0, weight = 0;
};

/// Shares the weight of a line of this blend between its ends.
void add_span(const LineContact& line, double blend, Choice& lower, Choice& upper) {
  const double length = std::abs(upper.node->at - lower.node->at);
  const double full = length < line.full_length ? length / line.full_length : 1;
  const double tilt = std::clamp((upper.node->gap - lower.node->gap) / line.level, -1.0, 1.0);
  lower.weight += blend / 2 * (1 + full + (1 - full) * tilt);
  upper.weight += blend / 2 * (1 + full - (1 - full) * tilt);
}

void add_choice(const Choice& choice, double weight, std::uint32_t slot, double margin,
                Manifold& m) {
  const double w = weight * choice.weight;
  if (w < smallest_weight || choice.node->gap > margin) return;
  add_point(choice.node->position, choice.node->gap, w, slot, m);
}

}  // namespace

void LineContact::lean_on_deepest() {
  double known[2], slope[2];
  for (const int i : {0, 1}) {
    const LineNode &inner = ends[i].inner, &outer = ends[i].outer;
    const auto slope_to = [&](const LineNode& node) {
      const double length = std::abs(node.at - deepest.at);
      return length > 0 ? maximum(node.gap - deepest.gap, 0) / length : 0;
    };
    // An inner node next to the deepest point says nothing about what is behind it.
    known[i] = minimum(std::abs(inner.at - deepest.at) / (0.01 * full_length), 1);
    slope[i] = known[i] * slope_to(inner) + (1 - known[i]) * slope_to(outer);
  }
  const double total = slope[0] * slope[0] + slope[1] * slope[1];
  for (const int i : {0, 1}) {
    ends[i].border *= known[i];
    if (slope[i] == 0) continue;
    // The rise above the other side's straight continuation, which needs some length of it.
    const double other = minimum(std::abs(ends[1 - i].outer.at - deepest.at) / full_length, 1);
    const auto fall_to = [&](const LineNode& node) {
      const double rise =
          maximum(node.gap - deepest.gap, 0) + slope[1 - i] * std::abs(node.at - deepest.at);
      return minimum(other * rise / level, 1);
    };
    const double fall = known[i] * fall_to(ends[i].inner) + (1 - known[i]) * fall_to(ends[i].outer);
    lean[i] = slope[i] * slope[i] / total * fall;
  }
}

void add_line(const LineContact& line, double margin, Manifold& m) {
  Choice choices[2][2], point = {&line.deepest};
  for (const int i : {0, 1}) {
    const LineEnd& end = line.ends[i];
    choices[i][0] = {&end.outer, 1 - end.border};
    choices[i][1] = {&end.inner, end.border};
  }
  const double both = 1 - line.lean[0] - line.lean[1] - line.crossed;
  for (Choice& lower : choices[0]) {
    for (Choice& upper : choices[1]) {
      add_span(line, both * lower.blend * upper.blend, lower, upper);
    }
    add_span(line, line.lean[1] * lower.blend, lower, point);
  }
  for (Choice& upper : choices[1]) add_span(line, line.lean[0] * upper.blend, point, upper);
  point.weight += line.crossed;

  for (const int i : {0, 1}) {
    add_choice(choices[i][0], line.weight, lower_outer + 2u * i, margin, m);
    add_choice(choices[i][1], line.weight, lower_inner + 2u * i, margin, m);
  }
  add_choice(point, line.weight, deepest, margin, m);
}

LinePair nearest_on_segments(const Vec3& c, const Vec3& a, double half_a, const Vec3& b,
                             double half_b) {
  // Where both derivatives of |c + t b - s a|^2 vanish: s (1 - k^2) = c.a - k c.b.
  const double k = dot(a, b), ca = dot(c, a), cb = dot(c, b), sine2 = squared_norm(cross(a, b));
  double s = sine2 > 1e-18 ? (ca - k * cb) / sine2 : ca;
  s = std::clamp(s, -half_a, half_a);
  const double t = std::clamp(s * k - cb, -half_b, half_b);
  s = std::clamp(ca + k * t, -half_a, half_a);
  return {s, t};
}

LinePair deepest_on_lines(const RoundLine& a, const RoundLine& b, const Vec3& n) {
  constexpr double level = 1e-12;
  const Vec3 c = center_behind_surface(b, -n) - center_behind_surface(a, n);
  const double climb_a = dot(a.direction, n), climb_b = dot(b.direction, n);
  LinePair at = {std::copysign(a.half_length, climb_a), -std::copysign(b.half_length, climb_b)};
  const bool level_a = std::abs(climb_a) <= level, level_b = std::abs(climb_b) <= level;
  if (level_a && level_b) {
    return nearest_on_segments(c, a.direction, a.half_length, b.direction, b.half_length);
  }
  if (level_a) {
    at.a = std::clamp(dot(c + at.b * b.direction, a.direction), -a.half_length, a.half_length);
  } else if (level_b) {
    at.b = std::clamp(dot(at.a * a.direction - c, b.direction), -b.half_length, b.half_length);
  }
  return at;
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
  const double lower = maximum(-span_a, cw - span_b), upper = minimum(span_a, cw + span_b);
  // Beyond 30 degrees the ends fade; at right angles they would change sides.
  double aligned = std::clamp(4 * cosine * cosine - 2, 0.0, 1.0);

  LineContact line;
  line.weight = weight;
  const double length = 2 * minimum(a.half_length, b.half_length);
  const bool edges = a.radius == 0 && b.radius == 0;
  line.full_length = edges ? length : minimum(length, minimum(a.radius, b.radius));
  line.level = contact_level(gap, line.full_length);

  const double support_a = support_along(a, n), support_b = support_along(b, n);
  const Vec3 centers = center_a + center_b + (support_a - support_b) * n;
  const auto middle = [&](double s, double t) {
    return 0.5 * (centers + s * a.direction + t * b.direction);
  };
  const double at = 0.5 * (deepest.a + (cw + deepest.b * wb) / wa);
  line.deepest = {middle(deepest.a, deepest.b), at, gap};
  line.crossed = 1;
  // A stretch side by side that ends short of the deepest point fades with its length.
  const double short_of = maximum(maximum(lower - wa * at, wa * at - upper), 0);
  if (upper - lower < short_of) aligned *= maximum(upper - lower, 0) / short_of;
  if (aligned > 0 && upper > lower) {
    const Vec3 sideways = direction_or(cross(n, w), w);
    for (const int end : {0, 1}) {
      const double x = end == 0 ? lower : upper, s = x / wa, t = (x - cw) / wb;
      const Vec3 across = c + t * b.direction - s * a.direction;
      const double rise = dot(across, n), aside = std::abs(dot(across, sideways));
      const double apart = rise > 0 ? std::sqrt(rise * rise + aside * aside) : rise + aside;
      line.ends[end].inner =
          line.ends[end].outer = {middle(s, t), s, apart - support_a - support_b};
    }
    line.lean_on_deepest();
    line.crossed = 1 - aligned;
    line.lean[0] *= aligned, line.lean[1] *= aligned;
  }
  add_line(line, margin, m);
}

}  // namespace abut
