// Pairs that persist: with a memory the contact follows its side from pose to pose.

#include <gtest/gtest.h>

#include "placements.hpp"

namespace abut {
namespace {

/// Shape B on its way straight into A, from where they touch, and how the contact follows it.
struct Passage {
  Placement p;
  Vec3 way;            ///< unit
  double length = 0;   ///< [m]
  double turned = 0;   ///< largest change of the normal in a step
  double off_gap = 0;  ///< most by which the deepest gap is not the one along the normal [m]
  double jump = 0;     ///< most by which the depth changed more than the body moved [m]
  Vec3 first, last;    ///< normals

  void go(bool with_memory, int steps = 400) {
    PairMemory memory;
    Manifold m;
    double gap_before = 0;
    for (int i = 0; i <= steps; ++i) {
      Placement q = p;
      q.X_WB.p += length * i / steps * way;
      if (!with_memory) memory = {};
      collide(q.a, q.X_WA, q.b, q.X_WB, 1e-3, memory, m);
      ASSERT_GT(m.size, 0);
      const double gap = deepest(m).gap;
      off_gap = std::fmax(off_gap, std::abs(gap - gap_along(q, m.normal)));
      if (i == 0) first = m.normal;
      if (i > 0) {
        turned = std::fmax(turned, norm(m.normal - last));
        jump = std::fmax(jump, std::abs(gap - gap_before) - length / steps);
      }
      last = m.normal, gap_before = gap;
    }
  }
};

/// B comes down onto a face of A, a little aside, and goes deeper than half of A's height.
Passage onto_face(const Shape& a, const Shape& b, const Vec3& aside) {
  Passage s;
  s.p = {a, b, {{0.1, 0.2, 0.3}, rotation({1, 2, 3}, 0.7)}, {}};
  const Vec3 up = s.p.X_WA.R.col[2];
  s.p.X_WB.R = s.p.X_WA.R * rotation({1, 0.5, 0.2}, 0.02);
  const double apart = support(a, s.p.X_WA.R, up) + support(b, s.p.X_WB.R, -up);
  s.p.X_WB.p = s.p.X_WA.p + apart * up + s.p.X_WA.R * aside;
  s.way = -up;
  return s;
}

const Shape flat_box = Shape::box({0.3, 0.4, 0.1}), flat_cylinder = Shape::cylinder(0.3, 0.1);
const Shape small[] = {Shape::sphere(0.02), Shape::box({0.02, 0.03, 0.02}),
                       Shape::cylinder(0.02, 0.03), Shape::capsule(0.02, 0.03)};

// a body pressed through the middle of a plate comes out where it went in, whichever is A
TEST(Persistence, APairKeepsTheSideItCameFrom) {
  for (const Shape& plate : {flat_box, flat_cylinder}) {
    for (const Shape& body : small) {
      Passage s = onto_face(plate, body, {0.05, -0.03, 0});
      s.length = 0.17;  // the far face is 0.03 m away then, the near one 0.17
      Passage exchanged = s;
      std::swap(exchanged.p.a, exchanged.p.b), std::swap(exchanged.p.X_WA, exchanged.p.X_WB);
      exchanged.p.X_WB = s.p.X_WA, exchanged.way = -s.way;
      exchanged.p.X_WA = s.p.X_WB;
      for (Passage* t : {&s, &exchanged}) {
        Passage forgetful = *t;
        forgetful.go(false);
        EXPECT_GT(forgetful.turned, 1.9) << describe(t->p) << ": it would have changed sides";
        t->go(true);
        EXPECT_LT(t->turned, 0.1) << describe(t->p);
        EXPECT_GT(dot(t->first, t->last), 0.99) << describe(t->p);
        EXPECT_LT(t->off_gap, 1e-9) << describe(t->p);
        EXPECT_LT(t->jump, 1e-12) << describe(t->p);
      }
    }
  }
}

// two rods that cross stay on their sides when one is pressed through the other
TEST(Persistence, CrossedRodsDoNotPassThroughEachOther) {
  for (const Shape& a : {Shape::capsule(0.02, 0.3), Shape::cylinder(0.02, 0.3)}) {
    for (const Shape& b : {Shape::capsule(0.02, 0.3), Shape::cylinder(0.02, 0.3)}) {
      Passage s;
      s.p = {a, b, {{}, rotation({1, 0, 0}, 1.5)}, {{0.05, 0, 0.038}, rotation({0, 1, 0}, 1.6)}};
      s.way = {0, 0, -1}, s.length = 0.055;
      Passage forgetful = s;
      forgetful.go(false);
      EXPECT_GT(forgetful.turned, 1.9) << describe(s.p);
      s.go(true);
      EXPECT_LT(s.turned, 0.1) << describe(s.p);
      EXPECT_LT(s.off_gap, 1e-9) << describe(s.p);
    }
  }
}

/// B turns about a point of its axis and of A's, from 1 rad on one side to 1 rad on the other.
/// Their places are rounded. The largest turn of the normal in one of 1000 steps.
double most_turned(const Shape& a, double at_a, const Shape& b, double at_b, bool with_memory) {
  const Pose X_WA = {{0.1, 0.2, 0.3}, rotation({1, 2, 3}, 0.7)};
  const Vec3 joint = X_WA * Vec3{0, 0, at_a};
  PairMemory memory;
  Manifold m;
  Vec3 last;
  double turned = 0;
  for (int i = 0; i <= 1000; ++i) {
    Pose X_WB = {{}, X_WA.R * rotation({1, 0.5, 0.3}, 2e-3 * (i - 500))};
    X_WB.p = joint - X_WB.R * Vec3{0, 0, at_b};
    if (!with_memory) memory = {};
    collide(a, X_WA, b, X_WB, 1e-3, memory, m);
    EXPECT_GT(m.size, 0);
    if (i > 0) turned = std::fmax(turned, norm(m.normal - last));
    last = m.normal;
  }
  return turned;
}

// the ends of links at a ball joint: their normal is no rounding's, and turns as the links do
TEST(Persistence, WhatMeetsAtAJointKeepsItsNormal) {
  const Shape ball = Shape::sphere(0.03), rod = Shape::capsule(0.02, 0.1),
              other = Shape::capsule(0.03, 0.2);
  const struct {
    const Shape &a, &b;
    double at_a, at_b;
  } joints[] = {{ball, ball, 0, 0},      {ball, rod, 0, 0.1},       {rod, ball, -0.1, 0},
                {ball, rod, 0, 0.03},    {rod, other, 0.1, -0.2},   {other, rod, 0.2, -0.1},
                {rod, other, 0.1, 0.05}, {rod, other, 0.03, -0.07}, {rod, rod, 0.1, 0.1}};
  for (const auto& [a, b, at_a, at_b] : joints) {
    EXPECT_LT(most_turned(a, at_a, b, at_b, true), 0.01) << at_a << ' ' << at_b;
    if (&a == &ball || &b == &ball) continue;
    EXPECT_GT(most_turned(a, at_a, b, at_b, false), 1) << at_a << ' ' << at_b;
  }
}

// what comes along an axis until its center is on it leaves at right angles to it
TEST(Persistence, WhatComesAlongAnAxisLeavesAcrossIt) {
  const Shape rod = Shape::capsule(0.02, 0.1);
  for (const Shape& b : {Shape::sphere(0.03), Shape::capsule(0.03, 0.05)}) {
    const double half = b.kind == ShapeKind::capsule ? b.half_length() : 0;
    for (int turn = 0; turn < 60; ++turn) {
      const bool is_first = turn % 2 == 0;
      const Pose X_WA = {{0.1, 0.2, 0.3}, rotation({1, 2, 3}, 0.1 * turn)};
      PairMemory memory;
      Manifold m;
      for (int i = 0; i <= 40; ++i) {
        const Pose X_WB = {X_WA * Vec3{0, 0, 0.19 - 5e-3 * i}, X_WA.R};
        if (is_first) {
          collide(b, X_WB, rod, X_WA, 1e-3, memory, m);
        } else {
          collide(rod, X_WA, b, X_WB, 1e-3, memory, m);
        }
        if (to_local(X_WA, X_WB.p).z - half > 0.0999) continue;  // still beyond the rod's end
        ASSERT_GT(m.size, 0);
        EXPECT_NEAR(norm(m.normal), 1, 1e-12);
        EXPECT_NEAR(dot(m.normal, X_WA.R.col[2]), 0, 1e-9) << describe({rod, b, X_WA, X_WB});
      }
    }
  }
}

// a side is kept only as long as there is a way out on it
TEST(Persistence, ASideThatIsNoneIsLeft) {
  for (const Shape& body : small) {
    Placement p = onto_face(flat_box, body, {}).p;
    p.X_WB.p = p.X_WA * Vec3{0.25, 0, 0};
    PairMemory memory;
    memory.normal = Vec3{1, 1, 1} / std::sqrt(3.0);  // of no face, edge or corner that is near
    Manifold kept, fresh;
    collide(p.a, p.X_WA, p.b, p.X_WB, 1e-3, memory, kept);
    collide(p.a, p.X_WA, p.b, p.X_WB, 1e-3, fresh);
    ASSERT_GT(kept.size, 0);
    for (int k = 0; k < 20; ++k) collide(p.a, p.X_WA, p.b, p.X_WB, 1e-3, memory, kept);
    const double along = gap_along(p, kept.normal);
    for (const Vec3& aside : {Vec3{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, -1, 0.5}}) {
      const Vec3 u = kept.normal + 1e-3 * aside;
      EXPECT_LE(gap_along(p, u / norm(u)), along + 1e-9) << describe(p);
    }
    EXPECT_LE(along, deepest(fresh).gap + 1e-12);
  }
}

}  // namespace
}  // namespace abut
