// Contacts far from the origin, of bodies beside ones that are huge, and of thin ones.

#include <gtest/gtest.h>

#include "all_pairs.hpp"

namespace abut {
namespace {

const Vec3 ez{0, 0, 1};

bool is_finite(const Manifold& m) {
  bool all = abut::is_finite(m.normal);
  for (int k = 0; k < m.size; ++k) {
    const ManifoldPoint& p = m.points[k];
    all = all && abut::is_finite(p.position) && std::isfinite(p.gap) && p.weight > 0;
  }
  return all;
}

// positions have a resolution there, and gaps no other error
TEST(Extremes, FarFromTheOriginGapsAreRoundedWithThePositions) {
  for (const double away : {1e3, 1e6, 1e9}) {
    SCOPED_TRACE(away);
    for_each_pair(700, 40, [&](const Placement& p, Random& random) {
      const Vec3 shift = away * random.direction();
      Placement q = p;
      q.X_WA.p += shift, q.X_WB.p += shift;
      const Placement rounded = {
          p.a, p.b, {q.X_WA.p - shift, p.X_WA.R}, {q.X_WB.p - shift, p.X_WB.R}};
      const Manifold m = collide(rounded, 1), n = collide(q, 1);
      const double resolution = 1e-15 * away;
      EXPECT_TRUE(is_finite(n));
      if (m.size == 0 || n.size == 0) {
        for (const Manifold& x : {m, n}) {
          const double gap = x.size > 0 ? deepest(x).gap : 1;
          EXPECT_GT(gap, 1 - 20 * resolution) << describe(p);
        }
        return;
      }
      const auto has = [&](ShapeKind kind) { return p.a.kind == kind || p.b.kind == kind; };
      // a flat cap is preferred within 1e-6 of its radius
      const double preference = has(ShapeKind::cylinder) ? 2e-5 : 1e-6;
      if (has(ShapeKind::height_field) && has(ShapeKind::ellipsoid)) return;
      EXPECT_NEAR(deepest(m).gap, deepest(n).gap, 50 * resolution + preference) << describe(p);
    });
  }
}

// a body on a huge ball, roll or drop of radius R stands as on a plane, but for the bulge a^2/2R
TEST(Extremes, AHugeRoundBodyIsAPlane) {
  for (const double huge : {1e3, 3e4}) {
    // with its top at the origin
    const std::pair<Shape, Mat3> grounds[] = {
        {Shape::sphere(huge), Mat3::identity()},
        {Shape::capsule(huge, huge), rotation({0, 1, 0}, std::numbers::pi / 2)},
        {Shape::cylinder(huge, huge), rotation({0, 1, 0}, std::numbers::pi / 2)},
        {Shape::ellipsoid({huge, 2 * huge, huge}), Mat3::identity()}};
    for (const auto& [ground, turn] : grounds) {
      for (const ShapeKind kind : {ShapeKind::sphere, ShapeKind::capsule, ShapeKind::cylinder,
                                   ShapeKind::box, ShapeKind::ellipsoid, ShapeKind::hull}) {
        SCOPED_TRACE(std::string(to_string(kind)) + " on " + to_string(ground.kind));
        Random random(3);
        for (int i = 0; i < 100; ++i) {
          Shape body = random.shape(kind);
          const Mat3 R = random.rotation();
          const double size = body.bounding_radius(), depth = 0.01 * body.half_thickness();
          const Vec3 at = {0, 0, support(body, R, -ez) - depth};
          const Placement on_plane = {Shape::plane(), body, {}, {at, R}};
          const Placement on_round = {ground, body, {-huge * ez, turn}, {at, R}};
          const Manifold m = collide(on_plane, 0);
          const double bulge = size * size / huge;
          const Manifold n = collide(on_round, bulge + 1e-8 * huge);
          ASSERT_GT(m.size, 0);
          ASSERT_GT(n.size, 0) << describe(on_round);
          EXPECT_NEAR(deepest(m).gap, deepest(n).gap, bulge + 1e-8 * huge) << describe(on_round);
          EXPECT_GT(n.normal.z, 1 - 2 * size / huge) << describe(on_round);
        }
      }
    }
  }
}

// down to a thousandth of their width: gap and normal of what touches their flat sides from both,
// whether it is a body of its own or one of their like
TEST(Extremes, ThinPlatesHaveTwoSides) {
  for (const double half : {1e-2, 1e-3, 1e-4}) {
    std::vector<Vec3> corners;
    for (int k = 0; k < 8; ++k) {
      corners.push_back({k & 1 ? 1. : -1., k & 2 ? 1. : -1., k & 4 ? half : -half});
    }
    const Shape plates[] = {Shape::box({1, 1, half}), Shape::cylinder(1, half),
                            Shape::convex(make_convex_hull(corners))};
    for (const Shape& plate : plates) {
      for (const Shape& body :
           {Shape::sphere(0.1), Shape::capsule(0.1, 0.2), Shape::box({0.1, 0.2, 0.3}),
            Shape::cylinder(0.1, 0.2), Shape::ellipsoid({0.1, 0.2, 0.3}), plates[0], plates[1],
            plates[2]}) {
        for (const double side : {1.0, -1.0}) {
          for (const double gap : {-0.3 * half, 0.3 * half}) {
            SCOPED_TRACE(std::string(to_string(body.kind)) + " on " + to_string(plate.kind));
            const Mat3 R = rotation({1, 1, 0}, 0.01 * half) * rotation(ez, 0.3);
            const double reach =
                support(plate, Mat3::identity(), side * ez) + support(body, R, -side * ez);
            const Pose X = {{0.05, -0.02, side * (reach + gap)}, R};
            const Manifold m = collide({plate, body, {}, X}, half);
            ASSERT_GT(m.size, 0);
            EXPECT_TRUE(is_finite(m));
            EXPECT_GT(side * m.normal.z, 1 - 1e-3);
            EXPECT_NEAR(deepest(m).gap, gap, 0.02 * half);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace abut
