#pragma once

#include "abut/geometry/pairs.hpp"

namespace abut {

/// Names of a box's features: per axis the digit 1 (negative side), 2 (positive side) or 0 (along
/// the axis) in base 3: one digit for a face, two for an edge, three for a vertex.
inline std::uint32_t box_digit(int axis, bool positive) {
  constexpr std::uint32_t place[3] = {1, 3, 9};
  return place[axis] * (1u + positive);
}

/// The face of a box that faces a direction most, seen so that its sides run counterclockwise.
///
/// Side k is at +u, +v, -u, -v for k = 0..3 and runs from corner k to corner k + 1.
struct BoxFace {
  Vec3 center;        ///< from the origin the box is given in
  Vec3 normal, u, v;  ///< unit: outward normal and in-plane axes
  double half_u = 0, half_v = 0;
  std::uint32_t feature = 0;           ///< the face's name
  std::uint32_t side_feature[4] = {};  ///< added to the face's name it names the edge
  int lowest_side = 0;                 ///< the edge that reaches farthest in the direction
  FeatureMix mix;

  Vec3 corner(int k) const {
    return center + (k == 0 || k == 1 ? half_u : -half_u) * u +
           (k == 1 || k == 2 ? half_v : -half_v) * v;
  }
};

/// The face of a box, of `half_extents` [m] about `center` with axes R, that faces `toward` most.
/// u x v is its outward normal if it is seen from outside, else the opposite.
BoxFace face_towards(const Vec3& half_extents, const Vec3& center, const Mat3& R,
                     const Vec3& toward, bool seen_from_outside);

}  // namespace abut
