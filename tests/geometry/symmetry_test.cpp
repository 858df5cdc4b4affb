// Contacts of every ordered pair of shapes, seen in other units, from other places, in a mirror and
// with other names of the shapes' own axes.

#include <gtest/gtest.h>

#include <functional>

#include "all_pairs.hpp"

namespace abut {
namespace {

Shape scaled(const Shape& s, double by) {
  Shape t = s;
  t.size = by * s.size;
  if (s.hull) {
    std::vector<Vec3> points;
    for (const Vec3& v : s.hull->vertices) points.push_back(by * v);
    t.hull = make_convex_hull(points);
  }
  if (s.field) {
    const HeightField& f = *s.field;
    std::vector<double> heights = f.heights;
    for (double& h : heights) h *= by;
    t.field = make_height_field(f.columns, f.rows, by * f.half_x, by * f.half_y, by * f.base,
                                std::move(heights));
  }
  return t;
}

/// Made anew from its vertices, so that they come in the same order as those of a scaled one.
Shape rebuilt(const Shape& s) {
  return scaled(s, 1);
}

Placement scaled(const Placement& p, double by) {
  Placement q = {scaled(p.a, by), scaled(p.b, by), p.X_WA, p.X_WB};
  q.X_WA.p = by * p.X_WA.p, q.X_WB.p = by * p.X_WB.p;
  return q;
}

// no length is built in: by powers of two all products are exact, and so are the bits of a contact
// that is followed over several poses
TEST(ContactSymmetry, UnitsDoNotMatter) {
  for (const double by : {0x1p-12, 0x1p10}) {
    SCOPED_TRACE(by);
    for_each_pair(100, 60, [&](const Placement& drawn, Random& random) {
      Placement p = drawn;
      p.a = rebuilt(p.a), p.b = rebuilt(p.b);
      const Vec3 way = 0.02 * random.direction(), turn = 0.05 * random.direction();
      PairMemory memory, there;
      for (int step = 0; step < 3; ++step) {
        p.X_WB.p += way, p.X_WB.R = to_matrix(exp_rotation(turn)) * p.X_WB.R;
        const Placement q = scaled(p, by);
        Manifold m, n;
        collide(p.a, p.X_WA, p.b, p.X_WB, 0.125, memory, m);
        collide(q.a, q.X_WA, q.b, q.X_WB, 0.125 * by, there, n);
        ASSERT_EQ(m.size, n.size) << describe(p);
        for (int k = 0; k < m.size; ++k) {
          const ManifoldPoint &x = m.points[k], &y = n.points[k];
          EXPECT_EQ(by * x.position, y.position) << describe(p);
          EXPECT_EQ(by * x.gap, y.gap) << describe(p);
          EXPECT_EQ(x.normal, y.normal) << describe(p);
          EXPECT_EQ(x.weight, y.weight) << describe(p);
          EXPECT_EQ(x.feature, y.feature) << describe(p);
        }
      }
    });
  }
}

/// What two descriptions of one pair must agree in; `back` brings a vector of the second to the
/// first, `sign` is -1 where it is a reflection.
struct Agreement {
  int pairs = 0, same = 0;

  void take(const Placement& p, const Placement& q, const Mat3& back, double sign, double size) {
    const Manifold m = collide(p, 0), n = collide(q, 0);
    if (m.size == 0 || n.size == 0) {  // they may touch by rounding
      for (const Manifold& x : {m, n}) {
        const double gap = x.size > 0 ? deepest(x).gap : 0;
        EXPECT_GT(gap, -1e-6 * size) << describe(p);
      }
      return;
    }
    for (const Shape* s : {&p.a, &p.b}) {
      // deeper than the radius of its rim an ellipsoid has no one nearest place
      const double least = std::min({s->size.x, s->size.y, s->size.z});
      const bool on_field = p.a.field || p.b.field;
      if (on_field && s->kind == ShapeKind::ellipsoid &&
          -deepest(m).gap > least * least / s->bounding_radius()) {
        return;
      }
    }
    ++pairs;
    EXPECT_NEAR(deepest(m).gap, deepest(n).gap, 1e-6 * size) << describe(p);
    const Wrench x = wrench(p, m);
    Wrench y = wrench(q, n);
    y.moment += cross(q.X_WA.p - transpose(back) * p.X_WA.p, y.force);  // about the same place
    const double force = norm(x.force);
    // another of two ways out of the same length, or another order of rounding where the wrench
    // jumps (docs/geometry.md)
    same += norm(m.normal - back * n.normal) < 1e-6 &&
            norm(x.force - back * y.force) <= 1e-5 * force &&
            norm(x.moment - sign * (back * y.moment)) <= 1e-5 * force * size;
  }
};

double size_of(const Placement& p) {
  double size = 0;
  for (const Shape* s : {&p.a, &p.b}) {
    if (s->kind != ShapeKind::height_field) size += s->bounding_radius();
  }
  return size;
}

/// Of every pair, `describe_anew` gives another description and the way back.
void expect_agreement(unsigned seed,
                      const std::function<Placement(const Placement&, Random&)>& anew,
                      const Mat3& back = Mat3::identity(), double sign = 1) {
  Agreement all;
  for_each_pair(seed, 200, [&](const Placement& p, Random& random) {
    all.take(p, anew(p, random), back, sign, size_of(p));
  });
  EXPECT_GT(all.pairs, 3000);
  std::printf("%d of %d are the same\n", all.same, all.pairs);
  EXPECT_GT(all.same, 0.995 * all.pairs);
}

const Mat3 mirror = Mat3::diagonal({-1, 1, 1}), exchange_xy = {{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}};

/// The shape in a mirror at its own x = 0, a field in that at x = y, which keeps its diagonals.
Shape mirrored(const Shape& s) {
  Shape t = s;
  if (s.hull) {
    std::vector<Vec3> points;
    for (const Vec3& v : s.hull->vertices) points.push_back(mirror * v);
    t.hull = make_convex_hull(points);
  }
  if (s.field) {
    const HeightField& f = *s.field;
    std::vector<double> heights;
    for (int i = 0; i < f.columns; ++i) {
      for (int j = 0; j < f.rows; ++j) heights.push_back(f.heights[f.index(i, j)]);
    }
    t.field = make_height_field(f.rows, f.columns, f.half_y, f.half_x, f.base, std::move(heights));
  }
  return t;
}

TEST(ContactSymmetry, AMirrorShowsTheMirroredContact) {
  const auto in_mirror = [](const Shape& s, const Pose& X) {
    return Pose{mirror * X.p, mirror * X.R * (s.field ? exchange_xy : mirror)};
  };
  expect_agreement(
      300,
      [&](const Placement& p, Random&) {
        return Placement{mirrored(p.a), mirrored(p.b), in_mirror(p.a, p.X_WA),
                         in_mirror(p.b, p.X_WB)};
      },
      mirror, -1);
}

/// The same solid in other axes of its own, of those that its kind allows. A hull's size is that of
/// its bounds along its axes, and decides which of its faces count as small.
void rename_axes(Random& random, Shape& s, Pose& X_WS) {
  const Mat3 quarter = random.quarter_turns() * random.quarter_turns();
  const Mat3 flip = random.uniform(0, 1) < 0.5 ? Mat3::identity() : Mat3::diagonal({1, -1, -1});
  const double angle = random.uniform(-3, 3);
  switch (s.kind) {
    case ShapeKind::plane:
      X_WS = X_WS *
             Pose{{random.uniform(-2, 2), random.uniform(-2, 2), 0}, rotation({0, 0, 1}, angle)};
      break;
    case ShapeKind::sphere: X_WS.R = random.rotation(); break;
    case ShapeKind::capsule:
    case ShapeKind::cylinder: X_WS.R = X_WS.R * flip * rotation({0, 0, 1}, angle); break;
    case ShapeKind::box:
    case ShapeKind::ellipsoid:
      X_WS.R = X_WS.R * quarter;
      s.size = abs(transpose_times(quarter, s.size));
      break;
    case ShapeKind::hull: {
      const Pose X = {random.direction(), quarter};
      std::vector<Vec3> points;
      for (const Vec3& v : s.hull->vertices) points.push_back(to_local(X, v));
      std::reverse(points.begin(), points.end());
      s = Shape::convex(make_convex_hull(points)), X_WS = X_WS * X;
      break;
    }
    case ShapeKind::height_field: {  // half a turn about z
      const HeightField& f = *s.field;
      s = Shape::height_field(
          make_height_field(f.columns, f.rows, f.half_x, f.half_y, f.base,
                            std::vector<double>(f.heights.rbegin(), f.heights.rend())));
      X_WS.R = X_WS.R * Mat3::diagonal({-1, -1, 1});
      break;
    }
  }
}

TEST(ContactSymmetry, NamesOfAShapesOwnAxesDoNotMatter) {
  expect_agreement(500, [](const Placement& p, Random& random) {
    Placement q = p;
    rename_axes(random, q.a, q.X_WA);
    rename_axes(random, q.b, q.X_WB);
    return q;
  });
}

}  // namespace
}  // namespace abut
