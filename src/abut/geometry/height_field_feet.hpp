#pragma once

#include "abut/geometry/height_field.hpp"
#include "abut/geometry/shape.hpp"

namespace abut {

/// Where a body is nearest to the surface of a height field, among its surroundings.
struct TerrainFoot {
  Vec3 at;      ///< on the surface [m]
  Vec3 normal;  ///< unit, from the surface into the body
  double gap = 0;
  double weight = 1;
  std::uint32_t name = 0;
};

/// All such places of a round body. Their weights sum to 1 where the normals hardly differ, as in
/// a finely meshed bowl, and to 2 in a groove with walls at right angles.
struct TerrainFeet {
  static constexpr int capacity = 8;
  int size = 0;
  TerrainFoot feet[capacity];

  /// Keeps the nearest ones; one at the place of another is left out.
  void add(const TerrainFoot& foot, double same_place);

  /// Shares the weight. With e_ij the height of foot j above the tangent plane of foot i, a foot
  /// that begins or ends where two planes meet has e_ij = 0, and
  ///
  ///     f_ij = min(1, 2/(1 + n_i . n_j) e_ij/(e_ij + e_ji))
  ///     c_ij = (level - gap_i)/(level - gap_j), between 0 and 1
  ///     w_j = product over i of 1 - c_ij (1 - f_ij)
  ///
  /// divided by their sum where that is below 1. With c a foot takes weight from another only as
  /// far as it is in contact. `side` is -1 for a body whose center is below the surface: its feet
  /// part at ridges as those from above do in grooves.
  void share(double side, double level);
};

/// Feet of a ball of `radius` [m] about `center`, in the field's frame, with gaps up to `margin`.
TerrainFeet feet_of_ball(const HeightField& field, const Vec3& center, double radius,
                         double margin);

/// Those of an ellipsoid at the pose X_FE in the field's frame.
TerrainFeet feet_of_ellipsoid(const HeightField& field, const Shape& ellipsoid, const Pose& X_FE,
                              double margin);

}  // namespace abut
