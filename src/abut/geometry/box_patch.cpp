#include "abut/geometry/box_patch.hpp"

#include <algorithm>
#include <numbers>

namespace abut {
namespace {

/// Cuts off what lies beyond side k of A's rectangle (Sutherland and Hodgman). Where there is any,
/// the rest comes into `next`, and the two change places.
template <int k>
[[gnu::always_inline]] inline void clip(FacePolygon*& patch, FacePolygon*& next, double half_u,
                                        double half_v) {
  const FacePolygon& p = *patch;
  FacePolygon& cut = *next;
  const int count = p.size;
  const double half = k & 1 ? half_v : half_u, at = k < 2 ? half : -half;
  const double* along = k & 1 ? p.v : p.u;
  double in[FacePolygon::capacity];  // signed distances inward
  int outside = 0;
  for (int i = 0; i < count; ++i) {
    in[i] = k < 2 ? half - along[i] : half + along[i];
    outside += in[i] < 0;
  }
  if (outside == 0) return;
  int size = 0;
  for (int i = 0; i < count; ++i) {
    const int j = i + 1 < count ? i + 1 : 0;
    const bool stays = in[i] >= 0, leaves_or_enters = stays != (in[j] >= 0);
    if (stays && size < FacePolygon::capacity) {
      cut.u[size] = p.u[i], cut.v[size] = p.v[i], cut.gap[size] = p.gap[i];
      cut.side[size++] = p.side[i];
    }
    if (leaves_or_enters && size < FacePolygon::capacity) {
      const double t = in[i] / (in[i] - in[j]);
      cut.u[size] = k & 1 ? p.u[i] + t * (p.u[j] - p.u[i]) : at;
      cut.v[size] = k & 1 ? at : p.v[i] + t * (p.v[j] - p.v[i]);
      cut.gap[size] = p.gap[i] + t * (p.gap[j] - p.gap[i]);
      cut.side[size++] = stays ? k : p.side[i];
    }
  }
  cut.size = size;
  std::swap(patch, next);
}

/// The turn between two sides in quarter turns, B's face being rotated by `yaw` quarter turns.
double quarter_turns(int side, int next_side, double yaw) {
  const double turn = (next_side & 3) - (side & 3) + ((next_side >> 2) - (side >> 2)) * yaw;
  // From [-5, 5] into [-1, 3): what rounding puts a little outside [0, 2] is then near its end.
  return std::clamp(turn - 4 * ((turn >= 3) - (turn < -1)), 0.0, 2.0);
}

/// The angle from A's axes to B's, seen along n, in quarter turns; 0 for a patch with no corner
/// between a side of A and a side of B, which needs no angle. Both axes count, as tilted faces have
/// different angles between their u and between their v.
double quarter_yaw(const FacePolygon& patch, const BoxFace& a, const BoxFace& b, const Vec3& n) {
  int sides_of_b = 0;
  for (int i = 0; i < patch.size; ++i) sides_of_b += patch.side[i] >> 2;
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
    if (gap[i] < gap[best]) best = i;
  }
  return best;
}

void overlap_of_faces(const BoxFace& a, const BoxFace& b, const Vec3& n, FacePolygon& result) {
  result.size = 4;
  const double slant = 1 / dot(n, a.normal);
  for (int k = 0; k < 4; ++k) {
    const Vec3 x = b.corner(k) - a.center;
    const double gap = dot(x, a.normal) * slant;
    const Vec3 foot = x - gap * n;
    result.u[k] = dot(foot, a.u), result.v[k] = dot(foot, a.v);
    result.gap[k] = gap;
    result.side[k] = static_cast<std::uint8_t>(4 + k);
  }
  FacePolygon other, *patch = &result, *next = &other;
  clip<0>(patch, next, a.half_u, a.half_v);
  clip<1>(patch, next, a.half_u, a.half_v);
  clip<2>(patch, next, a.half_u, a.half_v);
  clip<3>(patch, next, a.half_u, a.half_v);
  if (patch == &result) return;
  result.size = other.size;
  for (int i = 0; i < other.size; ++i) {
    result.u[i] = other.u[i], result.v[i] = other.v[i];
    result.gap[i] = other.gap[i];
    result.side[i] = other.side[i];
  }
}

void add_patch(const FacePolygon& patch, const BoxFace& a, const BoxFace& b, const Vec3& n,
               const Vec3& origin, double margin, Manifold& m) {
  const double faces = a.mix.face * b.mix.face, edge_b = a.mix.face * b.mix.edge,
               edge_a = a.mix.edge * b.mix.face;
  const double yaw = faces > 0 ? quarter_yaw(patch, a, b, n) : 0;

  double weight[FacePolygon::capacity];
  double point = 1 - faces;  // what is left for the deepest corner
  const int lowest_a = a.lowest_side, lowest_b = 4 + b.lowest_side;
  for (int i = 0; i < patch.size; ++i) {
    const int side = patch.side[i > 0 ? i - 1 : patch.size - 1], next = patch.side[i];
    weight[i] = faces * quarter_turns(side, next, yaw);
    const double line = (side == lowest_a || next == lowest_a ? edge_a : 0) +
                        (side == lowest_b || next == lowest_b ? edge_b : 0);
    weight[i] += line;
    point -= line / 2;  // each edge has two ends, or none when it is off the other face
  }
  if (patch.size > 0 && point > 0) weight[patch.deepest()] += point;

  std::uint32_t side_feature[8];
  for (int k = 0; k < 4; ++k) {
    side_feature[k] = 32 * a.side_feature[k];
    side_feature[4 + k] = b.side_feature[k];
  }
  const std::uint32_t faces_feature = 32 * a.feature + b.feature;
  const Vec3 center = origin + a.center;
  for (int i = 0; i < patch.size; ++i) {
    const double gap = patch.gap[i];
    if (gap > margin || weight[i] < smallest_weight) continue;
    const int side = patch.side[i > 0 ? i - 1 : patch.size - 1];
    add_point(center + patch.u[i] * a.u + patch.v[i] * a.v + (gap / 2) * n, gap, weight[i],
              faces_feature + side_feature[side] + side_feature[patch.side[i]], m);
  }
}

}  // namespace abut
