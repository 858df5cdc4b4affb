#include "abut/geometry/box_kernels.hpp"
#include "abut/geometry/box_patch.hpp"
#include "abut/geometry/line_contact.hpp"

namespace abut {
namespace {

/// A direction that separates the boxes best, from A into B.
struct Separation {
  Vec3 normal;
  double gap = -HUGE_VAL;
};

/// An edge axis must be better than a face by this much: rounding does not turn a face contact
/// into that of two edges. A billionth of the smaller box.
double face_preference(const BoxPair& p) {
  const auto size = [](const Vec3& h) { return h.x + h.y + h.z; };
  return 1e-9 * minimum(size(p.half_a), size(p.half_b));
}

/// The best of the 15 axes that can separate two boxes that overlap; false when one already shows
/// that they are farther apart than `margin`.
bool separate(const BoxPair& p, double margin, Separation& best) {
  BestAxis found;
  if (!box_kernels().separate(p, margin, face_preference(p), found)) return false;
  const int edges = found.axis - 6;
  Vec3 n;
  if (edges < 0) {
    const Mat3& R = found.axis < 3 ? p.A : p.B;
    n = R.col[found.axis % 3];
  } else {
    n = cross(p.A.col[edges / 3], p.B.col[edges % 3]);
    n = n / norm(n);
  }
  best = {(dot(n, p.center) < 0 ? -1.0 : 1.0) * n, found.gap};
  return true;
}

/// The best of the axes that continue the last side of overlapping boxes, if it is a way out; else
/// `shortest`.
Separation continued(const BoxPair& p, const LastSide& last, const Separation& shortest) {
  const auto gap = [&](const Vec3& u) {
    return dot(u, p.center) - dot(abs(transpose_times(p.A, u)), p.half_a) -
           dot(abs(transpose_times(p.B, u)), p.half_b);
  };
  Separation best;
  const auto consider = [&](const Vec3& axis, double preference) {
    const Vec3 u = dot(axis, last.normal) < 0 ? -axis : axis;
    if (!last.is_continued_by(u)) return;
    const double g = gap(u);
    if (g > best.gap + preference) best = {u, g};
  };
  for (int i = 0; i < 3; ++i) consider(p.A.col[i], 0), consider(p.B.col[i], 0);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const Vec3 both = cross(p.A.col[i], p.B.col[j]);
      const double sine = norm(both);
      if (sine < 1e-7) continue;
      consider(both / sine, best.gap > -HUGE_VAL ? face_preference(p) : 0);
    }
  }
  return best.gap > -HUGE_VAL && is_way_out(gap, best.normal) ? best : shortest;
}

/// Corner k of a box: bit i is set on the positive side of axis i.
Vec3 corner(const Vec3& h, const Mat3& R, int k) {
  return (k & 1 ? h.x : -h.x) * R.col[0] + (k & 2 ? h.y : -h.y) * R.col[1] +
         (k & 4 ? h.z : -h.z) * R.col[2];
}

/// The nearest points of two boxes apart, one of which is a corner.
struct NearestPoints {
  Vec3 on_a, on_b, across;  // from A to B
  double distance = HUGE_VAL;
};

/// Tries the corners of the second box; `swapped` when that is A.
void try_corners(const Vec3& half, const Vec3& center, const Mat3& R, const Vec3& corner_half,
                 const Vec3& corner_center, const Mat3& corner_R, bool swapped,
                 NearestPoints& best) {
  for (int k = 0; k < 8; ++k) {
    const Vec3 x = corner_center + corner(corner_half, corner_R, k);
    const Vec3 local = transpose_times(R, x - center);
    const Vec3 clamped = {std::clamp(local.x, -half.x, half.x),
                          std::clamp(local.y, -half.y, half.y),
                          std::clamp(local.z, -half.z, half.z)};
    // Exactly perpendicular to an edge that the corner is nearest to, however near it is.
    const Vec3 beyond = local - clamped;
    const double distance = norm(beyond);
    if (distance >= best.distance) continue;
    const Vec3 y = center + R * clamped, across = R * beyond;
    best = {swapped ? x : y, swapped ? y : x, swapped ? -across : across, distance};
  }
}

/// The edge of a box through a point of its surface that is most perpendicular to `n`.
RoundLine edge_through(const Vec3& half, const Vec3& center, const Mat3& R, const Vec3& point,
                       const Vec3& n) {
  const Vec3 along = abs(transpose_times(R, n)), local = transpose_times(R, point - center);
  const Vec3 inside = half - abs(local);
  int best = 0;
  double least = HUGE_VAL;
  for (int i = 0; i < 3; ++i) {
    // How far the point is from the edge, in its length, comes before the direction.
    const double aside = maximum(inside[(i + 1) % 3], inside[(i + 2) % 3]) / half[i];
    const double score = along[i] + (aside > 1e-9 ? 1 + aside : 0);
    if (score < least) least = score, best = i;
  }
  Vec3 middle = {std::copysign(half.x, local.x), std::copysign(half.y, local.y),
                 std::copysign(half.z, local.z)};
  middle[best] = 0;
  return {center + R * middle, R.col[best], half[best], 0};
}

/// Boxes apart whose nearest points are corners or lie on edges side by side.
void collide_corners(const BoxPair& p, const Vec3& origin, double margin, Manifold& m) {
  NearestPoints near;
  try_corners(p.half_a, {}, p.A, p.half_b, p.center, p.B, false, near);
  try_corners(p.half_b, p.center, p.B, p.half_a, {}, p.A, true, near);
  if (near.distance > margin) return;
  // Touching boxes keep the separating axis.
  if (near.distance > face_preference(p)) m.normal = near.across / near.distance;
  RoundLine a = edge_through(p.half_a, {}, p.A, near.on_a, m.normal);
  RoundLine b = edge_through(p.half_b, p.center, p.B, near.on_b, m.normal);
  const LinePair at = {dot(near.on_a - a.center, a.direction),
                       dot(near.on_b - b.center, b.direction)};
  a.center += origin, b.center += origin;
  add_line_pair(a, b, m.normal, near.distance, at, 1, margin, m);
}

}  // namespace

void collide_box_box(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                     double margin, PairMemory& memory, Manifold& m) {
  const BoxPair p = {a.half_extents(), b.half_extents(), X_WA.R, X_WB.R, X_WB.p - X_WA.p};
  Separation best;
  if (!separate(p, margin, best)) return;
  const LastSide last = {X_WA.R * memory.normal};
  if (last.is_left(best.normal, best.gap)) best = continued(p, last, best);

  m.normal = best.normal;
  const BoxFace face_a = face_towards(p.half_a, {}, p.A, m.normal, true);
  const BoxFace face_b = face_towards(p.half_b, p.center, p.B, -m.normal, false);
  FacePolygon patch;
  box_kernels().overlap(face_a, face_b, m.normal, patch);
  // The axis is that of the nearest points if its gap is found between the faces. Boxes that
  // overlap always pass, but for rounding where they barely do.
  const bool found =
      patch.size > 0 && patch.gap[patch.deepest] <= best.gap + 10 * face_preference(p);
  if (!found) return collide_corners(p, X_WA.p, margin, m);
  add_patch(patch, face_a, face_b, m.normal, X_WA.p, margin, m);
}

}  // namespace abut
