#include "abut/geometry/round_on_hull.hpp"

#include "abut/geometry/contact_face.hpp"

namespace abut {
namespace {

constexpr double exact = 1e-12;  // of the pair's size: how far a face may be off
constexpr double surely = 1e-6;  // of the pair's size: so much overlaps where the face says so
constexpr double settled =
    1e-8;                       // step of Newton's method [rad]; of the pair's size, what it misses
constexpr double near = 0.999;  // cosine: normals of one way out, a step later
constexpr double flat = 2e-4;   // of the hull's size: faces are flat to half of it

/// How far A reaches from its farthest point q along the unit vector n, back along -n [m].
double reach_back(const Shape& a, const Vec3& n) {
  if (a.kind == ShapeKind::cylinder) {
    const double across = std::sqrt(n.x * n.x + n.y * n.y), along = std::abs(n.z);
    return minimum(across > 0 ? 2 * a.radius() / across : HUGE_VAL,
                   along > 0 ? 2 * a.half_length() / along : HUGE_VAL);
  }
  const Vec3 stretched = {a.size.x * n.x, a.size.y * n.y, a.size.z * n.z};
  const Vec3 squeezed = {n.x / a.size.x, n.y / a.size.y, n.z / a.size.z};
  return 2 / (norm(stretched) * squared_norm(squeezed));
}

/// Whether x, in the hull's axes, is inside for sure.
bool holds(const ConvexHull& hull, const Vec3& x) {
  for (const ConvexHull::Face& f : hull.faces) {
    const Vec3& on_face = hull.vertices[hull.sides[f.begin].vertex];
    if (dot(f.normal, x - on_face) > -flat * hull.size) return false;
  }
  return true;
}

/// Of cores that overlap by `depth` where a line along n leaves B at `foot` and A at
/// foot + depth n: whether a piece of the line is in both.
bool surely_overlap(const CoreDifference& c, const Vec3& foot, const Vec3& n, double depth,
                    double back) {
  if (back > depth + surely * c.size) return true;
  return holds(*c.shape_b().hull, c.in_axes_of_b(foot + (depth - back) * n));
}

/// The hull's triangle at `v` under A's farthest point.
bool stay_on_triangle(CoreDifference& c, const std::int32_t* v, const Vec3& last, WayOut& way) {
  Vec3 corner[3];
  for (int k = 0; k < 3; ++k) corner[k] = c.on_b(v[k]);
  const Vec3 outward = cross(corner[1] - corner[0], corner[2] - corner[0]);
  const double area = norm(outward);
  if (!(area > 0)) return false;
  const Vec3 n = (dot(outward, last) > 0 ? 1 / area : -1 / area) * outward;
  if (!(dot(n, last) >= near)) return false;
  const CoreDifference::Point p = c.support(n);
  const double depth = dot(n, p.a - corner[0]);
  if (dot(n, p.w) - depth > exact * c.size) return false;
  double weight[3];
  nearest_on_triangle(p.a - corner[0], p.a - corner[1], p.a - corner[2], weight);
  if (!(std::min({weight[0], weight[1], weight[2]}) > 0)) return false;
  const Vec3 foot = p.a - depth * n;
  if (depth > 0 && !surely_overlap(c, foot, n, depth, reach_back(c.shape_a(), n))) return false;
  way = {n, depth, p.a, foot, {}};
  return true;
}

/// The radius of curvature of A's surface, in the direction t, where its normal is the unit vector
/// n [m]: as far as A's farthest point moves along t when n turns along it.
double curvature_radius(const Shape& a, const Vec3& n, const Vec3& t) {
  if (a.kind == ShapeKind::cylinder) {
    const double across2 = n.x * n.x + n.y * n.y, turn = n.x * t.y - n.y * t.x;
    return across2 > 0 ? a.radius() * turn * turn / (across2 * std::sqrt(across2)) : HUGE_VAL;
  }
  const Vec3 sn = {a.size.x * n.x, a.size.y * n.y, a.size.z * n.z},
             st = {a.size.x * t.x, a.size.y * t.y, a.size.z * t.z};
  const double reach = norm(sn), along = dot(sn, st) / reach;
  return (squared_norm(st) - along * along) / reach;
}

/// An edge of the hull, between two of the vertices, across A: of the normals at right angles to it
/// the one of least depth, by Newton's method.
bool stay_on_edge(CoreDifference& c, std::int32_t v, std::int32_t w, const Vec3& last,
                  WayOut& way) {
  const Vec3 begin = c.on_b(v), end = c.on_b(w), along = (end - begin) / norm(end - begin);
  Vec3 n = last - dot(last, along) * along;
  n = n / norm(n);
  double step = HUGE_VAL;
  for (int k = 0; k < 6 && !(std::abs(step) < settled); ++k) {
    const Vec3 t = cross(along, n);
    std::int32_t none = -1;
    const Vec3 p = core_support(c.shape_a(), n, none) - begin;
    const double rate = curvature_radius(c.shape_a(), n, t) - dot(n, p);  // the depth's second
    if (!(rate > 0)) return false;                                        // a way out no more
    step = dot(t, p) / rate;
    n = n - step * t;
    n = n / norm(n);
  }
  if (!(std::abs(step) < settled) || !(dot(n, last) >= near)) return false;
  const CoreDifference::Point p = c.support(n);
  const double depth = dot(n, p.a - begin);
  if (dot(n, p.w) - depth > exact * c.size) return false;
  const Vec3 foot = begin + dot(along, p.a - begin) * along;
  if (!(dot(foot - begin, foot - end) < 0)) return false;
  if (!(norm(p.a - foot - depth * n) < settled * c.size)) return false;  // a cap over the edge
  if (depth > 0 && !surely_overlap(c, foot, n, depth, reach_back(c.shape_a(), n))) return false;
  way = {n, depth, p.a, foot, {}};
  return true;
}

/// An edge of the hull, between two of the vertices, across a cylinder's side: the normal is at
/// right angles to both.
bool stay_on_side(CoreDifference& c, std::int32_t v, std::int32_t w, const Vec3& last,
                  WayOut& way) {
  const Shape& a = c.shape_a();
  const Vec3 axis = {0, 0, 1}, begin = c.on_b(v), edge = c.on_b(w) - begin;
  const Vec3 both = cross(axis, edge), n = (dot(both, last) > 0 ? 1 : -1) / norm(both) * both;
  if (!(dot(n, last) >= near)) return false;
  const CoreDifference::Point p = c.support(n);
  const double depth = a.radius() - dot(n, begin);
  if (dot(n, p.w) - depth > exact * c.size) return false;
  // where the side's line r n + s axis passes the edge's, begin + t edge
  const Vec3 between = begin - a.radius() * n, off_edge = cross(n, edge), off_axis = cross(n, axis);
  const double s = dot(between, off_edge) / dot(axis, off_edge),
               t = -dot(between, off_axis) / dot(edge, off_axis);
  if (!(std::abs(s) < a.half_length() && t > 0 && t < 1)) return false;
  const Vec3 foot = begin + t * edge;
  if (depth > 0 && !surely_overlap(c, foot, n, depth, 2 * a.radius())) return false;
  way = {n, depth, a.radius() * n + s * axis, foot, {}};
  return true;
}

/// A cylinder's cap under the hull's farthest vertex.
bool stay_on_cap(CoreDifference& c, const Vec3& last, WayOut& way) {
  const Vec3 n = {0, 0, std::copysign(1.0, last.z)};
  if (!(dot(n, last) >= near)) return false;
  const Shape& a = c.shape_a();
  const CoreDifference::Point p = c.support(n);
  const Vec3 vertex = p.a - p.w;
  if (vertex.x * vertex.x + vertex.y * vertex.y >= a.radius() * a.radius()) return false;
  const Vec3 foot = {vertex.x, vertex.y, n.z * a.half_length()};
  const double depth = dot(n, foot - vertex);
  if (depth > 0 && !surely_overlap(c, vertex, n, depth, 2 * a.half_length())) return false;
  way = {n, depth, foot, vertex, {}};
  return true;
}

}  // namespace

bool stay_on_face(CoreDifference& c, const PairMemory& memory, WayOut& way) {
  const ShapeKind kind = c.shape_a().kind;
  const bool is_cylinder = kind == ShapeKind::cylinder;
  if (c.shape_b().kind != ShapeKind::hull || !(is_cylinder || kind == ShapeKind::ellipsoid)) {
    return false;
  }
  std::int32_t v[3];
  for (int k = 0; k < 3; ++k) {
    v[k] = memory.face[k].b;
    if (v[k] < 0 || v[k] >= std::ssize(c.shape_b().hull->vertices)) return false;
  }
  switch ((v[0] == v[1]) + (v[1] == v[2]) + (v[2] == v[0])) {
    case 0: return stay_on_triangle(c, v, memory.normal, way);
    case 1: {
      const std::int32_t w = v[0] != v[1] ? v[1] : v[2];
      return (is_cylinder && stay_on_side(c, v[0], w, memory.normal, way)) ||
             stay_on_edge(c, v[0], w, memory.normal, way);
    }
    default: return is_cylinder && stay_on_cap(c, memory.normal, way);
  }
}

}  // namespace abut
