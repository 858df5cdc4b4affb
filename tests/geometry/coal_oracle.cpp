#include "coal_oracle.hpp"

#include <coal/collision.h>
#include <coal/distance.h>
#include <coal/shape/geometric_shapes.h>

#include <memory>
#include <vector>

namespace abut {
namespace {

std::unique_ptr<coal::ShapeBase> to_coal(const Shape& s) {
  switch (s.kind) {
    case ShapeKind::plane: return std::make_unique<coal::Halfspace>(coal::Vec3s(0, 0, 1), 0.0);
    case ShapeKind::sphere: return std::make_unique<coal::Sphere>(s.radius());
    case ShapeKind::capsule:
      return std::make_unique<coal::Capsule>(s.radius(), 2 * s.half_length());
    case ShapeKind::cylinder:
      return std::make_unique<coal::Cylinder>(s.radius(), 2 * s.half_length());
    case ShapeKind::box:
      return std::make_unique<coal::Box>(2 * s.size.x, 2 * s.size.y, 2 * s.size.z);
    case ShapeKind::ellipsoid:
    case ShapeKind::hull:
    case ShapeKind::height_field: break;  // those pairs are computed by Coal anyway
  }
  return nullptr;
}

coal::Transform3s to_coal(const Pose& X) {
  coal::Matrix3s R;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) R(i, j) = X.R(i, j);
  }
  return {R, coal::Vec3s(X.p.x, X.p.y, X.p.z)};
}

}  // namespace

CoalAnswer coal_distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB) {
  const auto shape_a = to_coal(a), shape_b = to_coal(b);
  coal::DistanceRequest request;
  request.enable_signed_distance = true;
  request.gjk_tolerance = request.epa_tolerance = 1e-12;
  request.gjk_max_iterations = 1000;
  request.epa_max_iterations = 1000;
  coal::DistanceResult result;
  coal::distance(shape_a.get(), to_coal(X_WA), shape_b.get(), to_coal(X_WB), request, result);
  return {result.min_distance, {result.normal.x(), result.normal.y(), result.normal.z()}};
}

struct CoalPairs::Pairs {
  struct Pair {
    std::unique_ptr<coal::ShapeBase> a, b;
    coal::Transform3s X_WA, X_WB;
  };
  std::vector<Pair> list;
};

CoalPairs::CoalPairs(std::span<const Placement> placements) : pairs_(std::make_unique<Pairs>()) {
  for (const Placement& p : placements) {
    pairs_->list.push_back({to_coal(p.a), to_coal(p.b), to_coal(p.X_WA), to_coal(p.X_WB)});
  }
}

CoalPairs::~CoalPairs() = default;

int CoalPairs::collide_all() const {
  const coal::CollisionRequest request;
  coal::CollisionResult result;
  int overlapping = 0;
  for (const Pairs::Pair& p : pairs_->list) {
    result.clear();
    overlapping += coal::collide(p.a.get(), p.X_WA, p.b.get(), p.X_WB, request, result) > 0;
  }
  return overlapping;
}

}  // namespace abut
