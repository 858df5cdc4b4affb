#include "abut/geometry/box_patch.hpp"

#include <bit>
#include <numbers>

namespace abut {
namespace {

/// The angle from A's axes to B's, seen along n, in quarter turns; 0 for a patch with no corner
/// between a side of A and a side of B, which needs no angle. Both axes count, as tilted faces have
/// different angles between their u and between their v.
double quarter_yaw(const FacePolygon& patch, const BoxFace& a, const BoxFace& b, const Vec3& n) {
  if (patch.sides_of_b == 0 || patch.sides_of_b == patch.size) return 0;
  const double sine = dot(n, cross(a.u, b.u) + cross(a.v, b.v));
  const double cosine =
      dot(a.u, b.u) - dot(a.u, n) * dot(b.u, n) + dot(a.v, b.v) - dot(a.v, n) * dot(b.v, n);
  return std::atan2(sine, cosine) / (std::numbers::pi / 2);
}

}  // namespace

void add_patch(const FacePolygon& patch, const BoxFace& a, const BoxFace& b, const Vec3& n,
               const Vec3& origin, double margin, Manifold& m) {
  const double faces = a.mix.face * b.mix.face, edge_b = a.mix.face * b.mix.edge,
               edge_a = a.mix.edge * b.mix.face;
  double weight[FacePolygon::capacity];
  unsigned corners = box_kernels().weigh({.faces = faces,
                                          .edge_a = edge_a,
                                          .edge_b = edge_b,
                                          .lowest_a = a.lowest_side,
                                          .lowest_b = 4 + b.lowest_side,
                                          .yaw = faces > 0 ? quarter_yaw(patch, a, b, n) : 0,
                                          .margin = margin,
                                          .smallest = smallest_weight},
                                         patch, weight);

  std::uint32_t side_feature[8];
  for (int k = 0; k < 4; ++k) {
    side_feature[k] = 32 * a.side_feature[k];
    side_feature[4 + k] = b.side_feature[k];
  }
  const std::uint32_t faces_feature = 32 * a.feature + b.feature;
  const Vec3 center = origin + a.center;
  for (; corners != 0; corners &= corners - 1) {
    const int i = std::countr_zero(corners);
    const double gap = patch.gap[i];
    const int side = static_cast<int>(patch.side[i]), last = static_cast<int>(patch.last_side[i]);
    add_point(center + patch.u[i] * a.u + patch.v[i] * a.v + (gap / 2) * n, gap, weight[i],
              faces_feature + side_feature[last] + side_feature[side], m);
  }
}

}  // namespace abut
