#include <bit>

#include "abut/geometry/cylinder_features.hpp"

namespace abut {
namespace {

/// Adds the point of the other shape at `offset` from its center if its gap is small enough.
inline void add_below(const Vec3& center, const Vec3& offset, double gap, double limit,
                      std::uint32_t feature, Manifold& m) {
  if (gap <= limit) add_point(center + offset - (gap / 2) * m.normal, gap, 1, feature, m);
}

}  // namespace

void collide_plane_sphere(const Shape&, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                          double margin, PairMemory&, Manifold& m) {
  m.normal = X_WA.R.col[2];
  const double gap = dot(m.normal, X_WB.p - X_WA.p) - b.radius();
  add_below(X_WB.p, -b.radius() * m.normal, gap, margin, 0, m);
}

/// The two end spheres.
void collide_plane_capsule(const Shape&, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                           double margin, PairMemory&, Manifold& m) {
  m.normal = X_WA.R.col[2];
  const Vec3 arm = b.half_length() * X_WB.R.col[2];
  const double middle = dot(m.normal, X_WB.p - X_WA.p) - b.radius(), rise = dot(m.normal, arm);
  const Vec3 down = -b.radius() * m.normal;
  add_below(X_WB.p, down - arm, middle - rise, margin, 0, m);
  add_below(X_WB.p, down + arm, middle + rise, margin, 1, m);
}

/// Four rim points of each cap, 90 degrees apart, the first one the deepest. Four springs so placed
/// have the same wrench wherever the first one is, so that it may be any when the cap is level.
void collide_plane_cylinder(const Shape&, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                            double margin, PairMemory&, Manifold& m) {
  m.normal = X_WA.R.col[2];
  const Mat3& R = X_WB.R;
  const double center = dot(m.normal, X_WB.p - X_WA.p);
  const double r = b.radius(), h = b.half_length(), cosine = dot(m.normal, R.col[2]);
  const double lower = cosine > 0 ? -1 : 1;  // the cap that faces the plane, by its sign along z

  for (const double cap : {lower, -lower}) {
    const RimFrame rim = rim_frame(R, -m.normal);
    const double level = center + cap * h * cosine;
    for (int k = 0; k < 4; ++k) {
      const Vec3 spoke = r * rim.direction(k);
      const double gap = level + dot(m.normal, spoke);
      // The upper cap touches as a line's second end, or when pushed below the plane.
      const bool shown = cap == lower || (k == 0 && rim.sine * rim.sine > 0.5);
      add_below(X_WB.p, cap * h * R.col[2] + spoke, gap, shown ? margin : std::min(margin, 0.0),
                rim_feature(cap > 0, rim.quadrant + k), m);
    }
  }
}

/// The corners of the face that faces the plane most, and others once they overlap.
void collide_plane_box(const Shape&, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                       double margin, PairMemory&, Manifold& m) {
  m.normal = X_WA.R.col[2];
  const Vec3 h = b.half_extents();
  const Vec3 x = h.x * X_WB.R.col[0], y = h.y * X_WB.R.col[1], z = h.z * X_WB.R.col[2];
  const double dx = dot(m.normal, x), dy = dot(m.normal, y), dz = dot(m.normal, z);
  const double center = dot(m.normal, X_WB.p - X_WA.p);
  if (center - std::abs(dx) - std::abs(dy) - std::abs(dz) > margin) return;

  // Bit i of a corner is set on the positive side of axis i.
  const double nx = std::abs(dx) / h.x, ny = std::abs(dy) / h.y, nz = std::abs(dz) / h.z;
  const unsigned bit = nx >= ny && nx >= nz ? 1 : ny >= nz ? 2 : 4;
  const bool upward = (bit == 1 ? dx : bit == 2 ? dy : dz) > 0;
  // which corners count, found without branches: they are not predictable
  const auto sign = [](unsigned corner, int axis) { return corner >> axis & 1 ? 1.0 : -1.0; };
  double gaps[8];
  unsigned counting = 0;
  for (unsigned corner = 0; corner < 8; ++corner) {
    const double gap = center + sign(corner, 0) * dx + sign(corner, 1) * dy + sign(corner, 2) * dz;
    const bool is_lower = ((corner & bit) != 0) != upward;
    gaps[corner] = gap;
    counting |= static_cast<unsigned>((gap <= margin) & (is_lower | (gap <= 0))) << corner;
  }
  for (; counting != 0; counting &= counting - 1) {
    const auto corner = static_cast<unsigned>(std::countr_zero(counting));
    const Vec3 arm = sign(corner, 0) * x + sign(corner, 1) * y + sign(corner, 2) * z;
    add_point(X_WB.p + arm - (gaps[corner] / 2) * m.normal, gaps[corner], 1, corner, m);
  }
}

}  // namespace abut
