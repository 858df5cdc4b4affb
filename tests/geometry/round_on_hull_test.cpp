#include "abut/geometry/round_on_hull.hpp"

#include <gtest/gtest.h>

#include "abut/geometry/contact_face.hpp"
#include "placements.hpp"

// Cylinders and ellipsoids that begin at the face of a step before, against closed forms. A is
// round, B the hull, which is in world axes at the origin.

namespace abut {
namespace {

Shape hull(const std::vector<Vec3>& points) {
  return Shape::convex(make_convex_hull(points));
}

/// Its ridge along y at z = 0.
Shape roof() {
  return hull({{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1}, {0, -1, 0}, {0, 1, 0}});
}

/// With the apex at the origin.
Shape pyramid() {
  return hull({{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1}, {0, 0, 0}});
}

struct Case {
  Shape round, hull;
  Pose X_WA;
  Vec3 vertices[3];        ///< of the hull: those farthest along these directions
  Vec3 last = {0, 0, -1};  ///< normal of the step before, world
};

PairMemory memory_of(const Case& c) {
  PairMemory memory;
  memory.normal = transpose_times(c.X_WA.R, c.last);
  for (int k = 0; k < 3; ++k) memory.face[k] = {-1, c.hull.hull->farthest(c.vertices[k])};
  return memory;
}

struct Answer {
  bool stays = false;
  Vec3 normal, on_a, on_b;  ///< world
  double gap = 0;
};

Answer ask(const Case& c, const PairMemory& memory) {
  CoreDifference difference(c.round, c.X_WA, c.hull, {}, memory);
  WayOut way;
  Answer answer;
  answer.stays = stay_on_face(difference, memory, way);
  answer.normal = c.X_WA.R * way.normal;
  answer.on_a = c.X_WA * way.on_a;
  answer.on_b = c.X_WA * way.on_b;
  answer.gap = -way.depth;
  return answer;
}

/// `low` is where the round shape's lowest point is to be, over the hull at z = 0.
void expect_straight_down(const Case& c, const Vec3& low, const char* name) {
  const Answer is = ask(c, memory_of(c));
  ASSERT_TRUE(is.stays) << name << " at " << low.z;
  EXPECT_NEAR(is.gap, low.z, 1e-14) << name;
  EXPECT_LT(norm(is.normal - Vec3{0, 0, -1}), 1e-14) << name << " at " << low.z;
  EXPECT_LT(norm(is.on_a - low), 1e-7) << name << " at " << low.z;
  EXPECT_LT(norm(is.on_b - Vec3{low.x, low.y, 0}), 1e-7) << name << " at " << low.z;
}

constexpr double gaps[] = {0.2, 1e-3, 1e-9, -1e-9, -1e-3, -0.02};
const Vec3 top_triangle[3] = {{-1, -1, 9}, {1, -1, 9}, {1, 1, 9}};
const Vec3 ridge[3] = {{0, -1, 9}, {0, 1, 9}, {0, 1, 9}};
const Vec3 apex[3] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};

Case over_a_box(const Shape& round, const Mat3& R, const Vec3& low) {
  Case c = {round, hull_of_box({1, 1, 1}, {0, 0, -1}), {{}, R}, {}};
  std::copy(top_triangle, top_triangle + 3, c.vertices);
  c.X_WA.p = low - support_point(round, {}, R, {0, 0, -1});
  return c;
}

TEST(RoundOnHull, ATriangleUnderARimOrAnEllipsoid) {
  const Mat3 turned = rotation({1, 0.4, 0}, 0.5) * rotation({0, 0, 1}, 0.3);
  for (const double gap : gaps) {
    const Vec3 low = {0.5, -0.2, gap};  // in the lower right half of the face
    expect_straight_down(over_a_box(Shape::cylinder(0.3, 0.2), turned, low), low, "cylinder");
    expect_straight_down(over_a_box(Shape::ellipsoid({0.3, 0.2, 0.4}), turned, low), low,
                         "ellipsoid");
  }
}

TEST(RoundOnHull, AnEdgeUnderARimOrAnEllipsoid) {
  for (const double gap : gaps) {
    // in the plane across the ridge the rim is an ellipse, its lowest point on its axis
    const double tilt = 0.4;
    Case c = {Shape::cylinder(0.3, 0.2), roof(), {{}, rotation({1, 0, 0}, tilt)}, {}};
    std::copy(ridge, ridge + 3, c.vertices);
    const Vec3 down = support_point(c.round, {}, c.X_WA.R, {0, 0, -1}), low = {0, 0.1, gap};
    c.X_WA.p = low - down;
    c.last = rotation({0, 1, 0}, 0.02) * Vec3{0, 0, -1};
    expect_straight_down(c, low, "cylinder");
    c.round = Shape::ellipsoid({0.3, 0.2, 0.25});
    c.X_WA.R = rotation({0.3, 1, 0}, 0.7);
    c.X_WA.p = low - support_point(c.round, {}, c.X_WA.R, {0, 0, -1});
    expect_straight_down(c, low, "ellipsoid");
  }
}

TEST(RoundOnHull, AnEdgeAcrossASide) {
  const double yaw = 0.3;
  for (const double gap : gaps) {
    for (const double along : {-0.15, 0.15, 0.25}) {
      Case c = {Shape::cylinder(0.1, 0.2), roof(), {}, {}};
      std::copy(ridge, ridge + 3, c.vertices);
      const Vec3 axis = {std::cos(yaw), std::sin(yaw), 0}, low = {0, 0.1, gap};
      c.X_WA.R = rotation({0, 0, 1}, yaw) * rotation({0, 1, 0}, std::numbers::pi / 2);
      c.X_WA.p = low + Vec3{0, 0, 0.1} - along * axis;
      for (const Vec3& about : {Vec3{1, 0, 0}, {0, 1, 0}}) {
        c.last = rotation(about, 0.02) * Vec3{0, 0, -1};
        if (along < 0.2) {
          expect_straight_down(c, low, "side");
        } else {
          const Answer is = ask(c, memory_of(c));  // the edge is beyond the end of the side
          EXPECT_TRUE(!is.stays || is.gap > gap) << gap;
        }
      }
    }
  }
}

TEST(RoundOnHull, ACapOverAVertex) {
  for (const double gap : gaps) {
    for (const bool upside_down : {false, true}) {
      Case c = {
          Shape::cylinder(0.3, 0.2), pyramid(), {{0.1, -0.15, 0.2 + gap}, Mat3::identity()}, {}};
      if (upside_down) c.X_WA.R = rotation({1, 0, 0}, std::numbers::pi);
      std::copy(apex, apex + 3, c.vertices);
      const Answer is = ask(c, memory_of(c));
      ASSERT_TRUE(is.stays) << gap;
      EXPECT_NEAR(is.gap, gap, 1e-14);
      EXPECT_LT(norm(is.normal - Vec3{0, 0, -1}), 1e-14);
      EXPECT_LT(norm(is.on_a - Vec3{0, 0, gap}), 1e-14);
      EXPECT_LT(norm(is.on_b), 1e-14);
    }
  }
}

TEST(RoundOnHull, WhatLeftItsFaceIsSearched) {
  const Shape can = Shape::cylinder(0.3, 0.2);
  const Mat3 turned = rotation({1, 0.4, 0}, 0.5);
  const Case over = over_a_box(can, turned, {0.5, -0.2, -0.01});
  ASSERT_TRUE(ask(over, memory_of(over)).stays);
  // beside the triangle, on another one of the same face
  EXPECT_FALSE(ask(over_a_box(can, turned, {-0.5, 0.2, -0.01}), memory_of(over)).stays);
  // beside the box
  EXPECT_FALSE(ask(over_a_box(can, turned, {1.1, -0.2, -0.01}), memory_of(over)).stays);
  Case c = over;
  c.last = rotation({0, 1, 0}, 0.1) * over.last;  // more than a step turns it
  EXPECT_FALSE(ask(c, memory_of(c)).stays);
  for (const double x : {0.0, std::numeric_limits<double>::quiet_NaN()}) {
    PairMemory memory = memory_of(over);
    memory.normal = {x, x, x};
    EXPECT_FALSE(ask(over, memory).stays);
  }
  PairMemory memory = memory_of(over);
  memory.face[1].b = 8;  // of a hull with more vertices
  EXPECT_FALSE(ask(over, memory).stays);
  memory.face[1].b = -1;
  EXPECT_FALSE(ask(over, memory).stays);
  Case below = over;
  for (Vec3& v : below.vertices) v.z = -v.z;  // others of the hull reach farther
  EXPECT_FALSE(ask(below, memory_of(below)).stays);
  memory = memory_of(over);
  memory.face = {{{-1, 0}, {-1, 7}, {-1, 3}}};  // of another hull: through the inside
  EXPECT_FALSE(ask(over, memory).stays);

  Case cap = {can, pyramid(), {{0.3, -0.1, 0.2}, Mat3::identity()}, {}};
  std::copy(apex, apex + 3, cap.vertices);
  EXPECT_FALSE(ask(cap, memory_of(cap)).stays);  // the apex is beside the cap
}

// Through a plate that is thinner than they are; with a memory they come out where they went in
// until they are out on the other side, where there is one distance.
TEST(RoundOnHull, WhatIsThroughAPlateIsApart) {
  const Shape plate = hull_of_box({1, 1, 0.02});
  for (const Shape& round : {Shape::cylinder(0.1, 0.05), Shape::ellipsoid({0.1, 0.08, 0.06})}) {
    for (const double tilt : {0.0, 0.3}) {
      PairMemory memory;
      Pose X_WA = {{0.2, -0.3, 0.3}, rotation({1, 0, 0}, tilt)};
      int overlapping = 0, through = 0;
      for (; X_WA.p.z > -0.3; X_WA.p.z -= 0.004) {
        Manifold m, fresh;
        collide(round, X_WA, plate, {}, 1e3, memory, m);
        collide(round, X_WA, plate, {}, 1e3, fresh);
        const double gap = deepest(fresh).gap;
        overlapping += gap < 0;
        through += gap > 0 && X_WA.p.z < 0;
        if (gap > 0) {
          EXPECT_NEAR(deepest(m).gap, gap, 1e-9) << X_WA.p.z;
        } else {
          EXPECT_LT(m.normal.z, -0.9) << X_WA.p.z;
        }
      }
      EXPECT_GT(overlapping, 20);
      EXPECT_GT(through, 20);
    }
  }
}

TEST(RoundOnHull, WhatIsThroughABladeIsApart) {
  const Shape blade = hull({{-0.005, -1, -0.03},
                            {0.005, -1, -0.03},
                            {-0.005, 1, -0.03},
                            {0.005, 1, -0.03},
                            {0, -1, 0},
                            {0, 1, 0}});
  for (const double tilt : {0.0, 0.2}) {
    const Shape can = Shape::cylinder(0.05, 0.2);
    PairMemory memory;
    Pose X_WA = {{0.02, 0, 0.06},
                 rotation({1, 0, 0}, tilt) * rotation({0, 1, 0}, std::numbers::pi / 2)};
    int through = 0;
    for (; X_WA.p.z > -0.12; X_WA.p.z -= 0.001) {
      Manifold m, fresh;
      collide(can, X_WA, blade, {}, 1e3, memory, m);
      collide(can, X_WA, blade, {}, 1e3, fresh);
      if (deepest(fresh).gap < 0) continue;
      EXPECT_NEAR(deepest(m).gap, deepest(fresh).gap, 1e-9) << X_WA.p.z;
      through += X_WA.p.z < 0;
    }
    EXPECT_GT(through, 20) << tilt;
  }
}

// Of a level cap over an edge all points over it are as near, and none beside it.
TEST(RoundOnHull, ACapOverAnEdgeStandsOnTheEdge) {
  for (const double tilt : {0.0, 1e-12, 1e-9, 1e-6, 1e-3}) {
    for (const double gap : {-0.01, 0.01}) {
      Case c = {
          Shape::cylinder(0.3, 0.2), roof(), {{0.1, 0, 0.2 + gap}, rotation({0, 1, 0}, tilt)}, {}};
      std::copy(ridge, ridge + 3, c.vertices);
      PairMemory memory = memory_of(c);
      Manifold m;
      collide(c.round, c.X_WA, c.hull, {}, 1e3, memory, m);
      EXPECT_LT(norm(m.normal - Vec3{0, 0, -1}), 1e-2) << tilt;
      EXPECT_NEAR(deepest(m).gap, gap_along({c.round, c.hull, c.X_WA, {}}, m.normal), 1e-8);
      for (int k = 0; k < m.size; ++k) {
        if (m.points[k].weight < 1e-3) continue;
        EXPECT_NEAR(m.points[k].position.x, 0, 1e-2) << tilt << ' ' << gap;
      }
    }
  }
}

// The edge has passed the cylinder's axis: of all directions across it, outward is the worst.
TEST(RoundOnHull, AnEdgeBeyondTheAxisIsLeft) {
  for (const double aside : {1e-4, 5e-4}) {
    Case c = {Shape::cylinder(0.1, 0.5),
              roof(),
              {{aside, 0, -0.02}, rotation({1, 0, 0}, std::numbers::pi / 2)},
              {}};
    std::copy(ridge, ridge + 3, c.vertices);
    PairMemory memory = memory_of(c);
    Manifold m;
    collide(c.round, c.X_WA, c.hull, {}, 1e3, memory, m);
    const Placement p = {c.round, c.hull, c.X_WA, {}};
    for (const double turn : {-1e-3, 1e-3}) {
      EXPECT_LT(gap_along(p, rotation({0, 1, 0}, turn) * m.normal), gap_along(p, m.normal))
          << aside;
    }
  }
}

}  // namespace
}  // namespace abut
