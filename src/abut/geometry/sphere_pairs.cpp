#include "abut/geometry/pairs.hpp"

namespace abut {
namespace {

/// Where a point is nearest to a solid's surface: `out` is the unit normal there, away from the
/// solid, and `distance` is negative inside.
struct NearestSurface {
  Vec3 out;
  double distance = 0;
};

/// The single contact of a sphere A with a solid B.
inline void add_sphere(const Vec3& center, double radius, const NearestSurface& b, double margin,
                       Manifold& m) {
  const double gap = b.distance - radius;
  if (gap > margin) return;
  m.normal = -b.out;
  add_point(center - (b.distance - gap / 2) * b.out, gap, 1, 0, m);
}

/// In the box frame. Inside, the nearest face on the side where the sphere was, last_side().
template <class Side>
NearestSurface nearest_on_box(const Vec3& x, const Vec3& h, const Side& last_side) {
  const Vec3 beyond = abs(x) - h;
  if (beyond.x <= 0 && beyond.y <= 0 && beyond.z <= 0) {
    const int i = beyond.x >= beyond.y && beyond.x >= beyond.z ? 0 : beyond.y >= beyond.z ? 1 : 2;
    Vec3 out;
    out[i] = x[i] < 0 ? -1 : 1;
    NearestSurface near = {out, beyond[i]};
    const LastSide last = last_side();
    if (!last.is_left(out, beyond[i])) return near;
    near.distance = -HUGE_VAL;
    for (int k = 0; k < 3; ++k) {
      Vec3 face;
      face[k] = std::copysign(1.0, last.normal[k]);
      const double distance = face[k] * x[k] - h[k];
      if (last.is_continued_by(face) && distance > near.distance) near = {face, distance};
    }
    return near.distance > -HUGE_VAL ? near : NearestSurface{out, beyond[i]};
  }
  const Vec3 offset = {std::copysign(maximum(beyond.x, 0), x.x),
                       std::copysign(maximum(beyond.y, 0), x.y),
                       std::copysign(maximum(beyond.z, 0), x.z)};
  const double distance = norm(offset);
  if (distance > 1e-100) return {offset / distance, distance};
  const Vec3 axis = beyond.x > 0 ? Vec3{1, 0, 0} : beyond.y > 0 ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
  return {{std::copysign(axis.x, x.x), std::copysign(axis.y, x.y), std::copysign(axis.z, x.z)}, 0};
}

/// In the cylinder frame. Inside, the nearer of cap and side, on the side where the sphere was.
NearestSurface nearest_on_cylinder(const Vec3& x, double radius, double half_length,
                                   const LastSide& last) {
  const Vec3 radial = {x.x, x.y, 0};
  const double rho = norm(radial);
  const Vec3 side = direction_or(radial, {1, 0, 0}), cap = {0, 0, x.z < 0 ? -1.0 : 1.0};
  const double past_side = rho - radius, past_cap = std::abs(x.z) - half_length;
  if (past_side <= 0 || past_cap <= 0) {
    const NearestSurface near =
        past_cap >= past_side ? NearestSurface{cap, past_cap} : NearestSurface{side, past_side};
    if (!last.is_left(near.out, near.distance)) return near;
    const Vec3 last_cap = {0, 0, std::copysign(1.0, last.normal.z)};
    if (last.is_continued_by(last_cap)) return {last_cap, last_cap.z * x.z - half_length};
    return last.is_continued_by(side) ? NearestSurface{side, past_side} : near;
  }
  const double distance = std::sqrt(past_side * past_side + past_cap * past_cap);
  if (distance < 1e-100) return {cap, 0};
  return {(past_side * side + past_cap * cap) / distance, distance};
}

/// Out of B, where the sphere's center is on B's core: as in the step before, or `first`.
Vec3 coincident_side(const PairMemory& memory, const Pose& X_WA, const Vec3& first) {
  return memory.normal == Vec3{} ? first : -(X_WA.R * memory.normal);
}

/// Out of B, in its axes.
LastSide side_of_sphere(const PairMemory& memory, const Pose& X_WA, const Pose& X_WB) {
  return {-transpose_times(X_WB.R, X_WA.R * memory.normal)};
}

}  // namespace

void collide_sphere_sphere(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                           double margin, PairMemory& memory, Manifold& m) {
  const Vec3 offset = X_WA.p - X_WB.p;
  const double cutoff = a.radius() + b.radius() + margin;
  if (squared_norm(offset) > cutoff * cutoff) return;
  const double distance = norm(offset), size = a.radius() + b.radius();
  const Vec3 out =
      distance > coincident * size ? offset / distance : coincident_side(memory, X_WA, {0, 0, 1});
  add_sphere(X_WA.p, a.radius(), {out, distance - b.radius()}, margin, m);
}

void collide_sphere_capsule(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                            double margin, PairMemory& memory, Manifold& m) {
  const Vec3 center = X_WA.p - X_WB.p, axis = X_WB.R.col[2];
  const double along = std::clamp(dot(center, axis), -b.half_length(), b.half_length());
  const Vec3 offset = center - along * axis;
  const double cutoff = a.radius() + b.radius() + margin;
  if (squared_norm(offset) > cutoff * cutoff) return;
  const double distance = norm(offset), size = a.radius() + b.radius();
  Vec3 out;
  if (distance > coincident * size) {
    out = offset / distance;
  } else {
    const Vec3& first = X_WB.R.col[0];
    out = across_axis(coincident_side(memory, X_WA, first), axis, first);
  }
  add_sphere(X_WA.p, a.radius(), {out, distance - b.radius()}, margin, m);
}

void collide_sphere_cylinder(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                             double margin, PairMemory& memory, Manifold& m) {
  NearestSurface near = nearest_on_cylinder(to_local(X_WB, X_WA.p), b.radius(), b.half_length(),
                                            side_of_sphere(memory, X_WA, X_WB));
  near.out = X_WB.R * near.out;
  add_sphere(X_WA.p, a.radius(), near, margin, m);
}

void collide_sphere_box(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                        double margin, PairMemory& memory, Manifold& m) {
  NearestSurface near = nearest_on_box(to_local(X_WB, X_WA.p), b.half_extents(),
                                       [&] { return side_of_sphere(memory, X_WA, X_WB); });
  near.out = X_WB.R * near.out;
  add_sphere(X_WA.p, a.radius(), near, margin, m);
}

}  // namespace abut
