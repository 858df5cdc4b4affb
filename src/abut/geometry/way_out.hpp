#pragma once

#include "abut/geometry/gjk.hpp"

namespace abut {

/// A direction in which cores that overlap part: a place where the distance from the origin to the
/// planes that touch the difference C is least among its surroundings. For polyhedra it is the
/// normal of a face of C in which the origin's projection lies.
struct WayOut {
  Vec3 normal;       ///< unit, from A into B
  double depth = 0;  ///< by how much the cores overlap along it; rounding may make it negative [m]
  Vec3 on_a;         ///< the points that it brings together, about A's center [m]
  Vec3 on_b;
  std::array<PairMemory::Vertices, 3> face;  ///< of C, by which it leaves
};

/// Adds points to a simplex that holds the origin until it has four that span a volume. False if C
/// is flat.
bool complete(CoreDifference& c, Simplex& simplex);

/// From the direction `from` down to the way out that it leads to. The line from the origin along
/// a direction leaves C through a face; that face's plane is nearer to the origin than the place
/// where the line crosses it, unless the line is the plane's normal. So the normal is the next
/// direction, and the depth falls until the two agree: that is the proof that the way out is one.
/// It begins at way.face, if that has vertices and the line passes it nearly at right angles.
/// `inner` is four points of C around the origin. False if rounding hides the way.
bool follow_way_out(CoreDifference& c, const Vec3& from, const Simplex& inner, WayOut& way);

}  // namespace abut
