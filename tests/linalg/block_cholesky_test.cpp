// The block factorization against Eigen's dense one, on random patterns of mixed node sizes.

#include "abut/linalg/block_cholesky.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

namespace abut {
namespace {

struct System {
  BlockPattern pattern;
  Eigen::MatrixXd matrix;
  std::vector<int> start;  // dense row of each node
};

BlockPattern random_pattern(std::mt19937& random, int nodes, int edges,
                            const std::vector<int>& sizes) {
  BlockPattern p;
  for (int i = 0; i < nodes; ++i) p.sizes.push_back(sizes[random() % sizes.size()]);
  std::set<std::pair<int, int>> seen;
  for (int e = 0; e < edges && nodes > 1; ++e) {
    const int a = static_cast<int>(random() % nodes), b = static_cast<int>(random() % nodes);
    if (a == b || !seen.insert(std::minmax(a, b)).second) continue;
    p.edges.push_back({a, b});
  }
  return p;
}

/// A positive definite matrix of this pattern: the sum of one random Gram matrix per edge.
System random_system(std::mt19937& random, const BlockPattern& pattern, double stiffness) {
  System s{.pattern = pattern, .matrix = {}, .start = {0}};
  for (const int size : pattern.sizes) s.start.push_back(s.start.back() + size);
  std::normal_distribution<double> normal;
  const int n = s.start.back();
  s.matrix = Eigen::MatrixXd::Identity(n, n);
  for (const auto& [a, b] : pattern.edges) {
    Eigen::MatrixXd j = Eigen::MatrixXd::Zero(4, n);
    for (int r = 0; r < 4; ++r) {
      for (int c = 0; c < pattern.sizes[a]; ++c) j(r, s.start[a] + c) = normal(random);
      for (int c = 0; c < pattern.sizes[b]; ++c) j(r, s.start[b] + c) = normal(random);
    }
    s.matrix += stiffness * j.transpose() * j;
  }
  return s;
}

std::vector<double> block(const System& s, int a, int b) {
  std::vector<double> values;
  for (int r = 0; r < s.pattern.sizes[a]; ++r) {
    for (int c = 0; c < s.pattern.sizes[b]; ++c) {
      values.push_back(s.matrix(s.start[a] + r, s.start[b] + c));
    }
  }
  return values;
}

void write(const System& s, BlockCholesky& cholesky) {
  for (int i = 0; i < s.pattern.nodes(); ++i) {
    cholesky.add_diagonal(i, s.pattern.sizes[i], block(s, i, i));
  }
  for (int e = 0; e < static_cast<int>(s.pattern.edges.size()); ++e) {
    const auto [a, b] = s.pattern.edges[e];
    cholesky.add_off_diagonal(e, s.pattern.sizes[a], s.pattern.sizes[b], block(s, a, b));
  }
}

/// A^-1 rhs by solve(x), which must leave the padding of x.
template <class Solve>
Eigen::VectorXd solve(const System& s, const Eigen::VectorXd& rhs, BlockCholesky& cholesky,
                      const Solve& solve) {
  const BlockSymbolic& symbolic = cholesky.symbolic();
  AlignedBuffer<double> x;
  x.resize(symbolic.vector_size);
  std::fill(x.span().begin(), x.span().end(), std::nan(""));
  for (int i = 0; i < s.pattern.nodes(); ++i) {
    for (int k = 0; k < s.pattern.sizes[i]; ++k) {
      x[symbolic.vector_offset[i] + k] = rhs[s.start[i] + k];
    }
  }
  solve(x.span());
  Eigen::VectorXd result(rhs.size());
  for (int i = 0; i < s.pattern.nodes(); ++i) {
    for (int k = 0; k < s.pattern.sizes[i]; ++k) {
      result[s.start[i] + k] = x[symbolic.vector_offset[i] + k];
    }
    for (int k = s.pattern.sizes[i]; k < round_up_8(s.pattern.sizes[i]); ++k) {
      EXPECT_TRUE(std::isnan(x[symbolic.vector_offset[i] + k])) << "padding of node " << i;
    }
  }
  return result;
}

Eigen::VectorXd solve(const System& s, const Eigen::VectorXd& rhs, BlockCholesky& cholesky) {
  return solve(s, rhs, cholesky, [&](std::span<double> x) { cholesky.solve(x); });
}

double relative_error(const System& s, const std::vector<std::int32_t>* order = nullptr) {
  SymbolicAnalysis analysis;
  BlockSymbolic symbolic;
  if (order) {
    analysis.analyze(s.pattern, *order, symbolic);
  } else {
    analysis.analyze(s.pattern, symbolic);
  }
  BlockCholesky cholesky;
  cholesky.reset(symbolic);
  write(s, cholesky);
  EXPECT_TRUE(cholesky.factor());
  const Eigen::VectorXd rhs = Eigen::VectorXd::Random(s.start.back());
  const Eigen::VectorXd x = solve(s, rhs, cholesky), exact = s.matrix.llt().solve(rhs);
  return (x - exact).norm() / exact.norm();
}

TEST(BlockCholesky, SolvesLikeDenseForFreeBodies) {
  std::mt19937 random(1);
  for (int n : {1, 2, 3, 5, 8, 13, 40, 90}) {
    for (int density : {0, 1, 2, 4}) {
      SCOPED_TRACE(testing::Message() << n << " nodes, " << density << " edges per node");
      const System s = random_system(random, random_pattern(random, n, density * n, {6}), 1);
      EXPECT_LT(relative_error(s), 1e-11);
    }
  }
}

TEST(BlockCholesky, SolvesLikeDenseForMixedSizes) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 60; ++trial) {
    const int n = 1 + static_cast<int>(random() % 25);
    const System s = random_system(
        random, random_pattern(random, n, 3 * n, {1, 2, 3, 4, 5, 6, 7, 9, 10, 12, 18, 31}), 1);
    SCOPED_TRACE(testing::Message() << "trial " << trial << ", " << n << " nodes");
    EXPECT_LT(relative_error(s), 1e-10);
  }
}

// nodes of several strips each, which do not begin at multiples of six pivots
TEST(BlockCholesky, SolvesOneFrontOfMixedSizes) {
  std::mt19937 random(5);
  std::vector<int> sizes = {7, 1, 4, 13, 6};
  for (int trial = 0; trial < 20; ++trial) {
    BlockPattern pattern{.sizes = sizes, .edges = {}};
    for (int a = 0; a < pattern.nodes(); ++a) {
      for (int b = 0; b < a; ++b) pattern.edges.push_back({a, b});
    }
    BlockSymbolic symbolic;
    SymbolicAnalysis().analyze(pattern, symbolic);
    EXPECT_EQ(symbolic.fronts.size(), 1u);
    EXPECT_LT(relative_error(random_system(random, pattern, 1)), 1e-10);
    std::shuffle(sizes.begin(), sizes.end(), random);
  }
}

TEST(BlockCholesky, AnyEliminationOrderGivesTheSameSolution) {
  std::mt19937 random(3);
  const System s = random_system(random, random_pattern(random, 30, 70, {6, 6, 6, 9}), 1);
  std::vector<std::int32_t> order(30);
  std::iota(order.begin(), order.end(), 0);
  EXPECT_LT(relative_error(s, &order), 1e-11);
  std::reverse(order.begin(), order.end());
  EXPECT_LT(relative_error(s, &order), 1e-11);
  for (int trial = 0; trial < 20; ++trial) {
    std::shuffle(order.begin(), order.end(), random);
    EXPECT_LT(relative_error(s, &order), 1e-11);
  }
}

TEST(BlockCholesky, StiffBlocksKeepASmallResidual) {
  std::mt19937 random(4);
  const System s = random_system(random, random_pattern(random, 20, 40, {6}), 1e10);
  SymbolicAnalysis analysis;
  BlockSymbolic symbolic;
  analysis.analyze(s.pattern, symbolic);
  BlockCholesky cholesky;
  cholesky.reset(symbolic);
  write(s, cholesky);
  ASSERT_TRUE(cholesky.factor());
  const Eigen::VectorXd rhs = Eigen::VectorXd::Random(s.start.back());
  const Eigen::VectorXd x = solve(s, rhs, cholesky);
  const Eigen::VectorXd dense = s.matrix.llt().solve(rhs);
  const double ours = (s.matrix * x - rhs).norm(), theirs = (s.matrix * dense - rhs).norm();
  EXPECT_LT(ours, 1e3 * theirs + 1e-12 * rhs.norm());
}

// powers of four scale every number without rounding, until one is too large or too small
TEST(BlockCholesky, SolvesToTheSameBitsInAnyUnitOrRefuses) {
  std::mt19937 random(6);
  int solved = 0, refused = 0;
  for (const std::vector<int>& sizes : {std::vector{6}, {4}, {3, 6, 18}}) {
    const System s = random_system(random, random_pattern(random, 8, 12, sizes), 100);
    const Eigen::VectorXd rhs = Eigen::VectorXd::Random(s.start.back());
    SymbolicAnalysis analysis;
    BlockSymbolic symbolic;
    analysis.analyze(s.pattern, symbolic);
    BlockCholesky cholesky;
    const auto solve_in = [&](int exponent, Eigen::VectorXd& x) {
      System scaled = s;
      scaled.matrix *= std::ldexp(1, exponent);
      cholesky.reset(symbolic);
      write(scaled, cholesky);
      if (!cholesky.factor()) return false;
      x = solve(scaled, rhs, cholesky) * std::ldexp(1, exponent);
      return true;
    };
    Eigen::VectorXd expected, x;
    ASSERT_TRUE(solve_in(0, expected));
    EXPECT_LT((s.matrix * expected - rhs).norm(), 1e-9 * rhs.norm());
    for (int exponent = -1000; exponent <= 1000; exponent += 2) {
      const bool is_solved = solve_in(exponent, x);
      if (std::abs(exponent) <= 200) EXPECT_TRUE(is_solved) << exponent;
      if (is_solved) EXPECT_EQ(x, expected) << exponent;
      ++(is_solved ? solved : refused);
    }
  }
  EXPECT_GT(solved, 1000);
  EXPECT_GT(refused, 500);
}

// one after another in the same buffers; each leaves zeros there, but those that fail or are kept
TEST(BlockCholesky, FactorsAndSolvesAtOnceToTheSameBits) {
  std::mt19937 random(5);
  SymbolicAnalysis analysis;
  BlockCholesky reused;
  int failed = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 1 + static_cast<int>(random() % 30);
    System s =
        random_system(random, random_pattern(random, n, 2 * n, {6, 6, 6, 1, 3, 5, 9, 31}), 1);
    if (trial % 7 == 3) s.matrix(s.start.back() - 1, s.start.back() - 1) = -1;
    BlockSymbolic symbolic;
    analysis.analyze(s.pattern, symbolic);
    BlockCholesky fresh;
    for (BlockCholesky* c : {&fresh, &reused}) {
      c->reset(symbolic);
      write(s, *c);
    }
    const Eigen::VectorXd rhs = Eigen::VectorXd::Random(s.start.back());
    if (trial % 5 == 2) {  // a factor that is not used up
      EXPECT_EQ(fresh.factor(), reused.factor());
      continue;
    }
    const bool is_kept = trial % 4 == 1;
    bool is_positive = false;
    const Eigen::VectorXd at_once = solve(s, rhs, reused, [&](std::span<double> x) {
      is_positive = reused.factor_and_solve(x, nullptr, is_kept);
    });
    ASSERT_EQ(fresh.factor(), is_positive);
    failed += !is_positive;
    if (!is_positive) continue;
    EXPECT_EQ(at_once, solve(s, rhs, fresh)) << "trial " << trial;
    if (is_kept) {
      const Eigen::VectorXd other = Eigen::VectorXd::Random(s.start.back());
      EXPECT_EQ(solve(s, other, reused), solve(s, other, fresh)) << "trial " << trial;
      continue;
    }
    for (std::int64_t i = 0; i < symbolic.value_count; ++i) ASSERT_EQ(reused.values()[i], 0);
  }
  EXPECT_GT(failed, 10);
}

TEST(BlockCholesky, BeginsWithZerosInRoomThatHeldOtherNumbers) {
  constexpr int strips = 250;
  const BlockPattern pattern{.sizes = {6, 6}, .edges = {{0, 1}}};
  BlockSymbolic symbolic;
  SymbolicAnalysis().analyze(pattern, symbolic);
  BlockCholesky cholesky;
  cholesky.reset(symbolic);
  {
    AlignedBuffer<double> other;
    other.resize(48 * strips);
    std::fill(other.span().begin(), other.span().end(), 1.0);
  }
  cholesky.reserve(0, strips);
  cholesky.reset(symbolic);
  for (std::int64_t i = 0; i < symbolic.value_count; ++i) ASSERT_EQ(cholesky.values()[i], 0);
}

TEST(BlockCholesky, ReservesRoomForNothing) {
  BlockCholesky cholesky;
  cholesky.reserve(0, 0);
  cholesky.reserve(0, 10);
}

TEST(BlockCholesky, RefusesAnIndefiniteMatrix) {
  for (const int size : {6, 4, 18}) {
    for (int bad = 0; bad < size; ++bad) {
      BlockPattern pattern{.sizes = {size}, .edges = {}};
      SymbolicAnalysis analysis;
      BlockSymbolic symbolic;
      analysis.analyze(pattern, symbolic);
      std::vector<double> matrix(size * size, 0.0);
      for (int i = 0; i < size; ++i) matrix[i * size + i] = i == bad ? -1 : 1;
      BlockCholesky cholesky;
      cholesky.reset(symbolic);
      cholesky.add_diagonal(0, size, matrix);
      EXPECT_FALSE(cholesky.factor()) << "pivot " << bad << " of " << size;
      matrix[bad * size + bad] = std::nan("");
      cholesky.reset(symbolic);
      cholesky.add_diagonal(0, size, matrix);
      EXPECT_FALSE(cholesky.factor()) << "NaN at pivot " << bad << " of " << size;
    }
  }
}

}  // namespace
}  // namespace abut
