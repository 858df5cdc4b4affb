#pragma once

#include "abut/geometry/height_field.hpp"
#include "abut/geometry/shape.hpp"

namespace abut {

/// Where the surface of a height field is nearest to a body, among its surroundings.
struct NearestPoint {
  Vec3 at;      ///< on the surface [m]
  Vec3 normal;  ///< unit, from the surface into the body
  double gap = 0;
  double weight = 1;
  std::uint32_t name = 0;
};

/// All such points for a round body. Their weights sum to 1 where the normals hardly differ, as in
/// a finely meshed bowl, and to 2 in a groove with walls at right angles.
struct NearestPoints {
  static constexpr int capacity = 8;
  int size = 0;
  NearestPoint points[capacity];

  /// Keeps the nearest ones, of a body whose center is above the surface (`side` 1) those of the
  /// least gap, of one below (-1) of the largest; one where another is is left out.
  void add(const NearestPoint& point, double same_place, double side);

  /// Shares the weight. With e_ij the height of point j above the tangent plane of point i, a point
  /// that begins or ends where two planes meet has e_ij = 0, and
  ///
  ///     f_ij = min(1, 2/(1 + n_i . n_j) e_ij/(e_ij + e_ji))
  ///     c_ij = (level - gap_i)/(level - gap_j), between 0 and 1
  ///     w_j = product over i of 1 - c_ij (1 - f_ij)
  ///
  /// divided by their sum where that is below 1. With c a point takes weight from another only as
  /// far as it is in contact. `side` is -1 for a body whose center is below the surface: its points
  /// part at ridges as those from above do in grooves.
  void share(double side, double level);
};

/// The points nearest to a ball of `radius` [m] about `center`, in the field's frame, with gaps up
/// to `margin`.
NearestPoints nearest_to_ball(const HeightField& field, const Vec3& center, double radius,
                              double margin);

/// Those for an ellipsoid at the pose X_FE in the field's frame.
NearestPoints nearest_to_ellipsoid(const HeightField& field, const Shape& ellipsoid,
                                   const Pose& X_FE, double margin);

}  // namespace abut
