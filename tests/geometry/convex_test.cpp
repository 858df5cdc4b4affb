// Ellipsoids and convex hulls: against shapes that they can equal, and against the gap along any
// direction, which is a lower bound of the signed distance whoever found the normal.

#include <gtest/gtest.h>

#include <set>

#include "sweep.hpp"

namespace abut {
namespace {

constexpr double pi = std::numbers::pi;

double size_of(const Placement& p) {
  return norm(p.X_WB.p - p.X_WA.p) + p.a.bounding_radius() + p.b.bounding_radius();
}

std::vector<Vec3> corners(const Vec3& h) {
  std::vector<Vec3> list;
  for (int k = 0; k < 8; ++k) {
    list.push_back({k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z});
  }
  return list;
}

Shape as_hull(const Shape& box) {
  return Shape::convex(make_convex_hull(corners(box.half_extents())));
}

std::vector<Vec3> prism(int sides, double radius, double half_length) {
  std::vector<Vec3> points;
  for (int k = 0; k < sides; ++k) {
    const double angle = 2 * pi * k / sides;
    for (const double z : {-half_length, half_length}) {
      points.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
    }
  }
  return points;
}

std::string error_of(const std::vector<Vec3>& points) {
  try {
    make_convex_hull(points, {"a.xml", 3, "geom 'g'"});
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(ConvexHull, HoldsAllPointsAndIsClosed) {
  Random random(1);
  for (int count : {4, 5, 8, 30, 300}) {
    for (int i = 0; i < 20; ++i) {
      const std::vector<Vec3> points = random.cloud(count);
      const auto hull = make_convex_hull(points);
      for (const ConvexHull::Face& f : hull->faces) {
        ASSERT_NEAR(norm(f.normal), 1, 1e-12);
        ASSERT_GE(f.corners, 3);
        const double level = dot(f.normal, hull->vertices[f.outline[0]]);
        for (const Vec3& x : points) EXPECT_LE(dot(f.normal, x), level + 3e-4 * hull->size);
      }
      const auto edges = hull->sides.size() / 2;
      std::set<int> in_use;  // some vertices are inside of faces
      for (const ConvexHull::Side& s : hull->sides) {
        EXPECT_GE(s.next_face, 0);
        in_use.insert(s.vertex);
      }
      EXPECT_EQ(in_use.size() + hull->faces.size(), edges + 2) << count;  // Euler
    }
  }
}

TEST(ConvexHull, FindsTheFarthestVertex) {
  Random random(4);
  for (const int count : {4, 8, 50, 1000}) {
    const auto hull = make_convex_hull(random.cloud(count));
    const auto can = make_convex_hull(prism(count, 0.1, 0.2));
    for (int i = 0; i < 2000; ++i) {
      const Vec3 n = random.direction();
      for (const auto& h : {hull, can}) {
        double most = -HUGE_VAL;
        for (const Vec3& v : h->vertices) most = std::fmax(most, dot(n, v));
        ASSERT_NEAR(dot(n, h->vertices[h->farthest(n)]), most, 1e-12 * h->size) << count;
      }
    }
  }
}

TEST(ConvexHull, JoinsTrianglesOfAFaceAlsoWhereTheyAreRounded) {
  std::vector<Vec3> cube = corners({0.1, 0.1, 0.1});
  Random random(2);
  for (Vec3& x : cube) x += 1e-7 * random.direction();
  EXPECT_EQ(make_convex_hull(cube)->faces.size(), 6u);
  const auto can = make_convex_hull(prism(64, 0.1, 0.2));
  EXPECT_EQ(can->faces.size(), 66u);
  for (const ConvexHull::Face& f : can->faces) {
    EXPECT_EQ(f.corners, std::abs(f.normal.z) > 0.5 ? 8 : 4);
  }
}

TEST(ConvexHull, RefusesWhatHasNoInside) {
  const std::string flat =
      "a.xml:3: geom 'g': a mesh that collides needs four vertices that do not lie in one plane";
  EXPECT_EQ(error_of({}), flat);
  EXPECT_EQ(error_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), flat);
  EXPECT_EQ(error_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 3, 0}}), flat);
  EXPECT_EQ(error_of({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}), flat);
  EXPECT_EQ(error_of({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}), flat);
  // many sides in a vertex: neighbours that are almost in a plane are one face
  std::vector<Vec3> cone = prism(600, 1, 0.1);
  cone.push_back({0, 0, 5});
  EXPECT_EQ(error_of(cone), "");
  EXPECT_NE(error_of({{0, 0, NAN}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1}}), "");
}

TEST(Convex, AHullOfABoxIsTheBox) {
  for (const ShapeKind a : kinds) {
    Random random(static_cast<unsigned>(a));
    int compared = 0;
    for (int i = 0; i < 2000; ++i) {
      Placement box = random.placement(a, ShapeKind::box);
      if (a == ShapeKind::box) {  // face on face, none small on its box
        const auto side = [&] { return random.uniform(0.5, 1); };
        box.a = Shape::box({side(), side(), side()}), box.b = Shape::box({side(), side(), side()});
        box.X_WB.R = rotation(random.direction(), 0.05) *
                     rotation(box.X_WA.R.col[2], random.uniform(-3, 3)) * box.X_WA.R *
                     random.quarter_turns();
        box.X_WB.p = box.X_WA.p +
                     box.X_WA.R * Vec3{random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), 1.4};
      }
      Placement hull = box;
      hull.b = as_hull(box.b);
      const Manifold m = collide(box, 1e3), h = collide(hull, 1e3);
      ASSERT_GT(h.size, 0) << describe(box);
      const double size = size_of(box);
      // deep in a cylinder the search for the way out ends a little below the top
      const double slack = a == ShapeKind::cylinder ? 1e-5 : 1e-7;
      EXPECT_NEAR(gap_along(box, h.normal), gap_along(box, m.normal), slack * size)
          << describe(box);
      if (a != ShapeKind::box || norm(m.normal - h.normal) > 1e-9 || gap_along(box, m.normal) > 0)
        continue;
      const Wrench x = wrench(box, m), y = wrench(hull, h);
      const double force = norm(x.force) + norm(y.force);
      EXPECT_LE(norm(x.force - y.force), 2e-3 * force) << describe(box);
      EXPECT_LE(norm(x.moment - y.moment), 2e-3 * force * size) << describe(box);
      ++compared;
    }
    EXPECT_GT(compared, a == ShapeKind::box ? 500 : -1);
  }
}

TEST(Convex, AnEllipsoidWithEqualRadiiIsTheSphere) {
  for (const ShapeKind b : kinds) {
    Random random(static_cast<unsigned>(b));
    for (int i = 0; i < 1000; ++i) {
      Placement ball =
          random.placement(ShapeKind::sphere, b == ShapeKind::plane ? ShapeKind::box : b);
      if (b == ShapeKind::plane) ball.b = Shape::plane();
      Placement round = ball;
      round.a = Shape::ellipsoid(ball.a.radius() * Vec3{1, 1, 1});
      const Manifold m = collide(ball, 1e3), e = collide(round, 1e3);
      ASSERT_EQ(e.size, 1) << describe(ball);
      EXPECT_NEAR(deepest(e).gap, deepest(m).gap, 1e-6 * size_of(ball)) << describe(ball);
    }
  }
}

TEST(Convex, NoOtherDirectionHasALargerGap) {
  for (const auto& [a, b] : {std::pair{ShapeKind::hull, ShapeKind::hull},
                             {ShapeKind::box, ShapeKind::hull},
                             {ShapeKind::cylinder, ShapeKind::hull},
                             {ShapeKind::capsule, ShapeKind::hull},
                             {ShapeKind::sphere, ShapeKind::hull},
                             {ShapeKind::ellipsoid, ShapeKind::hull},
                             {ShapeKind::ellipsoid, ShapeKind::ellipsoid},
                             {ShapeKind::sphere, ShapeKind::ellipsoid},
                             {ShapeKind::capsule, ShapeKind::ellipsoid},
                             {ShapeKind::cylinder, ShapeKind::ellipsoid},
                             {ShapeKind::box, ShapeKind::ellipsoid}}) {
    Random random(7);
    double worst[2] = {0, 0}, own = 0;
    for (int i = 0; i < 100; ++i) {
      Placement p = random.placement(a, b);
      const bool barely = i % 2 == 1;  // as bodies touch: else as deep as they are thick
      if (barely) {
        const Manifold m = collide(p, 1e3);
        const double gap = random.uniform(-1e-3, 1e-3) * size_of(p);
        p.X_WB.p += (gap - deepest(m).gap) * m.normal;
      }
      const Manifold m = collide(p, 1e3);
      ASSERT_GT(m.size, 0) << describe(p);
      const double along = gap_along(p, m.normal);
      worst[barely] = std::fmax(worst[barely], (gap_by_search(p) - along) / size_of(p));
      own = std::fmax(own, std::abs(deepest(m).gap - along) / size_of(p));
    }
    EXPECT_LT(worst[0], 1e-4) << to_string(a) << " " << to_string(b);
    EXPECT_LT(worst[1], 1e-7) << to_string(a) << " " << to_string(b);
    EXPECT_LT(own, 1e-3) << to_string(a) << " " << to_string(b);
  }
}

TEST(Convex, WeightsOfFacesEdgesAndCorners) {
  const Shape brick = as_hull(Shape::box({0.1, 0.08, 0.06})), ground = Shape::plane(),
              can = Shape::convex(make_convex_hull(prism(64, 0.1, 0.1)));
  const auto on_ground = [&](const Shape& s, const Mat3& R) {
    Placement p = {ground, s, {}, {{}, R}};
    p.X_WB.p.z = support(s, R, {0, 0, -1}) - 1e-5;
    return collide(p, 1e-3);
  };
  const Mat3 level = Mat3::identity(), on_edge = rotation({1, 0, 0}, pi / 4),
             on_corner = on_edge * rotation({0, 1, 0}, std::atan(std::sqrt(0.5)));
  EXPECT_EQ(on_ground(brick, level).size, 4);
  EXPECT_NEAR(weight_sum(on_ground(brick, level)), 4, 1e-9);
  EXPECT_EQ(on_ground(brick, on_edge).size, 2);
  EXPECT_NEAR(weight_sum(on_ground(brick, on_edge)), 2, 1e-9);
  EXPECT_EQ(on_ground(brick, on_corner).size, 1);
  EXPECT_NEAR(weight_sum(on_ground(brick, on_corner)), 1, 1e-9);
  EXPECT_EQ(on_ground(can, level).size, 8);
  EXPECT_NEAR(weight_sum(on_ground(can, level)), 4, 1e-9);
}

TEST(Convex, TheWrenchIsContinuousFromFaceToCorner) {
  const Shape box = Shape::box({0.1, 0.08, 0.06});
  for (const Shape& other :
       {Shape::plane(), Shape::box({1, 1, 0.2}), as_hull(Shape::box({1, 1, 0.2}))}) {
    const Motion tilt = [&](double t) {
      Placement p = {other, as_hull(box), {}, {}};
      p.X_WB.R = rotation({1, 0.3, 0}, 1.5 * t) * rotation({0, 1, 0}, 0.2 * t);
      const double top = other.kind == ShapeKind::plane ? 0 : 0.2;
      p.X_WB.p = {0.01, 0.02, top + support(p.b, p.X_WB.R, {0, 0, -1}) - 1e-4};
      return p;
    };
    const SweepReport r = sweep(tilt, 1e-3, 0.1);
    EXPECT_TRUE(r.always_in_contact);
    EXPECT_LT(r.wrench_jump, 1e-5) << "at " << r.at;
    EXPECT_LT(r.gap_jump, 1e-9);
    EXPECT_EQ(r.turns, 0);
  }
}

TEST(Convex, FeaturesPersistWhileAHullSlides) {
  const Shape table = Shape::box({1, 1, 0.2}),
              can = Shape::convex(make_convex_hull(prism(64, 0.1, 0.1)));
  Random random(3);
  for (const Shape& s : {as_hull(Shape::box({0.1, 0.08, 0.06})), can}) {
    std::set<std::uint32_t> first;
    for (int i = 0; i < 100; ++i) {
      Placement p = {table, s, {}, {{1e-3 * i, 0, 0}, rotation({0, 0, 1}, 0.003 * i)}};
      p.X_WB.p.z = 0.2 + support(s, p.X_WB.R, {0, 0, -1}) - 1e-5;
      const Manifold m = collide(p, 1e-3);
      std::set<std::uint32_t> now;
      for (int k = 0; k < m.size; ++k) now.insert(m.points[k].feature);
      EXPECT_EQ(static_cast<int>(now.size()), m.size);
      if (i == 0) first = now;
      EXPECT_EQ(now, first) << i;
    }
  }
}

}  // namespace
}  // namespace abut
