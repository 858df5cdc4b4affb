#include "abut/geometry/cap_patch.hpp"
#include "abut/geometry/cylinder_axis.hpp"
#include "abut/geometry/line_on_box.hpp"

namespace abut {
namespace {

CylinderSupport support_of(const Shape& cylinder, const Vec3& axis) {
  return {axis, cylinder.radius(), cylinder.half_length()};
}

RoundLine axis_of(const Shape& shape, const Vec3& center, const Mat3& R) {
  return {center, R.col[2], shape.half_length(), shape.radius(), shape.kind == ShapeKind::cylinder};
}

CylinderMix mix_of(const Mat3& R, const Vec3& n) {
  return cylinder_mix(std::abs(dot(R.col[2], n)), norm(cross(R.col[2], n)));
}

/// Adds a cylinder's rim point that reaches farthest along `toward`, in contact along that
/// direction. `whose` tells the rims of two cylinders apart.
enum Whose : std::uint32_t { rim_of_a = 0, rim_of_b = 32 };
void add_rim_contact(const Cap& cap, const Vec3& toward, double gap, double weight, Whose whose,
                     const Vec3& origin, Manifold& m) {
  if (weight < smallest_weight) return;
  const RimFrame rim = rim_frame(cap.R, toward);
  add_point(origin + cap.rim(rim.first) + (gap / 2) * toward, gap, weight,
            whose + rim_feature(cap.upper, rim.quadrant), m);
}

/// An order of two cylinders that does not depend on which is A: level caps put their points on
/// the quadrants of the first.
bool comes_first(const Shape& a, const Vec3& at_a, const Shape& b, const Vec3& at_b) {
  if (a.radius() != b.radius()) return a.radius() < b.radius();
  if (a.half_length() != b.half_length()) return a.half_length() < b.half_length();
  return at_a.z < at_b.z;
}

}  // namespace

void collide_capsule_cylinder(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                              double margin, PairMemory& memory, Manifold& m) {
  const Vec3 c = X_WB.p - X_WA.p;
  const SeparatingAxis axis = box_cylinder_axis(
      {0, 0, a.half_length()}, transpose_times(X_WA.R, c),
      support_of(b, transpose_times(X_WA.R, X_WB.R.col[2])), margin + a.radius(), {memory.normal});
  const double gap = axis.gap - a.radius();
  if (gap > margin) return;

  m.normal = X_WA.R * axis.normal;
  const CylinderMix mix = mix_of(X_WB.R, m.normal);
  const RoundLine line = axis_of(a, {}, X_WA.R);
  const Cap cap = cap_towards(b, c, X_WB.R, -m.normal);
  double rim = mix.rim;
  if (mix.cap > 0) {
    const bool over = add_line_on_cap(cap, line, -m.normal, gap, mix.cap, X_WA.p, margin, m);
    if (!over) rim += mix.cap;
  }
  if (mix.side > 0) {
    const RoundLine side = axis_of(b, X_WB.p, X_WB.R), capsule = axis_of(a, X_WA.p, X_WA.R);
    add_line_pair(capsule, side, m.normal, gap, deepest_on_lines(capsule, side, m.normal), mix.side,
                  margin, m);
  }
  add_rim_contact(cap, -m.normal, gap, rim, rim_of_b, X_WA.p, m);
}

void collide_cylinder_cylinder(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                               double margin, PairMemory& memory, Manifold& m) {
  const Vec3 c = X_WB.p - X_WA.p;
  const SeparatingAxis axis =
      cylinder_cylinder_axis(support_of(a, X_WA.R.col[2]), support_of(b, X_WB.R.col[2]), c, margin,
                             {X_WA.R * memory.normal});
  if (axis.gap > margin) return;

  m.normal = axis.normal;
  const Vec3 n = m.normal;
  const CylinderMix mix_a = mix_of(X_WA.R, n), mix_b = mix_of(X_WB.R, n);
  const Cap cap_a = cap_towards(a, {}, X_WA.R, n), cap_b = cap_towards(b, c, X_WB.R, -n);
  double on_a = 0, on_b = 0;  // of caps whose flat end the other's side misses: their rims touch it
  double point = 1;           // what is left for the deepest point alone
  if (const double w = mix_a.cap * mix_b.cap; w > 0) {
    const bool met = comes_first(a, X_WA.p, b, X_WB.p)
                         ? add_cap_on_cap(cap_a, cap_b, n, axis.gap, w, X_WA.p, margin, m)
                         : add_cap_on_cap(cap_b, cap_a, -n, axis.gap, w, X_WA.p, margin, m);
    if (met) point = 0;
  } else if (const double v = mix_a.cap * mix_b.side; v > 0) {
    const RoundLine line = axis_of(b, c, X_WB.R);
    if (!add_line_on_cap(cap_a, line, n, axis.gap, v, X_WA.p, margin, m)) on_a = v;
    point -= v;
  } else if (const double u = mix_a.side * mix_b.cap; u > 0) {
    const RoundLine line = axis_of(a, {}, X_WA.R);
    if (!add_line_on_cap(cap_b, line, -n, axis.gap, u, X_WA.p, margin, m)) on_b = u;
    point -= u;
  } else if (const double s = mix_a.side * mix_b.side; s > 0) {
    const RoundLine line_a = axis_of(a, X_WA.p, X_WA.R), line_b = axis_of(b, X_WB.p, X_WB.R);
    add_line_pair(line_a, line_b, n, axis.gap, deepest_on_lines(line_a, line_b, n), s, margin, m);
    point -= s;
  }
  (mix_a.rim >= mix_b.rim ? on_a : on_b) += point;
  add_rim_contact(cap_a, n, axis.gap, on_a, rim_of_a, X_WA.p, m);
  add_rim_contact(cap_b, -n, axis.gap, on_b, rim_of_b, X_WA.p, m);
}

void collide_cylinder_box(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                          double margin, PairMemory& memory, Manifold& m) {
  const Vec3 c = X_WA.p - X_WB.p, x = transpose_times(X_WB.R, c),
             axis_b = transpose_times(X_WB.R, X_WA.R.col[2]);
  const SeparatingAxis axis = box_cylinder_axis(b.half_extents(), x, support_of(a, axis_b), margin,
                                                {-transpose_times(X_WB.R, X_WA.R * memory.normal)});
  if (axis.gap > margin) return;

  m.normal = -(X_WB.R * axis.normal);
  const CylinderMix mix = mix_of(X_WA.R, m.normal);
  const Cap cap = cap_towards(a, {}, X_WA.R, m.normal);
  double rim = mix.rim;
  if (mix.cap > 0) {
    const BoxFace face = face_towards(b.half_extents(), -c, X_WB.R, -m.normal, false);
    const bool over = add_cap_on_face(cap, face, m.normal, mix, axis.gap, X_WA.p, margin, m);
    rim = over ? 0 : 1;
  }
  if (mix.side > 0) {
    LineOnBox contact;
    contact.half_extents = b.half_extents();
    contact.line = {x, axis_b, a.half_length(), a.radius(), true};
    contact.out = axis.normal;
    contact.gap = axis.gap;
    contact.deepest = deepest_on_box(contact);
    add_line_on_box(contact, X_WB, mix.side, margin, m);
  }
  add_rim_contact(cap, m.normal, axis.gap, rim, rim_of_a, X_WA.p, m);
}

}  // namespace abut
