#include <gtest/gtest.h>

#include "hull_search.hpp"
#include "sweep.hpp"

// Wrenches along motions of hulls, as sweep_test.cpp has them for the other shapes.

namespace abut {
namespace {

constexpr double pi = std::numbers::pi;
const Vec3 ex{1, 0, 0}, ey{0, 1, 0}, ez{0, 0, 1};

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

// 1 mm deep, from lying to standing and beyond, on everything flat.
TEST(HullSweep, FallingOver) {
  const Shape nut = Shape::convex(make_convex_hull(prism(6, 0.05, 0.04))),
              table = Shape::convex(make_convex_hull(prism(8, 0.5, 0.1)));
  for (const Shape& below :
       {Shape::plane(), Shape::box({0.5, 0.4, 0.1}), table, Shape::cylinder(0.3, 0.1)}) {
    for (const Shape& above : {nut, Shape::box({0.1, 0.08, 0.06}), Shape::cylinder(0.05, 0.08),
                               Shape::capsule(0.04, 0.1), Shape::ellipsoid({0.05, 0.08, 0.1})}) {
      if (below.kind != ShapeKind::hull && above.kind != ShapeKind::hull) continue;
      const Motion falls = [&](double t) {
        Placement p = {below, above, {}, {}};
        p.X_WB.R = rotation({1, 0.3, 0}, -0.1 + (pi / 2 + 0.2) * t) * rotation(ez, 0.2);
        p.X_WB.p = {0.01, 0.02,
                    support(below, Mat3::identity(), ez) + support(above, p.X_WB.R, -ez)};
        p.X_WB.p.z -= 1e-3;
        return p;
      };
      const SweepReport r = sweep(falls, 2e-3, 0.05, 200);
      std::printf("%-9s on %-9s %8.1e %8.1e %d\n", to_string(above.kind), to_string(below.kind),
                  r.wrench_jump, r.gap_jump, r.turns);
      EXPECT_TRUE(r.always_in_contact);
      EXPECT_EQ(r.turns, 0);
      EXPECT_LT(r.wrench_jump, 1e-6)
          << to_string(above.kind) << " on " << to_string(below.kind) << " at " << r.at;
      EXPECT_LT(r.gap_jump, 1e-9);
    }
  }
}

TEST(HullSweep, RandomMotions) {
  for (const ShapeKind kind :
       {ShapeKind::plane, ShapeKind::sphere, ShapeKind::capsule, ShapeKind::cylinder,
        ShapeKind::box, ShapeKind::ellipsoid, ShapeKind::hull}) {
    Random random(1);
    double wrench = 0, gap = 0, excess = 0;
    int turns = 0;
    std::string at;
    for (int i = 0; i < 40; ++i) {
      Placement p = random.placement(kind, ShapeKind::hull);
      const double thin =
          0.2 *
          std::fmin(p.b.hull->size, kind == ShapeKind::plane ? HUGE_VAL : p.a.bounding_radius());
      const Manifold m = collide(p, 1e3);
      p.X_WB.p -= (0.02 * thin + deepest(m).gap) * m.normal;
      const Vec3 way = 0.05 * thin * random.direction(), turn = 0.1 * random.direction();
      const SweepReport r = sweep(
          [&](double t) {
            Placement q = p;
            q.X_WB.R = to_matrix(exp_rotation((t - 0.5) * turn)) * p.X_WB.R;
            q.X_WB.p += (t - 0.5) * way;
            return q;
          },
          1e-3 * thin, thin, 50);
      if (r.wrench_jump > wrench) wrench = r.wrench_jump, at = describe(p);
      gap = std::fmax(gap, r.gap_jump / thin);
      turns += r.turns, excess = std::fmax(excess, r.turn_excess / thin);
    }
    std::printf("%-9s hull %8.1e %8.1e %5d %8.1e\n", to_string(kind), wrench, gap, turns, excess);
    // Of what has corners of many unlike edges the shares of these jump (docs/geometry.md).
    const bool round = kind == ShapeKind::sphere || kind == ShapeKind::capsule ||
                       kind == ShapeKind::cylinder || kind == ShapeKind::ellipsoid;
    EXPECT_LT(wrench, round ? 1e-3 : HUGE_VAL) << at;
    EXPECT_LT(gap, 1e-6) << at;
    EXPECT_LT(excess, 1e-6) << at;
  }
}

}  // namespace
}  // namespace abut
