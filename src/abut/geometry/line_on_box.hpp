#pragma once

#include "abut/geometry/line_contact.hpp"

namespace abut {

/// A round line against a box, everything in the box frame.
struct LineOnBox {
  Vec3 half_extents;
  RoundLine line;      ///< its center and direction in the box frame
  Vec3 out;            ///< unit contact normal, from the box to the line
  double gap = 0;      ///< of the deepest point
  double deepest = 0;  ///< coordinate of that point along the line [m]
};

/// The coordinate of the deepest point for the given normal; of one of them when there are many.
double deepest_on_box(const LineOnBox& contact);

/// The distance from a point to a box, 0 inside.
double distance_to_box(const Vec3& x, const Vec3& half_extents);

/// Adds the contact; `X_WB` places the box.
void add_line_on_box(const LineOnBox& contact, const Pose& X_WB, double weight, double margin,
                     Manifold& manifold);

}  // namespace abut
