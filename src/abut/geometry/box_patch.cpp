#include "abut/geometry/box_patch.hpp"

#include <algorithm>
#include <numbers>

namespace abut {
namespace {

/// Signed distance inward from side k of a rectangle.
double inside(const PatchCorner& c, int k, double half_u, double half_v) {
  switch (k) {
    case 0: return half_u - c.u;
    case 1: return half_v - c.v;
    case 2: return half_u + c.u;
    default: return half_v + c.v;
  }
}

/// Where the side from `c` to `d` crosses side k of the rectangle.
PatchCorner crossing(const PatchCorner& c, const PatchCorner& d, double c_in, double d_in, int k,
                     double half_u, double half_v, std::uint8_t next_side) {
  const double t = c_in / (c_in - d_in);
  PatchCorner x = {c.u + t * (d.u - c.u), c.v + t * (d.v - c.v), c.gap + t * (d.gap - c.gap),
                   next_side};
  if (k & 1) {
    x.v = k == 1 ? half_v : -half_v;
  } else {
    x.u = k == 0 ? half_u : -half_u;
  }
  return x;
}

/// Cuts off what lies beyond side k of the rectangle (Sutherland and Hodgman).
void clip(FacePolygon& patch, int k, double half_u, double half_v) {
  double in[FacePolygon::capacity];
  int outside = 0;
  for (int i = 0; i < patch.size; ++i) {
    in[i] = inside(patch.corners[i], k, half_u, half_v);
    outside += in[i] < 0;
  }
  if (outside == 0) return;
  if (outside == patch.size) {
    patch.size = 0;
    return;
  }
  FacePolygon cut;
  const auto push = [&](const PatchCorner& c) {
    if (cut.size < FacePolygon::capacity) cut.corners[cut.size++] = c;
  };
  for (int i = 0; i < patch.size; ++i) {
    const int j = i + 1 < patch.size ? i + 1 : 0;
    const PatchCorner &c = patch.corners[i], &d = patch.corners[j];
    if (in[i] >= 0) push(c);
    if ((in[i] >= 0) == (in[j] >= 0)) continue;
    const std::uint8_t next = in[i] >= 0 ? static_cast<std::uint8_t>(k) : c.side;
    push(crossing(c, d, in[i], in[j], k, half_u, half_v, next));
  }
  patch.size = cut.size;
  std::copy_n(cut.corners, cut.size, patch.corners);
}

/// The turn between two sides in quarter turns, B's face being rotated by `yaw` quarter turns.
double quarter_turns(int side, int next_side, double yaw) {
  const double turn = (next_side & 3) - (side & 3) + ((next_side >> 2) - (side >> 2)) * yaw;
  // Into [-1, 3): what rounding puts a little outside [0, 2] is then near its end.
  return std::clamp(turn - 4 * std::floor((turn + 1) / 4), 0.0, 2.0);
}

/// The angle from A's axes to B's, seen along n, in quarter turns; 0 for a patch with no corner
/// between a side of A and a side of B, which needs no angle. Both axes count, as tilted faces have
/// different angles between their u and between their v.
double quarter_yaw(const FacePolygon& patch, const BoxFace& a, const BoxFace& b, const Vec3& n) {
  int sides_of_b = 0;
  for (int i = 0; i < patch.size; ++i) sides_of_b += patch.corners[i].side >> 2;
  if (sides_of_b == 0 || sides_of_b == patch.size) return 0;
  const double sine = dot(n, cross(a.u, b.u) + cross(a.v, b.v));
  const double cosine =
      dot(a.u, b.u) - dot(a.u, n) * dot(b.u, n) + dot(a.v, b.v) - dot(a.v, n) * dot(b.v, n);
  return std::atan2(sine, cosine) / (std::numbers::pi / 2);
}

}  // namespace

int FacePolygon::deepest() const {
  int best = 0;
  for (int i = 1; i < size; ++i) {
    if (corners[i].gap < corners[best].gap) best = i;
  }
  return best;
}

FacePolygon overlap_of_faces(const BoxFace& a, const BoxFace& b, const Vec3& n) {
  FacePolygon patch;
  patch.size = 4;
  const double slant = 1 / dot(n, a.normal);
  for (int k = 0; k < 4; ++k) {
    const Vec3 x = b.corner(k) - a.center;
    const double gap = dot(x, a.normal) * slant;
    const Vec3 foot = x - gap * n;
    patch.corners[k] = {dot(foot, a.u), dot(foot, a.v), gap, static_cast<std::uint8_t>(4 + k)};
  }
  for (int k = 0; k < 4 && patch.size > 0; ++k) clip(patch, k, a.half_u, a.half_v);
  return patch;
}

void add_patch(const FacePolygon& patch, const BoxFace& a, const BoxFace& b, const Vec3& n,
               const Vec3& origin, double margin, Manifold& m) {
  const double faces = a.mix.face * b.mix.face, edge_b = a.mix.face * b.mix.edge,
               edge_a = a.mix.edge * b.mix.face;
  const double yaw = quarter_yaw(patch, a, b, n);

  double weight[FacePolygon::capacity];
  double point = 1 - faces;  // what is left for the deepest corner
  const int lowest_a = a.lowest_side, lowest_b = 4 + b.lowest_side;
  for (int i = 0; i < patch.size; ++i) {
    const int side = patch.corners[i > 0 ? i - 1 : patch.size - 1].side;
    const int next = patch.corners[i].side;
    weight[i] = faces * quarter_turns(side, next, yaw);
    const double line = (side == lowest_a || next == lowest_a ? edge_a : 0) +
                        (side == lowest_b || next == lowest_b ? edge_b : 0);
    weight[i] += line;
    point -= line / 2;  // each edge has two ends, or none when it is off the other face
  }
  if (patch.size > 0 && point > 0) weight[patch.deepest()] += point;

  const Vec3 center = origin + a.center;
  for (int i = 0; i < patch.size; ++i) {
    const PatchCorner& c = patch.corners[i];
    if (c.gap > margin || weight[i] < smallest_weight) continue;
    const int side = patch.corners[i > 0 ? i - 1 : patch.size - 1].side;
    std::uint32_t name_a = a.feature, name_b = b.feature;
    for (const int s : {side, static_cast<int>(c.side)}) {
      if (s < 4) {
        name_a += a.side_feature[s];
      } else {
        name_b += b.side_feature[s - 4];
      }
    }
    add_point(center + c.u * a.u + c.v * a.v + (c.gap / 2) * n, c.gap, weight[i],
              32 * name_a + name_b, m);
  }
}

}  // namespace abut
