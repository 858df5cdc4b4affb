#include "abut/geometry/way_out.hpp"

namespace abut {
namespace {

using Point = CoreDifference::Point;

constexpr int tetrahedron[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};

struct Point2 {
  double u = 0, v = 0;
};
double cross2(const Point2& a, const Point2& b) {
  return a.u * b.v - a.v * b.u;
}

/// Three points of C around a ray from the origin, counterclockwise about it.
struct Portal {
  Point at[3];
  Vec3 normal;       ///< unit, away from the origin's side
  double level = 0;  ///< of the plane along the normal [m]

  /// False if the points are on a line.
  bool find_plane() {
    const Vec3 n = cross(at[1].w - at[0].w, at[2].w - at[0].w);
    const double length = norm(n);
    if (!(length > 0)) return false;
    normal = n / length;
    level = dot(normal, at[0].w);
    return true;
  }
};

class Ray {
 public:
  explicit Ray(const Vec3& along) : along_(along), u_(any_perpendicular(along)) {
    v_ = cross(along_, u_);
  }
  const Vec3& along() const { return along_; }
  Point2 seen(const Vec3& x) const { return {dot(x, u_), dot(x, v_)}; }

  Vec3 place(const Point2& p) const { return p.u * u_ + p.v * v_; }

  /// The least share of a triangle on any side of the ray; negative where the ray passes it by.
  double centered(const Vec3& a, const Vec3& b, const Vec3& c) const {
    const Point2 p = seen(a), q = seen(b), r = seen(c);
    const double x = cross2(q, r), y = cross2(r, p), z = cross2(p, q), sum = x + y + z;
    return sum > 0 ? std::min({x, y, z}) / sum : -HUGE_VAL;
  }

 private:
  Vec3 along_, u_, v_;
};

/// The face through which the ray leaves a tetrahedron around the origin.
bool leave(const Simplex& s, const Ray& ray, Portal& portal) {
  double best = -1e-6;
  bool found = false;
  for (const auto& f : tetrahedron) {
    const Vec3 &a = s.at[f[0]].w, &b = s.at[f[1]].w, &c = s.at[f[2]].w;
    const bool outward = dot(cross(b - a, c - a), s.at[f[3]].w - a) < 0;
    const double centered = outward ? ray.centered(a, b, c) : ray.centered(a, c, b);
    if (!(centered > best)) continue;
    best = centered, found = true;
    portal.at[0] = s.at[f[0]];
    portal.at[1] = s.at[f[outward ? 1 : 2]];
    portal.at[2] = s.at[f[outward ? 2 : 1]];
  }
  return found && portal.find_plane();
}

/// The face of a step before, if the ray passes it nearly at right angles.
bool start_at(const CoreDifference& c, const std::array<PairMemory::Vertices, 3>& face,
              const Ray& ray, Portal& portal) {
  for (int k = 0; k < 3; ++k) {
    if (!c.has(face[k])) return false;
    portal.at[k] = c.at(face[k]);
  }
  return ray.centered(portal.at[0].w, portal.at[1].w, portal.at[2].w) >= 0 && portal.find_plane() &&
         portal.level > 0 && dot(portal.normal, ray.along()) > 0.999;
}

/// A portal of points that C turns to directions close to the ray's: where the way out is nearly
/// that of a step before, it is the face itself or next to it. `first` is the farthest point along
/// the ray.
bool stand_around(CoreDifference& c, const Point& first, const Ray& ray, Portal& portal) {
  constexpr double aside = 0.02;  // [rad] more than a pair turns in a step, less than most edges do
  const auto towards = [&](const Point2& d) {
    const double length = std::sqrt(d.u * d.u + d.v * d.v);
    return c.support(ray.along() + ray.place({aside * d.u / length, aside * d.v / length}));
  };
  const Point2 p = ray.seen(first.w);
  if (p.u == 0 && p.v == 0) return false;
  const Point second = towards({-p.u, -p.v});
  const Point2 q = ray.seen(second.w), side = {q.u - p.u, q.v - p.v};
  const double turn = cross2(p, q);  // the origin is on the left of the side if positive
  if (side.u == 0 && side.v == 0) return false;
  const Point third = towards(turn > 0 ? Point2{-side.v, side.u} : Point2{side.v, -side.u});
  portal.at[0] = first;
  portal.at[1] = turn > 0 ? second : third;
  portal.at[2] = turn > 0 ? third : second;
  return ray.centered(portal.at[0].w, portal.at[1].w, portal.at[2].w) >= 0 && portal.find_plane();
}

/// Puts p in place of one of the portal's points so that the ray still passes it.
bool replace(const Ray& ray, const Point& p, Portal& portal) {
  const Point2 q = ray.seen(p.w);
  Point2 at[3];
  double side[3];
  for (int k = 0; k < 3; ++k) at[k] = ray.seen(portal.at[k].w), side[k] = cross2(at[k], q);
  int chosen = -1;
  double largest = 0;
  for (int k = 0; k < 3; ++k) {
    const int next = (k + 1) % 3;
    if (side[k] > 0 || side[next] < 0) continue;
    const double area = cross2(at[k], at[next]) + side[next] - side[k];
    if (area > largest) largest = area, chosen = (k + 2) % 3;
  }
  if (chosen < 0) return false;
  portal.at[chosen] = p;
  return portal.find_plane();
}

void find_points(const Portal& portal, const Vec3& normal, double depth, WayOut& way) {
  double weight[3];
  nearest_on_triangle(portal.at[0].w, portal.at[1].w, portal.at[2].w, weight);
  way = {normal, depth, {}, {}, {}};
  for (int k = 0; k < 3; ++k) {
    way.face[k] = portal.at[k].vertices;
    way.on_a += weight[k] * portal.at[k].a;
    way.on_b += weight[k] * (portal.at[k].a - portal.at[k].w);
  }
}

}  // namespace

bool complete(CoreDifference& c, Simplex& s) {
  const auto distance = [&](const Vec3& x) {
    const Vec3& a = s.at[0].w;
    if (s.size == 1) return norm(x - a);
    const Vec3 along = s.at[1].w - a;
    if (s.size == 2) return norm(cross(along, x - a)) / norm(along);
    const Vec3 n = cross(along, s.at[2].w - a);
    return std::abs(dot(n, x - a)) / norm(n);
  };
  while (s.size < 4) {
    Vec3 directions[6] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    int count = 6;
    if (s.size == 2) {
      const Vec3 along = (s.at[1].w - s.at[0].w) / norm(s.at[1].w - s.at[0].w);
      const Vec3 u = any_perpendicular(along), v = cross(along, u);
      directions[0] = u, directions[1] = v, directions[2] = -u, directions[3] = -v;
      count = 4;
    } else if (s.size == 3) {
      directions[0] = cross(s.at[1].w - s.at[0].w, s.at[2].w - s.at[0].w);
      directions[1] = -directions[0];
      count = 2;
    }
    double farthest = 1e-12 * c.size;
    Point best;
    for (int k = 0; k < count; ++k) {
      const Point p = c.support(directions[k]);
      if (const double d = distance(p.w); d > farthest) farthest = d, best = p;
    }
    if (farthest == 1e-12 * c.size) return false;
    s.at[s.size++] = best;
  }
  return true;
}

bool follow_way_out(CoreDifference& c, const Vec3& from, const Simplex& inner, WayOut& way) {
  constexpr int most = 1000;
  const double exact = 1e-14 * c.size;
  Ray ray(from);
  Portal portal;
  if (!start_at(c, way.face, ray, portal) && !stand_around(c, c.support(from), ray, portal) &&
      !leave(inner, ray, portal)) {
    return false;
  }
  double least = HUGE_VAL;
  for (int k = 0; k < most; ++k) {
    const Vec3 n = portal.normal;
    const Point p = c.support(n);
    const double depth = dot(n, p.w), gap = depth - portal.level;
    if (depth < least) least = depth, find_points(portal, n, depth, way);  // should it not end
    // where the ray crosses the portal: C reaches at least as far along it
    const double crossing = portal.level / dot(n, ray.along());
    if (gap <= maximum(0.05 * (crossing - portal.level), exact)) {
      // another direction on the way here may be a shorter one, and lead elsewhere
      if (gap <= exact) find_points(portal, n, depth, way);
      if (crossing - portal.level <= exact) return true;
      ray = Ray(n);
      if (ray.centered(portal.at[0].w, portal.at[1].w, portal.at[2].w) < 0) {
        if (!stand_around(c, p, ray, portal) && !leave(inner, ray, portal)) return true;
        continue;
      }
      if (gap <= exact) return true;
    }
    if (!replace(ray, p, portal)) return least < HUGE_VAL;
  }
  return true;
}

}  // namespace abut
