// Rotations and 3x3 matrices against Eigen's, and what must hold of them.

#include "abut/linalg/rotation.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "abut/linalg/eigen_map.hpp"

namespace abut {
namespace {

constexpr double pi = std::numbers::pi;

Vec3 random_vector(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return {normal(random), normal(random), normal(random)};
}

/// Axes along, between and off the coordinate axes.
std::vector<Vec3> axes() {
  std::mt19937 random(1);
  std::vector<Vec3> all;
  for (int x = -1; x <= 1; ++x) {
    for (int y = -1; y <= 1; ++y) {
      for (int z = -1; z <= 1; ++z) {
        const Vec3 v{1.0 * x, 1.0 * y, 1.0 * z};
        if (norm(v) > 0) all.push_back(v / norm(v));
      }
    }
  }
  for (int k = 0; k < 20; ++k) {
    const Vec3 v = random_vector(random);
    all.push_back(v / norm(v));
  }
  return all;
}

/// From none to more than a turn, and on both sides of half a turn.
constexpr double angles[] = {0,      1e-300, 1e-12,     1e-4, 0.199, 0.201,     0.5,
                             pi / 2, 3,      pi - 1e-9, pi,   4,     2 * pi + 1};

Eigen::Matrix3d by_eigen(double angle, const Vec3& axis) {
  return Eigen::AngleAxisd(angle, as_eigen(axis)).toRotationMatrix();
}

double distance(const Quaternion& a, const Quaternion& b) {  // of rotations: q and -q are one
  const double dot = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z, sign = dot < 0 ? -1 : 1;
  return norm(Quaternion{a.w - sign * b.w, a.x - sign * b.x, a.y - sign * b.y, a.z - sign * b.z});
}

TEST(Rotation, ExponentialIsTheRotationAboutTheAxis) {
  for (const Vec3& axis : axes()) {
    for (const double angle : angles) {
      const Quaternion q = exp_rotation(angle * axis);
      EXPECT_NEAR(norm(q), 1, 1e-15);
      EXPECT_LT((as_eigen(to_matrix(q)) - by_eigen(angle, axis)).norm(), 4e-15) << angle;
    }
  }
}

// the series and the closed form meet: no jump of the angle where one takes over
TEST(Rotation, ExponentialHasNoSeam) {
  for (double angle = 0.199; angle < 0.201; angle += 1e-5) {
    const Quaternion q = exp_rotation({0, 0, angle});
    EXPECT_NEAR(q.z, std::sin(angle / 2), 3e-17);
    EXPECT_NEAR(q.w, std::cos(angle / 2), 2e-16);
  }
}

TEST(Rotation, MatrixGivesItsQuaternionBack) {
  for (const Vec3& axis : axes()) {
    for (const double angle : angles) {
      const Quaternion q = exp_rotation(angle * axis);
      const Quaternion back = to_quaternion(to_matrix(q));
      EXPECT_LT(distance(q, back), 2e-15) << angle << " about " << axis.x << " " << axis.y;
      EXPECT_NEAR(norm(back), 1, 1e-15);
    }
  }
}

TEST(Rotation, ProductsAreThoseOfMatrices) {
  std::mt19937 random(2);
  for (int k = 0; k < 200; ++k) {
    const Pose a{random_vector(random), to_matrix(exp_rotation(2 * random_vector(random)))},
        b{random_vector(random), to_matrix(exp_rotation(2 * random_vector(random)))};
    const Quaternion product = to_quaternion(a.R) * to_quaternion(b.R);
    EXPECT_LT(distance(product, to_quaternion(a.R * b.R)), 4e-15);
    const Vec3 point = random_vector(random);
    EXPECT_LT(norm((a * b) * point - a * (b * point)), 1e-14);
    EXPECT_LT(norm(to_local(a, a * point) - point), 1e-14);
  }
}

TEST(Vec3, PerpendicularIsOneAndUnit) {
  for (const Vec3& axis : axes()) {
    for (const double tilt :
         {0.0, 1e-9, -1e-9, 1e-300}) {  // also next to where its formula changes
      const Vec3 tilted = axis + Vec3{0, 0, tilt}, n = tilted / norm(tilted);
      const Vec3 t = any_perpendicular(n);
      EXPECT_NEAR(dot(t, n), 0, 4e-16);
      EXPECT_NEAR(norm(t), 1, 4e-16);
    }
  }
  for (const double z : {-0.0, 0.0}) {
    EXPECT_EQ(std::abs(any_perpendicular({0, 1, z}).x), 1) << "whatever the sign of zero";
  }
}

TEST(Mat3, AgreesWithEigen) {
  std::mt19937 random(3);
  for (int k = 0; k < 200; ++k) {
    const Mat3 a{{random_vector(random), random_vector(random), random_vector(random)}},
        b{{random_vector(random), random_vector(random), random_vector(random)}};
    const Vec3 u = random_vector(random), v = random_vector(random);
    const Eigen::Matrix3d A = as_eigen(a), B = as_eigen(b);
    const double size = A.norm() * B.norm();
    EXPECT_LT((as_eigen(a * b) - A * B).norm(), 1e-15 * size);
    EXPECT_LT((as_eigen(transpose_times(a, b)) - A.transpose() * B).norm(), 1e-15 * size);
    EXPECT_LT((as_eigen(transpose_times(a, u)) - A.transpose() * as_eigen(u)).norm(), 1e-14);
    EXPECT_EQ(as_eigen(transpose(a)), A.transpose());
    EXPECT_NEAR(determinant(a), A.determinant(), 1e-14 * size * A.norm());
    EXPECT_LT((as_eigen(inverse(a)) * A - Eigen::Matrix3d::Identity()).norm(),
              1e-14 * A.norm() * A.norm() * A.norm() / std::abs(A.determinant()));
    EXPECT_LT(norm(Mat3::skew(u) * v - cross(u, v)), 1e-15);
    EXPECT_LT((as_eigen(cross(u, v)) - as_eigen(u).cross(as_eigen(v))).norm(), 1e-15);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(u[i], as_eigen(u)[i]);
  }
}

}  // namespace
}  // namespace abut
