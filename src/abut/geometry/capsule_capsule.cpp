#include "abut/geometry/line_contact.hpp"

namespace abut {
namespace {

/// From A to B between the nearest points of two axes, `across` apart. When they cut each other,
/// perpendicular to both, on the side of the step before or else towards the nearer exit.
Vec3 axis_normal(const Vec3& across, const Vec3& a, const Vec3& b, double size,
                 const LastSide& last) {
  const double distance = norm(across);
  if (distance > coincident * size) return across / distance;
  const Vec3 side =
      last.normal == Vec3{} ? direction_or(across, any_perpendicular(a)) : last.normal;
  const Vec3 both = cross(a, b);
  const double sine = norm(both);
  if (sine < 1e-9) return across_axis(side, a, any_perpendicular(a));
  return (dot(side, both) < 0 ? -1 : 1) / sine * both;
}

/// Whether the nearest points are ends of neither.
bool are_crossed(const Shape& a, const Shape& b, const LinePair& at) {
  return std::abs(at.a) < a.half_length() && std::abs(at.b) < b.half_length();
}

}  // namespace

void collide_capsule_capsule(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                             double margin, PairMemory& memory, Manifold& m) {
  const Vec3 c = X_WB.p - X_WA.p, axis_a = X_WA.R.col[2], axis_b = X_WB.R.col[2];
  const LinePair at = nearest_on_segments(c, axis_a, a.half_length(), axis_b, b.half_length());
  const Vec3 across = c + at.b * axis_b - at.a * axis_a;
  const double cutoff = a.radius() + b.radius() + margin;
  if (squared_norm(across) > cutoff * cutoff) return;

  const LastSide last = {X_WA.R * memory.normal};
  m.normal = axis_normal(across, axis_a, axis_b, a.radius() + b.radius(), last);
  double distance = norm(across);
  if (last.is_left(m.normal, distance - a.radius() - b.radius()) &&
      last.is_continued_by(-m.normal) && are_crossed(a, b, at)) {
    m.normal = -m.normal, distance = -distance;  // the axes have passed through each other
  }
  add_line_pair({X_WA.p, axis_a, a.half_length(), a.radius()},
                {X_WB.p, axis_b, b.half_length(), b.radius()}, m.normal,
                distance - a.radius() - b.radius(), at, 1, margin, m);
}

}  // namespace abut
