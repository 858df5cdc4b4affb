#pragma once

#include "abut/geometry/pairs.hpp"

namespace abut {

/// The difference C = A - B of two convex shapes' cores, in A's axes: all x - y for x in A and y in
/// B. They overlap where C holds the origin, and the distance along a unit vector n from A into B
/// is -(n . s(n)) - radius, s(n) being the point of C that reaches farthest along n.
///
/// A sphere's core is its center and a capsule's its segment, their radii being left over; all
/// others are their own cores. Not for planes and height fields.
class CoreDifference {
 public:
  struct Point {
    Vec3 w;  ///< in C [m]
    Vec3 a;  ///< the point of A that it comes from, about A's center [m]
    PairMemory::Vertices vertices;
  };

  CoreDifference(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                 const PairMemory& memory);

  /// Of hulls uphill from the vertex found last.
  Point support(const Vec3& n);

  /// The difference of two vertices.
  Point at(const PairMemory::Vertices& vertices) const;
  bool has(const PairMemory::Vertices& vertices) const;

  /// A vertex of B.
  Vec3 on_b(std::int32_t vertex) const;

  double separation(const Vec3& n) { return -dot(n, support(n).w) - radius; }
  Vec3 to_world(const Vec3& v) const { return *axes_a_ * v; }
  Vec3 from_world(const Vec3& v) const { return transpose_times(*axes_a_, v); }
  Vec3 in_axes_of_b(const Vec3& x) const { return transpose_times(axes_b_, x - center); }
  const Shape& shape_a() const { return a_; }
  const Shape& shape_b() const { return b_; }

  double radius = 0;  ///< of both shapes around their cores [m]
  double radius_a = 0;
  double size = 0;                            ///< of the pair: what rounding is relative to [m]
  Vec3 center;                                ///< of B's frame, from A's [m]
  std::int32_t vertex_a = -1, vertex_b = -1;  ///< found last, of shapes that have some

 private:
  const Shape &a_, &b_;
  const Mat3* axes_a_;
  Mat3 axes_b_;  ///< in A's
};

}  // namespace abut
