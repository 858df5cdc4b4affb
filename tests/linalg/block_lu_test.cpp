// The factors of unsymmetric matrices of 3 x 3 blocks against Eigen's, on random patterns.

#include "abut/linalg/block_lu.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <map>
#include <random>

namespace abut {
namespace {

/// With blocks on the diagonal that are far from singular.
BlockMatrix random_matrix(std::mt19937& random, int rows, int links) {
  std::normal_distribution<double> normal;
  std::vector<std::map<std::int32_t, Mat3>> blocks(rows);
  const auto fill = [&](int i, int j, double size) {
    for (Vec3& c : blocks[i][j].col) {
      c = size * Vec3{normal(random), normal(random), normal(random)};
    }
  };
  for (int i = 0; i < rows; ++i) {
    fill(i, i, 1);
    blocks[i][i] = blocks[i][i] + 8.0 * Mat3::identity();
  }
  for (int k = 0; k < links; ++k) {
    const int i = static_cast<int>(random() % rows), j = static_cast<int>(random() % rows);
    if (i == j) continue;
    fill(i, j, 1), fill(j, i, 1);
  }
  BlockMatrix m;
  for (const auto& row : blocks) {
    for (const auto& [column, block] : row) {
      m.column.push_back(column);
      m.block.push_back(block);
    }
    m.start.push_back(std::ssize(m.column));
  }
  return m;
}

Eigen::MatrixXd dense(const BlockMatrix& m) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(3 * m.rows(), 3 * m.rows());
  for (int i = 0; i < m.rows(); ++i) {
    for (std::int64_t k = m.start[i]; k < m.start[i + 1]; ++k) {
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) a(3 * i + r, 3 * m.column[k] + c) = m.block[k](r, c);
      }
    }
  }
  return a;
}

std::vector<Vec3> random_vector(std::mt19937& random, int rows) {
  std::normal_distribution<double> normal;
  std::vector<Vec3> x(rows);
  for (Vec3& v : x) v = {normal(random), normal(random), normal(random)};
  return x;
}

Eigen::VectorXd flat(const std::vector<Vec3>& x) {
  return Eigen::Map<const Eigen::VectorXd>(&x[0].x, 3 * std::ssize(x));
}

TEST(BlockMatrix, MultipliesAsADenseOneDoes) {
  std::mt19937 random(1);
  const BlockMatrix m = random_matrix(random, 20, 50);
  const std::vector<Vec3> x = random_vector(random, 20);
  std::vector<Vec3> y(20);
  m.multiply(x, y);
  EXPECT_LT((flat(y) - dense(m) * flat(x)).norm(), 1e-13 * flat(y).norm());
  EXPECT_EQ(m.find(3, 3) >= m.start[3] && m.find(3, 3) < m.start[4], true);
  EXPECT_EQ(m.find(0, 20), -1);
}

TEST(BlockLu, SolvesWhatEigenSolves) {
  std::mt19937 random(2);
  BlockLu lu;
  for (int trial = 0; trial < 200; ++trial) {
    const int rows = 1 + static_cast<int>(random() % 60);
    const int links = static_cast<int>(random() % (3 * rows));
    BlockMatrix m = random_matrix(random, rows, links);
    lu.analyze(m);
    for (int again = 0; again < 2; ++again) {  // other numbers in the same pattern
      ASSERT_TRUE(lu.factor(m));
      const std::vector<Vec3> b = random_vector(random, rows);
      std::vector<Vec3> x = b;
      lu.solve(x);
      const Eigen::VectorXd expected = dense(m).partialPivLu().solve(flat(b));
      ASSERT_LT((flat(x) - expected).norm(), 1e-9 * expected.norm()) << trial;
      for (Mat3& block : m.block) block = -0.7 * block;
    }
  }
}

TEST(BlockLu, PivotsWithinBlocks) {
  BlockMatrix m;
  m.column = {0};
  m.block = {{{{0, 0, 2}, {3, 0, 0}, {0, 5, 0}}}};  // zeros on the diagonal
  m.start = {0, 1};
  BlockLu lu;
  lu.analyze(m);
  ASSERT_TRUE(lu.factor(m));
  std::vector<Vec3> x = {m.block[0] * Vec3{1, -2, 4}};
  lu.solve(x);
  EXPECT_LT(norm(x[0] - Vec3{1, -2, 4}), 1e-14);
}

TEST(BlockLu, SaysThatAMatrixIsSingularOrNotFinite) {
  std::mt19937 random(3);
  BlockMatrix m = random_matrix(random, 6, 10);
  BlockLu lu;
  lu.analyze(m);
  ASSERT_TRUE(lu.factor(m));
  BlockMatrix singular = m;
  for (Mat3& block : singular.block) block.col[1] = {};
  EXPECT_FALSE(lu.factor(singular));
  BlockMatrix poisoned = m;
  poisoned.block[poisoned.find(2, 2)].col[0].x = NAN;
  EXPECT_FALSE(lu.factor(poisoned));
  EXPECT_TRUE(lu.factor(m)) << "neither stays";
}

TEST(BlockLu, KnowsThePatternsMetLast) {
  std::mt19937 random(4);
  std::vector<BlockMatrix> all;
  for (int k = 0; k < 8; ++k) all.push_back(random_matrix(random, 10 + k, 30));
  BlockLu lu;
  for (int round = 0; round < 3; ++round) {
    for (const BlockMatrix& m : all) {
      lu.analyze(m);
      ASSERT_TRUE(lu.factor(m));
      std::vector<Vec3> x = random_vector(random, m.rows());
      const Eigen::VectorXd expected = dense(m).partialPivLu().solve(flat(x));
      lu.solve(x);
      EXPECT_LT((flat(x) - expected).norm(), 1e-9 * expected.norm());
    }
  }
  EXPECT_EQ(lu.analyses(), 8);
  const BlockMatrix other = random_matrix(random, 10, 30);  // as large as the first
  lu.analyze(other);
  lu.analyze(all[0]);
  EXPECT_EQ(lu.analyses(), 10) << "the oldest is forgotten";
}

TEST(BlockLu, FillsNoMoreThanTheOrderNeeds) {
  // an arrow: eliminated from its tip outwards it stays as sparse as it is
  constexpr int rows = 40;
  std::vector<std::pair<int, int>> places;
  BlockMatrix m;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < rows; ++j) {
      if (i != j && i != 0 && j != 0) continue;
      m.column.push_back(j);
      m.block.push_back(i == j ? 4.0 * Mat3::identity() : Mat3::identity());
    }
    m.start.push_back(std::ssize(m.column));
  }
  BlockLu lu;
  lu.analyze(m);
  EXPECT_LE(lu.value_count(), 9 * std::ssize(m.block) + 8);
}

}  // namespace
}  // namespace abut
