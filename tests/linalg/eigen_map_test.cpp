#include "abut/linalg/eigen_map.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace abut {
namespace {

TEST(EigenMap, VectorAndMatrixAreSeenInPlace) {
  Vec3 v{1, 2, 3};
  as_eigen(v) *= 2;
  EXPECT_EQ(v, (Vec3{2, 4, 6}));

  Mat3 m{{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}};
  EXPECT_EQ(as_eigen(m)(2, 0), m(2, 0));
  EXPECT_EQ(to_vec3(as_eigen(m) * as_eigen(v)), m * v);
  as_eigen(m).transposeInPlace();
  EXPECT_EQ(m(0, 2), 3);
}

TEST(EigenMap, ConstantsAndSpans) {
  const Mat3 m{{{1, 2, 3}, {4, 5, 6}, {7, 8, 10}}};
  EXPECT_EQ(to_mat3(as_eigen(m).transpose()), transpose(m));

  std::vector<double> velocity(12, 2);
  as_eigen(std::span(velocity)) *= 3;
  EXPECT_EQ(velocity[11], 6);
  const std::span<const double> seen = velocity;
  EXPECT_EQ(as_eigen(seen).sum(), 72);

  const std::vector<Vec3> impulses{{1, 2, 3}, {4, 5, 6}};
  const auto columns = as_eigen(std::span<const Vec3>(impulses));
  EXPECT_EQ(columns.cols(), 2);
  EXPECT_EQ(columns(0, 1), 4);
  EXPECT_EQ(as_eigen(std::span<const Vec3>()).cols(), 0);
}

}  // namespace
}  // namespace abut
