#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "abut/geometry/manifold.hpp"

namespace abut {

/// Those with closed forms for all their pairs.
constexpr ShapeKind kinds[] = {ShapeKind::plane, ShapeKind::sphere, ShapeKind::capsule,
                               ShapeKind::cylinder, ShapeKind::box};

/// Two shapes in the world.
struct Placement {
  Shape a, b;
  Pose X_WA, X_WB;
};

/// A box about `center` [m] as the hull of its corners.
inline Shape hull_of_box(const Vec3& half, const Vec3& center = {}) {
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k) {
    corners.push_back(center + Vec3{k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y,
                                    k & 4 ? half.z : -half.z});
  }
  return Shape::convex(make_convex_hull(corners));
}

inline Manifold collide(const Placement& p, double margin) {
  Manifold m;
  collide(p.a, p.X_WA, p.b, p.X_WB, margin, m);
  return m;
}

inline const ManifoldPoint& deepest(const Manifold& m) {
  return *std::min_element(
      m.points.begin(), m.points.begin() + m.size,
      [](const ManifoldPoint& p, const ManifoldPoint& q) { return p.gap < q.gap; });
}

inline double weight_sum(const Manifold& m) {
  double sum = 0;
  for (int i = 0; i < m.size; ++i) sum += m.points[i].weight;
  return sum;
}

/// How far a shape extends from its center along the unit vector u; its signed distance to another
/// one is the maximum of u . c - h_A(u) - h_B(u).
inline double support(const Shape& s, const Mat3& R, const Vec3& u) {
  const Vec3 v = transpose_times(R, u);
  switch (s.kind) {
    case ShapeKind::plane: return 0;
    case ShapeKind::sphere: return s.radius();
    case ShapeKind::capsule: return s.radius() + s.half_length() * std::abs(v.z);
    case ShapeKind::cylinder:
      return s.radius() * std::hypot(v.x, v.y) + s.half_length() * std::abs(v.z);
    case ShapeKind::box: return dot(abs(v), s.half_extents());
    case ShapeKind::ellipsoid: return std::hypot(s.size.x * v.x, s.size.y * v.y, s.size.z * v.z);
    case ShapeKind::hull: {
      double most = -HUGE_VAL;
      for (const Vec3& x : s.hull->vertices) most = std::max(most, dot(v, x));
      return most;
    }
    case ShapeKind::height_field: break;  // not convex
  }
  return 0;
}

inline double gap_along(const Placement& p, const Vec3& u) {
  return dot(u, p.X_WB.p - p.X_WA.p) - support(p.a, p.X_WA.R, u) - support(p.b, p.X_WB.R, -u);
}

inline Mat3 rotation(const Vec3& axis, double angle) {
  return to_matrix(exp_rotation(angle / norm(axis) * axis));
}

/// Seeded random numbers for placements.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  double uniform(double lower, double upper) {
    return std::uniform_real_distribution<double>(lower, upper)(engine_);
  }
  /// From 0.1 to 10: sizes differ up to 1:100.
  double length() { return std::pow(10, uniform(-1, 1)); }
  Vec3 direction() {
    Vec3 v;
    do {
      v = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    } while (squared_norm(v) > 1 || squared_norm(v) < 1e-2);
    return v / norm(v);
  }
  Mat3 rotation() { return abut::rotation(direction(), uniform(0, std::numbers::pi)); }

  /// Points in a box about the origin.
  std::vector<Vec3> cloud(int count) {
    const Vec3 half = {length(), length(), length()};
    std::vector<Vec3> points;
    for (int i = 0; i < count; ++i) {
      points.push_back({half.x * uniform(-1, 1), half.y * uniform(-1, 1), half.z * uniform(-1, 1)});
    }
    return points;
  }

  Shape shape(ShapeKind kind) {
    switch (kind) {
      case ShapeKind::plane: return Shape::plane();
      case ShapeKind::sphere: return Shape::sphere(length());
      case ShapeKind::capsule: return Shape::capsule(length(), length());
      case ShapeKind::cylinder: return Shape::cylinder(length(), length());
      case ShapeKind::ellipsoid: return Shape::ellipsoid({length(), length(), length()});
      case ShapeKind::hull: return Shape::convex(make_convex_hull(cloud(30)));
      case ShapeKind::height_field:
      case ShapeKind::box: break;
    }
    return Shape::box({length(), length(), length()});
  }

  /// A pair that overlaps or is apart by up to `spread` of the distance at which it touches along
  /// a random direction. One in four has parallel axes.
  Placement placement(ShapeKind a, ShapeKind b, double spread = 0.3) {
    Placement p = {shape(a), shape(b), {}, {}};
    p.X_WA = {{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}, rotation()};
    p.X_WB.R = uniform(0, 1) < 0.25 ? p.X_WA.R * quarter_turns() : rotation();
    const Vec3 u = a == ShapeKind::plane ? p.X_WA.R.col[2] : direction();
    const double touch = support(p.a, p.X_WA.R, u) + support(p.b, p.X_WB.R, -u);
    p.X_WB.p = p.X_WA.p + touch * uniform(1 - spread, 1 + spread) * u;
    return p;
  }

  /// None, or one about x, y or z; exact.
  Mat3 quarter_turns() {
    const Mat3 turns[4] = {Mat3::identity(),
                           {{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}},
                           {{{0, 0, -1}, {0, 1, 0}, {1, 0, 0}}},
                           {{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}}};
    return turns[std::uniform_int_distribution<int>(0, 3)(engine_)];
  }

 private:
  std::mt19937 engine_;
};

/// The largest gap_along that climbing from many directions finds: slow, and blind to nothing but
/// peaks narrower than its starts.
inline double gap_by_search(const Placement& p, int starts = 60) {
  Random random(1);
  double best = -HUGE_VAL;
  for (int start = 0; start < starts; ++start) {
    Vec3 u = random.direction();
    double height = gap_along(p, u), step = 0.5;
    while (step > 1e-9) {
      const Vec3 v = u + step * random.direction(), w = v / norm(v);
      const double h = gap_along(p, w);
      if (h > height) {
        u = w, height = h, step *= 1.5;
      } else {
        step *= 0.85;
      }
    }
    best = std::fmax(best, height);
  }
  return best;
}

inline std::string describe(const Placement& p) {
  char text[600];
  const auto& c = p.X_WB.p - p.X_WA.p;
  const Mat3 R = transpose_times(p.X_WA.R, p.X_WB.R);
  std::snprintf(
      text, sizeof text,
      "%s {%.17g, %.17g, %.17g} and %s {%.17g, %.17g, %.17g}, apart {%.17g, %.17g, %.17g},"
      " z of B in A {%.17g, %.17g, %.17g}",
      to_string(p.a.kind), p.a.size.x, p.a.size.y, p.a.size.z, to_string(p.b.kind), p.b.size.x,
      p.b.size.y, p.b.size.z, c.x, c.y, c.z, R.col[2].x, R.col[2].y, R.col[2].z);
  return text;
}

}  // namespace abut
