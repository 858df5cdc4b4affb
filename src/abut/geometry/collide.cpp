#include "abut/geometry/pairs.hpp"

namespace abut {
namespace {

void collide_nothing(const Shape&, const Pose&, const Shape&, const Pose&, double, Manifold&) {}

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

}  // namespace

void collide(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin,
             Manifold& manifold) {
  manifold.size = 0;
  if (a.kind <= b.kind) {
    routine(a.kind, b.kind)(a, X_WA, b, X_WB, margin, manifold);
    return;
  }
  routine(b.kind, a.kind)(b, X_WB, a, X_WA, margin, manifold);
  manifold.normal = -manifold.normal;
  for (int k = 0; k < manifold.size; ++k) manifold.points[k].normal = -manifold.points[k].normal;
}

}  // namespace abut
