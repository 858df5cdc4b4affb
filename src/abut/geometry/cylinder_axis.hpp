#pragma once

#include "abut/geometry/pairs.hpp"

namespace abut {

/// A cylinder around `axis`, as the search for a separating axis sees it.
struct CylinderSupport {
  Vec3 axis;
  double radius = 0, half_length = 0;

  /// How far it extends from its center along the unit vector u.
  double operator()(const Vec3& u) const {
    return radius * norm(cross(u, axis)) + half_length * std::abs(dot(u, axis));
  }
};

/// The unit vector along which two convex shapes are farthest apart, or overlap least.
struct SeparatingAxis {
  Vec3 normal;
  double gap = -HUGE_VAL;
};

// The signed distance of two convex shapes is the maximum over unit vectors u of
//     gap(u) = u . c - h_A(u) - h_B(u),        c from A's center to B's,
// where they are apart and where they overlap. Its maxima lie where u is normal to a face of one
// shape, perpendicular to an edge or side line of both, or at a stationary point of the smooth
// pieces between. All of these are tried, unless one normal to a face proves that no other can be
// better. Any u gives a lower bound, so a miss could only report too deep a contact. Both return as
// soon as one axis has a gap above `margin`. Shapes that overlap keep the last side, given in the
// same frame as the answer, as long as there is a way out.

/// Between a box, or with two zero half extents a segment, at the origin, and a cylinder at
/// `center`, in the box frame.
SeparatingAxis box_cylinder_axis(const Vec3& half_extents, const Vec3& center,
                                 const CylinderSupport& cylinder, double margin,
                                 const LastSide& last);

/// Between cylinder A at the origin and cylinder B at `center`.
SeparatingAxis cylinder_cylinder_axis(const CylinderSupport& a, const CylinderSupport& b,
                                      const Vec3& center, double margin, const LastSide& last);

}  // namespace abut
