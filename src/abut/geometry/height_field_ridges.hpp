#pragma once

#include <cstdint>

#include "abut/geometry/height_field.hpp"
#include "abut/geometry/shape.hpp"

namespace abut {

/// A point of a ridge of the terrain, or a peak, in a body.
struct RidgePoint {
  Vec3 at;      ///< on the ridge [m]
  Vec3 normal;  ///< unit, from the terrain into the body
  double gap = 0;
  double length = 0;  ///< of ridge below the body for which the point stands [m]
  double share = 0;   ///< the same times the ridge's bend [m]
  std::uint32_t name = 0;
};

struct RidgePoints {
  static constexpr int capacity = 48;
  int size = 0;
  RidgePoint points[capacity];

  /// Of one name there is one point; when there is no room, the deepest stay.
  void add(const RidgePoint& point);

  /// How many points there are to bear a load along `up`: those closer than `apart` [m] are less
  /// than two, points on a line at most two, others at most four. 0 without shares.
  double count(const Vec3& up, double apart) const;
};

/// The ridges that reach into or near a capsule, cylinder, box or hull at the pose X_FB in the
/// field's frame, each by the ends of what lies below the body and its deepest point. `up` is the
/// direction in which the body is to be pushed, about: faces that look elsewhere take no part.
/// Gaps are at most `margin` [m], to the nearest of these faces. Ridges that do not rise above
/// `floor` along `up` [m] are left out.
RidgePoints ridges_below(const HeightField& field, const Shape& body, const Pose& X_FB,
                         const Vec3& up, double floor, double margin);

}  // namespace abut
