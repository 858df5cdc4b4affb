#include "abut/geometry/pairs.hpp"

namespace abut {
namespace {

void collide_nothing(const Shape&, const Pose&, const Shape&, const Pose&, double, PairMemory&,
                     Manifold&) {}

constexpr int kinds = 8;

// Rows and columns in the order of ShapeKind; only the upper triangle is used.
constexpr CollidePair* routines[kinds][kinds] = {
    {collide_nothing, collide_plane_sphere, collide_plane_capsule, collide_plane_cylinder,
     collide_plane_box, collide_plane_general, collide_plane_general, collide_nothing},
    {nullptr, collide_sphere_sphere, collide_sphere_capsule, collide_sphere_cylinder,
     collide_sphere_box, collide_general, collide_general, collide_round_height_field},
    {nullptr, nullptr, collide_capsule_capsule, collide_capsule_cylinder, collide_capsule_box,
     collide_general, collide_general, collide_capsule_height_field},
    {nullptr, nullptr, nullptr, collide_cylinder_cylinder, collide_cylinder_box, collide_general,
     collide_general, collide_faceted_height_field},
    {nullptr, nullptr, nullptr, nullptr, collide_box_box, collide_general, collide_general,
     collide_faceted_height_field},
    {nullptr, nullptr, nullptr, nullptr, nullptr, collide_general, collide_general,
     collide_round_height_field},
    {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, collide_general,
     collide_faceted_height_field},
    {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, collide_nothing}};

CollidePair* routine(ShapeKind a, ShapeKind b) {
  return routines[static_cast<int>(a)][static_cast<int>(b)];
}

/// The pair's memory when A and B change places.
PairMemory exchanged(const PairMemory& m, const Mat3& R_WA, const Mat3& R_WB) {
  PairMemory swapped = {
      -transpose_times(R_WB, R_WA * m.normal), m.vertex_b, m.vertex_a, {}, m.simplex_size, {}};
  for (int k = 0; k < 4; ++k) swapped.simplex[k] = {m.simplex[k].b, m.simplex[k].a};
  for (int k = 0; k < 3; ++k) swapped.face[k] = {m.face[k].b, m.face[k].a};
  return swapped;
}

/// Whether a pair apart keeps its memory: a direction that separates hulls or ellipsoids is where
/// their search begins in the next step. The others have no side to keep.
bool remembers_apart(ShapeKind a, ShapeKind b) {
  return routine(a, b) == collide_general;
}

/// Calls the routine of the pair, a.kind <= b.kind.
void collide_ordered(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                     double margin, PairMemory& memory, Manifold& manifold) {
  manifold.size = 0;
  routine(a.kind, b.kind)(a, X_WA, b, X_WB, margin, memory, manifold);
  if (manifold.size > 0) {
    memory.normal = transpose_times(X_WA.R, manifold.normal);
  } else if (!remembers_apart(a.kind, b.kind)) {
    memory = {};
  }
}

}  // namespace

void collide(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin,
             PairMemory& memory, Manifold& manifold) {
  if (a.kind <= b.kind) return collide_ordered(a, X_WA, b, X_WB, margin, memory, manifold);
  PairMemory swapped = exchanged(memory, X_WA.R, X_WB.R);
  collide_ordered(b, X_WB, a, X_WA, margin, swapped, manifold);
  memory = exchanged(swapped, X_WB.R, X_WA.R);
  manifold.normal = -manifold.normal;
  for (int k = 0; k < manifold.size; ++k) manifold.points[k].normal = -manifold.points[k].normal;
}

}  // namespace abut
