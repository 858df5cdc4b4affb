#include "abut/geometry/pairs.hpp"

namespace abut {
namespace {

void collide_nothing(const Shape&, const Pose&, const Shape&, const Pose&, double, Manifold&) {}

constexpr int kinds = 5;  // with routines of their own; those after them are general

// Rows and columns in the order of ShapeKind; only the upper triangle is used.
constexpr CollidePair* pairs[kinds][kinds] = {
    {collide_nothing, collide_plane_sphere, collide_plane_capsule, collide_plane_cylinder,
     collide_plane_box},
    {nullptr, collide_sphere_sphere, collide_sphere_capsule, collide_sphere_cylinder,
     collide_sphere_box},
    {nullptr, nullptr, collide_capsule_capsule, collide_capsule_cylinder, collide_capsule_box},
    {nullptr, nullptr, nullptr, collide_cylinder_cylinder, collide_cylinder_box},
    {nullptr, nullptr, nullptr, nullptr, collide_box_box}};

CollidePair* routine(ShapeKind a, ShapeKind b) {
  const int i = static_cast<int>(a), j = static_cast<int>(b);
  if (b == ShapeKind::height_field) {
    switch (a) {
      case ShapeKind::sphere:
      case ShapeKind::ellipsoid: return collide_round_height_field;
      case ShapeKind::capsule: return collide_capsule_height_field;
      case ShapeKind::cylinder:
      case ShapeKind::box:
      case ShapeKind::hull: return collide_faceted_height_field;
      case ShapeKind::plane:
      case ShapeKind::height_field: return collide_nothing;
    }
  }
  if (j < kinds) return pairs[i][j];
  return a == ShapeKind::plane ? collide_plane_general : collide_general;
}

}  // namespace

void collide(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin,
             Manifold& manifold) {
  manifold.size = 0;
  const bool ordered = a.kind <= b.kind;
  const Shape &first = ordered ? a : b, &second = ordered ? b : a;
  routine(first.kind, second.kind)(first, ordered ? X_WA : X_WB, second, ordered ? X_WB : X_WA,
                                   margin, manifold);
  if (!ordered) manifold.normal = -manifold.normal;
  for (int k = 0; k < manifold.size; ++k) {
    Vec3& normal = manifold.points[k].normal;
    if (second.kind != ShapeKind::height_field) {
      normal = manifold.normal;
    } else if (!ordered) {
      normal = -normal;
    }
  }
}

}  // namespace abut
