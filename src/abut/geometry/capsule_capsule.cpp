#include "abut/geometry/line_contact.hpp"

namespace abut {
namespace {

/// From A to B between the nearest points of two axes, `across` apart. When they cut each other,
/// perpendicular to both, towards the nearer exit.
Vec3 axis_normal(const Vec3& across, const Vec3& a, const Vec3& b, double size) {
  const double distance = norm(across);
  if (distance > 1e-9 * size) return across / distance;
  const Vec3 both = cross(a, b);
  const double sine = norm(both);
  if (sine < 1e-9) return direction_or(across, any_perpendicular(a));
  return (dot(across, both) < 0 ? -1 : 1) / sine * both;
}

}  // namespace

void collide_capsule_capsule(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                             double margin, PairMemory&, Manifold& m) {
  const Vec3 c = X_WB.p - X_WA.p, axis_a = X_WA.R.col[2], axis_b = X_WB.R.col[2];
  const LinePair at = nearest_on_segments(c, axis_a, a.half_length(), axis_b, b.half_length());
  const Vec3 across = c + at.b * axis_b - at.a * axis_a;
  const double reach = a.radius() + b.radius() + margin;
  if (squared_norm(across) > reach * reach) return;

  m.normal = axis_normal(across, axis_a, axis_b, a.radius() + b.radius());
  add_line_pair({X_WA.p, axis_a, a.half_length(), a.radius()},
                {X_WB.p, axis_b, b.half_length(), b.radius()}, m.normal,
                norm(across) - a.radius() - b.radius(), at, 1, margin, m);
}

}  // namespace abut
