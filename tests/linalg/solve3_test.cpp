// Three equations against Eigen's factors, also where they are close to dependent.

#include "abut/linalg/solve3.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

namespace abut {
namespace {

TEST(Solve3, AgreesWithEigenAndLeavesRoundingAloneWhereNearlySingular) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const auto vector = [&] { return Vec3{normal(random), normal(random), normal(random)}; };
  for (int trial = 0; trial < 1000; ++trial) {
    Mat3 a{{vector(), vector(), vector()}};
    const Vec3 b = vector();
    const Eigen::Map<const Eigen::Matrix3d> matrix(&a.col[0].x);
    const Eigen::Vector3d right(b.x, b.y, b.z), truth = matrix.fullPivLu().solve(right);
    const double condition = matrix.norm() * matrix.inverse().norm();
    EXPECT_LT(norm(solve3(a, b) - Vec3{truth(0), truth(1), truth(2)}),
              1e-15 * condition * truth.norm());
    a.col[2] = a.col[0] - 2 * a.col[1] + 1e-12 * vector();
    const Vec3 x = solve3(a, b);
    EXPECT_LT(norm(a * x - b), 1e-14 * norm(x));
  }
  const Mat3 swapped{{{0, 0, 2}, {1, 0, 0}, {0, 4, 0}}};  // no pivot where it is
  EXPECT_EQ(solve3(swapped, {3, 8, 6}), (Vec3{3, 3, 2}));
  EXPECT_FALSE(is_finite(solve3(Mat3{}, {1, 0, 0})));
}

}  // namespace
}  // namespace abut
