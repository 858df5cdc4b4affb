#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "abut/core/error.hpp"
#include "abut/linalg/vec3.hpp"

namespace abut {

/// The convex hull of a cloud of points, with its flat faces. Immutable; shapes share it.
struct ConvexHull {
  /// A side of a face, from its vertex to that of the next side, counterclockwise seen from
  /// outside.
  struct Side {
    std::int32_t vertex = 0;
    std::int32_t next_face = 0;  ///< on the other side of it
    Vec3 outward;                ///< unit, in the face, away from it
    double bend = 0;             ///< tan(phi / 2), phi being the angle between the faces' normals
    double turn = 0;             ///< tan(tau / 2), tau being the outline's turn at the vertex
  };
  struct Face {
    Vec3 normal;                          ///< unit, outward
    std::int32_t begin = 0, end = 0;      ///< its sides
    std::array<std::int32_t, 8> outline;  ///< vertices of its polygon in contacts
    int corners = 0;                      ///< of the outline
    double extent = 0;                    ///< square root of the area [m]
    double least_bend = 0;                ///< of its sides
  };

  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  std::vector<Side> sides;
  std::vector<std::int32_t> faces_at;     ///< faces at each vertex, vertex by vertex
  std::vector<std::int32_t> faces_begin;  ///< where those of a vertex begin; vertices + 1
  std::vector<std::int32_t> neighbours;   ///< vertices next to each, vertex by vertex
  std::vector<std::int32_t> neighbours_begin;
  std::array<std::int32_t, 96>
      farthest_near;           ///< farthest along directions over a cube, 4x4 a face
  Vec3 lower, upper;           ///< bounds [m]
  double size = 0;             ///< diagonal of the bounds [m]
  double bounding_radius = 0;  ///< largest distance of a vertex from the origin [m]

  /// The vertex that reaches farthest in a direction: uphill from neighbour to neighbour, from
  /// the one that does so in a direction close to it or from `start`, which may be -1.
  int farthest(const Vec3& direction, int start = -1) const;
};

/// The hull of `points` [m]. Neighbouring triangles within 1e-4 of its size of a plane are one
/// face; of a face with more than eight corners, contacts see the eight that keep most of its area.
/// Throws InputError if a coordinate is not finite, or if the points lie in a plane.
std::shared_ptr<const ConvexHull> make_convex_hull(std::span<const Vec3> points,
                                                   const Origin& at = {});

}  // namespace abut
