#pragma once

#include <cstdint>

#include "abut/core/error.hpp"
#include "abut/linalg/rotation.hpp"

namespace abut {

enum class ShapeKind : std::uint8_t { plane, sphere, capsule, cylinder, box };

/// A convex solid in its own frame.
///
///     plane     the half-space z <= 0; its surface normal is +z
///     sphere    about the origin
///     capsule   points within `radius` of the segment from z = -half_length to +half_length
///     cylinder  of `radius` about z, flat ends at z = -half_length and +half_length
///     box       |x|, |y|, |z| within half_extents
struct Shape {
  ShapeKind kind = ShapeKind::sphere;
  Vec3 size;  ///< [m] sphere {radius}, capsule and cylinder {radius, half_length}, box half extents

  static Shape plane() { return {ShapeKind::plane, {}}; }
  static Shape sphere(double radius) { return {ShapeKind::sphere, {radius, 0, 0}}; }
  static Shape capsule(double radius, double half_length) {
    return {ShapeKind::capsule, {radius, half_length, 0}};
  }
  static Shape cylinder(double radius, double half_length) {
    return {ShapeKind::cylinder, {radius, half_length, 0}};
  }
  static Shape box(const Vec3& half_extents) { return {ShapeKind::box, half_extents}; }

  double radius() const { return size.x; }
  double half_length() const { return size.y; }
  const Vec3& half_extents() const { return size; }

  /// Throws InputError unless every length in use is positive and finite.
  void validate(const Origin& at = {}) const;
};

const char* to_string(ShapeKind kind);

/// An axis-aligned box in world axes [m].
struct Aabb {
  Vec3 lower, upper;
};

/// The smallest world-aligned box around `shape` at pose X_WS; infinite for planes.
Aabb bounding_box(const Shape& shape, const Pose& X_WS);

}  // namespace abut
