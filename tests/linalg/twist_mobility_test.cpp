#include "abut/linalg/twist_mobility.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <random>
#include <vector>

namespace abut {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
using Velocity = Eigen::Matrix<double, 3, 6>;

Eigen::Vector3d eigen(const Vec3& v) {
  return {v.x, v.y, v.z};
}

struct Side {
  TwistMobility mobility;
  Matrix6 matrix;
};

Side rigid_body(const Vec3& center, double mass, const Mat3& inertia) {
  Side s;
  s.mobility.be_rigid_body(center, mass, inverse(inertia));
  s.matrix.setZero();
  s.matrix.topLeftCorner<3, 3>().diagonal().setConstant(1 / mass);
  Eigen::Matrix3d I;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) I(r, c) = inertia(r, c);
  }
  s.matrix.bottomRightCorner<3, 3>() = I.inverse();
  return s;
}

/// Of a body of a mechanism.
Side linked_body(const Vec3& center) {
  Side s;
  const Matrix6 half = Matrix6::Random();
  s.matrix = half * half.transpose() + 0.1 * Matrix6::Identity();
  Matrix6 lower = s.matrix.triangularView<Eigen::Lower>();
  s.mobility.be_matrix(center, lower.data());
  return s;
}

struct Points {
  std::vector<Vec3> at, normal;
};

Points random_points(int count) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  Points points;
  for (int i = 0; i < count; ++i) {
    points.at.push_back({normal(random), normal(random), normal(random)});
    const Vec3 n{normal(random), normal(random), normal(random)};
    points.normal.push_back(n / norm(n));
  }
  return points;
}

struct Found {
  std::vector<double> mean, normal, tangential;
  std::vector<Vec3> response;
  bool operator==(const Found&) const = default;
};

/// Of points [begin, end).
Found find(const Points& points, int begin, int end, const std::vector<Side>& sides,
           double least_mean = 0) {
  const auto n = static_cast<std::size_t>(end - begin);
  Found f{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n),
          std::vector<Vec3>(n)};
  std::vector<const TwistMobility*> list;
  for (const Side& s : sides) list.push_back(&s.mobility);
  point_mobilities(
      end - begin, points.at.data() + begin, points.normal.data() + begin, list,
      {f.mean.data(), f.normal.data(), f.tangential.data(), f.response.data(), least_mean});
  return f;
}

Eigen::Matrix3d mobility_of(const Vec3& point, const std::vector<Side>& sides) {
  Eigen::Matrix3d W = Eigen::Matrix3d::Zero();
  for (const Side& s : sides) {
    const Vec3 r = point - s.mobility.center;
    Velocity S;                  // v + w x r
    S << 1, 0, 0, 0, r.z, -r.y,  //
        0, 1, 0, -r.z, 0, r.x,   //
        0, 0, 1, r.y, -r.x, 0;
    W += S * s.matrix * S.transpose();
  }
  return W;
}

std::vector<std::vector<Side>> combinations() {
  const Mat3 inertia{{{2, 0.1, -0.3}, {0.1, 1.5, 0.2}, {-0.3, 0.2, 0.7}}};
  const Side ball = rigid_body({0.2, -0.1, 0.4}, 3, Mat3::identity()),
             stone = rigid_body({-1, 0.5, 0.3}, 0.7, inertia), finger = linked_body({0.1, 0, -0.2}),
             arm = linked_body({2, 1, 0});
  return {{ball}, {stone}, {finger}, {ball, stone}, {stone, finger}, {finger, arm}};
}

TEST(PointMobilities, AreThoseOfTheDenseProduct) {
  const Points points = random_points(19);
  for (const std::vector<Side>& sides : combinations()) {
    const Found found = find(points, 0, 19, sides);
    for (int i = 0; i < 19; ++i) {
      const Eigen::Matrix3d W = mobility_of(points.at[i], sides);
      const Eigen::Vector3d n = eigen(points.normal[i]), Wn = W * n;
      const double tolerance = 1e-13 * W.norm();
      EXPECT_NEAR(found.mean[i], W.norm() / 3, tolerance);
      EXPECT_NEAR(found.normal[i], n.dot(Wn), tolerance);
      EXPECT_NEAR(found.tangential[i], (W.trace() - n.dot(Wn)) / 2, tolerance);
      EXPECT_LT((eigen(found.response[i]) - Wn).norm(), tolerance);
    }
  }
}

TEST(PointMobilities, OfAPointAreTheSameBitsAloneAndAmongOthers) {
  const Points points = random_points(17);
  for (const std::vector<Side>& sides : combinations()) {
    for (int count = 1; count <= 17; ++count) {  // whole packs, parts of one, single points
      const Found all = find(points, 0, count, sides);
      for (int i = 0; i < count; ++i) {
        const Found alone = find(points, i, i + 1, sides);
        EXPECT_EQ(alone,
                  (Found{{all.mean[i]}, {all.normal[i]}, {all.tangential[i]}, {all.response[i]}}));
      }
    }
  }
}

// points of many pairs at once, of bodies and of one and the world
TEST(PointMobilities, OfPairsAreThoseOfTheirTwoSides) {
  const Mat3 inertia{{{2, 0.1, -0.3}, {0.1, 1.5, 0.2}, {-0.3, 0.2, 0.7}}};
  std::vector<Side> sides(1);
  std::vector<TwistMobility> bodies(1);
  bodies[0].be_at_rest();
  for (int i = 1; i < 6; ++i) {
    sides.push_back(rigid_body({0.3 * i, -0.2, 1.0 / i}, 0.1 * i * i, (0.5 * i) * inertia));
    bodies.push_back(sides.back().mobility);
  }
  const Points points = random_points(27);
  std::mt19937 random(3);
  std::vector<BodyPair> pairs;
  for (int i = 0; i < 27; ++i) {
    const auto b = static_cast<std::int32_t>(1 + random() % 5);
    pairs.push_back({static_cast<std::int32_t>(random() % static_cast<unsigned>(b)), b});
  }
  for (int begin = 0; begin < 11; ++begin) {
    for (const int count : {1, 3, 4, 7, 8, 9, 15, 16}) {
      const auto n = static_cast<std::size_t>(count);
      Found all{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n),
                std::vector<Vec3>(n)};
      point_mobilities(
          count, &points.at[begin], &points.normal[begin], bodies.data(), &pairs[begin],
          {all.mean.data(), all.normal.data(), all.tangential.data(), all.response.data()});
      for (int i = 0; i < count; ++i) {
        const BodyPair& pair = pairs[begin + i];
        std::vector<Side> own;
        if (pair.a > 0) own.push_back(sides[pair.a]);
        own.push_back(sides[pair.b]);
        EXPECT_EQ(find(points, begin + i, begin + i + 1, own),
                  (Found{{all.mean[i]}, {all.normal[i]}, {all.tangential[i]}, {all.response[i]}}));
      }
    }
  }
}

// mass, center and inertia in a row, other numbers between the bodies
TEST(TwistMobility, OfManyRigidBodiesIsThatOfEach) {
  constexpr int stride = 17, most = 19;
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<double> numbers(stride * most);
  for (double& x : numbers) x = normal(random);
  for (int count = 1; count <= most; ++count) {
    std::vector<TwistMobility> all(count + 1);
    all.back().be_rigid_body({1, 2, 3}, 4, Mat3::identity());
    be_rigid_bodies(count, numbers.data(), stride, all.data());
    EXPECT_EQ(all.back().per_mass, 0.25);
    for (int i = 0; i < count; ++i) {
      const double* x = numbers.data() + stride * i;
      TwistMobility one;
      one.be_rigid_body(
          {x[1], x[2], x[3]}, x[0],
          inverse(Mat3{{{x[4], x[5], x[6]}, {x[7], x[8], x[9]}, {x[10], x[11], x[12]}}}));
      EXPECT_EQ(all[i].center, one.center);
      EXPECT_EQ(all[i].angular, one.angular);
      EXPECT_EQ(all[i].per_mass, one.per_mass);
      EXPECT_FALSE(all[i].is_coupled);
    }
  }
}

TEST(PointMobilities, HaveALeastMean) {
  const Points points = random_points(9);
  const std::vector<Side> sides = combinations().front();
  for (int count = 1; count <= 9; ++count) {
    const Found free = find(points, 0, count, sides);
    const double least = free.mean[static_cast<std::size_t>(count / 2)];
    const Found found = find(points, 0, count, sides, least);
    for (std::size_t i = 0; i < found.mean.size(); ++i) {
      EXPECT_EQ(found.mean[i], std::max(free.mean[i], least));
    }
    EXPECT_EQ(found.normal, free.normal);
  }
}

}  // namespace
}  // namespace abut
