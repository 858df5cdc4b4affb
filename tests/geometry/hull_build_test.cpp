// Hulls of solids whose faces, volumes and moments are known, whatever points are given besides.

#include <gtest/gtest.h>

#include "abut/sim/mass_properties.hpp"
#include "placements.hpp"

namespace abut {
namespace {

constexpr double phi = std::numbers::phi;

/// A solid with equal edges of length 2.
struct Solid {
  const char* name;
  std::vector<Vec3> vertices;
  int faces, corners;  ///< of a face
  double volume;
};

std::vector<Vec3> signs_of(const std::vector<Vec3>& list) {
  std::vector<Vec3> all;
  for (const Vec3& v : list) {
    for (int k = 0; k < 8; ++k) {
      const Vec3 x = {k & 1 ? -v.x : v.x, k & 2 ? -v.y : v.y, k & 4 ? -v.z : v.z};
      if (std::find(all.begin(), all.end(), x) == all.end()) all.push_back(x);
    }
  }
  return all;
}

std::vector<Solid> platonic_solids() {
  const double r2 = std::sqrt(2.0), r5 = std::sqrt(5.0);
  const Vec3 tetrahedron[] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  std::vector<Vec3> four;
  for (const Vec3& v : tetrahedron) four.push_back(1 / r2 * v);
  std::vector<Vec3> twenty =
      signs_of({{1, 1, 1}, {0, 1 / phi, phi}, {1 / phi, phi, 0}, {phi, 0, 1 / phi}});
  for (Vec3& v : twenty) v = phi * v;  // edges were 2/phi
  return {
      {"tetrahedron", four, 4, 3, 8 / (6 * r2)},
      {"cube", signs_of({{1, 1, 1}}), 6, 4, 8},
      {"octahedron", signs_of({{r2, 0, 0}, {0, r2, 0}, {0, 0, r2}}), 8, 3, 8 * r2 / 3},
      {"dodecahedron", twenty, 12, 5, 2 * (15 + 7 * r5)},
      {"icosahedron", signs_of({{0, 1, phi}, {1, phi, 0}, {phi, 0, 1}}), 20, 3, 10 * (3 + r5) / 3}};
}

// with their vertices twice, in any order, among points within; small and large; far off
TEST(HullOfPoints, HasTheFacesVolumeAndMomentsOfTheSolid) {
  Random random(1);
  for (const Solid& solid : platonic_solids()) {
    for (const double scale : {1e-3, 1.0, 1e3}) {
      for (const double away : {0.0, 1.0, 100.0}) {
        SCOPED_TRACE(testing::Message() << solid.name << ", scale " << scale << ", away " << away);
        const Pose X = {away * scale * random.direction(), random.rotation()};
        std::vector<Vec3> points;
        for (const Vec3& v : solid.vertices) {
          points.push_back(X * (scale * v));
          points.push_back(X * (scale * v));
          points.push_back(X * (scale * random.uniform(-0.3, 0.99) * v));
        }
        std::shuffle(points.begin(), points.end(), std::mt19937(7));
        const auto hull = make_convex_hull(points);
        EXPECT_EQ(hull->vertices.size(), solid.vertices.size());
        ASSERT_EQ(std::ssize(hull->faces), solid.faces);
        double area = 0;
        for (const ConvexHull::Face& f : hull->faces) {
          EXPECT_EQ(f.corners, solid.corners);
          EXPECT_EQ(f.end - f.begin, solid.corners);
          area += f.extent * f.extent;
          for (int k = f.begin; k < f.end; ++k) {  // regular: all turns and all bends are equal
            const ConvexHull::Side& s = hull->sides[k];
            EXPECT_NEAR(s.turn, std::tan(std::numbers::pi / solid.corners), 1e-9 * (1 + away));
            EXPECT_NEAR(s.bend, hull->sides[0].bend, 1e-9 * (1 + away));
            EXPECT_NEAR(dot(s.outward, f.normal), 0, 1e-9 * (1 + away));
          }
        }
        const double side_area =
            std::pow(2 * scale, 2) * solid.corners / 4 / std::tan(std::numbers::pi / solid.corners);
        EXPECT_NEAR(area, solid.faces * side_area, 1e-9 * area * (1 + away));

        const MassProperties m = mass_properties(Shape::convex(hull), 7);
        const double mass = 7 * solid.volume * std::pow(scale, 3);
        const double rounding = 1e-12 * (1 + away * away);
        EXPECT_NEAR(m.mass, mass, rounding * mass);
        EXPECT_LT(norm(m.center_of_mass - X.p), rounding * scale);
        const Vec3 moments = principal_moments(m.inertia);  // alike about all axes
        EXPECT_NEAR(moments.z, moments.x, rounding * moments.z);
      }
    }
  }
}

// I of a tetrahedron about its center of mass: m/20 sum of (|r|^2 1 - r r^T) over its corners
TEST(HullOfPoints, MomentsOfAnyTetrahedron) {
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    const std::vector<Vec3> v = random.cloud(4);
    const double volume = std::abs(dot(v[1] - v[0], cross(v[2] - v[0], v[3] - v[0]))) / 6;
    const Vec3 center = 0.25 * (v[0] + v[1] + v[2] + v[3]);
    if (volume < 1e-3 * std::pow(norm(v[0] - v[1]), 3)) continue;
    const MassProperties m = mass_properties(Shape::convex(make_convex_hull(v)), 3);
    ASSERT_NEAR(m.mass, 3 * volume, 1e-12 * m.mass) << i;
    EXPECT_LT(norm(m.center_of_mass - center), 1e-12 * norm(v[0] - v[1])) << i;
    Mat3 inertia;
    for (const Vec3& x : v) {
      const Mat3 S = Mat3::skew(x - center);
      inertia = inertia - m.mass / 20 * (S * S);
    }
    for (int k = 0; k < 3; ++k) {
      EXPECT_LT(norm(m.inertia.col[k] - inertia.col[k]), 1e-11 * norm(inertia.col[k])) << i;
    }
  }
}

// two halves of a hull cut by a plane make the whole, by the parallel-axis theorem
TEST(HullOfPoints, HalvesMakeTheWhole) {
  Random random(3);
  for (int i = 0; i < 40; ++i) {
    const auto whole = make_convex_hull(random.cloud(20));
    const Vec3 n = random.direction();
    Vec3 middle;
    for (const Vec3& v : whole->vertices) middle += v;
    middle = middle / static_cast<double>(whole->vertices.size());
    std::vector<Vec3> halves[2];
    const auto height = [&](const Vec3& v) { return dot(n, v - middle); };
    for (const Vec3& v : whole->vertices) {
      halves[height(v) > 0].push_back(v);
      for (const Vec3& w : whole->vertices) {
        if (!(height(v) > 0 && height(w) < 0)) continue;
        const Vec3 cut = v + height(v) / (height(v) - height(w)) * (w - v);
        halves[0].push_back(cut), halves[1].push_back(cut);
      }
    }
    const MassProperties all = mass_properties(Shape::convex(whole), 1);
    const MassProperties sum =
        combined(mass_properties(Shape::convex(make_convex_hull(halves[0])), 1),
                 mass_properties(Shape::convex(make_convex_hull(halves[1])), 1));
    EXPECT_NEAR(sum.mass, all.mass, 1e-3 * all.mass) << i;  // flat to 1e-4 of the size
    EXPECT_LT(norm(sum.center_of_mass - all.center_of_mass), 1e-3 * whole->size) << i;
    EXPECT_NEAR(principal_moments(sum.inertia).z, principal_moments(all.inertia).z,
                2e-3 * principal_moments(all.inertia).z)
        << i;
  }
}

// from 1 to 1e-4 of its width: as mass, bounds and distances say
TEST(HullOfPoints, OfAThinPlateIsThePlate) {
  for (const double half : {0.1, 1e-2, 1e-3, 2e-4}) {
    SCOPED_TRACE(half);
    const Vec3 h = {1, 0.8, half};
    const auto plate = make_convex_hull(signs_of({h}));
    EXPECT_EQ(plate->faces.size(), 6u);
    const MassProperties m = mass_properties(Shape::convex(plate), 1),
                         box = mass_properties(Shape::box(h), 1);
    EXPECT_NEAR(m.mass, box.mass, 1e-12 * box.mass);
    EXPECT_LT(norm(principal_moments(m.inertia) - principal_moments(box.inertia)),
              1e-12 * box.inertia(0, 0));
    for (const Vec3& x : {Vec3{0.2, 0.1, half + 0.02}, {0.2, 0.1, -half - 0.02}}) {
      const Manifold contact =
          collide({Shape::sphere(0.03), Shape::convex(plate), {x, Mat3::identity()}, {}}, 1);
      ASSERT_EQ(contact.size, 1);
      EXPECT_NEAR(deepest(contact).gap, -0.01, 1e-9);
      EXPECT_NEAR(contact.normal.z, x.z > 0 ? -1 : 1, 1e-9);
    }
  }
}

TEST(HullOfPoints, VerticesOutOfBoundsAreRefused) {
  const auto error = [](const Vec3& last) -> std::string {
    try {
      make_convex_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, last},
                       {"a.urdf", 4, "link 'l'"});
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(error({0, 0, 1}), "");
  for (int k = 0; k < 3; ++k) {
    for (const double sign : {-1.0, 1.0}) {
      Vec3 x = {0.1, 0.1, 0.5};
      x[k] = sign * 2e9;
      EXPECT_EQ(error(x),
                "a.urdf:4: link 'l': a mesh has a vertex farther than 1e9 m from its origin");
      x[k] = sign * INFINITY;
      EXPECT_EQ(error(x), "a.urdf:4: link 'l': a mesh has a vertex that is not finite");
    }
  }
}

}  // namespace
}  // namespace abut
