#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "abut/linalg/vec3.hpp"

namespace abut {

using Triangle = std::array<std::int32_t, 3>;

/// The triangles of the convex hull of finite points, counterclockwise seen from outside, as
/// indices of points; none if the points lie in a plane to rounding.
std::vector<Triangle> hull_triangles(std::span<const Vec3> points);

}  // namespace abut
