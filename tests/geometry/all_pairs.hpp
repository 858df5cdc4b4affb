#pragma once

#include "sweep.hpp"

namespace abut {

constexpr ShapeKind all_kinds[] = {
    ShapeKind::plane, ShapeKind::sphere,    ShapeKind::capsule, ShapeKind::cylinder,
    ShapeKind::box,   ShapeKind::ellipsoid, ShapeKind::hull,    ShapeKind::height_field};

/// Hills on a rectangle: 12 x 9 vertices.
inline Shape random_field(Random& random) {
  const double half_x = random.uniform(2, 4), half_y = random.uniform(2, 4);
  std::vector<double> heights;
  for (int k = 0; k < 12 * 9; ++k) heights.push_back(0.2 * random.uniform(-1, 1));
  return Shape::height_field(make_height_field(12, 9, half_x, half_y, 1, std::move(heights)));
}

/// A pair of any two kinds that can touch, `a` not of a later kind than `b` or the other way round.
/// What meets a field is let down on it, and shallow there.
inline Placement random_pair(Random& random, ShapeKind a, ShapeKind b) {
  if (a == ShapeKind::height_field || (b == ShapeKind::plane && a != b)) {
    const Placement p = random_pair(random, b, a);
    return {p.b, p.a, p.X_WB, p.X_WA};
  }
  if (b != ShapeKind::height_field) return random.placement(a, b);
  Placement p = {random.shape(a), random_field(random), {}, {}};
  for (int k = 0; k < 3; ++k) p.a.size[k] = std::sqrt(p.a.size[k]) / 3;
  if (a == ShapeKind::hull) {
    std::vector<Vec3> points;
    for (const Vec3& v : p.a.hull->vertices) points.push_back(1 / p.a.hull->size * v);
    p.a = Shape::convex(make_convex_hull(points));
  }
  p.X_WB = {{random.uniform(-1, 1), random.uniform(-1, 1), 0}, random.rotation()};
  const double x = random.uniform(-1.5, 1.5), y = random.uniform(-1.5, 1.5);
  const double z = p.b.field->height_at(x, y) + random.uniform(0.2, 0.9) * p.a.bounding_radius();
  p.X_WA = p.X_WB * Pose{{x, y, z}, random.rotation()};
  return p;
}

/// Runs check(placement, random) on `count` placements of each ordered pair that can touch, with
/// the pair's names in the messages.
template <class Check>
void for_each_pair(unsigned seed, int count, Check&& check) {
  for (const ShapeKind a : all_kinds) {
    for (const ShapeKind b : all_kinds) {
      const auto is_ground = [](ShapeKind k) {
        return k == ShapeKind::plane || k == ShapeKind::height_field;
      };
      if (is_ground(a) && is_ground(b)) continue;
      SCOPED_TRACE(std::string(to_string(a)) + " and " + to_string(b));
      Random random(seed + 8 * static_cast<unsigned>(a) + static_cast<unsigned>(b));
      for (int i = 0; i < count; ++i) {
        SCOPED_TRACE(i);
        check(random_pair(random, a, b), random);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace abut
