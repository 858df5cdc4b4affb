#include "abut/geometry/contact_face.hpp"

#include "abut/geometry/box_face.hpp"
#include "abut/geometry/cylinder_features.hpp"

namespace abut {
namespace {

ContactFace face_of_box(const Shape& s, const Vec3& center, const Mat3& R, const Vec3& toward) {
  const BoxFace box = face_towards(s.half_extents(), center, R, toward, true);
  ContactFace face;
  face.size = 4;
  for (int k = 0; k < 4; ++k) face.corner[k] = box.corner(k);
  face.normal = box.normal;
  face.mix = box.mix;
  face.edge[0] = box.corner(box.lowest_side);
  face.edge[1] = box.corner((box.lowest_side + 1) % 4);
  face.name = box.feature;
  face.edge_name = box.feature + box.side_feature[box.lowest_side];
  return face;
}

/// A cap by eight points of its rim, one of them the lowest.
ContactFace face_of_cylinder(const Shape& s, const Vec3& center, const Mat3& R,
                             const Vec3& toward) {
  const Vec3& axis = R.col[2];
  const double along = dot(axis, toward);
  const RimFrame rim = rim_frame(R, toward);
  const CylinderMix mix = cylinder_mix(std::abs(along), rim.sine);
  ContactFace face;
  face.mix = {mix.cap, mix.side, mix.rim};
  face.size = 8;
  face.normal = along >= 0 ? axis : -axis;
  const Vec3 cap = center + s.half_length() * face.normal;
  const double diagonal = std::sqrt(0.5);
  for (int k = 0; k < 8; ++k) {
    const Vec3 d = k % 2 == 0 ? rim.direction(k / 2)
                              : diagonal * (rim.direction(k / 2) + rim.direction((k / 2 + 1) % 4));
    face.corner[along >= 0 ? k : 7 - k] = cap + s.radius() * d;
  }
  const Vec3 line = center + s.radius() * rim.first;
  face.edge[0] = line - s.half_length() * axis;
  face.edge[1] = line + s.half_length() * axis;
  face.name = along >= 0 ? 1 : 2;
  face.edge_name = 3;
  return face;
}

ContactFace face_of_capsule(const Shape& s, const Vec3& center, const Mat3& R, const Vec3& toward) {
  const Vec3 line = center + s.radius() * toward, arm = s.half_length() * R.col[2];
  ContactFace face;
  face.mix = {0, 1, 0};
  face.edge[0] = line - arm;
  face.edge[1] = line + arm;
  return face;
}

/// The face, of those at the farthest vertex, that is most at right angles to `toward`, and the
/// side of it over which `toward` leans most. A lean counts in halves of the bend: where the next
/// face is as near as this one it is 1.
ContactFace face_of_hull(const ConvexHull& hull, const Vec3& center, const Mat3& R,
                         const Vec3& toward, std::int32_t start) {
  constexpr double small = 0.1;  // of the hull's size
  const Vec3 n = transpose_times(R, toward);
  const int vertex = hull.farthest(n, start);
  int best = hull.faces_at[hull.faces_begin[vertex]];
  for (int k = hull.faces_begin[vertex]; k < hull.faces_begin[vertex + 1]; ++k) {
    if (dot(hull.faces[hull.faces_at[k]].normal, n) > dot(hull.faces[best].normal, n)) {
      best = hull.faces_at[k];
    }
  }
  const ConvexHull::Face& f = hull.faces[best];
  ContactFace face;
  face.size = f.corners;
  for (int k = 0; k < f.corners; ++k) {
    face.corner[k] = center + R * hull.vertices[f.outline[k]];
  }
  face.normal = R * f.normal;
  face.face_scale = minimum(f.extent / (small * hull.size), 1);
  face.name = static_cast<std::uint32_t>(best) + 1;

  const double upright = dot(f.normal, n), off = norm(n - upright * f.normal);
  if (off < upright * f.least_bend && steepness(off / (upright * f.least_bend)) == 0) {
    face.mix = f.corners < 3 ? FeatureMix{0, 0, 1} : FeatureMix{};  // no side leans enough
    return face;
  }
  int lowest = -1;
  double lean = 0;
  for (int k = f.begin; k < f.end; ++k) {
    const ConvexHull::Side& side = hull.sides[k];
    const double out = dot(side.outward, n);
    if (out <= 0) continue;
    const double ratio = upright > 0 ? out / (upright * maximum(side.bend, 1e-9)) : 1;
    if (ratio > lean) lean = ratio, lowest = k;
  }
  if (lowest < 0 || f.corners < 3) {
    face.mix = f.corners < 3 ? FeatureMix{0, 0, 1} : FeatureMix{};
    return face;
  }
  const ConvexHull::Side& side = hull.sides[lowest];
  const ConvexHull::Side& next = hull.sides[lowest + 1 < f.end ? lowest + 1 : f.begin];
  const Vec3 from = hull.vertices[side.vertex], to = hull.vertices[next.vertex];
  const double length = norm(to - from);
  face.edge[0] = center + R * from;
  face.edge[1] = center + R * to;
  face.edge_scale = minimum(length / (small * hull.size), 1);
  face.edge_name = 0x8000u + static_cast<std::uint32_t>(lowest);
  const double along = dot(to - from, n) / length;
  const double turn = maximum(along > 0 ? next.turn : side.turn, 1e-9);
  const double off_face = steepness(lean);
  const double off_edge = steepness(std::abs(along) / (dot(side.outward, n) * turn));
  face.mix = {1 - off_face, off_face * (1 - off_edge), off_face * off_edge};
  return face;
}

}  // namespace

ContactFace face_of(const Shape& s, const Vec3& center, const Mat3& R, const Vec3& toward,
                    std::int32_t vertex) {
  switch (s.kind) {
    case ShapeKind::plane: {
      ContactFace face;
      face.unbounded = true;
      face.corner[0] = center;
      face.normal = R.col[2];
      face.mix = {};
      return face;
    }
    case ShapeKind::capsule: return face_of_capsule(s, center, R, toward);
    case ShapeKind::cylinder: return face_of_cylinder(s, center, R, toward);
    case ShapeKind::box: return face_of_box(s, center, R, toward);
    case ShapeKind::hull: return face_of_hull(*s.hull, center, R, toward, vertex);
    case ShapeKind::sphere:
    case ShapeKind::ellipsoid:
    case ShapeKind::height_field: break;
  }
  return {};
}

Vec3 core_support(const Shape& s, const Vec3& n, std::int32_t& vertex) {
  switch (s.kind) {
    case ShapeKind::plane:
    case ShapeKind::height_field:
    case ShapeKind::sphere: vertex = 0; break;
    case ShapeKind::capsule: vertex = std::signbit(n.z); return core_vertex(s, vertex);
    case ShapeKind::cylinder: {
      vertex = -1;
      const double across = std::sqrt(n.x * n.x + n.y * n.y);
      const double k = across > 0 ? s.radius() / across : 0;
      return {k * n.x, k * n.y, std::copysign(s.half_length(), n.z)};
    }
    case ShapeKind::box:
      vertex = std::signbit(n.x) | std::signbit(n.y) << 1 | std::signbit(n.z) << 2;
      return core_vertex(s, vertex);
    case ShapeKind::ellipsoid: {
      vertex = -1;
      const Vec3 scaled = {s.size.x * n.x, s.size.y * n.y, s.size.z * n.z};
      const double length = norm(scaled);
      return Vec3{s.size.x * scaled.x, s.size.y * scaled.y, s.size.z * scaled.z} / length;
    }
    case ShapeKind::hull: vertex = s.hull->farthest(n, vertex); return s.hull->vertices[vertex];
  }
  return {};
}

std::int32_t core_vertices(const Shape& s) {
  switch (s.kind) {
    case ShapeKind::sphere: return 1;
    case ShapeKind::capsule: return 2;
    case ShapeKind::box: return 8;
    case ShapeKind::hull: return static_cast<std::int32_t>(s.hull->vertices.size());
    case ShapeKind::plane:
    case ShapeKind::height_field:
    case ShapeKind::cylinder:
    case ShapeKind::ellipsoid: break;
  }
  return 0;
}

Vec3 core_vertex(const Shape& s, std::int32_t vertex) {
  const auto side = [vertex](int k, double x) { return vertex >> k & 1 ? -x : x; };
  switch (s.kind) {
    case ShapeKind::capsule: return {0, 0, side(0, s.half_length())};
    case ShapeKind::box: return {side(0, s.size.x), side(1, s.size.y), side(2, s.size.z)};
    case ShapeKind::hull: return s.hull->vertices[vertex];
    case ShapeKind::plane:
    case ShapeKind::height_field:
    case ShapeKind::sphere:
    case ShapeKind::cylinder:
    case ShapeKind::ellipsoid: break;
  }
  return {};
}

Vec3 support_point(const Shape& s, const Vec3& center, const Mat3& R, const Vec3& n) {
  const bool round = s.kind == ShapeKind::sphere || s.kind == ShapeKind::capsule;
  std::int32_t vertex = -1;
  const Vec3 core = center + R * core_support(s, transpose_times(R, n), vertex);
  return round ? core + s.radius() * n : core;
}

}  // namespace abut
