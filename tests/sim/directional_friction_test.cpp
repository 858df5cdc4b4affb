#include "abut/sim/directional_friction.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

namespace abut {
namespace {

using Matrix = Eigen::Matrix3d;

Eigen::Vector3d eigen(const Vec3& v) {
  return {v.x, v.y, v.z};
}

SceneGeom surface(double along, double across, const Vec3& axis) {
  SceneGeom g;
  g.material.friction = along;
  g.material.cross_friction = across;
  g.friction_axis = axis / norm(axis);
  return g;
}

Matrix function_of(const Matrix& m, double (*f)(double)) {
  const Eigen::SelfAdjointEigenSolver<Matrix> s(m);
  return s.eigenvectors() * s.eigenvalues().unaryExpr(f).asDiagonal() *
         s.eigenvectors().transpose();
}

Matrix root_of(const Matrix& m) {
  return function_of(m, [](double x) { return std::sqrt(std::max(x, 0.0)); });
}

/// M of one surface, as the header says.
Matrix matrix_of(const SceneGeom& g, const Mat3& R, const Vec3& n) {
  const Eigen::Vector3d a = eigen(R * g.friction_axis), normal = eigen(n);
  const double mu = *g.material.friction, mc = *g.material.cross_friction;
  const Matrix N = normal * normal.transpose(), P = Matrix::Identity() - N;
  const Matrix full = mc * mc * Matrix::Identity() + (mu * mu - mc * mc) * a * a.transpose();
  return root_of(P * full * P + N) - N;  // the root of a rounded zero is far from zero
}

Matrix matrix_of(const DirectionalFriction& f, const Vec3& n) {
  const Eigen::Vector3d t = eigen(f.axis), s = eigen(cross(n, f.axis));
  if (f.anisotropy == 0) {
    return f.mean * (Matrix::Identity() - eigen(n) * eigen(n).transpose());
  }
  return f.mean * ((1 + f.anisotropy) * t * t.transpose() + (1 - f.anisotropy) * s * s.transpose());
}

TEST(DirectionalFriction, CombinesAsTheMatricesDo) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0.05, 1);
  const auto vector = [&] { return Vec3{normal(random), normal(random), normal(random)}; };
  for (int trial = 0; trial < 1000; ++trial) {
    SceneGeom a = surface(uniform(random), uniform(random), vector()),
              b = surface(uniform(random), uniform(random), vector());
    const Mat3 Ra = to_matrix(exp_rotation(vector())), Rb = to_matrix(exp_rotation(vector()));
    const Vec3 any = vector(), n = any / norm(any);
    const Matrix ma = matrix_of(a, Ra, n), mb = matrix_of(b, Rb, n);
    const Matrix N = eigen(n) * eigen(n).transpose();  // so that they have inverses
    const Matrix harmonic = 2 * ((ma + N).inverse() + (mb + N).inverse()).inverse() - N;
    const Matrix maximum =
        0.5 * (ma + mb + function_of(ma - mb, [](double x) { return std::abs(x); }));
    const auto combined = [&](FrictionRule rule) {
      return matrix_of(combine_directions({a, Ra}, {b, Rb}, n, rule), n);
    };
    EXPECT_LT((combined(FrictionRule::harmonic) - harmonic).norm(), 1e-12);
    EXPECT_LT((combined(FrictionRule::maximum) - maximum).norm(), 1e-12);
    (trial % 2 == 0 ? a : b).friction_priority = 1;
    EXPECT_LT((combined(FrictionRule::maximum) - (trial % 2 == 0 ? ma : mb)).norm(), 1e-12);
  }
}

TEST(DirectionalFriction, MayVanishInADirection) {
  const Mat3 one = Mat3::identity();
  const SceneGeom skate = surface(0, 0.8, {1, 0, 0}), ice = surface(0.4, 0.4, {1, 0, 0});
  const DirectionalFriction f =
      combine_directions({skate, one}, {ice, one}, {0, 0, 1}, FrictionRule::harmonic);
  EXPECT_NEAR(f.mean, 0.5 * (2 * 0.8 * 0.4 / 1.2), 1e-15);
  EXPECT_NEAR(f.anisotropy, 1, 1e-15);
  EXPECT_NEAR(std::abs(f.axis.y), 1, 1e-15);
  const SceneGeom crossed = surface(0.8, 0, {1, 0, 0});
  EXPECT_EQ(
      combine_directions({skate, one}, {crossed, one}, {0, 0, 1}, FrictionRule::harmonic).mean, 0);
}

TEST(DirectionalFriction, OfAPairIsAlongItsFirstGeomsAxis) {
  const SceneGeom a = surface(0.5, 0.6, {0, 1, 0}), b = surface(0.1, 0.9, {1, 0, 0});
  const Mat3 one = Mat3::identity();
  ScenePair pair;
  pair.material.friction = 0.7, pair.material.cross_friction = 0.3;
  ASSERT_TRUE(is_directional(a, b, &pair));
  const DirectionalFriction f =
      combine_directions({a, one}, {b, one}, {0, 0, 1}, FrictionRule::harmonic, &pair);
  EXPECT_NEAR(f.mean, 0.5, 1e-15);
  EXPECT_NEAR(f.anisotropy, 0.4, 1e-15);
  EXPECT_NEAR(std::abs(f.axis.y), 1, 1e-15);
  pair.material.cross_friction.reset();
  EXPECT_FALSE(is_directional(a, b, &pair)) << "the same in all directions";
}

}  // namespace
}  // namespace abut
