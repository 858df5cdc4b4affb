#pragma once

#include <memory>
#include <span>

#include "abut/geometry/contact_face.hpp"
#include "abut/geometry/hull_triangles.hpp"

// What Coal computes for us. Its headers are included by coal.cpp alone.

namespace abut {

/// A hull in the form that Coal takes; null if it does not.
std::shared_ptr<const CoalHull> make_coal_hull(std::span<const Vec3> vertices,
                                               std::span<const Triangle> triangles);

/// The nearest points of two shapes, or those that the shortest translation brings together, from
/// A's center; false if they are farther apart than `margin` [m]. Not for planes.
bool find_nearest(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin,
                  Nearest& nearest);

}  // namespace abut
