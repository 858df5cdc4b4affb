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

CollidePair* routine(int i, int j) {
  if (j < kinds) return pairs[i][j];
  return i == static_cast<int>(ShapeKind::plane) ? collide_plane_general : collide_general;
}

}  // namespace

void collide(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin,
             Manifold& manifold) {
  manifold.size = 0;
  const int i = static_cast<int>(a.kind), j = static_cast<int>(b.kind);
  if (i <= j) {
    routine(i, j)(a, X_WA, b, X_WB, margin, manifold);
  } else {
    routine(j, i)(b, X_WB, a, X_WA, margin, manifold);
    manifold.normal = -manifold.normal;
  }
}

}  // namespace abut
