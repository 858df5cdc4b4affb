#pragma once

// Where the geoms of moving bodies are in a step, boxes around them, and which are near each other;
// compiled once per instruction set. Vectors of three numbers have a fourth one, zero.

#include <cstdint>

#include "abut/geometry/shape.hpp"

namespace abut {

/// A geom that moves in the frame of its body, about the center of mass. What all need is one line
/// of a cache.
struct alignas(64) PlacedGeom {
  double size[4] = {};  ///< of Shape; of a hull half the sides of the box around it [m]
  double radius = 0;    ///< about the body's center of mass [m]
  double margin = 0;    ///< that a search looks beyond it at any speed [m]
  std::int32_t geom = 0, body = 0;
  ShapeKind kind = ShapeKind::sphere;
  bool has_pose = false;                ///< else its frame is the body's
  double turn[12] = {}, shift[4] = {};  ///< its pose
  double middle[4] = {};                ///< of a hull's box, in the geom's frame [m]

  PlacedGeom(const Shape& shape, const Pose& on_body);
};

/// Of a geom's body at its center of mass, and the most that its spin adds on the geom [m/s].
struct GeomMotion {
  Vec3 velocity;
  double spin = 0;
};

/// The box around a geom, without room; the fourth numbers are anything.
struct alignas(64) GeomBounds {
  double center[4] = {};  ///< [m]; 0 along axes on which the box is infinite
  double half[4] = {};    ///< of its sides [m]

  explicit GeomBounds(const Aabb& box = {});
};

/// Two geoms near each other; their trees and bodies are those of the geoms.
struct alignas(64) CandidatePair {
  std::int32_t geom_a = 0, geom_b = 0;
  std::int32_t material = 0;  ///< PairMaterials' number
  bool runs = false;          ///< the surface of one of them moves over it
  bool has_extras = false;    ///< its contacts may have
  // read as four numbers
  double margin = 0;      ///< [m], layer included
  double most_ahead = 0;  ///< most that the search looks beyond the margin [m]
  double falls = 0;       ///< 1 if gravity may bring them together: they are not both free; else 0
  double layer = 0;       ///< of a barrier [m], where its force begins; 0 of other laws
  std::int32_t kind = 0;  ///< ContactPool's; 0 where contacts change by more than their place
};

/// What find_near() reads.
struct NearView {
  const CandidatePair* candidates;
  const GeomMotion* motions;  ///< by geom
  const GeomBounds* bounds;   ///< by geom
  double dt;                  ///< [s]
  double fall;                ///< by gravity in a step [m]
};

/// What place() reads, and by geom what it writes.
struct PlacementView {
  const Vec3 *center, *linear_velocity, *angular_velocity;  ///< of bodies
  const Mat3* rotation;
  double dt;    ///< [s]
  double fall;  ///< by gravity in a step [m]
  Pose* poses;
  GeomMotion* motions;
  Aabb* boxes;         ///< with room for the search
  GeomBounds* bounds;  ///< the same without room
  double* rooms;       ///< that room on each side [m]
  double* skins;       ///< of fat boxes, which last for some steps at the present speed [m]
};

struct PlacementKernels {
  /// Of `count` geoms; the same bits for every instruction set.
  void (*place)(const PlacementView&, const PlacedGeom* geoms, int count);

  /// Writes which of the candidates [begin, end) are near, and by how far each of these may close
  /// in the step [m], and returns how many: those whose boxes are as far apart as the margin and
  /// that way, or less. Both arrays have room for end - begin + 8. Likewise.
  int (*find_near)(const NearView&, int begin, int end, std::int32_t* near, double* ways);
};

/// The table for active_isa().
const PlacementKernels& placement_kernels();

namespace isa_baseline {
extern const PlacementKernels placement_table;
}
namespace isa_avx2 {
extern const PlacementKernels placement_table;
}
namespace isa_avx512 {
extern const PlacementKernels placement_table;
}

}  // namespace abut
