#pragma once

#include "abut/geometry/pairs.hpp"

namespace abut {

/// Four directions on a cylinder's rim, 90 degrees apart.
struct RimFrame {
  Vec3 first, second;  ///< unit, perpendicular to each other and to the axis
  double sine = 0;     ///< of the angle between the axis and `toward`
  int quadrant = 0;    ///< of the body's x, y, -x, -y the one next to `first`

  Vec3 direction(int k) const {
    const Vec3& v = k & 1 ? second : first;
    return k & 2 ? -v : v;
  }
};

/// The frame whose first direction is where the rim of a cylinder with axes R reaches farthest
/// along the unit vector `toward`. Below a tilt of 1e-7, where that is rounding, the body's own x:
/// the points then rest on the body, and the deepest one is missed by 1e-7 radii at most.
inline RimFrame rim_frame(const Mat3& R, const Vec3& toward) {
  const double x = dot(R.col[0], toward), y = dot(R.col[1], toward);
  const double sine = std::sqrt(x * x + y * y);
  if (sine < 1e-7) return {R.col[0], R.col[1], sine, 0};
  const double c = x / sine, s = y / sine;
  const int quadrant = std::abs(x) >= std::abs(y) ? (x > 0 ? 0 : 2) : (y > 0 ? 1 : 3);
  return {c * R.col[0] + s * R.col[1], c * R.col[1] - s * R.col[0], sine, quadrant};
}

/// Names the rim point of the upper or lower cap in one of the body's quadrants.
inline std::uint32_t rim_feature(bool upper_cap, int quadrant) {
  return 8u + (upper_cap ? 4u : 0u) + static_cast<std::uint32_t>(quadrant & 3);
}

/// Shares of a cylinder's cap, side and rim in its contact along a normal.
struct CylinderMix {
  double cap = 1, side = 0, rim = 0;
};

/// `along` and `across`: the normal's components along the axis and perpendicular to it, >= 0.
inline CylinderMix cylinder_mix(double along, double across) {
  const double cap = across < along ? 1 - steepness(across / along) : 0;
  const double side = along < across ? 1 - steepness(along / across) : 0;
  return {cap, side, 1 - cap - side};
}

}  // namespace abut
