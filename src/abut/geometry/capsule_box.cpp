#include "abut/geometry/line_on_box.hpp"

namespace abut {
namespace {

/// The segment x + s d, |s| <= half, and the box within h, in the box frame.
struct SegmentAndBox {
  double x[3], d[3], h[3], half;

  /// Component i of the vector from the box to the segment at s: 0 within the box's slab.
  double beyond(int i, double s) const {
    const double at = x[i] + s * d[i];
    return at > h[i] ? at - h[i] : at < -h[i] ? at + h[i] : 0;
  }
  /// Half the derivative of the squared distance: rises with s, and is linear between the points
  /// where the line meets the planes of the faces.
  double slope(double s) const {
    return d[0] * beyond(0, s) + d[1] * beyond(1, s) + d[2] * beyond(2, s);
  }
};

/// The coordinate of a nearest point of the segment, at the root of the slope.
double nearest_coordinate(const SegmentAndBox& p) {
  double lower = -p.half, upper = p.half;
  double slope_lower = p.slope(lower), slope_upper = p.slope(upper);
  if (slope_lower >= 0) return lower;
  if (slope_upper <= 0) return upper;
  for (int i = 0; i < 3; ++i) {
    for (const double face : {-p.h[i], p.h[i]}) {
      const double s = (face - p.x[i]) / p.d[i];
      if (!(s > lower && s < upper)) continue;  // also when the line is parallel to the face
      const double slope = p.slope(s);
      if (slope <= 0) lower = s, slope_lower = slope;
      if (slope >= 0) upper = s, slope_upper = slope;
      if (slope == 0) return s;
    }
  }
  return lower - slope_lower * (upper - lower) / (slope_upper - slope_lower);
}

/// The way out of the box for a segment that cuts it: the shortest of the axes that can separate
/// the two, of those that continue `last` if it is given. Sets the normal, the gap of the segment
/// itself and its deepest coordinate. False if there is none.
bool deepest_axis(const SegmentAndBox& p, const LastSide* last, LineOnBox& contact) {
  contact.gap = -HUGE_VAL;
  double size = p.half;
  for (int i = 0; i < 3; ++i) {
    const double sign = (last != nullptr ? last->normal[i] : p.x[i]) < 0 ? -1 : 1;
    const double gap = sign * p.x[i] - p.h[i] - p.half * std::abs(p.d[i]);
    size += p.h[i];
    if (gap <= contact.gap) continue;
    Vec3 face;
    face[i] = sign;
    if (last != nullptr && !last->is_continued_by(face)) continue;
    contact.gap = gap;
    contact.out = face;
    contact.deepest = p.d[i] == 0 ? 0 : -sign * std::copysign(p.half, p.d[i]);
  }
  for (int i = 0; i < 3; ++i) {  // an edge along i and the segment: normal e_i x d
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double sine = std::sqrt(p.d[j] * p.d[j] + p.d[k] * p.d[k]);
    if (sine < 1e-9) continue;
    double nj = -p.d[k] / sine, nk = p.d[j] / sine;
    const double along =
        last != nullptr ? nj * last->normal[j] + nk * last->normal[k] : nj * p.x[j] + nk * p.x[k];
    if (along < 0) nj = -nj, nk = -nk;
    if (last != nullptr && std::abs(along) < LastSide::cone) continue;
    const double gap = nj * p.x[j] + nk * p.x[k] - p.h[j] * std::abs(nj) - p.h[k] * std::abs(nk);
    // A face is preferred within rounding, so that a line on a face is not called an edge contact.
    if (gap <= contact.gap + 1e-12 * size) continue;
    contact.gap = gap;
    contact.out = {};
    contact.out[j] = nj, contact.out[k] = nk;
    // The crossing, seen along the normal: sideways of the edge nothing is left.
    const double to_edge_j = std::copysign(p.h[j], nj) - p.x[j],
                 to_edge_k = std::copysign(p.h[k], nk) - p.x[k];
    const double s = (to_edge_j * p.d[j] + to_edge_k * p.d[k]) / (sine * sine);
    contact.deepest = std::clamp(s, -p.half, p.half);
  }
  return contact.gap > -HUGE_VAL;
}

}  // namespace

void collide_capsule_box(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                         double margin, PairMemory& memory, Manifold& m) {
  const Vec3 x = to_local(X_WB, X_WA.p), d = transpose_times(X_WB.R, X_WA.R.col[2]);
  const Vec3& h = b.half_extents();
  const SegmentAndBox p = {{x.x, x.y, x.z}, {d.x, d.y, d.z}, {h.x, h.y, h.z}, a.half_length()};
  const double cutoff = a.radius() + margin;
  for (int i = 0; i < 3; ++i) {
    if (std::abs(p.x[i]) - p.h[i] - p.half * std::abs(p.d[i]) > cutoff) return;
  }

  LineOnBox contact = {h, {x, d, a.half_length(), a.radius()}, {}, 0, nearest_coordinate(p)};
  const double s = contact.deepest;
  const Vec3 beyond = {p.beyond(0, s), p.beyond(1, s), p.beyond(2, s)};
  const double distance = norm(beyond);
  if (distance > cutoff) return;
  if (distance > 1e-9 * a.radius()) {
    contact.out = beyond / distance;
    contact.gap = distance;
  } else {
    deepest_axis(p, nullptr, contact);
    const LastSide last = {-transpose_times(X_WB.R, X_WA.R * memory.normal)};
    if (last.is_left(contact.out, contact.gap)) {
      const auto gap = [&](const Vec3& u) {
        return dot(u, x) - p.half * std::abs(dot(u, d)) - dot(abs(u), h);
      };
      LineOnBox continued = contact;
      if (deepest_axis(p, &last, continued) && is_way_out(gap, continued.out)) contact = continued;
    }
  }
  contact.gap -= a.radius();
  m.normal = -(X_WB.R * contact.out);
  add_line_on_box(contact, X_WB, 1, margin, m);
}

}  // namespace abut
