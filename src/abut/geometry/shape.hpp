#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "abut/core/error.hpp"
#include "abut/geometry/convex_hull.hpp"
#include "abut/geometry/height_field.hpp"
#include "abut/linalg/rotation.hpp"

namespace abut {

enum class ShapeKind : std::uint8_t {
  plane,
  sphere,
  capsule,
  cylinder,
  box,
  ellipsoid,
  hull,
  height_field
};

/// A solid in its own frame; all but height fields are convex.
///
///     plane     the half-space z <= 0; its surface normal is +z
///     sphere    about the origin
///     capsule   points within `radius` of the segment from z = -half_length to +half_length
///     cylinder  of `radius` about z, flat ends at z = -half_length and +half_length
///     box       |x|, |y|, |z| within half_extents
///     ellipsoid (x/a)^2 + (y/b)^2 + (z/c)^2 <= 1 with the radii a, b, c
///     hull      the convex hull of a mesh
///     height_field  below a surface z = h(x, y) over a rectangle
struct Shape {
  ShapeKind kind = ShapeKind::sphere;
  Vec3 size;  ///< [m] sphere {radius}, capsule and cylinder {radius, half_length}, box half
              ///< extents, ellipsoid radii
  std::shared_ptr<const ConvexHull> hull = nullptr;    ///< of a hull
  std::shared_ptr<const HeightField> field = nullptr;  ///< of a height field

  static Shape plane() { return {ShapeKind::plane, {}}; }
  static Shape sphere(double radius) { return {ShapeKind::sphere, {radius, 0, 0}}; }
  static Shape capsule(double radius, double half_length) {
    return {ShapeKind::capsule, {radius, half_length, 0}};
  }
  static Shape cylinder(double radius, double half_length) {
    return {ShapeKind::cylinder, {radius, half_length, 0}};
  }
  static Shape box(const Vec3& half_extents) { return {ShapeKind::box, half_extents}; }

  static Shape ellipsoid(const Vec3& radii) { return {ShapeKind::ellipsoid, radii}; }
  static Shape convex(std::shared_ptr<const ConvexHull> hull) {
    return {ShapeKind::hull, {}, std::move(hull)};
  }
  static Shape height_field(std::shared_ptr<const HeightField> field) {
    return {ShapeKind::height_field, {}, nullptr, std::move(field)};
  }

  double radius() const { return size.x; }
  double half_length() const { return size.y; }
  const Vec3& half_extents() const { return size; }

  /// Radius about the origin of all its points [m]; 0 for planes.
  double bounding_radius() const;

  /// Half of what it measures along the shortest of its own axes [m], of a hull those of its mesh;
  /// infinite for planes and height fields, which have the whole world behind them.
  double half_thickness() const;

  /// Throws InputError unless every length in use is positive and finite.
  void validate(const Origin& at = {}) const;
};

const char* to_string(ShapeKind kind);

/// An axis-aligned box in world axes [m].
struct Aabb {
  Vec3 lower, upper;

  bool meets(const Aabb& b) const {  // no branches: they are not predictable
    return (lower.x <= b.upper.x) & (b.lower.x <= upper.x) & (lower.y <= b.upper.y) &
           (b.lower.y <= upper.y) & (lower.z <= b.upper.z) & (b.lower.z <= upper.z);
  }
  /// By how far they are apart along the axis that parts them most [m]; below 0 if they meet.
  double separation(const Aabb& b) const {
    const Vec3 above = lower - b.upper, below = b.lower - upper;
    return std::max({above.x, above.y, above.z, below.x, below.y, below.z});
  }
};

/// The smallest world-aligned box around `shape` at pose X_WS, of a hull and a height field that
/// around the box of its own axes; infinite for planes.
Aabb bounding_box(const Shape& shape, const Pose& X_WS);

}  // namespace abut
