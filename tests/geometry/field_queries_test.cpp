// The surface of a height field by itself, and round bodies with many places of contact.

#include <gtest/gtest.h>

#include "abut/geometry/height_field_nearest.hpp"
#include "placements.hpp"

namespace abut {
namespace {

Shape random_field(Random& random, int columns, int rows, double half_x, double half_y,
                   double amplitude) {
  std::vector<double> heights;
  for (int k = 0; k < columns * rows; ++k) heights.push_back(amplitude * random.uniform(-1, 1));
  return Shape::height_field(
      make_height_field(columns, rows, half_x, half_y, 5, std::move(heights)));
}

/// The three corners of each triangle, those of a cell one after the other.
std::vector<std::array<Vec3, 3>> triangles_of(const HeightField& f) {
  std::vector<std::array<Vec3, 3>> all;
  for (int j = 0; j + 1 < f.rows; ++j) {
    for (int i = 0; i + 1 < f.columns; ++i) {
      const Vec3 a = f.vertex(i, j), c = f.vertex(i + 1, j + 1);
      all.push_back({a, f.vertex(i + 1, j), c});
      all.push_back({a, c, f.vertex(i, j + 1)});
    }
  }
  return all;
}

/// From the foot on each triangle and its sides.
double distance_to(const HeightField& f, const Vec3& c) {
  double best = HUGE_VAL;
  for (const auto& [a, b, d] : triangles_of(f)) {
    const Vec3 n = cross(b - a, d - a);
    const Vec3 foot = c - dot(n, c - a) / squared_norm(n) * n;
    bool inside = true;
    for (const auto& [p, q] : {std::pair{a, b}, {b, d}, {d, a}}) {
      inside = inside && dot(cross(q - p, foot - p), n) >= 0;
      const double t = std::clamp(dot(c - p, q - p) / squared_norm(q - p), 0.0, 1.0);
      best = std::fmin(best, norm(c - p - t * (q - p)));
    }
    if (inside) best = std::fmin(best, norm(c - foot));
  }
  return best;
}

// a ball that is large beside the cells touches in more places than are kept: the nearest is
TEST(HeightField, TheDeepestOfManyPlacesOfABallIsKept) {
  Random random(11);
  int crowded = 0;
  for (int i = 0; i < 300; ++i) {
    const Shape ground = random_field(random, 31, 31, 1, 1, 0.02);
    const double radius = random.uniform(0.3, 2);
    const Vec3 c = {random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1),
                    radius - random.uniform(0, 0.05)};
    const double nearest = distance_to(*ground.field, c);
    const Manifold m = collide({ground, Shape::sphere(radius), {}, {c, random.rotation()}}, 1e-3);
    ASSERT_GT(m.size, 0);
    crowded += nearest_to_ball(*ground.field, c, radius, 1e-3).size == NearestPoints::capacity;
    EXPECT_NEAR(deepest(m).gap, nearest - radius, 1e-12) << i << ", " << m.size << " places";
  }
  EXPECT_GT(crowded, 50);
}

}  // namespace
}  // namespace abut
