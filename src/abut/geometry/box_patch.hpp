#pragma once

#include "abut/geometry/box_face.hpp"
#include "abut/geometry/box_kernels.hpp"

namespace abut {

/// Adds the corners with gap <= margin, A's center being at `origin` in the world.
///
/// A corner between two sides that turn by an angle t weighs t/(pi/2) while faces meet: t only
/// depends on the directions of the two sides, so that corners split and merge continuously. On a
/// tilted box the two ends of its lowest edge weigh 1 each, on a box on its vertex the deepest
/// corner weighs 1, with the shares of the two boxes' feature mixes.
void add_patch(const FacePolygon& patch, const BoxFace& a, const BoxFace& b, const Vec3& n,
               const Vec3& origin, double margin, Manifold& manifold);

}  // namespace abut
