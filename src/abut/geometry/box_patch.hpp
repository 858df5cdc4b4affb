#pragma once

#include "abut/geometry/box_face.hpp"

namespace abut {

/// The polygon in which two faces overlap, seen along the contact normal, counterclockwise about
/// the normal from A into B; empty when size is 0. Only `size` corners are set: by component, as a
/// corner that was just written in parts is slow to copy as a whole.
struct FacePolygon {
  static constexpr int capacity = 8;
  int size = 0;
  double u[capacity], v[capacity];  ///< on the face of A, along the normal [m]
  double gap[capacity];             ///< between the two faces' planes, along the normal [m]
  std::uint8_t side[capacity];      ///< that starts here: 0..3 of A's face, 4..7 of B's

  int deepest() const;
};

/// Clips B's face, moved along `n` onto the plane of A's, by the sides of A's. A's face is seen
/// from outside and B's from inside, so that both run counterclockwise about n.
void overlap_of_faces(const BoxFace& a, const BoxFace& b, const Vec3& n, FacePolygon& result);

/// Adds the corners with gap <= margin, A's center being at `origin` in the world.
///
/// A corner between two sides that turn by an angle t weighs t/(pi/2) while faces meet: t only
/// depends on the directions of the two sides, so that corners split and merge continuously. On a
/// tilted box the two ends of its lowest edge weigh 1 each, on a box on its vertex the deepest
/// corner weighs 1, with the shares of the two boxes' feature mixes.
void add_patch(const FacePolygon& patch, const BoxFace& a, const BoxFace& b, const Vec3& n,
               const Vec3& origin, double margin, Manifold& manifold);

}  // namespace abut
