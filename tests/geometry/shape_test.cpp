// Bounds of shapes against how far they reach along directions, and what sizes are refused.

#include <gtest/gtest.h>

#include <limits>

#include "all_pairs.hpp"

namespace abut {
namespace {

const Vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/// How far it reaches along u from its origin; of a field, its vertices and the corners below them.
double reach(const Shape& s, const Mat3& R, const Vec3& u) {
  if (!s.field) return support(s, R, u);
  const HeightField& f = *s.field;
  double most = -HUGE_VAL;
  for (int j = 0; j < f.rows; ++j) {
    for (int i = 0; i < f.columns; ++i) {
      const Vec3 top = f.vertex(i, j);
      for (const Vec3& x : {top, Vec3{top.x, top.y, -f.base}}) {
        most = std::fmax(most, dot(u, R * x));
      }
    }
  }
  return most;
}

Shape any_shape(Random& random, ShapeKind kind) {
  return kind == ShapeKind::height_field ? random_field(random) : random.shape(kind);
}

TEST(Bounds, AreReachedOnEverySide) {
  for (const ShapeKind kind : all_kinds) {
    if (kind == ShapeKind::plane) continue;
    SCOPED_TRACE(to_string(kind));
    Random random(1);
    for (int i = 0; i < 300; ++i) {
      const Shape s = any_shape(random, kind);
      const bool level = i % 3 == 0;  // along the world's axes even bounds of bounds are tight
      const Pose X = {1e3 * random.direction(),
                      level ? random.quarter_turns() * random.quarter_turns() : random.rotation()};
      const Aabb box = bounding_box(s, X);
      const bool of_its_box = kind == ShapeKind::hull || kind == ShapeKind::height_field;
      const double size = reach(s, X.R, axes[0]) + reach(s, X.R, -axes[0]);
      for (int k = 0; k < 3; ++k) {
        const double upper = X.p[k] + reach(s, X.R, axes[k]),
                     lower = X.p[k] - reach(s, X.R, -axes[k]);
        const double rounding = 1e-12 * (1e3 + size);
        EXPECT_GE(box.upper[k], upper - rounding);
        EXPECT_LE(box.lower[k], lower + rounding);
        if (of_its_box && !level) continue;
        EXPECT_NEAR(box.upper[k], upper, rounding);
        EXPECT_NEAR(box.lower[k], lower, rounding);
      }
    }
  }
}

TEST(Bounds, OfAPlaneAreInfinite) {
  const Aabb box = bounding_box(Shape::plane(), {{1, 2, 3}, rotation({1, 2, 3}, 1)});
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(box.lower[k], -HUGE_VAL);
    EXPECT_EQ(box.upper[k], HUGE_VAL);
  }
}

// the radius is the farthest that it reaches in any direction, the thickness the least along its
// own axes
TEST(Bounds, RadiusAndThickness) {
  for (const ShapeKind kind : all_kinds) {
    if (kind == ShapeKind::plane) continue;
    SCOPED_TRACE(to_string(kind));
    Random random(2);
    for (int i = 0; i < 60; ++i) {
      const Shape s = any_shape(random, kind);
      double most = 0;
      for (int k = 0; k < 300; ++k) {
        most = std::fmax(most, reach(s, Mat3::identity(), random.direction()));
      }
      EXPECT_LE(most, s.bounding_radius() * (1 + 1e-14));
      EXPECT_GE(most, (s.field ? 0.5 : 0.8) * s.bounding_radius());
      double thin = HUGE_VAL;
      for (const Vec3& u : axes) {
        thin =
            std::fmin(thin, 0.5 * (reach(s, Mat3::identity(), u) + reach(s, Mat3::identity(), -u)));
      }
      if (s.field) {
        EXPECT_EQ(s.half_thickness(), HUGE_VAL);
      } else {
        EXPECT_NEAR(s.half_thickness(), thin, 1e-14 * s.bounding_radius());
      }
    }
  }
  EXPECT_EQ(Shape::plane().bounding_radius(), 0);
  EXPECT_EQ(Shape::plane().half_thickness(), HUGE_VAL);
}

TEST(ShapeSizes, AreRefusedWithNameValueAndUnit) {
  const auto error = [](const Shape& s) -> std::string {
    try {
      s.validate({"a.xml", 2, "geom 'g'"});
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  struct Case {
    ShapeKind kind;
    std::vector<const char*> names;
  };
  const Case cases[] = {{ShapeKind::plane, {}},
                        {ShapeKind::sphere, {"radius"}},
                        {ShapeKind::capsule, {"radius", "half_length"}},
                        {ShapeKind::cylinder, {"radius", "half_length"}},
                        {ShapeKind::box, {"half_extents x", "half_extents y", "half_extents z"}},
                        {ShapeKind::ellipsoid, {"radii x", "radii y", "radii z"}}};
  const std::pair<double, const char*> wrong[] = {
      {0, "0"}, {-2, "-2"}, {NAN, "nan"}, {INFINITY, "inf"}, {2e9, "2e+09"}};
  for (const auto& [kind, names] : cases) {
    SCOPED_TRACE(to_string(kind));
    for (const double right : {1e-300, 1.0, 1e9}) {
      EXPECT_EQ(error({kind, {right, right, right}}), "") << right;
    }
    for (const auto& [value, text] : wrong) {
      for (std::size_t k = 0; k < 3; ++k) {
        Shape s = {kind, {1, 1, 1}};
        s.size[static_cast<int>(k)] = value;
        const std::string expected = k < names.size()
                                         ? std::string("a.xml:2: geom 'g': ") + names[k] + " = " +
                                               text + " m, must be positive and at most 1e9 m"
                                         : "";
        EXPECT_EQ(error(s), expected);
      }
    }
  }
}

// a body on a plane, and on the flat side of anything that is large beside it
TEST(FlatGround, IsAPlaneWhateverShapeItHas) {
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k) {
    corners.push_back({k & 1 ? 90. : -90., k & 2 ? 80. : -80., k & 4 ? 0. : -70.});
  }
  const Shape plane = Shape::plane();
  const std::pair<Shape, double> grounds[] = {
      // and where its top is
      {Shape::box({90, 80, 70}), 70},
      {Shape::cylinder(90, 70), 70},
      {Shape::convex(make_convex_hull(corners)), 0},
      {Shape::height_field(make_height_field(3, 2, 90, 80, 70, {0, 0, 0, 0, 0, 0})), 0}};
  const ShapeKind bodies[] = {ShapeKind::sphere, ShapeKind::capsule,   ShapeKind::cylinder,
                              ShapeKind::box,    ShapeKind::ellipsoid, ShapeKind::hull};
  for (const auto& [ground, top] : grounds) {
    for (const ShapeKind kind : bodies) {
      SCOPED_TRACE(std::string(to_string(kind)) + " on " + to_string(ground.kind));
      Random random(5);
      for (int i = 0; i < 150; ++i) {
        const Pose X = {random.direction(), random.rotation()};
        const Shape body = random.shape(kind);
        const Mat3 R = i % 3 ? random.rotation() : random.quarter_turns();
        const double least = body.half_thickness();
        const double height = support(body, R, {0, 0, -1}) - 0.01 * least * random.uniform(0, 1);
        const Vec3 at = {random.uniform(-20, 20), random.uniform(-20, 20), height};
        const Placement on_plane = {plane, body, X, X * Pose{at, R}};
        Placement on_ground = {ground, body, X * Pose{{0, 0, -top}, Mat3::identity()},
                               on_plane.X_WB};
        const Manifold m = collide(on_plane, 0), n = collide(on_ground, 0);
        ASSERT_GT(m.size, 0) << describe(on_plane);
        ASSERT_GT(n.size, 0) << describe(on_plane);
        EXPECT_NEAR(deepest(m).gap, deepest(n).gap, 1e-6 * least) << describe(on_plane);
        EXPECT_LT(norm(m.normal - n.normal), 1e-7) << describe(on_plane);
        // a hull shares a tilted one among face, edge and corner in its own way
        const bool faceted = kind == ShapeKind::box || kind == ShapeKind::cylinder;
        if (ground.hull && faceted && i % 3) continue;
        EXPECT_NEAR(weight_sum(m), weight_sum(n), 1e-6) << describe(on_plane);
        Wrench x = wrench(on_plane, m), y = wrench(on_ground, n);
        y.moment += cross(on_ground.X_WA.p - on_plane.X_WA.p, y.force);
        EXPECT_LT(norm(x.force - y.force), 1e-5 * norm(x.force)) << describe(on_plane);
        EXPECT_LT(norm(x.moment - y.moment), 1e-5 * norm(x.force) * body.bounding_radius())
            << describe(on_plane);
      }
    }
  }
}

}  // namespace
}  // namespace abut
