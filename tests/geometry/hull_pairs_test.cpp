#include <gtest/gtest.h>

#include <thread>

#include "hull_search.hpp"
#include "support/allocation_counter.hpp"

// Hulls against an independent search (hull_search.hpp).

namespace abut {
namespace {

constexpr ShapeKind partners[] = {ShapeKind::plane,    ShapeKind::sphere, ShapeKind::capsule,
                                  ShapeKind::cylinder, ShapeKind::box,    ShapeKind::ellipsoid,
                                  ShapeKind::hull};

TEST(HullPairs, NoDirectionHasALargerGapAndTheDeepestPointHasIt) {
  for (const ShapeKind kind : partners) {
    const HullSearch s = search_hulls(kind, 100, 100, 1 + static_cast<unsigned>(kind));
    std::printf("%-9s lost %8.1e own %8.1e overlapping %d\n", to_string(kind), s.lost, s.own,
                s.overlapping);
    EXPECT_LT(s.lost, 1e-7) << s.worst;
    EXPECT_LT(s.own, 1e-7) << s.worst_own;
  }
}

Manifold step(const Placement& p, PairMemory& memory, double margin = 1e3) {
  Manifold m;
  collide(p.a, p.X_WA, p.b, p.X_WB, margin, memory, m);
  return m;
}

TEST(HullPairs, APairKeepsItsSideWhileItOverlaps) {
  const Shape brick = hull_of_box({0.3, 0.3, 0.3});
  for (const Shape& plate : {Shape::box({1, 1, 0.1}), hull_of_box({1, 1, 0.1})}) {
    Placement p = {plate, brick, {}, {{0.1, 0.05, 0.5}, rotation({0, 0, 1}, 0.3)}};
    PairMemory memory;
    for (; p.X_WB.p.z > -0.39; p.X_WB.p.z -= 0.01) {
      const Manifold m = step(p, memory);
      ASSERT_GT(m.normal.z, 1 - 1e-12) << p.X_WB.p.z;
      ASSERT_NEAR(deepest(m).gap, p.X_WB.p.z - 0.4, 1e-12);
    }
    EXPECT_LT(collide(p, 1e3).normal.z, 0);  // the globally shortest way is another
    p.X_WB.p.z = -0.41;
    EXPECT_LT(step(p, memory).normal.z, -1 + 1e-12);  // apart there is one answer
  }
}

// What the two move may deepen the overlap; a change of sides may not. The way out is one: no
// direction next to it is shorter.
TEST(HullPairs, TheWayOutIsFollowedToALocalOne) {
  for (const ShapeKind kind : partners) {
    if (kind == ShapeKind::plane) continue;
    Random random(20 + static_cast<unsigned>(kind));
    double jump = 0, uphill = 0;
    int kept = 0, steps = 0;
    for (int i = 0; i < 40; ++i) {
      Placement p = random.placement(kind, ShapeKind::hull, 0.6);
      if (kind == ShapeKind::hull) p.a = random_hull(random, 60);
      p.b = random_hull(random, 60);
      const double size = norm(p.X_WB.p - p.X_WA.p) + p.a.bounding_radius() + p.b.bounding_radius();
      const Vec3 way = 0.01 * size * random.direction(), turn = 0.03 * random.direction();
      PairMemory memory;
      double last = deepest(step(p, memory)).gap;
      for (int k = 0; k < 30; ++k, ++steps) {
        p.X_WB.p += way, p.X_WB.R = to_matrix(exp_rotation(turn)) * p.X_WB.R;
        const double moved = norm(way) + norm(turn) * p.b.bounding_radius();
        const Manifold m = step(p, memory);
        const double gap = gap_along(p, m.normal);
        jump = std::fmax(jump, (last - moved - gap) / size);
        last = gap;
        if (gap > 0) continue;
        kept += gap < gap_along(p, collide(p, 1e3).normal) - 1e-6 * size;
        for (int d = 0; d < 8; ++d) {
          const Vec3 near = m.normal + 1e-5 * random.direction();
          uphill = std::fmax(uphill, (gap_along(p, near / norm(near)) - gap) / size);
        }
      }
    }
    std::printf("%-9s deeper than moved %8.1e, uphill %8.1e, not the shortest %d of %d\n",
                to_string(kind), jump, uphill, kept, steps);
    EXPECT_LT(jump, 1e-7) << to_string(kind);
    EXPECT_LT(uphill, 1e-7) << to_string(kind);
    EXPECT_GT(kept, 0) << to_string(kind);
  }
}

// Pairs that move a little: a face remembered saves a search and changes nothing.
TEST(HullPairs, AFaceOfBeforeGivesWhatASearchFinds) {
  for (const ShapeKind kind : partners) {
    if (kind == ShapeKind::plane) continue;
    Random random(60 + static_cast<unsigned>(kind));
    double off = 0, turned = 0, aside = 0, reversed = 0;
    int faces = 0, overlapping = 0, points = 0;
    for (int i = 0; i < 200; ++i) {
      Placement p = random.placement(kind, ShapeKind::hull, i % 2 == 0 ? 0.6 : 1.0);
      if (kind == ShapeKind::hull) p.a = random_hull(random, 60);
      p.b = random_hull(random, 60);
      const double size = norm(p.X_WB.p - p.X_WA.p) + p.a.bounding_radius() + p.b.bounding_radius();
      const Vec3 way = 1e-4 * size * random.direction(), turn = 2e-4 * random.direction();
      PairMemory memory, exchanged;
      step(p, memory), step({p.b, p.a, p.X_WB, p.X_WA}, exchanged);
      for (int k = 0; k < 30; ++k) {
        p.X_WB.p += way, p.X_WB.R = to_matrix(exp_rotation(turn)) * p.X_WB.R;
        PairMemory without = memory;
        without.face = {};
        faces += memory.face[0].b >= 0;
        const Manifold m = step(p, memory), searched = step(p, without);
        const Manifold back = step({p.b, p.a, p.X_WB, p.X_WA}, exchanged);
        reversed = std::fmax(reversed, std::abs(deepest(m).gap - deepest(back).gap) / size);
        overlapping += deepest(m).gap < 0;
        off = std::fmax(off, std::abs(deepest(m).gap - deepest(searched).gap) / size);
        turned = std::fmax(turned, norm(m.normal - searched.normal));
        if (m.size != 1 || searched.size != 1) continue;  // faces beside each other
        aside = std::fmax(aside, norm(m.points[0].position - searched.points[0].position) / size);
        ++points;
      }
    }
    std::printf("%-9s off %8.1e exchanged %8.1e turned %8.1e aside %8.1e (of %d) faces %d\n",
                to_string(kind), off, reversed, turned, aside, points, faces);
    EXPECT_LT(off, 1e-8) << to_string(kind);  // within which a flat face is preferred
    EXPECT_LT(reversed, 2e-8) << to_string(kind);
    // a search finds depths to rounding, so normals to its root; a face is exact
    EXPECT_LT(turned, 1e-4) << to_string(kind);
    EXPECT_LT(aside, 1e-4) << to_string(kind);
    EXPECT_GT(faces, 1000) << to_string(kind);
    EXPECT_GT(overlapping, 1000) << to_string(kind);
    EXPECT_GT(points, 200) << to_string(kind);
  }
}

// there is one distance, whatever simplex the search begins with
TEST(HullPairs, WhatIsApartIsAsFarApartWithAMemory) {
  for (const ShapeKind kind : partners) {
    if (kind == ShapeKind::plane) continue;
    Random random(40 + static_cast<unsigned>(kind));
    double off = 0;
    int apart = 0;
    for (int i = 0; i < 40; ++i) {
      Placement p = random.placement(kind, ShapeKind::hull, 1.2);
      p.b = random_hull(random, 60);
      const double size = norm(p.X_WB.p - p.X_WA.p) + p.a.bounding_radius() + p.b.bounding_radius();
      const Vec3 way = 0.01 * size * random.direction(), turn = 0.1 * random.direction();
      PairMemory memory;
      for (int k = 0; k < 30; ++k) {
        p.X_WB.p += way, p.X_WB.R = to_matrix(exp_rotation(turn)) * p.X_WB.R;
        const double gap = deepest(step(p, memory)).gap, fresh = deepest(collide(p, 1e3)).gap;
        if (!(fresh > 0)) continue;
        ++apart;
        off = std::fmax(off, std::abs(gap - fresh) / size);
      }
    }
    EXPECT_LT(off, 1e-8) << to_string(kind);  // within which a flat face is preferred
    EXPECT_GT(apart, 100) << to_string(kind);
  }
}

// a rim's support points lie close together: the sliver that they make with two others seems to
// hold the origin, though a direction is known that parts the shapes
TEST(HullPairs, ASliverIsNoOverlap) {
  Random random(31);
  int apart = 0;
  for (const ShapeKind kind : {ShapeKind::cylinder, ShapeKind::ellipsoid}) {
    for (int i = 0; i < 40; ++i) {
      Placement p = random.placement(kind, ShapeKind::hull, 1.5);
      p.b =
          hull_of_box({random.uniform(0.1, 1), random.uniform(0.1, 1), random.uniform(0.01, 0.3)});
      const double size = p.a.bounding_radius() + p.b.bounding_radius();
      PairMemory memory;
      for (int k = 0; k < 500; ++k) {  // with the memory of other places
        p.X_WB = {random.uniform(0.7, 1.3) * size * random.direction(), random.rotation()};
        const double gap = deepest(step(p, memory)).gap;
        if (!(gap_along(p, p.X_WB.p / norm(p.X_WB.p)) > 0)) continue;
        ++apart;
        ASSERT_GT(gap, 0) << to_string(kind) << " " << i << " " << k;
      }
    }
  }
  EXPECT_GT(apart, 5000);
}

// 1e-8 of their size apart, with the memory of another pose: rounding hides the distance, and the
// old side would be deep
TEST(HullPairs, WhatHardlyTouchesKeepsNoSideThatIsDeep) {
  const Placement p = {Shape::box({1, 1, 1}), hull_of_box({1, 1, 0.15}), {}, {}};
  Random random(32);
  int deep = 0;
  for (int i = 0; i < 2000; ++i) {
    const Mat3 turn = random.rotation();
    Placement q = p;
    q.X_WA.R = turn;
    q.X_WB = {turn * Vec3{2 + 1.14e-8 * random.uniform(0.1, 1), 0, 0},
              turn * rotation({1, 0, 0}, random.uniform(0, 3))};
    PairMemory memory;
    memory.normal = {0, -1, 0};
    deep += deepest(step(q, memory, 1e-3)).gap < -1e-6;
  }
  EXPECT_EQ(deep, 0);
}

// a snapshot may come from a world whose meshes are other ones
TEST(HullPairs, AMemoryOfOtherShapesDoesNoHarm) {
  Random random(6);
  for (const double apart : {0.3, 1.0}) {
    Placement fine = {random_hull(random, 200), random_hull(random, 200), {}, {}};
    fine.X_WB.p = {apart * (fine.a.bounding_radius() + fine.b.bounding_radius()), 0, 0};
    PairMemory memory;
    step(fine, memory);
    ASSERT_GT(memory.simplex_size, 0);
    for (const ShapeKind kind : partners) {
      if (kind == ShapeKind::plane) continue;
      Placement coarse = random.placement(kind, ShapeKind::hull, 0.9);
      coarse.b = random_hull(random, 6);
      PairMemory other = memory;
      const double gap = deepest(step(coarse, other)).gap;
      EXPECT_GE(gap, gap_along(coarse, collide(coarse, 1e3).normal) - 1) << to_string(kind);
      EXPECT_TRUE(std::isfinite(gap)) << to_string(kind);
    }
  }
}

TEST(HullPairs, ExchangingTheShapesTurnsTheNormalAround) {
  Random random(3);
  int same = 0;
  for (int i = 0; i < 500; ++i) {
    Placement p = {random_hull(random, 100), random_hull(random, 100), {}, {}};
    p.X_WB = {random.uniform(0.1, 1) * (p.a.bounding_radius() + p.b.bounding_radius()) *
                  random.direction(),
              random.rotation()};
    const Manifold m = collide(p, 1e3), back = collide({p.b, p.a, p.X_WB, p.X_WA}, 1e3);
    const double size = norm(p.X_WB.p) + p.a.bounding_radius() + p.b.bounding_radius();
    ASSERT_NEAR(deepest(m).gap, deepest(back).gap, 2e-8 * size) << i;
    same += norm(m.normal + back.normal) < 1e-6;
  }
  EXPECT_GE(same, 495);  // in the others two ways out are equally short
}

TEST(HullPairs, NothingIsAllocatedOnceAThreadIsWarmAndThreadsAgree) {
  std::vector<Placement> placements;
  Random random(5);
  for (const ShapeKind kind : partners) {
    for (int i = 0; i < 30; ++i) placements.push_back(random.placement(kind, ShapeKind::hull, 0.9));
  }
  const auto run = [&](std::vector<double>& gaps) {
    gaps.clear();
    for (const Placement& p : placements) {
      PairMemory memory;
      for (int k = 0; k < 2; ++k) {
        const Manifold m = step(p, memory);
        for (int i = 0; i < m.size; ++i) gaps.push_back(m.points[i].gap);
      }
    }
  };
  std::vector<double> gaps, again, elsewhere;
  run(gaps), run(again);
  const std::uint64_t before = allocation_count();
  run(again);
  EXPECT_EQ(allocation_count(), before);
  std::thread([&] { run(elsewhere); }).join();
  EXPECT_EQ(gaps, again);
  EXPECT_EQ(gaps, elsewhere);
}

}  // namespace
}  // namespace abut
