#include "abut/sim/placement_kernels.hpp"

#include <cmath>

#include "abut/core/isa_table.hpp"

namespace abut {
namespace {

void put(const Vec3& v, double* to) {
  to[0] = v.x, to[1] = v.y, to[2] = v.z;
}

}  // namespace

PlacedGeom::PlacedGeom(const Shape& shape, const Pose& on_body)
    : kind(shape.kind), has_pose(on_body.p != Vec3{} || on_body.R != Mat3::identity()) {
  for (int k = 0; k < 3; ++k) put(on_body.R.col[k], turn + 4 * k);
  put(on_body.p, shift);
  put(shape.size, size);
  if (kind != ShapeKind::hull) return;
  put(0.5 * (shape.hull->upper - shape.hull->lower), size);
  put(0.5 * (shape.hull->upper + shape.hull->lower), middle);
}

GeomBounds::GeomBounds(const Aabb& box) {
  for (int k = 0; k < 3; ++k) {
    half[k] = 0.5 * (box.upper[k] - box.lower[k]);
    if (std::isfinite(half[k])) center[k] = 0.5 * (box.lower[k] + box.upper[k]);
  }
}

const PlacementKernels& placement_kernels() {
  static constinit IsaTable table(ABUT_ISA_TABLES(placement_table));
  return table.get();
}

}  // namespace abut
