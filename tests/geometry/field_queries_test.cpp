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

// the surface over a place is that of the triangle below it, also on sides and at corners; beside
// the rectangle it goes on level
TEST(HeightField, HeightsAndNormalsAreThoseOfTheTriangleBelow) {
  Random random(12);
  for (const auto& [columns, rows] : {std::pair{2, 2}, {2, 7}, {5, 3}, {13, 11}}) {
    const Shape ground = random_field(random, columns, rows, 1.7, 0.6, 0.5);
    const HeightField& f = *ground.field;
    for (const auto& [a, b, c] : triangles_of(f)) {
      const Vec3 n = cross(b - a, c - a) / norm(cross(b - a, c - a));
      EXPECT_GT(n.z, 0);
      for (int k = 0; k < 20; ++k) {
        double u = k < 3 ? k == 0 : random.uniform(0, 1),
               v = k < 3 ? k == 1 : random.uniform(0, 1 - u);
        if (k == 3) u = 0, v = 0.3;
        if (k == 4) u = 0.7, v = 0.3;
        const Vec3 x = a + u * (b - a) + v * (c - a);
        EXPECT_NEAR(f.height_at(x.x, x.y), x.z, 1e-13);
        if (u > 1e-9 && v > 1e-9 && u + v < 1 - 1e-9) {
          EXPECT_LT(norm(f.normal_at(x.x, x.y) - n), 1e-12);
        }
      }
    }
    for (int k = 0; k < 100; ++k) {
      const double x = random.uniform(-5, 5), y = random.uniform(-5, 5);
      EXPECT_EQ(f.height_at(x, y), f.height_at(std::clamp(x, -f.half_x, f.half_x),
                                               std::clamp(y, -f.half_y, f.half_y)));
    }
  }
}

// an edge is as the triangles at its sides say: their number, normals, directions and angle
TEST(HeightField, EdgesBendAsTheTrianglesBesideThem) {
  Random random(13);
  const Shape ground = random_field(random, 6, 5, 1, 2, 0.4);
  const HeightField& f = *ground.field;
  int borders = 0, ridges = 0, grooves = 0;
  for (int j = 0; j < f.rows; ++j) {
    for (int i = 0; i < f.columns; ++i) {
      for (const auto kind : {TerrainEdge::along_x, TerrainEdge::along_y, TerrainEdge::diagonal}) {
        if (!TerrainEdge::exists(f, i, j, kind)) continue;
        const TerrainEdge e(f, i, j, kind);
        EXPECT_EQ(e.begin, f.vertex(e.from % f.columns, e.from / f.columns));
        EXPECT_EQ(e.end, f.vertex(e.to % f.columns, e.to / f.columns));
        std::vector<Vec3> normals, apexes;
        for (const auto& t : triangles_of(f)) {
          for (int k = 0; k < 3; ++k) {
            const Vec3 &p = t[k], &q = t[(k + 1) % 3];
            const bool is_side = (p == e.begin && q == e.end) || (p == e.end && q == e.begin);
            if (!is_side) continue;
            const Vec3 n = cross(t[1] - t[0], t[2] - t[0]);
            normals.push_back(n / norm(n)), apexes.push_back(t[(k + 2) % 3]);
          }
        }
        ASSERT_EQ(e.sides, std::ssize(normals));
        for (int k = 0; k < e.sides; ++k) {  // in any order
          const int m = norm(normals[0] - e.normal[k]) < 1e-12 ? 0 : e.sides - 1;
          EXPECT_LT(norm(normals[m] - e.normal[k]), 1e-12);
          EXPECT_NEAR(dot(e.inward[k], e.end - e.begin), 0, 1e-12);
          EXPECT_NEAR(dot(e.inward[k], e.normal[k]), 0, 1e-12);
          EXPECT_GT(dot(e.inward[k], apexes[m] - e.begin), 0);
        }
        if (e.sides == 1) {
          ++borders;
          EXPECT_EQ(e.bend, 0);
          continue;
        }
        EXPECT_NEAR(std::cos(e.bend), dot(normals[0], normals[1]), 1e-12);
        const double above = dot(normals[0], apexes[1] - e.begin);  // a groove's other side rises
        EXPECT_LT(e.bend * above, 0);
        ++(e.bend > 0 ? ridges : grooves);
      }
    }
  }
  EXPECT_EQ(borders, 2 * (f.columns - 1 + f.rows - 1));
  EXPECT_EQ(ridges + grooves + borders, 5 * 5 + 6 * 4 + 5 * 4);  // 25 along x, 24 along y, 20
  EXPECT_GT(std::min(ridges, grooves), 5);
}

// beside the solid there is its wall, under it and beyond it nothing
TEST(HeightField, AWallStandsAtTheBorderDownToTheBase) {
  const Shape block =
      Shape::height_field(make_height_field(3, 3, 2, 1, 0.5, std::vector<double>(9, 1.0)));
  for (const double radius : {0.05, 0.3}) {
    const Shape ball = Shape::sphere(radius);
    const double gap = -0.1 * radius, beside = radius + gap;
    struct Side {
      Vec3 at, normal;
    };
    for (const Side& side :
         {Side{{2 + beside, 0.1, 0.4}, {1, 0, 0}}, Side{{-2 - beside, 0.1, 0.4}, {-1, 0, 0}},
          Side{{0.3, 1 + beside, 0.4}, {0, 1, 0}}, Side{{0.3, -1 - beside, 0.4}, {0, -1, 0}},
          Side{{0.3, -0.2, 1 + beside}, {0, 0, 1}}}) {
      const Manifold m = collide({block, ball, {}, {side.at, Mat3::identity()}}, 1e-3);
      ASSERT_EQ(m.size, 1) << radius;
      EXPECT_NEAR(m.points[0].gap, gap, 1e-13);
      EXPECT_LT(norm(m.normal - side.normal), 1e-13);
      EXPECT_LT(norm(m.points[0].position - (side.at - (radius + gap / 2) * side.normal)), 1e-13);
      const Placement away = {block, ball, {}, {side.at + 0.2 * radius * side.normal, {}}};
      EXPECT_EQ(collide(away, 1e-3 * radius).size, 0) << radius;
    }
    // over the border the edge is nearest
    const Vec3 u = Vec3{0.6, 0, 0.8};
    const Pose X = {Vec3{2, 0, 1} + beside * u, Mat3::identity()};
    const Manifold m = collide({block, ball, {}, X}, 1e-3);
    ASSERT_EQ(m.size, 1);
    EXPECT_NEAR(m.points[0].gap, gap, 1e-13);
    EXPECT_LT(norm(m.normal - u), 1e-12);
    for (const Vec3& x : {Vec3{0, 0, -0.6 - radius}, {2 + beside, 0, -0.6}, {5, 5, 0}}) {
      EXPECT_EQ(collide({block, ball, {}, {x, Mat3::identity()}}, 1e-3).size, 0);
    }
  }
}

}  // namespace
}  // namespace abut
