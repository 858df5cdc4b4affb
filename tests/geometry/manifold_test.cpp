#include "abut/geometry/manifold.hpp"

#include <gtest/gtest.h>

#include "sweep.hpp"

namespace abut {
namespace {

constexpr double pi = std::numbers::pi;
const Vec3 ex{1, 0, 0}, ey{0, 1, 0}, ez{0, 0, 1};
const Mat3 level = Mat3::identity();

/// B on top of A at the origin, `depth` deep, shifted a little sideways unless both are round.
Placement stack(const Shape& a, const Shape& b, const Mat3& R_B = level, double depth = 1e-4,
                const Mat3& R_A = level) {
  Placement p = {a, b, {{}, R_A}, {{}, R_B}};
  const bool round = a.kind == ShapeKind::sphere || std::abs(R_A.col[2].z) < 0.5;
  p.X_WB.p = {round ? 0 : 0.003, round ? 0 : 0.002,
              support(a, R_A, ez) + support(b, R_B, ez) - depth};
  return p;
}

struct Expected {
  Placement placement;
  int points;
  double weight;  ///< sum
  const char* what;
};

const Shape ground = Shape::plane(), table = Shape::box({0.5, 0.4, 0.1}),
            brick = Shape::box({0.1, 0.08, 0.06}), can = Shape::cylinder(0.05, 0.08),
            disc = Shape::cylinder(0.2, 0.03), pill = Shape::capsule(0.04, 0.1),
            ball = Shape::sphere(0.05);
const Mat3 lying = rotation(ey, pi / 2);

const Shape square = Shape::box({0.1, 0.1, 0.1});

std::vector<Expected> features_in_contact() {
  return {
      {stack(ground, brick), 4, 4, "box on plane"},
      {stack(table, brick), 4, 4, "box on box"},
      {stack(table, brick, rotation(ez, 0.3)), 4, 4, "yawed box on box"},
      {stack(ground, can), 4, 4, "cylinder standing on plane"},
      {stack(table, can), 4, 4, "cylinder standing on box"},
      {stack(disc, can), 4, 4, "cylinder standing on cylinder"},
      {stack(ground, can, lying), 2, 2, "cylinder lying on plane"},
      {stack(table, can, lying), 2, 2, "cylinder lying on box"},
      {stack(disc, can, lying), 2, 2, "cylinder lying on a cap"},
      {stack(can, can, lying, 1e-4, lying), 2, 2, "cylinder lying on its like"},
      {stack(ground, pill, lying), 2, 2, "capsule lying on plane"},
      {stack(table, pill, lying), 2, 2, "capsule lying on box"},
      {stack(disc, pill, lying), 2, 2, "capsule lying on a cap"},
      {stack(can, pill, lying, 1e-4, lying), 2, 2, "capsule along cylinder"},
      {stack(pill, pill, lying, 1e-4, lying), 2, 2, "capsule along capsule"},
      {stack(table, brick, rotation(ex, pi / 4)), 2, 2, "box on its edge"},
      {stack(table, brick, rotation(ex, 0.6) * rotation(ey, 0.6)), 1, 1, "box on its corner"},
      {stack(table, can, rotation(ex, 0.8)), 1, 1, "cylinder on its rim"},
      {stack(table, pill), 1, 1, "capsule standing on box"},
      {stack(can, can, lying, 1e-4, rotation(ex, pi / 2)), 1, 1, "crossed cylinders"},
      {stack(ground, ball), 1, 1, "sphere on plane"},
      {stack(ball, ball), 1, 1, "sphere on sphere"},
      {stack(pill, ball, level, 1e-4, lying), 1, 1, "sphere on capsule"},
      {stack(can, ball), 1, 1, "sphere on cylinder"},
      {stack(table, ball), 1, 1, "sphere on box"},
      {stack(square, square, rotation(ez, pi / 4)), 8, 4, "box on box at 45 degrees"},
  };
}

TEST(Manifold, PointsAndWeightsOfFacesLinesAndPoints) {
  for (const Expected& e : features_in_contact()) {
    SCOPED_TRACE(e.what);
    const Manifold m = collide(e.placement, 1e-3);
    EXPECT_EQ(m.size, e.points);
    EXPECT_NEAR(weight_sum(m), e.weight, 1e-9);
    EXPECT_NEAR(deepest(m).gap, -1e-4, 1e-12);
    EXPECT_NEAR(m.normal.z, 1, 1e-12);
  }
}

// Axes in line but for rounding, as those of bodies that were turned alike, separate nothing.
TEST(Manifold, TheFrameOfBothDoesNotMatter) {
  Random random(5);
  for (const Expected& e : features_in_contact()) {
    SCOPED_TRACE(e.what);
    for (int i = 0; i < 200; ++i) {
      const Pose frame = {{random.uniform(-1, 1), random.uniform(-1, 1), 0}, random.rotation()};
      const double turn = random.uniform(0, 3);
      Placement p = e.placement;
      p.X_WA = frame * p.X_WA, p.X_WB = frame * p.X_WB;
      p.X_WB.R = p.X_WB.R * rotation(ez, turn) * rotation(ez, -turn);
      const Manifold m = collide(p, 1e-3);
      ASSERT_EQ(m.size, e.points);
      ASSERT_NEAR(weight_sum(m), e.weight, 1e-9);
      ASSERT_NEAR(deepest(m).gap, -1e-4, 1e-12);
      ASSERT_NEAR(dot(m.normal, frame.R.col[2]), 1, 1e-12);
    }
  }
}

TEST(Manifold, CornersThatSplitShareTheirWeight) {
  const Shape cube = Shape::box({0.1, 0.1, 0.1});
  for (const double yaw : {-1e-6, -1e-9, 1e-9, 1e-6, 0.01, 0.4}) {
    Placement p = stack(cube, cube, rotation(ez, yaw));
    p.X_WB.p.x = p.X_WB.p.y = 0;
    const Manifold m = collide(p, 1e-3);
    EXPECT_NEAR(weight_sum(m), 4, 1e-8) << yaw;  // corners below 1e-9 are left out
    double turned = 0;  // sides of the two cubes that meet at an angle of |yaw|
    for (int i = 0; i < m.size; ++i) {
      EXPECT_LT(m.points[i].weight, 1 + 1e-9);
      if (m.points[i].weight < 0.5) turned += m.points[i].weight;
    }
    EXPECT_NEAR(turned, 4 * std::abs(yaw) / (pi / 2), 1e-8) << yaw;
  }
}

// The corners of a tilted box have their own depths below a level face.
TEST(Manifold, EachCornerHasItsOwnDepth) {
  for (const Shape& below : {ground, table}) {
    for (const double tilt : {0.0, 1e-9, 1e-5, 1e-3, 5e-3}) {
      const Placement p = stack(below, brick, rotation({1, 0.5, 0}, tilt), 2e-3);
      const double top = support(below, level, ez);
      const Manifold m = collide(p, 1);
      ASSERT_EQ(m.size, 4) << tilt;
      for (const double x : {-0.1, 0.1}) {
        for (const double y : {-0.08, 0.08}) {
          const Vec3 corner = p.X_WB * Vec3{x, y, -0.06};
          const double gap = corner.z - top;
          const auto* found = std::find_if(m.points.begin(), m.points.begin() + 4, [&](auto& q) {
            return norm(q.position + (q.gap / 2) * m.normal - corner) < 1e-12;
          });
          ASSERT_NE(found, m.points.begin() + 4) << tilt << ", " << x << ", " << y;
          EXPECT_NEAR(found->gap, gap, 1e-15);
          EXPECT_EQ(found->weight, 1);
        }
      }
    }
  }
}

TEST(Manifold, ALeaningLineHasTheDepthOfItsTwoEnds) {
  for (const Shape& below : {ground, table}) {
    const double slope = 0.004;
    const Placement p = stack(below, pill, rotation(ey, pi / 2 + slope), 1e-3);
    const Manifold m = collide(p, 1);
    ASSERT_EQ(m.size, 2);
    const double gaps[] = {std::min(m.points[0].gap, m.points[1].gap),
                           std::max(m.points[0].gap, m.points[1].gap)};
    EXPECT_NEAR(gaps[0], -1e-3, 1e-15);
    EXPECT_NEAR(gaps[1], -1e-3 + 0.2 * std::sin(slope), 1e-15);
  }
}

TEST(Manifold, PlanesAndDistantShapesDoNotMeet) {
  EXPECT_EQ(collide(Placement{ground, ground, {}, {}}, 1).size, 0);
  Random random(2);
  for (const ShapeKind a : kinds) {
    for (const ShapeKind b : kinds) {
      if (b == ShapeKind::plane) continue;
      Placement p = random.placement(a, b);
      const Vec3 u = a == ShapeKind::plane ? p.X_WA.R.col[2] : random.direction();
      p.X_WB.p = p.X_WA.p + (support(p.a, p.X_WA.R, u) + support(p.b, p.X_WB.R, u) + 0.1) * u;
      EXPECT_EQ(collide(p, 0.0999).size, 0) << describe(p);
    }
  }
}

/// Runs `check` on random placements of every ordered pair of kinds.
template <class Check>
void for_all_pairs(unsigned seed, int count, Check&& check) {
  Random random(seed);
  for (const ShapeKind a : kinds) {
    for (const ShapeKind b : kinds) {
      if (a == ShapeKind::plane && b == ShapeKind::plane) continue;
      for (int i = 0; i < count; ++i) {
        Placement p = b == ShapeKind::plane ? random.placement(b, a) : random.placement(a, b);
        if (b == ShapeKind::plane) std::swap(p.a, p.b), std::swap(p.X_WA, p.X_WB);
        check(p, random);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

bool is_sound(const Manifold& m, double margin) {
  std::set<std::uint32_t> features;
  if (m.size < 0 || m.size > Manifold::capacity) return false;
  if (m.size > 0 && !(std::abs(norm(m.normal) - 1) < 1e-12)) return false;
  for (int i = 0; i < m.size; ++i) {
    const ManifoldPoint& q = m.points[i];
    if (!is_finite(q.position) || !(q.gap <= margin) || !(q.gap > -1e3)) return false;
    if (!(q.weight > 0 && q.weight < 5) || !features.insert(q.feature).second) return false;
  }
  return true;
}

// whatever the order that the routine works in, and back again
TEST(Manifold, MemoryHoldsTheNormalInAxesOfA) {
  const Placement p = {Shape::box({0.1, 0.2, 0.3}),
                       Shape::sphere(0.1),
                       {{0.1, 0, 0}, to_matrix(exp_rotation({0.3, 0.2, 0.1}))},
                       {{0.1, 0.05, 0.38}, to_matrix(exp_rotation({1, 2, 3}))}};
  PairMemory ab, ba;
  Manifold m;
  collide(p.a, p.X_WA, p.b, p.X_WB, 0.1, ab, m);
  ASSERT_EQ(m.size, 1);
  EXPECT_LT(norm(p.X_WA.R * ab.normal - m.normal), 1e-14);
  collide(p.b, p.X_WB, p.a, p.X_WA, 0.1, ba, m);
  EXPECT_LT(norm(p.X_WB.R * ba.normal - m.normal), 1e-14);
  EXPECT_LT(norm(p.X_WA.R * ab.normal + p.X_WB.R * ba.normal), 1e-14);
  Pose far = p.X_WB;
  far.p.z += 1;
  collide(p.a, p.X_WA, p.b, far, 0.1, ab, m);
  EXPECT_EQ(m.size, 0);
  EXPECT_TRUE(ab.is_fresh());
}

TEST(Manifold, IsSoundAtAnyPlacement) {
  for_all_pairs(3, 2000, [](const Placement& p, Random& random) {
    for (const double margin : {0.0, 1e-3, 1e3}) {
      EXPECT_TRUE(is_sound(collide(p, margin), margin)) << margin << ": " << describe(p);
    }
    // concentric, one on the other's axis, touching
    Placement q = p;
    q.X_WB.p = q.X_WA.p;
    EXPECT_TRUE(is_sound(collide(q, 0), 0)) << describe(q);
    q.X_WB.R = q.X_WA.R;
    EXPECT_TRUE(is_sound(collide(q, 0), 0)) << describe(q);
    q.b = q.a;
    EXPECT_TRUE(is_sound(collide(q, 0), 0)) << describe(q);
    q.X_WB.p += random.uniform(0, 1) * q.X_WA.R.col[static_cast<int>(random.uniform(0, 3))];
    EXPECT_TRUE(is_sound(collide(q, 0), 0)) << describe(q);
    q = p;
    const Manifold far = collide(q, 1e3);
    q.X_WB.p -= deepest(far).gap * far.normal;
    EXPECT_TRUE(is_sound(collide(q, 0), 0)) << describe(q);
  });
}

/// How far the point x is outside a shape, at most.
double outside(const Shape& s, const Pose& X, const Vec3& x) {
  const Vec3 p = to_local(X, x);
  const double z = std::abs(p.z), rho = std::hypot(p.x, p.y);
  const Vec3 over = abs(p) - s.size;
  switch (s.kind) {
    case ShapeKind::plane: return p.z;
    case ShapeKind::sphere: return norm(p) - s.radius();
    case ShapeKind::capsule: return std::hypot(rho, std::fmax(0, z - s.half_length())) - s.radius();
    case ShapeKind::cylinder: return std::max(rho - s.radius(), z - s.half_length());
    case ShapeKind::box: return std::max({over.x, over.y, over.z});
    case ShapeKind::ellipsoid:
    case ShapeKind::hull:
    case ShapeKind::height_field: break;
  }
  return 0;
}

TEST(Manifold, TheDeepestPointIsOnBothSurfaces) {
  for_all_pairs(8, 2000, [](const Placement& p, Random&) {
    const Manifold m = collide(p, 0.1);
    if (m.size == 0) return;
    const ManifoldPoint& q = deepest(m);
    const Vec3 half = (q.gap / 2) * m.normal;
    EXPECT_LT(outside(p.a, p.X_WA, q.position - half), 1e-6) << describe(p);
    EXPECT_LT(outside(p.b, p.X_WB, q.position + half), 1e-6) << describe(p);
  });
}

TEST(Manifold, TheMarginOnlyLeavesPointsOut) {
  for_all_pairs(4, 500, [](const Placement& p, Random& random) {
    const Manifold all = collide(p, 1e3);
    const double margin = std::fmax(0, deepest(all).gap) + random.uniform(0, 0.2);
    const Manifold some = collide(p, margin);
    int next = 0;
    for (int i = 0; i < all.size; ++i) {
      if (all.points[i].gap > margin) continue;
      ASSERT_LT(next, some.size) << describe(p);
      const ManifoldPoint &q = all.points[i], &r = some.points[next++];
      EXPECT_EQ(q.feature, r.feature) << describe(p);
      EXPECT_EQ(q.gap, r.gap) << describe(p);
      EXPECT_EQ(q.weight, r.weight) << describe(p);
    }
    EXPECT_EQ(next, some.size) << describe(p);
  });
}

// Compared as forces, since a line of no length may be given as one point or as two.

TEST(Manifold, ExchangingTheShapesOnlyTurnsTheNormal) {
  for_all_pairs(5, 1000, [](const Placement& p, Random&) {
    const Placement q = {p.b, p.a, p.X_WB, p.X_WA};
    const Manifold m = collide(p, 0), w = collide(q, 0);
    ASSERT_EQ(m.size == 0, w.size == 0) << describe(p);
    if (m.size == 0) return;
    EXPECT_LT(norm(m.normal + w.normal), 1e-6) << describe(p);
    EXPECT_NEAR(deepest(m).gap, deepest(w).gap, 1e-9) << describe(p);
    const Wrench on_b = wrench(p, m), on_a = wrench(q, w);
    const Vec3 moved = on_a.moment + cross(p.X_WB.p - p.X_WA.p, on_a.force);
    EXPECT_LT(norm(on_b.force + on_a.force), 1e-6 * norm(on_b.force)) << describe(p);
    EXPECT_LT(norm(on_b.moment + moved), 1e-5 * norm(on_b.force)) << describe(p);
  });
}

TEST(Manifold, MovesWithTheShapes) {
  for_all_pairs(6, 1000, [](const Placement& p, Random& random) {
    const Pose X = {{random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-3, 3)},
                    random.rotation()};
    const Placement q = {p.a, p.b, X * p.X_WA, X * p.X_WB};
    const Manifold m = collide(p, 0), w = collide(q, 0);
    ASSERT_EQ(m.size == 0, w.size == 0) << describe(p);
    if (m.size == 0) return;
    EXPECT_LT(norm(X.R * m.normal - w.normal), 1e-6) << describe(p);
    EXPECT_NEAR(deepest(m).gap, deepest(w).gap, 1e-9) << describe(p);
    const Wrench before = wrench(p, m), after = wrench(q, w);
    const double force = norm(before.force);
    EXPECT_LT(norm(X.R * before.force - after.force), 1e-6 * force) << describe(p);
    EXPECT_LT(norm(X.R * before.moment - after.moment), 1e-5 * force) << describe(p);
  });
}

// A name changes where another feature takes over, as when an edge passes a corner: one in four of
// these placements is aligned, so that a motion of 1e-7 does find some.
TEST(Manifold, FeaturesPersistUnderSmallMotion) {
  int changed = 0, total = 0;
  for_all_pairs(7, 500, [&](const Placement& p, Random& random) {
    Placement q = p;
    q.X_WB.p += 1e-7 * random.direction();
    q.X_WB.R = rotation(random.direction(), 1e-7) * q.X_WB.R;
    const Manifold m = collide(p, 0), w = collide(q, 1e-3);
    for (int i = 0; i < m.size; ++i) {
      const auto same = [&](const ManifoldPoint& r) { return r.feature == m.points[i].feature; };
      ++total;
      if (std::none_of(w.points.begin(), w.points.begin() + w.size, same)) ++changed;
    }
  });
  EXPECT_LT(changed, 0.01 * total) << changed << " of " << total;
}

TEST(Manifold, FeaturesOfAStackStayWhileItSlidesAndTurns) {
  for (const Shape& b : {brick, can, ball}) {
    std::set<std::uint32_t> first;
    for (int step = 0; step <= 100; ++step) {
      const double t = 0.01 * step;
      Placement p = stack(table, b, rotation(ez, 0.2 * t) * rotation(ex, 1e-9 * t));
      p.X_WB.p += Vec3{0.1 * t, 0.2 * t, 0};
      const Manifold m = collide(p, 1e-3);
      std::set<std::uint32_t> now;
      for (int i = 0; i < m.size; ++i) now.insert(m.points[i].feature);
      if (step == 0) first = now;
      EXPECT_EQ(now, first) << "step " << step;
    }
  }
}

}  // namespace
}  // namespace abut
