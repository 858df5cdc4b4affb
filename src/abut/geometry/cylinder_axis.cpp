#include "abut/geometry/cylinder_axis.hpp"

#include "abut/geometry/rim_axis.hpp"

namespace abut {
namespace {

/// Keeps the best axis; what is tried later must be better by more than rounding.
template <class Gap>
struct Candidates {
  Gap gap;
  Vec3 center;
  double preference;
  LastSide last;
  SeparatingAxis best = {};
  SeparatingAxis continued = {};  ///< the best of those that continue the last side

  /// `u` of unit length; its opposite is meant where that points more towards the center, or to
  /// the last side.
  void consider(const Vec3& u) {
    const Vec3 v = dot(u, center) < 0 ? -u : u;
    take(v, best);
    if (last.normal == Vec3{}) return;
    const Vec3 w = dot(u, last.normal) < 0 ? -u : u;
    if (last.is_continued_by(w)) take(w, continued);
  }
  void take(const Vec3& u, SeparatingAxis& to) const {
    const double g = gap(u);
    if (g > to.gap + (to.gap > -HUGE_VAL ? preference : 0)) to = {u, g};
  }
  /// What a gap must exceed to be the best, or the best on the last side, which is no larger.
  double least() const { return last.normal == Vec3{} ? best.gap : continued.gap; }
  /// Whether no axis that is yet to come can be the answer. The best one is normal to a face, of
  /// this thickness, of one shape, and the other shape's point that reaches farthest into it, by d,
  /// is `inside` of its border. At an angle t from the normal the first shape reaches beyond that
  /// point by at least d cos t + inside sin t, and where cos t < 0 by (thickness - d) |cos t| +
  /// inside sin t: by d or more if inside >= d and thickness >= 2 d.
  bool is_settled(double inside, double thickness) const {
    const double depth = -best.gap;
    return inside >= maximum(depth, 0) && thickness >= 2 * depth &&
           !last.is_left(best.normal, best.gap);
  }
  /// The best of all, or the one that keeps the side if it is a way out.
  SeparatingAxis answer() const {
    const bool changes = last.is_left(best.normal, best.gap) && continued.gap > -HUGE_VAL;
    return changes && is_way_out(gap, continued.normal) ? continued : best;
  }
};

/// The point of a cylinder about `center` that reaches farthest along the unit vector u.
Vec3 farthest_point(const CylinderSupport& cylinder, const Vec3& center, const Vec3& u) {
  const double along = dot(u, cylinder.axis);
  const Vec3 out = direction_or(u - along * cylinder.axis, {});
  return center + cylinder.radius * out +
         std::copysign(cylinder.half_length, along) * cylinder.axis;
}

/// How far x is from the axis of a cylinder about `center`.
double off_axis(const CylinderSupport& cylinder, const Vec3& center, const Vec3& x) {
  return norm(cross(x - center, cylinder.axis));
}

/// Whether a face of the box or a cap of the cylinder settles the search.
template <class Gap>
bool is_face_to_face(const Candidates<Gap>& c, const Vec3& half, const CylinderSupport& cylinder) {
  const Vec3& n = c.best.normal;
  for (int i = 0; i < 3; ++i) {
    if (std::abs(n[i]) != 1 || half[i] == 0) continue;
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const Vec3 x = farthest_point(cylinder, c.center, -n);
    const double inside = minimum(half[j] - std::abs(x[j]), half[k] - std::abs(x[k]));
    if (c.is_settled(inside, 2 * half[i])) return true;
  }
  if (!(n == cylinder.axis) && !(n == -cylinder.axis)) return false;
  const Vec3 corner = {std::copysign(half.x, n.x), std::copysign(half.y, n.y),
                       std::copysign(half.z, n.z)};
  return c.is_settled(cylinder.radius - off_axis(cylinder, c.center, corner),
                      2 * cylinder.half_length);
}

/// Whether a cap of one of two cylinders settles the search.
template <class Gap>
bool is_cap_to_cap(const Candidates<Gap>& c, const CylinderSupport& a, const CylinderSupport& b) {
  const Vec3& n = c.best.normal;
  const auto settles = [&](const CylinderSupport& cap, const Vec3& center, const Vec3& point) {
    return (n == cap.axis || n == -cap.axis) &&
           c.is_settled(cap.radius - off_axis(cap, center, point), 2 * cap.half_length);
  };
  return settles(a, {}, farthest_point(b, c.center, -n)) ||
         settles(b, c.center, farthest_point(a, {}, n));
}

/// Normals at the nearest points of the cylinder to a corner, where the corner faces it.
template <class Consider>
void corner_axes(const Vec3& half, const Vec3& center, const CylinderSupport& cylinder,
                 Consider&& consider) {
  const unsigned flat = (half.x == 0 ? 1u : 0u) | (half.y == 0 ? 2u : 0u) | (half.z == 0 ? 4u : 0u);
  for (unsigned k = 0; k < 8; ++k) {
    if (k & flat) continue;
    const Vec3 corner = {k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y,
                         k & 4 ? half.z : -half.z};
    const Vec3 offset = center - corner;
    const double along = dot(offset, cylinder.axis),
                 past_cap = std::abs(along) - cylinder.half_length;
    const Vec3 radial = offset - along * cylinder.axis;
    const double rho = norm(radial), past_side = rho - cylinder.radius;
    if (rho < 1e-100 || (past_cap > 0 && past_side <= 0)) continue;  // the cap's own normal
    Vec3 side = radial / rho;
    side -= dot(side, cylinder.axis) * cylinder.axis;  // what rounding left of a thin cylinder
    const Vec3 u =
        past_cap <= 0 ? side : past_side * side + std::copysign(past_cap, along) * cylinder.axis;
    if (u.x * corner.x < 0 || u.y * corner.y < 0 || u.z * corner.z < 0) continue;
    consider(u / norm(u));
  }
}

}  // namespace

SeparatingAxis box_cylinder_axis(const Vec3& half, const Vec3& center,
                                 const CylinderSupport& cylinder, double margin,
                                 const LastSide& last) {
  const auto gap = [&](const Vec3& u) { return dot(u, center) - dot(abs(u), half) - cylinder(u); };
  const double size = minimum(half.x + half.y + half.z, cylinder.radius + cylinder.half_length);
  Candidates<decltype(gap)> candidates{gap, center, 1e-12 * size, last};
  const SeparatingAxis& best = candidates.best;
  const auto consider = [&](const Vec3& u) { candidates.consider(u); };

  for (int i = 0; i < 3; ++i) {
    if (half[i] == 0) continue;
    Vec3 face;
    face[i] = 1;
    consider(face);
  }
  consider(cylinder.axis);
  if (best.gap > margin || is_face_to_face(candidates, half, cylinder)) return best;
  for (int i = 0; i < 3; ++i) {
    if (half[i] == 0) continue;
    Vec3 edge;
    edge[i] = 1;
    const Vec3 both = cross(edge, cylinder.axis);
    const double sine = norm(both);
    if (sine > 0) consider(both / sine);  // without cancellation: the edge is a coordinate axis
  }
  if (best.gap > margin) return best;
  corner_axes(half, center, cylinder, consider);
  for (int i = 0; i < 3; ++i) {
    if (half[i] == 0) continue;
    Vec3 u[EdgeRimSearch::capacity];
    const int count = EdgeRimSearch(i, half, center, cylinder).maxima(candidates.least(), u);
    for (int k = 0; k < count; ++k) consider(u[k]);
  }
  return candidates.answer();
}

SeparatingAxis cylinder_cylinder_axis(const CylinderSupport& a, const CylinderSupport& b,
                                      const Vec3& center, double margin, const LastSide& last) {
  const auto gap = [&](const Vec3& u) { return dot(u, center) - a(u) - b(u); };
  const double size = minimum(a.radius + a.half_length, b.radius + b.half_length);
  Candidates<decltype(gap)> candidates{gap, center, 1e-12 * size, last};
  const SeparatingAxis& best = candidates.best;
  const auto consider = [&](const Vec3& u) { candidates.consider(u); };

  consider(a.axis);
  consider(b.axis);
  if (best.gap > margin || is_cap_to_cap(candidates, a, b)) return best;
  consider(direction_or(center, a.axis));  // no maximum, but often far enough
  if (best.gap > margin) return best;
  const Vec3 both = cross(a.axis, b.axis);
  const double sine = norm(both);
  consider(sine > 1e-9 ? both / sine : any_perpendicular(a.axis));
  if (best.gap > margin) return best;

  // One side line against the other's rim: in the frame of the line.
  for (const bool swapped : {false, true}) {
    const CylinderSupport &line = swapped ? b : a, &round = swapped ? a : b;
    const Vec3 x = any_perpendicular(line.axis);
    const Mat3 R = {{x, cross(line.axis, x), line.axis}};
    const CylinderSupport local = {transpose_times(R, round.axis), round.radius, round.half_length};
    const Vec3 c = transpose_times(R, swapped ? -center : center);
    Vec3 u[EdgeRimSearch::capacity];
    const double least = candidates.least() + line.radius;  // the search is from the line's axis
    const int count = EdgeRimSearch(2, {}, c, local).maxima(least, u);
    for (int k = 0; k < count; ++k) consider(R * u[k]);
  }
  // Two rims, for the caps on either side.
  for (const double side_a : {1.0, -1.0}) {
    for (const double side_b : {1.0, -1.0}) {
      // A cap that faces away from the other center can take part, but not two.
      if (side_a * dot(center, a.axis) < 0 && side_b * dot(center, b.axis) < 0) continue;
      if (best.gap > margin) return best;
      const DiscPair discs(a, side_a, b, side_b, center);
      // From between the discs and, where they face the same way, from the tips of both cones.
      const bool facing = dot(a.axis, b.axis) * side_a * side_b >= 0;
      const Vec3 starts[] = {direction_or(discs.between(), best.normal), side_a * a.axis,
                             side_b * b.axis};
      for (int k = 0; k < (facing ? 3 : 1); ++k) {
        Vec3 u = starts[k];
        if (discs.climb(u)) consider(u);
      }
    }
  }
  return candidates.answer();
}

}  // namespace abut
