#include "hull_search.hpp"

#include <map>

#include "abut/geometry/hull_triangles.hpp"

namespace abut {
namespace {

constexpr double pi = std::numbers::pi;

std::vector<Vec3> corners_of(const Vec3& h) {
  std::vector<Vec3> list;
  for (int k = 0; k < 8; ++k) {
    list.push_back({k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z});
  }
  return list;
}

/// On each face of a box a grid of points that bulges.
std::vector<Vec3> bulging_box(Random& random, int count, const Vec3& h, double bulge) {
  const int n = std::max(2, static_cast<int>(std::sqrt(count / 6.0)));
  std::vector<Vec3> points;
  for (int face = 0; face < 6; ++face) {
    for (int i = 0; i <= n; ++i) {
      for (int j = 0; j <= n; ++j) {
        const double u = 2.0 * i / n - 1, v = 2.0 * j / n - 1;
        const double w = 1 + bulge * (2 - u * u - v * v) * random.uniform(0.9, 1);
        const double sign = face < 3 ? 1 : -1;
        Vec3 x;
        x[face % 3] = sign * w * h[face % 3];
        x[(face + 1) % 3] = u * h[(face + 1) % 3];
        x[(face + 2) % 3] = v * h[(face + 2) % 3];
        points.push_back(x);
      }
    }
  }
  return points;
}

}  // namespace

Shape random_hull(Random& random, int most) {
  const int count = static_cast<int>(10 * std::pow(most / 10.0, random.uniform(0, 1)));
  const int style = static_cast<int>(random.uniform(0, 5));
  const Vec3 half = {random.length(), random.length(), random.length()};
  std::vector<Vec3> points;
  const auto ball = [&] {
    for (int i = 0; i < count; ++i) {
      const Vec3 d = random.direction();
      points.push_back({half.x * d.x, half.y * d.y, half.z * d.z});
    }
  };
  switch (style) {
    case 0: points = random.cloud(count); break;
    case 1: ball(); break;
    case 2: {  // a sliver
      ball();
      const int axis = static_cast<int>(random.uniform(0, 3));
      const double thin = std::pow(10, random.uniform(-5, -1));
      for (Vec3& x : points) x[axis] *= thin;
      break;
    }
    case 3:
      for (int k = 0; k < count / 2; ++k) {
        const double angle = 4 * pi * k / count;
        for (const double z : {-half.z, half.z}) {
          points.push_back({half.x * std::cos(angle), half.y * std::sin(angle), z});
        }
      }
      break;
    default: points = bulging_box(random, count, half, std::pow(10, random.uniform(-9, -2)));
  }
  return Shape::convex(make_convex_hull(points));
}

bool is_polyhedral(const Shape& s) {
  return s.kind == ShapeKind::sphere || s.kind == ShapeKind::capsule || s.kind == ShapeKind::box ||
         s.kind == ShapeKind::hull;
}

Polyhedron::Polyhedron(const Shape& s, const Pose& X) {
  std::vector<Vec3> points;
  if (s.kind == ShapeKind::box) points = corners_of(s.half_extents());
  if (s.kind == ShapeKind::hull) points = s.hull->vertices;
  if (s.kind == ShapeKind::sphere) points = {{}};
  if (s.kind == ShapeKind::capsule) points = {{0, 0, -s.half_length()}, {0, 0, s.half_length()}};
  for (const Vec3& x : points) vertices.push_back(X * x);
  if (s.kind == ShapeKind::capsule) edges.push_back({vertices[0], X.R.col[2], {}});
  if (points.size() < 4) return;
  std::map<std::pair<int, int>, std::vector<int>> opposite;
  for (const Triangle& t : hull_triangles(points)) {
    const Vec3 n = cross(vertices[t[1]] - vertices[t[0]], vertices[t[2]] - vertices[t[0]]);
    if (norm(n) > 0) normals.push_back(n / norm(n));
    for (int k = 0; k < 3; ++k) {
      const int a = t[k], b = t[(k + 1) % 3];
      opposite[{std::min(a, b), std::max(a, b)}].push_back(t[(k + 2) % 3]);
    }
  }
  for (const auto& [ends, others] : opposite) {
    Edge e;
    e.from = vertices[ends.first];
    e.along = vertices[ends.second] - e.from;
    if (!(norm(e.along) > 0)) continue;
    e.along = e.along / norm(e.along);
    for (const int k : others) e.aside.push_back(vertices[k] - e.from);
    edges.push_back(e);
  }
}

bool Polyhedron::carries(const Edge& edge, const Vec3& n, double slack) {
  return std::all_of(edge.aside.begin(), edge.aside.end(),
                     [&](const Vec3& x) { return dot(n, x) <= slack; });
}

double Polyhedron::support(const Vec3& n) const {
  double most = -HUGE_VAL;
  for (const Vec3& x : vertices) most = std::max(most, dot(n, x));
  return most;
}

double gap_by_features(const Placement& p) {
  const Polyhedron a(p.a, p.X_WA), b(p.b, p.X_WB);
  double best = -HUGE_VAL;
  const auto attempt = [&](const Vec3& n) {
    best = std::fmax(best, -a.support(n) - b.support(-n));
  };
  for (const Vec3& n : a.normals) attempt(n);
  for (const Vec3& n : b.normals) attempt(-n);
  const double slack = 1e-9 * (p.a.bounding_radius() + p.b.bounding_radius());
  for (const Polyhedron::Edge& e : a.edges) {
    for (const Polyhedron::Edge& f : b.edges) {
      const Vec3 across = cross(e.along, f.along);
      const double sine = norm(across);
      if (sine < 1e-12) continue;
      const Vec3 n = across / sine;
      for (const double sign : {1.0, -1.0}) {
        if (!Polyhedron::carries(e, sign * n, slack)) continue;
        if (!Polyhedron::carries(f, -sign * n, slack)) continue;
        attempt(sign * n);
      }
    }
  }
  const auto radius = [](const Shape& s) {
    return s.kind == ShapeKind::sphere || s.kind == ShapeKind::capsule ? s.radius() : 0;
  };
  return best - radius(p.a) - radius(p.b);
}

HullSearch search_hulls(ShapeKind kind, int count, int most_vertices, unsigned seed) {
  Random random(seed);
  HullSearch found;
  for (int i = 0; i < count; ++i) {
    Placement p = {
        kind == ShapeKind::hull ? random_hull(random, most_vertices) : random.shape(kind),
        random_hull(random, most_vertices),
        {},
        {}};
    p.X_WA = {{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)},
              random.rotation()};
    p.X_WB.R = random.uniform(0, 1) < 0.25
                   ? rotation(random.direction(), std::pow(10, random.uniform(-12, -1))) *
                         p.X_WA.R * random.quarter_turns()
                   : random.rotation();
    const Vec3 u = kind == ShapeKind::plane ? p.X_WA.R.col[2] : random.direction();
    const double touch = support(p.a, p.X_WA.R, u) + support(p.b, p.X_WB.R, -u);
    p.X_WB.p = p.X_WA.p + touch * random.uniform(0.2, 1.1) * u;
    const double size = norm(p.X_WB.p - p.X_WA.p) + p.a.bounding_radius() + p.b.bounding_radius();
    if (i % 2 == 1) {  // as bodies touch
      const Manifold m = collide(p, 1e3);
      p.X_WB.p +=
          (std::pow(10, random.uniform(-9, -2)) * random.uniform(-1, 1) * size - deepest(m).gap) *
          m.normal;
    }
    const Manifold m = collide(p, 1e3);
    if (m.size == 0) {
      found.lost = HUGE_VAL, found.worst = "empty: " + describe(p);
      continue;
    }
    const double along = gap_along(p, m.normal);
    const double own = std::abs(deepest(m).gap - along) / size;
    if (own > found.own) found.own = own, found.worst_own = describe(p);
    if (kind == ShapeKind::plane) continue;
    found.overlapping += along < 0;
    // of shapes apart there is one peak; of polyhedra that overlap the features have them all
    const double best = along > 0            ? gap_by_search(p, 4)
                        : is_polyhedral(p.a) ? gap_by_features(p)
                                             : gap_by_search(p);
    const double lost = (best - along) / size;
    if (lost > found.lost) {
      char text[120];
      std::snprintf(text, sizeof text, "placement %d, %zu vertices, gap %g, lost %g: ", i,
                    p.b.hull->vertices.size(), along, best - along);
      found.lost = lost, found.worst = text + describe(p);
    }
  }
  return found;
}

}  // namespace abut
