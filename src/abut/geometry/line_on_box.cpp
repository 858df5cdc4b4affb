#include "abut/geometry/line_on_box.hpp"

namespace abut {
namespace {

struct Interval {
  double lower, upper;
  bool empty() const { return lower > upper; }
};

/// The part of `span` in which |x + s d| <= h.
Interval clip(const Interval& span, double x, double d, double h) {
  if (std::abs(d) < 1e-30) return std::abs(x) <= h ? span : Interval{1, 0};
  const double s0 = (-h - x) / d, s1 = (h - x) / d;
  return {std::fmax(span.lower, std::fmin(s0, s1)), std::fmin(span.upper, std::fmax(s0, s1))};
}

/// The box axis that `out` lies along, or -1.
int face_axis(const Vec3& out) {
  for (int i = 0; i < 3; ++i) {
    if (out[(i + 1) % 3] == 0 && out[(i + 2) % 3] == 0) return i;
  }
  return -1;
}

}  // namespace

double deepest_on_box(const LineOnBox& contact) {
  const Vec3 &h = contact.half_extents, &out = contact.out, &x = contact.line.center,
             &d = contact.line.direction;
  const double half = contact.line.half_length, climb = dot(d, out);
  if (std::abs(climb) > 1e-12) return -std::copysign(half, climb);
  if (face_axis(out) >= 0) return 0;
  Vec3 corner = {std::copysign(h.x, out.x), std::copysign(h.y, out.y), std::copysign(h.z, out.z)};
  for (int i = 0; i < 3; ++i) {
    if (out[i] != 0) continue;
    Vec3 edge;
    edge[i] = 1, corner[i] = 0;
    return nearest_on_segments(corner - x, d, half, edge, h[i]).a;
  }
  return std::clamp(dot(corner - x, d), -half, half);
}

double distance_to_box(const Vec3& x, const Vec3& h) {
  const Vec3 beyond = abs(x) - h;
  return norm(Vec3{std::fmax(beyond.x, 0), std::fmax(beyond.y, 0), std::fmax(beyond.z, 0)});
}

void add_line_on_box(const LineOnBox& contact, const Pose& X_WB, double weight, double margin,
                     Manifold& m) {
  const Vec3 &h = contact.half_extents, &d = contact.line.direction;
  const Vec3 x = center_behind_surface(contact.line, -contact.out);
  const double half = contact.line.half_length, gap = contact.gap, deepest = contact.deepest;
  const double reach = reach_along(contact.line, contact.out);
  const auto node = [&](double s, double g) {
    return LineNode{X_WB * (x + s * d - (reach + g / 2) * contact.out), s, g};
  };
  LineContact line;
  line.weight = weight;
  line.full_length = std::fmin(contact.line.radius, 2 * half);
  line.level = contact_level(gap, line.full_length);

  // Inner nodes: the part over a face, or the deepest point at an edge or vertex.
  const int face = face_axis(contact.out);
  const int i = (face + 1) % 3, j = (face + 2) % 3;
  Interval over = {deepest, deepest};
  double height = 0, slope = 0;  // of the line over the face's plane, at s = 0 and per s
  if (face >= 0) {
    const Interval on = clip(clip({-half, half}, x[i], d[i], h[i]), x[j], d[j], h[j]);
    if (!on.empty()) over = on;
    height = contact.out[face] * x[face] - h[face];
    slope = contact.out[face] * d[face];
  }
  const auto face_gap = [&](double s) { return face < 0 ? gap : height + s * slope - reach; };
  line.inner[0] = node(over.lower, face_gap(over.lower));
  line.inner[1] = over.upper > over.lower ? node(over.upper, face_gap(over.upper)) : line.inner[0];

  // Outer nodes: the part along the box axis that the line follows within 45 degrees, faded from
  // 30 degrees on. None where that axis is the face's own: the line stands on the face.
  const Vec3 d2 = {d.x * d.x, d.y * d.y, d.z * d.z};
  const int along = d2.x >= d2.y && d2.x >= d2.z ? 0 : d2.y >= d2.z ? 1 : 2;
  const double aligned = std::clamp(4 * d2[along] - 2, 0.0, 1.0);
  line.outer[0] = line.inner[0], line.outer[1] = line.inner[1];
  line.fall[0] = line.fall[1] = 1;
  if (along != face && aligned > 0) {
    const Interval beside = clip({-half, half}, x[along], d[along], h[along]);
    const double ends[2] = {std::fmin(beside.lower, over.lower),
                            std::fmax(beside.upper, over.upper)};
    for (const int end : {0, 1}) {
      const double s = ends[end];
      if (beside.empty() || s == line.inner[end].at) continue;
      const double straight = face_gap(s);
      const double g = std::fmax(distance_to_box(x + s * d, h) - reach, straight);
      line.outer[end] = node(s, g);
      line.fall[end] = 1 - aligned * (1 - fall_of(g, straight, line.level));
    }
  }
  add_line(line, margin, m);
}

}  // namespace abut
