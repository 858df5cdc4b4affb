// The algebra of the second-order cone.

#include "abut/solvers/dual/second_order_cone.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace abut {
namespace {

TEST(SecondOrderCone, ArrowIsTheProductAndTheDeterminantThatOfItsEigenvalues) {
  std::mt19937 random(91);
  std::normal_distribution<double> normal;
  const auto vector = [&] { return Vec3{normal(random), normal(random), normal(random)}; };
  for (int trial = 0; trial < 100; ++trial) {
    const Vec3 a = vector(), b = vector();
    EXPECT_LT(norm(arrow(a) * b - jordan_product(a, b)), 1e-14);
    EXPECT_LT(norm(jordan_product(a, b) - jordan_product(b, a)), 1e-15);
    EXPECT_EQ(jordan_product(a, {0, 0, 1}), a);
    // the matrix of a product has the eigenvalues a_n, a_n + |a_t|, a_n - |a_t|
    EXPECT_NEAR(determinant(arrow(a)), a.z * jordan_determinant(a), 1e-12);
  }
}

TEST(SecondOrderCone, RootSplitsAVectorIntoTwoOnTheCentralPath) {
  std::mt19937 random(92);
  std::normal_distribution<double> normal;
  for (const double k : {1e-8, 1e-2, 1.0}) {
    for (int trial = 0; trial < 100; ++trial) {
      const Vec3 d{normal(random), normal(random), normal(random)};
      const Vec3 x = jordan_root(d, k), s = jordan_root(-d, k);
      EXPECT_LT(norm(x - s - d), 1e-14);
      EXPECT_LT(norm(jordan_product(x, s) - Vec3{0, 0, k}), 1e-14);
      EXPECT_GT(x.z, std::hypot(x.x, x.y));
    }
  }
}

TEST(SecondOrderCone, StepEndsAtTheBoundary) {
  EXPECT_NEAR(step_in_cone({0, 0, 1}, {1, 0, 0}, 10), 1, 1e-15);
  EXPECT_NEAR(step_in_cone({0, 0, 1}, {0, 3, -1}, 10), 0.25, 1e-15);
  EXPECT_NEAR(step_in_cone({0, 0, 1}, {0, 0, -2}, 10), 0.5, 1e-15);
  EXPECT_EQ(step_in_cone({0, 0, 1}, {1, 0, 2}, 10), 10);
  EXPECT_EQ(step_in_cone({0, 0, 1}, {0.1, 0, 0}, 1), 1);
}

}  // namespace
}  // namespace abut
