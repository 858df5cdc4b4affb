#pragma once

#include "abut/linalg/vec3.hpp"

namespace abut {

/// Where a point is nearest to the surface of an ellipsoid.
struct EllipsoidPoint {
  Vec3 normal;          ///< unit, outward
  double distance = 0;  ///< negative inside [m]
};

/// With the radii a about the origin, for a point x in its axes. The nearest surface point y obeys
/// x_k = y_k (1 + t/a_k^2) for the one t > -min a_k^2 that puts y on the surface.
EllipsoidPoint nearest_on_ellipsoid(const Vec3& radii, const Vec3& x);

}  // namespace abut
