#pragma once

#include <cmath>

#include "abut/linalg/vec3.hpp"

namespace abut {

// What a step h v_t leaves out of the way of a point of a body that turns by `angle` [rad] about
// the unit vector n: bodies that turn together drift apart by it. All vectors are across n.

/// Of a point at r from a center that moves straight.
inline Vec3 drift_from_straight(const Vec3& n, const Vec3& r, double angle) {
  const double half = std::sin(0.5 * angle);
  return (std::sin(angle) - angle) * cross(n, r) - 2 * half * half * r;
}

/// Of a point that moves on a circle, as joints lead it, with `way` = h v_t.
inline Vec3 drift_from_tangent(const Vec3& n, const Vec3& way, double angle) {
  if (angle == 0) return {};
  const double half = std::sin(0.5 * angle);
  return (2 * half * half / angle) * cross(n, way) + (std::sin(angle) / angle - 1) * way;
}

/// Of a point of a surface that goes `way` over a body and turns by `own` on it, while the body
/// turns by `angle`: beside the body's own drift.
inline Vec3 drift_of_surface(const Vec3& n, const Vec3& way, double own, double angle) {
  const Vec3 bend = drift_from_tangent(n, way, own), gone = way + bend;
  const double half = std::sin(0.5 * angle);
  return bend + std::sin(angle) * cross(n, gone) - 2 * half * half * gone;
}

}  // namespace abut
