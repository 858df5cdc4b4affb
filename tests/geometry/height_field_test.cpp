#include <gtest/gtest.h>

#include <functional>

#include "abut/geometry/ellipsoid.hpp"
#include "abut/geometry/height_field_nearest.hpp"
#include "sweep.hpp"

namespace abut {
namespace {

constexpr double pi = std::numbers::pi;
const Vec3 ez{0, 0, 1};
const ShapeKind bodies[] = {ShapeKind::sphere, ShapeKind::capsule,   ShapeKind::cylinder,
                            ShapeKind::box,    ShapeKind::ellipsoid, ShapeKind::hull};

/// Heights by a function of x and y.
Shape terrain(int columns, int rows, double half_x, double half_y,
              const std::function<double(double, double)>& height, double base = 5) {
  std::vector<double> heights;
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      heights.push_back(
          height(-half_x + 2 * half_x * i / (columns - 1), -half_y + 2 * half_y * j / (rows - 1)));
    }
  }
  return Shape::height_field(
      make_height_field(columns, rows, half_x, half_y, base, std::move(heights)));
}

Shape rough(unsigned seed, double amplitude, int count = 21) {
  Random random(seed);
  return terrain(count, count, 1, 1,
                 [&](double, double) { return amplitude * random.uniform(-1, 1); });
}

Shape small_body(Random& random, ShapeKind kind) {
  const auto length = [&] { return random.uniform(0.03, 0.12); };
  switch (kind) {
    case ShapeKind::sphere: return Shape::sphere(length());
    case ShapeKind::capsule: return Shape::capsule(length(), length());
    case ShapeKind::cylinder: return Shape::cylinder(length(), length());
    case ShapeKind::ellipsoid: return Shape::ellipsoid({length(), length(), length()});
    case ShapeKind::hull: {
      std::vector<Vec3> points;
      const Vec3 half = {length(), length(), length()};
      for (int k = 0; k < 30; ++k) {
        points.push_back({half.x * random.uniform(-1, 1), half.y * random.uniform(-1, 1),
                          half.z * random.uniform(-1, 1)});
      }
      return Shape::convex(make_convex_hull(points));
    }
    default: return Shape::box({length(), length(), length()});
  }
}

/// Lets the body down on the terrain until its deepest point is `depth` [m] deep.
void put_down(Placement& p, double depth) {
  double lower = -2, upper = 3;
  for (int k = 0; k < 60; ++k) {
    p.X_WB.p.z = 0.5 * (lower + upper);
    const Manifold m = collide(p, 1e-3);
    const bool deep = m.size > 0 && deepest(m).gap < -depth;
    (deep ? lower : upper) = p.X_WB.p.z;
  }
}

// On a field whose vertices lie in a plane every shape has the points, gaps, normals and weights
// that it has on the plane, wherever the inner edges are.
TEST(HeightField, FlatOneIsAPlane) {
  Random random(1);
  for (const ShapeKind kind : bodies) {
    double gap = 0, weight = 0, place = 0, turn = 0;
    for (int i = 0; i < 400; ++i) {
      const double sx = i % 4 ? random.uniform(-1, 1) : 0, sy = i % 4 ? random.uniform(-1, 1) : 0;
      Placement on_field = {
          terrain(17, 23, 2, 3, [&](double x, double y) { return sx * x + sy * y; }),
          small_body(random, kind),
          {{random.uniform(-1, 1), 0.3, -0.2}, random.rotation()},
          {}};
      const Vec3 n = Vec3{-sx, -sy, 1} / norm(Vec3{-sx, -sy, 1});
      const Vec3 u = any_perpendicular(n);
      Placement on_plane = on_field;
      on_plane.a = Shape::plane();
      on_plane.X_WA = on_field.X_WA * Pose{{}, {{u, cross(n, u), n}}};
      Pose X;
      X.R = i % 3 ? random.rotation() : Mat3{{u, cross(n, u), n}} * random.quarter_turns();
      // some of them right above an edge or a vertex
      const double x = i % 5 ? random.uniform(-1, 1) : 0.25, y = i % 7 ? random.uniform(-1, 1) : 0;
      const double depth = 0.02 * random.uniform(-1, 1) * on_field.b.bounding_radius();
      X.p = Vec3{x, y, sx * x + sy * y} + (support(on_field.b, X.R, -n) - depth) * n;
      on_field.X_WB = on_plane.X_WB = on_field.X_WA * X;
      const Manifold a = collide(on_field, 2e-3), b = collide(on_plane, 2e-3);
      ASSERT_EQ(a.size, b.size) << to_string(kind) << ' ' << i << ' ' << describe(on_plane);
      for (int k = 0; k < a.size; ++k) {
        const ManifoldPoint& p = a.points[k];
        const auto differs = [&](const ManifoldPoint& c) {  // the order may be another
          return norm(c.position - p.position) + std::abs(c.weight - p.weight);
        };
        const ManifoldPoint& q =
            *std::min_element(b.points.begin(), b.points.begin() + b.size,
                              [&](const ManifoldPoint& c, const ManifoldPoint& d) {
                                return differs(c) < differs(d);
                              });
        gap = std::fmax(gap, std::abs(p.gap - q.gap));
        weight = std::fmax(weight, std::abs(p.weight - q.weight));
        place = std::fmax(place, norm(p.position - q.position));
        turn = std::fmax(turn, norm(p.normal - q.normal));
      }
    }
    std::printf("%-9s gap %.1e weight %.1e place %.1e normal %.1e\n", to_string(kind), gap, weight,
                place, turn);
    EXPECT_LT(gap, 1e-14);
    EXPECT_LT(weight, 1e-12);
    EXPECT_LT(place, 1e-14);
    EXPECT_LT(turn, 1e-13);
  }
}

/// Distance to a triangle: the nearest of its plane's foot and its sides.
double distance_to_triangle(const Vec3& c, const Vec3 (&v)[3]) {
  double best = HUGE_VAL;
  for (int k = 0; k < 3; ++k) {
    const Vec3 d = v[(k + 1) % 3] - v[k];
    const double t = std::clamp(dot(c - v[k], d) / squared_norm(d), 0.0, 1.0);
    best = std::fmin(best, norm(c - v[k] - t * d));
  }
  const Vec3 n = cross(v[1] - v[0], v[2] - v[0]);
  bool over = true;
  for (int k = 0; k < 3; ++k) over = over && dot(cross(v[(k + 1) % 3] - v[k], c - v[k]), n) >= 0;
  return over ? std::fmin(best, std::abs(dot(n, c - v[0])) / norm(n)) : best;
}

double distance_to_surface(const HeightField& f, const Vec3& c) {
  double best = HUGE_VAL;
  for (int j = 0; j + 1 < f.rows; ++j) {
    for (int i = 0; i + 1 < f.columns; ++i) {
      const Vec3 a = f.vertex(i, j), b = f.vertex(i + 1, j), d = f.vertex(i + 1, j + 1),
                 e = f.vertex(i, j + 1);
      best = std::fmin(best, distance_to_triangle(c, {a, b, d}));
      best = std::fmin(best, distance_to_triangle(c, {a, d, e}));
    }
  }
  return best;
}

// Against all triangles; above the surface and below it.
TEST(HeightField, NearestFootOfABallIsThatOfAllTriangles) {
  const Shape ground = rough(2, 0.15);
  const HeightField& f = *ground.field;
  Random random(3);
  int above = 0, below = 0;
  for (int i = 0; i < 3000; ++i) {
    Vec3 c = {random.uniform(-0.9, 0.9), random.uniform(-0.9, 0.9), 0};
    c.z = f.height_at(c.x, c.y) + random.uniform(-0.1, 0.25);
    const bool outside = c.z > f.height_at(c.x, c.y);
    const double radius = 0.05, exact = distance_to_surface(f, c);
    const NearestPoints nearest = nearest_to_ball(f, c, radius, 0.3);
    ASSERT_GT(nearest.size, 0);
    double least = HUGE_VAL, sum = 0;
    for (int k = 0; k < nearest.size; ++k) {
      const NearestPoint& x = nearest.points[k];
      const double distance = x.gap + radius;
      least = std::fmin(least, std::abs(distance));
      sum += x.weight;
      EXPECT_NEAR(norm(x.at + distance * x.normal - c), 0, 1e-12);
      EXPECT_NEAR(distance_to_surface(f, x.at), 0, 1e-14);
      EXPECT_EQ(distance > 0, outside);
    }
    EXPECT_NEAR(least, exact, 1e-13) << i;
    EXPECT_GT(sum, 1 - 1e-12);
    ++(outside ? above : below);
  }
  EXPECT_GT(above, 1000);
  EXPECT_GT(below, 500);
}

// A sphere is an ellipsoid; the two are found in different ways.
// On steep ground the planes of triangles behind a ridge are above the surface here.
TEST(HeightField, EllipsoidAboveTheGroundIsNotInIt) {
  const Shape ground = rough(5, 0.25, 11);
  const HeightField& field = *ground.field;
  Random random(8);
  int clear = 0;
  for (int i = 0; i < 12000; ++i) {
    const Vec3 radii{random.uniform(0.1, 0.25), random.uniform(0.1, 0.25),
                     random.uniform(0.1, 0.25)};
    const Pose X{{random.uniform(-0.6, 0.6), random.uniform(-0.6, 0.6), random.uniform(0, 0.7)},
                 random.rotation()};
    double clearance = 1;
    for (int k = 0; k < 3000 && clearance > 0; ++k) {
      const Vec3 n = random.rotation().col[0];
      const Vec3 p = X * Vec3{radii.x * n.x, radii.y * n.y, radii.z * n.z};
      clearance = std::min(clearance, p.z - field.height_at(p.x, p.y));
    }
    if (clearance < 2e-3 || clearance > 0.03) continue;
    ++clear;
    const Manifold m = collide({ground, Shape::ellipsoid(radii), {}, X}, 1e-3);
    // a peak may be in it between the samples
    for (int k = 0; k < m.size; ++k) EXPECT_GE(m.points[k].gap, -0.02) << i;
  }
  EXPECT_GT(clear, 80);
}

TEST(HeightField, EllipsoidOfEqualRadiiIsASphere) {
  const Shape ground = rough(2, 0.03);
  Random random(4);
  int several = 0;
  for (int i = 0; i < 200; ++i) {
    const double radius = random.uniform(0.02, 0.3);
    Placement ball = {ground, Shape::sphere(radius), {}, {}};
    ball.X_WB = {{random.uniform(-0.6, 0.6), random.uniform(-0.6, 0.6), 0}, random.rotation()};
    put_down(ball, 0.01 * radius);
    Placement egg = ball;
    egg.b = Shape::ellipsoid({radius, radius, radius});
    const Manifold a = collide(ball, 1e-3), b = collide(egg, 1e-3);
    EXPECT_NEAR(deepest(a).gap, deepest(b).gap, 1e-11);
    const Wrench wa = wrench(ball, a), wb = wrench(egg, b);
    EXPECT_LT(norm(wa.force - wb.force), 1e-5 * norm(wa.force)) << i;
    several += a.size > 1;
  }
  EXPECT_GT(several, 20);
}

TEST(Ellipsoid, NearestPointIsNearerThanOthers) {
  Random random(5);
  for (int i = 0; i < 300; ++i) {
    const Vec3 a = {random.length(), random.length(), random.length()};
    Vec3 x = {2 * a.x * random.uniform(-1, 1), 2 * a.y * random.uniform(-1, 1),
              2 * a.z * random.uniform(-1, 1)};
    if (i % 4 == 0) x[i / 4 % 3] = 0;
    const EllipsoidPoint p = nearest_on_ellipsoid(a, x);
    const Vec3 y = x - p.distance * p.normal;
    const Vec3 s = {y.x / a.x, y.y / a.y, y.z / a.z};
    EXPECT_NEAR(norm(s), 1, 1e-9);
    const Vec3 g = Vec3{s.x / a.x, s.y / a.y, s.z / a.z};
    EXPECT_NEAR(norm(cross(g / norm(g), p.normal)), 0, 1e-9);
    for (int k = 0; k < 200; ++k) {
      const Vec3 d = random.direction();
      const Vec3 z = {a.x * d.x, a.y * d.y, a.z * d.z};
      EXPECT_GE(norm(x - z), std::abs(p.distance) * (1 - 1e-9));
    }
  }
}

TEST(HeightField, SphereInAGrooveHasBothNormals) {
  const double slope = std::tan(0.6);
  Placement p = {terrain(21, 7, 1, 1, [&](double x, double) { return slope * std::abs(x); }),
                 Shape::sphere(0.2),
                 {},
                 {}};
  const double depth = 1e-3;
  p.X_WB.p = {0, 0.123, (0.2 - depth) / std::cos(0.6)};
  const Manifold m = collide(p, 2e-3);
  ASSERT_EQ(m.size, 2);
  for (int k = 0; k < 2; ++k) {
    const double side = m.points[k].position.x > 0 ? 1 : -1;
    EXPECT_NEAR(m.points[k].gap, -depth, 1e-15);
    EXPECT_NEAR(norm(m.points[k].normal - Vec3{-side * std::sin(0.6), 0, std::cos(0.6)}), 0, 1e-14);
    EXPECT_NEAR(m.points[k].weight, 1 / (1 + std::cos(1.2)), 1e-13);
    EXPECT_NEAR(m.points[k].position.y, 0.123, 1e-15);
  }
  EXPECT_NE(m.points[0].feature, m.points[1].feature);
}

TEST(HeightField, SphereOnARidgeAndOnAPeak) {
  const Shape ridge = terrain(21, 7, 1, 1, [](double x, double) { return -std::abs(x); });
  const Shape peak = terrain(
      21, 21, 1, 1, [](double x, double y) { return -std::fmax(std::abs(x), std::abs(y)); });
  for (const double angle : {-0.7, -0.2, 0.0, 0.5, 0.78}) {
    const Vec3 n = {std::sin(angle), 0, std::cos(angle)};
    for (const Shape& ground : {ridge, peak}) {
      const Placement p = {ground, Shape::sphere(0.1), {}, {0.099 * n, Mat3::identity()}};
      const Manifold m = collide(p, 2e-3);
      ASSERT_EQ(m.size, 1);
      EXPECT_NEAR(m.points[0].gap, -1e-3, 1e-15);
      EXPECT_NEAR(norm(m.points[0].normal - n), 0, 1e-13);
      EXPECT_NEAR(m.points[0].weight, 1, 1e-15);
    }
  }
}

// A face on one peak, on two, and across a ridge: the weights are those of a point and of a line.
TEST(HeightField, FacesOnPeaksAndRidges) {
  const auto peak = [](double x, double y) { return 0.1 - std::fmax(std::abs(x), std::abs(y)); };
  const Shape one =
      terrain(21, 21, 1, 1, [&](double x, double y) { return std::fmax(0, peak(x, y)); });
  const Shape two = terrain(21, 21, 1, 1, [&](double x, double y) {
    return std::fmax(0, std::fmax(peak(x - 0.2, y), peak(x + 0.2, y)));
  });
  const Shape ridge =
      terrain(21, 21, 1, 1, [](double x, double) { return std::fmax(0, 0.1 - std::abs(x)); });
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k) {
    corners.push_back({k & 1 ? 0.45 : -0.45, k & 2 ? 0.45 : -0.45, k & 4 ? 0.1 : -0.1});
  }
  for (const Shape& plate : {Shape::box({0.45, 0.45, 0.1}), Shape::cylinder(0.45, 0.1),
                             Shape::convex(make_convex_hull(corners))}) {
    for (const auto& [ground, weight] : {std::pair{one, 1.0}, {two, 2.0}, {ridge, 2.0}}) {
      Placement p = {ground, plate, {}, {{0.03, 0.02, 0.199}, rotation(ez, 0.3)}};
      const Manifold m = collide(p, 2e-3);
      ASSERT_GT(m.size, 0);
      double sum = 0;
      for (int k = 0; k < m.size; ++k) {
        EXPECT_NEAR(m.points[k].gap, -1e-3, 1e-12);
        EXPECT_NEAR(norm(m.points[k].normal - ez), 0, 1e-12);
        sum += m.points[k].weight;
      }
      EXPECT_NEAR(sum, weight, 1e-6) << to_string(plate.kind);
      std::printf("%-9s %d points, weight %g\n", to_string(plate.kind), m.size, sum);
    }
  }
}

// Whatever the terrain, what is in it is pushed up.
TEST(HeightField, DeepBodiesArePushedUp) {
  Random random(6);
  const Shape ground = rough(7, 0.05);
  for (const ShapeKind kind : bodies) {
    for (int i = 0; i < 300; ++i) {
      Placement p = {ground, small_body(random, kind), {}, {}};
      p.X_WB = {{random.uniform(-0.7, 0.7), random.uniform(-0.7, 0.7), 0}, random.rotation()};
      p.X_WB.p.z = random.uniform(-1.5, 0) * p.b.bounding_radius();
      const Manifold m = collide(p, 1e-3);
      ASSERT_GT(m.size, 0) << to_string(kind);
      EXPECT_GT(wrench(p, m).force.z, 0) << to_string(kind);
    }
  }
}

TEST(HeightField, NamesAreUnique) {
  Random random(8);
  const Shape ground = rough(7, 0.02, 41);
  int most = 0;
  for (const ShapeKind kind : bodies) {
    for (int i = 0; i < 40; ++i) {
      Placement p = {ground, small_body(random, kind), {}, {}};
      p.X_WB = {{random.uniform(-0.7, 0.7), random.uniform(-0.7, 0.7), 0}, random.rotation()};
      put_down(p, random.uniform(0, 0.02));
      const Manifold m = collide(p, 1e-3);
      std::set<std::uint32_t> names;
      for (int k = 0; k < m.size; ++k) names.insert(m.points[k].feature);
      EXPECT_EQ(static_cast<int>(names.size()), m.size) << to_string(kind);
      most = std::max(most, m.size);
    }
  }
  EXPECT_GT(most, 8);
}

// Two shapes exchanged have opposite normals and the same points otherwise.
TEST(HeightField, ExchangingTheShapesTurnsTheNormals) {
  Placement p = {
      rough(7, 0.02), Shape::box({0.1, 0.1, 0.1}), {}, {{0.1, 0.2, 0}, Mat3::identity()}};
  put_down(p, 1e-3);
  const Manifold a = collide(p, 1e-3), b = collide({p.b, p.a, p.X_WB, p.X_WA}, 1e-3);
  ASSERT_EQ(a.size, b.size);
  for (int k = 0; k < a.size; ++k) {
    EXPECT_EQ(a.points[k].position, b.points[k].position);
    EXPECT_EQ(a.points[k].normal, -b.points[k].normal);
    EXPECT_GT(a.points[k].normal.z, 0);
  }
}

TEST(HeightField, WrongInputIsRefused) {
  const auto message = [](int columns, int rows, double half_x, double base,
                          std::vector<double> heights) -> std::string {
    try {
      make_height_field(columns, rows, half_x, 1, base, std::move(heights),
                        {"x.xml", 3, "hfield 'h'"});
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message(2, 2, 1, 1, {0, 0, 0, 0}), "");
  EXPECT_EQ(message(1, 2, 1, 1, {0, 0}),
            "x.xml:3: hfield 'h': columns = 1, must be from 2 to 4096");
  EXPECT_EQ(message(2, 5000, 1, 1, {}), "x.xml:3: hfield 'h': rows = 5000, must be from 2 to 4096");
  EXPECT_EQ(message(2, 2, 1, 1, {0, 0, 0}),
            "x.xml:3: hfield 'h': heights = 3 values, must be columns times rows");
  EXPECT_EQ(message(2, 2, -1, 1, {0, 0, 0, 0}),
            "x.xml:3: hfield 'h': half_x = -1 m, must be positive and finite");
  EXPECT_EQ(message(2, 2, 1, 1, {0, 0, NAN, 0}),
            "x.xml:3: hfield 'h': height 2 = nan m, must be finite and above the base");
  EXPECT_EQ(message(2, 2, 1, 1, {0, -1, 0, 0}),
            "x.xml:3: hfield 'h': height 1 = -1 m, must be finite and above the base");
}

// The wrench along random screws over random terrain. On faceted bodies it jumps where a peak
// passes below an edge, by less than its own size, in one of ten motions that are long.
TEST(HeightField, WrenchIsContinuous) {
  struct Ground {
    const char* name;
    Shape shape;
  };
  const Ground grounds[] = {
      {"gentle",
       terrain(41, 41, 1, 1,
               [](double x, double y) { return 0.03 * std::sin(4 * x + 1) * std::cos(5 * y); })},
      {"rough", rough(9, 0.01)},
  };
  int jumps = 0, motions = 0;
  for (const Ground& ground : grounds) {
    for (const ShapeKind kind : bodies) {
      Random random(10);
      double worst = 0, gap = 0;
      for (int i = 0; i < 10; ++i) {
        Placement p = {ground.shape, small_body(random, kind), {}, {}};
        p.X_WB = {{random.uniform(-0.6, 0.6), random.uniform(-0.6, 0.6), 0}, random.rotation()};
        put_down(p, 1e-3);
        const Vec3 way = 0.02 * random.direction(), turn = 0.1 * random.direction();
        const SweepReport r = sweep(
            [&](double t) {
              Placement q = p;
              q.X_WB.R = to_matrix(exp_rotation((t - 0.5) * turn)) * p.X_WB.R;
              q.X_WB.p += (t - 0.5) * Vec3{way.x, way.y, 0.1 * way.z};
              return q;
            },
            2e-3, 0.05, 50);
        worst = std::fmax(worst, r.wrench_jump), gap = std::fmax(gap, r.gap_jump);
        ++motions, jumps += r.wrench_jump > 1e-3;
      }
      std::printf("%-7s %-9s wrench %8.1e gap %8.1e\n", ground.name, to_string(kind), worst, gap);
      EXPECT_LT(worst, 0.7) << to_string(kind);
    }
  }
  std::printf("%d of %d motions jump\n", jumps, motions);
  EXPECT_LT(jumps, motions / 10);
}

}  // namespace
}  // namespace abut
