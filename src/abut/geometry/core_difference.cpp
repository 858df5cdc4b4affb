#include "abut/geometry/core_difference.hpp"

#include "abut/geometry/contact_face.hpp"

namespace abut {
namespace {

double core_radius(const Shape& s) {
  return s.kind == ShapeKind::sphere || s.kind == ShapeKind::capsule ? s.radius() : 0;
}

}  // namespace

CoreDifference::CoreDifference(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                               const PairMemory& memory)
    : radius(core_radius(a) + core_radius(b)),
      radius_a(core_radius(a)),
      center(transpose_times(X_WA.R, X_WB.p - X_WA.p)),
      vertex_a(memory.vertex_a < core_vertices(a) ? memory.vertex_a : -1),
      vertex_b(memory.vertex_b < core_vertices(b) ? memory.vertex_b : -1),
      a_(a),
      b_(b),
      axes_a_(&X_WA.R) {
  for (int k = 0; k < 3; ++k) axes_b_.col[k] = transpose_times(X_WA.R, X_WB.R.col[k]);
  size = norm(center) + a.bounding_radius() + b.bounding_radius();
}

CoreDifference::Point CoreDifference::support(const Vec3& n) {
  const Vec3 on_a = core_support(a_, n, vertex_a);
  const Vec3 on_b = center + axes_b_ * core_support(b_, -transpose_times(axes_b_, n), vertex_b);
  return {on_a - on_b, on_a, {vertex_a, vertex_b}};
}

CoreDifference::Point CoreDifference::at(const PairMemory::Vertices& vertices) const {
  const Vec3 on_a = core_vertex(a_, vertices.a);
  return {on_a - on_b(vertices.b), on_a, vertices};
}

Vec3 CoreDifference::on_b(std::int32_t vertex) const {
  return center + axes_b_ * core_vertex(b_, vertex);
}

bool CoreDifference::has(const PairMemory::Vertices& vertices) const {
  return vertices.a >= 0 && vertices.b >= 0 && vertices.a < core_vertices(a_) &&
         vertices.b < core_vertices(b_);
}

}  // namespace abut
