#pragma once

#include <span>
#include <vector>

#include "abut/geometry/triangle_mesh.hpp"

namespace abut {

/// The triangles of the convex hull of finite points, counterclockwise seen from outside, as
/// indices of points; none if the points lie in a plane to rounding.
std::vector<Triangle> hull_triangles(std::span<const Vec3> points);

}  // namespace abut
