#pragma once

#include <array>
#include <cstdint>

#include "abut/geometry/shape.hpp"

namespace abut {

/// One point at which two surfaces meet or nearly meet.
struct ManifoldPoint {
  Vec3 position;              ///< world, halfway between the two surfaces [m]
  double gap = 0;             ///< signed distance along the normal [m], negative in overlap
  double weight = 1;          ///< multiplies the pair's stiffness, > 0
  std::uint32_t feature = 0;  ///< names the point within the pair; the same while it persists
};

/// The contact of two convex shapes A and B: one normal, each point with its own gap.
///
/// The weights sum to 4 where faces meet, 2 along a line and 1 at a point, and change continuously
/// when a polygon gains or loses corners, so that the net wrench of springs at the points is
/// continuous in the poses wherever the normal is.
struct Manifold {
  static constexpr int capacity = 16;

  Vec3 normal;   ///< world, unit, from A into B
  int size = 0;  ///< points in use
  std::array<ManifoldPoint, capacity> points;
};

/// Contacts of A and B with gaps up to `margin` [m] (>= 0), in a fixed order for a given pair of
/// features. The manifold is empty when the shapes are farther apart, and for two planes.
void collide(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin,
             Manifold& manifold);

}  // namespace abut
