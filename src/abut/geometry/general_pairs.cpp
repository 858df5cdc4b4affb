#include "abut/geometry/contact_face.hpp"
#include "abut/geometry/core_difference.hpp"
#include "abut/geometry/epa.hpp"
#include "abut/geometry/gjk.hpp"
#include "abut/geometry/round_on_hull.hpp"
#include "abut/geometry/way_out.hpp"

// Pairs with an ellipsoid or a hull.

namespace abut {
namespace {

struct GeneralPair {
  const Shape &a, &b;
  const Mat3 &A, &B;
  Vec3 center;  // of B, from A's
};

Vec3 half_way(const CoreDifference& c, const Vec3& on_a, const Vec3& on_b, const Vec3& n) {
  return c.to_world(0.5 * (on_a + on_b + (2 * c.radius_a - c.radius) * n));
}

/// The nearest points of shapes whose cores are apart.
Nearest nearest_of(CoreDifference& c, const CoreDistance& d) {
  c.vertex_a = d.vertices.a, c.vertex_b = d.vertices.b;
  Vec3 on_a, on_b;
  for (int k = 0; k < d.simplex.size; ++k) {
    on_a += d.simplex.weight[k] * d.simplex.at[k].a;
    on_b += d.simplex.weight[k] * (d.simplex.at[k].a - d.simplex.at[k].w);
  }
  return {c.to_world(d.normal), half_way(c, on_a, on_b, d.normal), d.separation - c.radius};
}

Nearest nearest_of(const CoreDifference& c, const WayOut& way) {
  return {c.to_world(way.normal), half_way(c, way.on_a, way.on_b, way.normal),
          -way.depth - c.radius};
}

/// Of cores that overlap: the way out that the pair was on, `last`, or else the shortest. Where
/// they hardly touch along some direction, that is the way out: a pair that leaves its overlap
/// sideways is let go.
WayOut way_out_of(CoreDifference& c, const CoreDistance& d, const PairMemory& memory,
                  Simplex& inner) {
  constexpr double hardly = 1e-7;  // of the size
  const Vec3 last = d.separation > -hardly * c.size ? d.normal : memory.normal;
  WayOut way = {{}, 0, {}, {}, memory.face};
  bool found = false;
  if (complete(c, inner)) {
    if (!(last == Vec3{})) found = follow_way_out(c, last, inner, way);
    if (!found) {
      const Vec3 n = shortest_way_out(c, inner);
      found = squared_norm(n) > 0.5 && follow_way_out(c, n, inner, way);
      if (!found && squared_norm(n) > 0.5) {
        const CoreDifference::Point p = c.support(n);
        way = {n, dot(n, p.w), p.a, p.a - p.w, {}}, found = true;
      }
    }
  }
  if (!found) {  // rounding is all there is: any direction parts them as well as another
    const Vec3 n = direction_or(last == Vec3{} ? c.center : last, {0, 0, 1});
    const CoreDifference::Point p = c.support(n);
    way = {n, dot(n, p.w), p.a, p.a - p.w, {}};
  }
  return way;
}

/// The simplex of the step before where it is now.
Simplex recall_simplex(const CoreDifference& c, const PairMemory& memory) {
  Simplex s;
  for (int k = 0; k < std::min(memory.simplex_size, 4); ++k) {
    if (!c.has(memory.simplex[k])) return {};
    s.at[s.size++] = c.at(memory.simplex[k]);
  }
  return s;
}

void remember_simplex(const CoreDifference& c, const Simplex& s, PairMemory& memory) {
  memory.simplex_size = 0;
  for (int k = 0; k < s.size; ++k) {
    if (!c.has(s.at[k].vertices)) return;
    memory.simplex[k] = s.at[k].vertices;
  }
  memory.simplex_size = s.size;
}

/// False if the shapes are farther apart than the margin. The memory then has a direction that
/// shows it.
bool search_nearest(CoreDifference& c, double margin, PairMemory& memory, Nearest& nearest) {
  const Vec3 last = memory.normal;
  CoreDistance d = core_distance(c, recall_simplex(c, memory),
                                 last == Vec3{} ? direction_or(c.center, {0, 0, 1}) : last, margin);
  WayOut way;
  if (d.state == CoreState::apart) {
    nearest = nearest_of(c, d);
    for (int k = 0; d.simplex.size == 3 && k < 3; ++k) way.face[k] = d.simplex.at[k].vertices;
  } else if (d.state == CoreState::overlap) {
    way = way_out_of(c, d, memory, d.simplex);
    nearest = nearest_of(c, way);
  } else {
    d.simplex.size = 0;  // the direction is enough
  }
  memory.normal = d.state == CoreState::far ? d.normal : c.from_world(nearest.normal);
  memory.face = way.face;
  remember_simplex(c, d.simplex, memory);
  return d.state != CoreState::far;
}

bool find_nearest(CoreDifference& c, double margin, PairMemory& memory, Nearest& nearest) {
  WayOut way;
  bool found = true;
  if (stay_on_face(c, memory, way)) {
    nearest = nearest_of(c, way);
    memory.normal = way.normal;
  } else {
    found = search_nearest(c, margin, memory, nearest);
  }
  memory.vertex_a = c.vertex_a;
  memory.vertex_b = c.vertex_b;
  return found && nearest.gap <= margin;
}

/// The normal of a flat face that parts the shapes as well as `n` does, but for rounding.
void prefer_face(const GeneralPair& p, CoreDifference& c, const ContactFace& face, double sign,
                 Nearest& nearest) {
  if (face.size == 0 || dot(face.normal, nearest.normal) * sign < 1 - 1e-6) return;
  const Vec3 n = sign * face.normal;
  const double gap = c.separation(c.from_world(n)),
               slack = 1e-8 * (p.a.bounding_radius() + p.b.bounding_radius());
  if (gap < nearest.gap - slack) return;
  nearest.normal = n;
  nearest.gap = gap;
}

}  // namespace

void collide_plane_general(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                           double margin, PairMemory&, Manifold& m) {
  const Vec3& n = X_WA.R.col[2];
  const Vec3 center = X_WB.p - X_WA.p, lowest = support_point(b, center, X_WB.R, -n);
  const double gap = dot(n, lowest);
  if (gap > margin) return;
  const Nearest nearest = {n, lowest - (0.5 * gap) * n, gap};
  add_contact_of_faces(face_of(a, {}, X_WA.R, n), face_of(b, center, X_WB.R, -n), nearest, X_WA.p,
                       b.bounding_radius(), margin, m);
}

void collide_general(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                     double margin, PairMemory& memory, Manifold& m) {
  const GeneralPair p = {a, b, X_WA.R, X_WB.R, X_WB.p - X_WA.p};
  CoreDifference c(a, X_WA, b, X_WB, memory);
  Nearest nearest;
  if (!find_nearest(c, margin, memory, nearest)) return;
  const Vec3 n = nearest.normal;
  ContactFace on_a = face_of(a, {}, p.A, n, c.vertex_a);
  ContactFace on_b = face_of(b, p.center, p.B, -n, c.vertex_b);
  prefer_face(p, c, on_a, 1, nearest);
  prefer_face(p, c, on_b, -1, nearest);
  if (nearest.gap > margin) return;
  if (!(nearest.normal == n)) {
    on_a = face_of(a, {}, p.A, nearest.normal, c.vertex_a);
    on_b = face_of(b, p.center, p.B, -nearest.normal, c.vertex_b);
  }
  add_contact_of_faces(on_a, on_b, nearest, X_WA.p, a.bounding_radius() + b.bounding_radius(),
                       margin, m);
}

}  // namespace abut
