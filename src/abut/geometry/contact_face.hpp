#pragma once

#include "abut/geometry/pairs.hpp"

namespace abut {

/// What a shape turns towards a partner: a polygon, an edge of it, a vertex, and how much each
/// counts. Where two shapes meet, these of both make the contact (`add_contact_of_faces`).
struct ContactFace {
  static constexpr int capacity = 8;

  bool unbounded = false;  ///< a plane's: no corners
  int size = 0;            ///< corners; 0 for a round shape
  Vec3 corner[capacity];   ///< counterclockwise seen from outside [m]
  Vec3 normal;             ///< unit, outward; where there are corners
  Vec3 edge[2];            ///< the ends of what reaches farthest next to the face: an edge, or the
                           ///< line along a round side [m]
  FeatureMix mix = {0, 0, 1};
  double face_scale = 1;  ///< a face or an edge that is small on its shape counts for less
  double edge_scale = 1;
  std::uint32_t name = 0, edge_name = 0;
};

/// Of `shape` about `center` with axes R, towards the unit vector `toward`. `vertex` is a hull's
/// that may reach farthest there, or -1.
ContactFace face_of(const Shape& shape, const Vec3& center, const Mat3& R, const Vec3& toward,
                    std::int32_t vertex = -1);

/// The point of the shape about `center` [m] with axes R that reaches farthest along the unit
/// vector n. Not for planes.
Vec3 support_point(const Shape& shape, const Vec3& center, const Mat3& R, const Vec3& n);

/// The point of the shape's core (of a sphere its center, of a capsule its segment) that reaches
/// farthest along n, of any length, both in the shape's axes. Of a hull `vertex` is the vertex to
/// start from, or -1; then it is the one found, of a cylinder or an ellipsoid -1. Not for planes
/// and height fields.
Vec3 core_support(const Shape& shape, const Vec3& n, std::int32_t& vertex);

/// How many vertices the shape's core has, 0 if it is round, and where they are in its axes.
std::int32_t core_vertices(const Shape& shape);
Vec3 core_vertex(const Shape& shape, std::int32_t vertex);

/// Two shapes' point nearest to each other along a normal from A into B.
struct Nearest {
  Vec3 normal;    ///< unit
  Vec3 position;  ///< halfway between the surfaces [m]
  double gap = 0;
};

/// Adds the contact of the two faces: with their shares, the corners of the polygon in which the
/// faces overlap along the normal, the part of one's edge that lies over the other's face, and the
/// nearest point. All but the last have their own gaps, none deeper than it. `origin` is that of
/// all positions, `size` the shapes' [m].
void add_contact_of_faces(const ContactFace& a, const ContactFace& b, const Nearest& nearest,
                          const Vec3& origin, double size, double margin, Manifold& manifold);

}  // namespace abut
