#pragma once

#include <vector>

#include "placements.hpp"

namespace abut {

/// A convex polyhedron for a search that knows no support function but a loop over all vertices: a
/// hull or a box, or the core of a sphere or a capsule, at its pose.
class Polyhedron {
 public:
  Polyhedron(const Shape& shape, const Pose& X_WS);

  std::vector<Vec3> vertices;  ///< world [m]
  std::vector<Vec3> normals;   ///< of its triangles, outward
  struct Edge {
    Vec3 from, along;         ///< along: unit
    std::vector<Vec3> aside;  ///< to the far corners of its two triangles
  };
  std::vector<Edge> edges;

  /// Whether the edge, or the vertices, reach farthest along n.
  static bool carries(const Edge& edge, const Vec3& n, double slack);
  double support(const Vec3& n) const;
};

bool is_polyhedral(const Shape& s);

/// The largest gap along any normal of a face of A or B or across two of their edges: of polyhedra
/// (but for spheres' and capsules' radii) that overlap, the signed distance.
double gap_by_features(const Placement& p);

/// Hulls of 10 to 5000 vertices: of clouds and of points on ellipsoids, flattened to slivers,
/// prisms with many sides, and boxes whose faces bulge by 1e-9 to 1e-2 of their size.
Shape random_hull(Random& random, int most);

/// What `count` placements of hulls with each other and with all primitives show, all relative to
/// the sizes of the two shapes and their distance.
struct HullSearch {
  double lost = 0;      ///< most by which a search found a larger gap
  double own = 0;       ///< most between the deepest point's gap and that along the normal
  int overlapping = 0;  ///< placements
  std::string worst = "nowhere", worst_own = "nowhere";
};
HullSearch search_hulls(ShapeKind kind, int count, int most_vertices, unsigned seed);

}  // namespace abut
