#include "abut/sim/mass_properties.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

#include "abut/io/mjcf.hpp"

namespace abut {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

Mat3 some_rotation(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return to_matrix(normalized({normal(random), normal(random), normal(random), normal(random)}));
}

std::string error_of(const MassProperties& body, bool is_part = false) {
  try {
    body.validate({"s.xml", 7, "body 'a'"}, is_part);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(PrincipalMoments, RecoversRotatedDiagonals) {
  std::mt19937 random(1);
  double worst = 0;
  for (const Vec3& moments : {Vec3{1, 2, 3}, Vec3{1, 1, 1}, Vec3{1, 1, 2}, Vec3{1e-9, 1, 1},
                              Vec3{1e-12, 3e-12, 4e-12}, Vec3{1e6, 2e6, 2.5e6}}) {
    for (int i = 0; i < 200; ++i) {
      const Mat3 R = some_rotation(random);
      const Vec3 found = principal_moments(R * Mat3::diagonal(moments) * transpose(R));
      worst = std::max(worst, norm(found - moments) / moments.z);
    }
  }
  EXPECT_LT(worst, 4e-15);
}

TEST(PrincipalMoments, OfKnownMatrices) {
  // [2 1; 1 2] has eigenvalues 1 and 3
  EXPECT_NEAR(principal_moments({{{2, 1, 0}, {1, 2, 0}, {0, 0, 5}}}).x, 1, 1e-15);
  EXPECT_NEAR(principal_moments({{{2, 1, 0}, {1, 2, 0}, {0, 0, 5}}}).y, 3, 1e-15);
  EXPECT_EQ(principal_moments(Mat3{}), Vec3{});
  EXPECT_FALSE(is_finite(principal_moments(Mat3::diagonal({1, nan, 1}))));
  EXPECT_FALSE(is_finite(principal_moments(Mat3::diagonal({1, inf, 1}))));
}

TEST(MassProperties, AcceptsBodiesUpToTheTriangleLimit) {
  EXPECT_EQ(error_of({1, {}, Mat3::diagonal({1, 1, 2})}), "");  // a thin disc
  EXPECT_EQ(error_of({1, {}, Mat3::diagonal({1, 1, 2 + 1e-9})}), "");
  EXPECT_EQ(error_of({1e-12, {}, Mat3::diagonal({1e-20, 1e-20, 1e-20})}), "");
}

TEST(MassProperties, RefusesWithPlaceValueAndRule) {
  const Mat3 one = Mat3::identity();
  EXPECT_EQ(error_of({0, {}, one}), "s.xml:7: body 'a': mass = 0 kg, must be positive");
  EXPECT_EQ(error_of({-1, {}, one}), "s.xml:7: body 'a': mass = -1 kg, must be positive");
  EXPECT_EQ(error_of({nan, {}, one}), "s.xml:7: body 'a': mass = nan kg, must be finite");
  EXPECT_EQ(error_of({inf, {}, one}), "s.xml:7: body 'a': mass = inf kg, must be finite");
  const std::string moments = "s.xml:7: body 'a': principal moments of inertia = ";
  EXPECT_EQ(error_of({1, {}, Mat3::diagonal({5, 1, 1})}),
            moments + "1, 1, 5 kg m^2, none may exceed the sum of the others");
  EXPECT_EQ(error_of({1, {}, Mat3::diagonal({1, -1, 1})}),
            moments + "-1, 1, 1 kg m^2, must be positive");
  EXPECT_EQ(error_of({1, {}, Mat3{}}), moments + "0, 0, 0 kg m^2, must be positive");
  EXPECT_EQ(error_of({1, {}, Mat3::diagonal({1, 1, 2 + 1e-8})}),
            moments + "1, 1, 2.00000001 kg m^2, none may exceed the sum of the others");
  EXPECT_NE(error_of({1, {}, Mat3::diagonal({1, 1, inf})}).find("must be finite"),
            std::string::npos);
}

TEST(MassProperties, PartsMayBeMassless) {
  EXPECT_EQ(error_of({0, {}, Mat3{}}, true), "");
  EXPECT_EQ(error_of({1, {}, Mat3{}}, true), "");
  EXPECT_NE(error_of({-1, {}, Mat3{}}, true), "");
  EXPECT_NE(error_of({1, {}, Mat3::diagonal({1, 1, 3})}, true), "");
}

TEST(MassProperties, CombineIsTheParallelAxisTheorem) {
  // two unit spheres, each of 2 kg and moment of inertia 0.8, at x = -1 and x = 3
  const MassProperties left{2, {-1, 0, 0}, 0.8 * Mat3::identity()};
  const MassProperties right{2, {3, 0, 0}, 0.8 * Mat3::identity()};
  const MassProperties both = combined(left, right);
  EXPECT_DOUBLE_EQ(both.mass, 4);
  EXPECT_DOUBLE_EQ(both.center_of_mass.x, 1);
  EXPECT_DOUBLE_EQ(both.inertia(0, 0), 1.6);
  EXPECT_DOUBLE_EQ(both.inertia(1, 1), 1.6 + 2 * 2 * 4);  // each 2 m away
  EXPECT_DOUBLE_EQ(both.inertia(2, 2), 1.6 + 2 * 2 * 4);
  EXPECT_DOUBLE_EQ(both.inertia(0, 1), 0);
}

// A cloud of point masses, split and moved, gives the sums over all points.
TEST(MassProperties, PartsOfACloudAddUpToTheWhole) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> mass(0.1, 2);
  const Pose X_AB{{1, -2, 0.5}, some_rotation(random)};
  MassProperties sum;
  double total = 0;
  Vec3 moment;
  std::vector<std::pair<double, Vec3>> points;
  for (int i = 0; i < 30; ++i) {
    const double m = mass(random);
    const Vec3 p{normal(random), normal(random), normal(random)};
    const MassProperties point = transformed(X_AB, {m, p, Mat3{}});
    sum = i == 0 ? point : combined(sum, point);
    points.emplace_back(m, X_AB * p);
    total += m;
    moment += m * (X_AB * p);
  }
  const Vec3 center = moment / total;
  Mat3 inertia;
  for (const auto& [m, p] : points) {
    const Mat3 S = Mat3::skew(p - center);
    inertia = inertia - m * (S * S);
  }
  EXPECT_NEAR(sum.mass, total, 1e-13);
  EXPECT_LT(norm(sum.center_of_mass - center), 1e-14);
  for (int column = 0; column < 3; ++column) {
    EXPECT_LT(norm(sum.inertia.col[column] - inertia.col[column]), 1e-12);
  }
}

// against MuJoCo's compiler
TEST(MassOfAShape, IsThatOfMujoco) {
  const std::pair<Shape, const char*> shapes[] = {
      {Shape::sphere(0.3), "type='sphere' size='0.3'"},
      {Shape::box({0.1, 0.2, 0.4}), "type='box' size='0.1 0.2 0.4'"},
      {Shape::cylinder(0.2, 0.35), "type='cylinder' size='0.2 0.35'"},
      {Shape::capsule(0.2, 0.35), "type='capsule' size='0.2 0.35'"},
      {Shape::ellipsoid({0.1, 0.2, 0.4}), "type='ellipsoid' size='0.1 0.2 0.4'"}};
  for (const auto& [shape, text] : shapes) {
    const Scene scene = load_mjcf_text("<mujoco><worldbody><body><freejoint/><geom density='700' " +
                                           std::string(text) + "/></body></worldbody></mujoco>",
                                       "s.xml");
    const SceneBody& peer = scene.bodies[0];
    const MassProperties own = mass_properties(shape, 700);
    EXPECT_NEAR(own.mass, peer.mass, 1e-12 * peer.mass) << text;
    const Vec3 a = principal_moments(own.inertia), b = principal_moments(peer.inertia);
    EXPECT_LT(norm(a - b), 1e-12 * norm(b)) << text;
    EXPECT_EQ(own.center_of_mass, Vec3{});
  }
}

// of a box as a hull, turned and moved
TEST(MassOfAShape, OfAHullIsThatOfItsSolid) {
  std::mt19937 random(3);
  const Pose X{{0.3, -2, 1}, some_rotation(random)};
  const Vec3 half{0.1, 0.2, 0.4};
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k) {
    corners.push_back(
        X * Vec3{k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z});
  }
  const MassProperties box = transformed(X, mass_properties(Shape::box(half), 700));
  const MassProperties own = mass_properties(Shape::convex(make_convex_hull(corners)), 700);
  EXPECT_NEAR(own.mass, box.mass, 1e-13 * box.mass);
  EXPECT_LE(norm(own.center_of_mass - box.center_of_mass), 1e-14);
  for (int k = 0; k < 3; ++k) {
    EXPECT_LE(norm(own.inertia.col[k] - box.inertia.col[k]), 1e-13 * norm(box.inertia.col[k]));
  }
}

// by sums over a fine grid, with the axes that principal moments do not tell apart
TEST(MassOfAShape, IsTheIntegralOverIt) {
  const double r = 0.2, l = 0.3;
  for (const bool rounded : {false, true}) {
    double mass = 0;
    Vec3 moments;
    const int n = 120;
    const double step = 2 * (r + l) / n, cell = step * step * step;
    for (int i = 0; i < n * n * n; ++i) {
      const auto at = [&](int k) { return -(r + l) + (k + 0.5) * step; };
      const Vec3 p{at(i % n), at(i / n % n), at(i / n / n)};
      const double beyond = std::max(std::abs(p.z) - l, 0.0);
      const bool inside =
          std::hypot(p.x, p.y, rounded ? beyond : 0) <= r && (rounded || beyond == 0);
      if (!inside) continue;
      mass += cell;
      moments += cell * Vec3{p.y * p.y + p.z * p.z, p.x * p.x + p.z * p.z, p.x * p.x + p.y * p.y};
    }
    const MassProperties own =
        mass_properties(rounded ? Shape::capsule(r, l) : Shape::cylinder(r, l), 1);
    EXPECT_NEAR(own.mass, mass, 0.01 * mass);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(own.inertia(k, k), moments[k], 0.01 * moments[k]);
  }
}

}  // namespace
}  // namespace abut
