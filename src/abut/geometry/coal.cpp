#include "abut/geometry/coal.hpp"

#include <coal/narrowphase/narrowphase.h>
#include <coal/shape/convex.h>
#include <coal/shape/geometric_shapes.h>

#include <stdexcept>
#include <utility>
#include <variant>

#include "abut/core/assert.hpp"

namespace abut {

using Hull = coal::Convex<coal::Triangle>;

class CoalHull {
 public:
  explicit CoalHull(std::unique_ptr<Hull> hull) : hull_(std::move(hull)) {}
  const coal::ShapeBase& shape() const { return *hull_; }

 private:
  std::unique_ptr<Hull> hull_;
};

namespace {

std::shared_ptr<std::vector<coal::Vec3s>> to_coal(std::span<const Vec3> points) {
  auto list = std::make_shared<std::vector<coal::Vec3s>>();
  list->reserve(points.size());
  for (const Vec3& p : points) list->emplace_back(p.x, p.y, p.z);
  return list;
}

coal::Transform3s to_coal(const Mat3& R, const Vec3& p) {
  coal::Matrix3s matrix;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) matrix(i, j) = R(i, j);
  }
  return {matrix, coal::Vec3s(p.x, p.y, p.z)};
}

/// A shape of Coal on the stack; hulls are kept by their shape.
class CoalShape {
 public:
  explicit CoalShape(const Shape& s) {
    switch (s.kind) {
      case ShapeKind::sphere: shape_ = &own_.emplace<coal::Sphere>(s.radius()); break;
      case ShapeKind::capsule:
        shape_ = &own_.emplace<coal::Capsule>(s.radius(), 2 * s.half_length());
        break;
      case ShapeKind::cylinder:
        shape_ = &own_.emplace<coal::Cylinder>(s.radius(), 2 * s.half_length());
        break;
      case ShapeKind::box:
        shape_ = &own_.emplace<coal::Box>(2 * s.size.x, 2 * s.size.y, 2 * s.size.z);
        break;
      case ShapeKind::ellipsoid:
        shape_ = &own_.emplace<coal::Ellipsoid>(s.size.x, s.size.y, s.size.z);
        break;
      case ShapeKind::hull: shape_ = &s.hull->coal->shape(); break;
      case ShapeKind::plane:
      case ShapeKind::height_field: ABUT_ASSERT(false); break;
    }
  }
  CoalShape(const CoalShape&) = delete;
  CoalShape& operator=(const CoalShape&) = delete;
  const coal::ShapeBase& get() const { return *shape_; }

 private:
  std::variant<std::monostate, coal::Sphere, coal::Capsule, coal::Cylinder, coal::Box,
               coal::Ellipsoid>
      own_;
  const coal::ShapeBase* shape_ = nullptr;
};

}  // namespace

std::shared_ptr<const CoalHull> make_coal_hull(std::span<const Vec3> vertices,
                                               std::span<const Triangle> triangles) {
  auto list = std::make_shared<std::vector<coal::Triangle>>();
  for (const Triangle& t : triangles) list->emplace_back(t[0], t[1], t[2]);
  const auto points = static_cast<unsigned>(vertices.size());
  const auto polygons = static_cast<unsigned>(triangles.size());
  try {
    return std::make_shared<CoalHull>(
        std::make_unique<Hull>(to_coal(vertices), points, std::move(list), polygons));
  } catch (const std::logic_error&) {  // too many neighbours of a vertex
    return nullptr;
  }
}

bool find_nearest(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin,
                  Nearest& nearest) {
  thread_local coal::GJKSolver solver = [] {
    coal::GJKSolver s;
    s.gjk_tolerance = s.epa_tolerance = 1e-9;
    s.gjk_max_iterations = s.epa_max_iterations = 256;
    return s;
  }();
  const CoalShape shape_a(a), shape_b(b);
  // relative poses, so that far from the origin nothing is lost; support hints are no one's
  const Vec3 offset = X_WB.p - X_WA.p;
  solver.distance_upper_bound = 1.001 * margin + 1e-6;
  solver.support_func_cached_guess.setZero();
  coal::Vec3s on_a, on_b, normal;
  const double distance = solver.shapeDistance(shape_a.get(), to_coal(X_WA.R, {}), shape_b.get(),
                                               to_coal(X_WB.R, offset), true, on_a, on_b, normal);
  const coal::Vec3s middle = 0.5 * (on_a + on_b);
  nearest = {{normal.x(), normal.y(), normal.z()}, {middle.x(), middle.y(), middle.z()}, distance};
  return distance <= margin && is_finite(nearest.position) && squared_norm(nearest.normal) > 0.5;
}

}  // namespace abut
