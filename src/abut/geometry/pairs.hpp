#pragma once

#include <algorithm>
#include <cmath>

#include "abut/core/assert.hpp"
#include "abut/geometry/manifold.hpp"

// Parts of collide() shared by its pair routines; not for users of the library.

namespace abut {

/// One routine per pair of kinds, in the order of ShapeKind: `a` is never of a later kind than `b`.
/// Each sets the normal, then adds points, or leaves the manifold empty. `memory` is the pair's in
/// this order. Its normal becomes that of the manifold, if there is one; what else it holds is
/// the routine's.
using CollidePair = void(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                         double margin, PairMemory& memory, Manifold& manifold);

CollidePair collide_plane_sphere, collide_plane_capsule, collide_plane_cylinder, collide_plane_box;
CollidePair collide_sphere_sphere, collide_sphere_capsule, collide_sphere_cylinder,
    collide_sphere_box;
CollidePair collide_capsule_capsule, collide_capsule_cylinder, collide_capsule_box;
CollidePair collide_cylinder_cylinder, collide_cylinder_box;
CollidePair collide_box_box;
CollidePair collide_plane_general;       // an ellipsoid or a hull on a plane
CollidePair collide_general;             // one and any other but a plane
CollidePair collide_round_height_field;  // a sphere or an ellipsoid
CollidePair collide_capsule_height_field;
CollidePair collide_faceted_height_field;  // a box, a cylinder or a hull

/// Points of smaller weight are left out: their force is lost in rounding.
constexpr double smallest_weight = 1e-9;

/// With the manifold's normal.
inline void add_point(const Vec3& position, double gap, double weight, std::uint32_t feature,
                      Manifold& manifold) {
  ABUT_ASSERT(manifold.size < Manifold::capacity);
  if (manifold.size == Manifold::capacity) return;
  manifold.points[manifold.size++] = {position, gap, weight, feature, manifold.normal};
}

/// A unit vector along `v`, or `fallback` where v is too short to have a direction.
inline Vec3 direction_or(const Vec3& v, const Vec3& fallback) {
  const double length = norm(v);
  return length > 1e-100 ? v / length : fallback;
}

/// The part of the unit vector v at right angles to the unit vector `axis`, as a unit vector;
/// `fallback` where v is along the axis.
inline Vec3 across_axis(const Vec3& v, const Vec3& axis, const Vec3& fallback) {
  const Vec3 across = v - dot(v, axis) * axis;
  const double length = norm(across);
  return length > 1e-6 ? across / length : fallback;
}

/// Points of two shapes this near each other, as a share of their sizes, are one point: at a joint
/// in both their difference is rounding, whose direction is another one in each step.
constexpr double coincident = 1e-9;

/// The side on which a pair overlapped in the step before: among several ways out, the one that
/// continues it is taken, not the shortest of the moment.
struct LastSide {
  Vec3 normal;  ///< in the axes in which directions are given; zero: there was none

  static constexpr double cone = 0.5;  ///< cosine of how far a normal may turn in a step
  bool is_continued_by(const Vec3& n) const { return dot(n, normal) >= cone; }
  /// Whether a pair that overlaps by -gap along n has changed sides.
  bool is_left(const Vec3& n, double gap) const {
    return gap < 0 && normal != Vec3{} && !is_continued_by(n);
  }
};

/// Whether `u` is a way out of an overlap of convex shapes: no direction near it has a larger gap.
template <class Gap>
bool is_way_out(const Gap& gap, const Vec3& u) {
  constexpr double near = 1e-3;
  const Vec3 s = any_perpendicular(u), t = cross(u, s);
  const double here = gap(u);
  for (const Vec3& aside : {s, -s, t, -t}) {
    const Vec3 v = u + near * aside;
    if (gap(v / norm(v)) > here + 1e-12 * std::abs(here)) return false;
  }
  return true;
}

/// How much a feature in contact counts as the next lower one (a face as its edge, an edge as its
/// vertex): 0 up to a ratio of 0.1 of the normal's components, 1 from 0.5 on, smooth between.
inline double steepness(double ratio) {
  const double x = minimum(1, maximum(0, (ratio - 0.1) / 0.4));  // without branches
  return x * x * (3 - 2 * x);
}

/// Shares of face, edge and vertex in a body's side of a contact; they sum to 1.
struct FeatureMix {
  double face = 1, edge = 0, vertex = 0;
};

/// The mix of a box whose axes have the components n0 >= n1 >= n2 >= 0 of the normal. Where two
/// components agree, the feature that either would choose has no share.
inline FeatureMix feature_mix(double n0, double n1, double n2) {
  const double off_face = steepness(n1 / n0);
  if (off_face == 0) return {};
  const double off_edge = steepness(n2 / n1);
  return {1 - off_face, off_face * (1 - off_edge), off_face * off_edge};
}

}  // namespace abut
