// Factorizations in other units: each row and column of A times a power of two changes no bit but
// the exponents, wherever in a panel a number lies and whatever lies beside it.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>
#include <vector>

#include "abut/linalg/block_cholesky.hpp"
#include "abut/linalg/dense_spd.hpp"

namespace abut {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Powers of two up to 2^+-`most`.
Eigen::VectorXd powers_of_two(std::mt19937& random, Eigen::Index count, int most) {
  return Eigen::VectorXd::NullaryExpr(
      count, [&] { return std::ldexp(1, static_cast<int>(random() % (2 * most + 1)) - most); });
}

RowMatrix random_matrix(Eigen::Index n) {
  const RowMatrix root = RowMatrix::Random(n, n);
  return root * root.transpose() + 0.1 * RowMatrix::Identity(n, n);
}

/// A pattern with some edges, and a matrix of it.
struct System {
  BlockPattern pattern;
  std::vector<int> start = {0};
  RowMatrix matrix;
};

System random_system(std::mt19937& random, int nodes, const std::vector<int>& sizes) {
  System s;
  for (int i = 0; i < nodes; ++i) {
    s.pattern.sizes.push_back(sizes[random() % sizes.size()]);
    s.start.push_back(s.start.back() + s.pattern.sizes.back());
  }
  const int n = s.start.back();
  const RowMatrix full = random_matrix(n);
  s.matrix = RowMatrix::Zero(n, n);
  const auto block = [&](RowMatrix& m, int a, int b) {
    return m.block(s.start[a], s.start[b], s.pattern.sizes[a], s.pattern.sizes[b]);
  };
  for (int a = 0; a < nodes; ++a) {
    for (int b = 0; b <= a; ++b) {
      if (a != b && random() % 3 != 0) continue;
      RowMatrix part = full;
      block(s.matrix, a, b) = block(part, a, b);
      block(s.matrix, b, a) = block(part, a, b).transpose();
      if (a != b) s.pattern.edges.push_back(random() % 2 == 0 ? BlockEdge{a, b} : BlockEdge{b, a});
    }
  }
  const double least = s.matrix.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff();
  s.matrix += (0.5 - std::min(0.0, least)) * RowMatrix::Identity(n, n);
  return s;
}

std::vector<double> block_of(const System& s, const RowMatrix& m, int a, int b) {
  const RowMatrix x = m.block(s.start[a], s.start[b], s.pattern.sizes[a], s.pattern.sizes[b]);
  return {x.data(), x.data() + x.size()};
}

/// Of m, in parts that are added up. Nothing is read above the diagonal: there is what is no
/// number.
Eigen::VectorXd solve(const System& s, const RowMatrix& m, const Eigen::VectorXd& rhs, int parts) {
  SymbolicAnalysis analysis;
  BlockSymbolic symbolic;
  analysis.analyze(s.pattern, symbolic);
  BlockCholesky cholesky;
  cholesky.reset(symbolic);
  std::fill_n(cholesky.values(), symbolic.value_count, 7.0);
  cholesky.reset(symbolic);  // zero again
  for (int part = 0; part < parts; ++part) {
    for (int i = 0; i < s.pattern.nodes(); ++i) {
      const int size = s.pattern.sizes[i];
      std::vector<double> block = block_of(s, m / parts, i, i);
      for (int r = 0; r < size; ++r) {
        for (int c = r + 1; c < size; ++c) block[r * size + c] = std::nan("");
      }
      cholesky.add_diagonal(i, size, block);
    }
    for (int e = 0; e < std::ssize(s.pattern.edges); ++e) {
      const auto [a, b] = s.pattern.edges[e];
      cholesky.add_off_diagonal(e, s.pattern.sizes[a], s.pattern.sizes[b],
                                block_of(s, m / parts, a, b));
    }
  }
  EXPECT_TRUE(cholesky.factor());
  AlignedBuffer<double> x;
  x.resize(symbolic.vector_size);
  x.fill_zero();
  Eigen::VectorXd result(rhs.size());
  for (int i = 0; i < s.pattern.nodes(); ++i) {
    std::copy_n(rhs.data() + s.start[i], s.pattern.sizes[i], x.data() + symbolic.vector_offset[i]);
  }
  cholesky.solve(x.span());
  for (int i = 0; i < s.pattern.nodes(); ++i) {
    std::copy_n(x.data() + symbolic.vector_offset[i], s.pattern.sizes[i],
                result.data() + s.start[i]);
  }
  return result;
}

TEST(BlockCholesky, UnitsOfRowsChangeNoBit) {
  std::mt19937 random(1);
  const std::vector<int> mixtures[] = {{6}, {1, 2, 3, 4, 5}, {6, 12, 18}, {1, 3, 6, 7, 11, 20}};
  for (const auto& sizes : mixtures) {
    for (int trial = 0; trial < 25; ++trial) {
      SCOPED_TRACE(testing::Message() << "sizes from " << sizes[0] << ", trial " << trial);
      const System s = random_system(random, 1 + trial % 12, sizes);
      const Eigen::VectorXd rhs = Eigen::VectorXd::Random(s.start.back());
      const Eigen::VectorXd x = solve(s, s.matrix, rhs, 1);
      ASSERT_LT((s.matrix * x - rhs).norm(), 1e-11 * rhs.norm());
      const Eigen::VectorXd d = powers_of_two(random, rhs.size(), trial % 2 == 0 ? 3 : 100);
      const RowMatrix scaled = d.asDiagonal() * s.matrix * d.asDiagonal();
      const Eigen::VectorXd y = solve(s, scaled, d.cwiseProduct(rhs), 1);
      EXPECT_EQ(x, Eigen::VectorXd(d.cwiseProduct(y)));
      EXPECT_EQ(x, solve(s, s.matrix, rhs, 4)) << "a quarter of A, four times";
      EXPECT_EQ(Eigen::VectorXd(8 * x), solve(s, s.matrix, 8 * rhs, 1));
    }
  }
}

TEST(InverseFactor, UnitsOfRowsChangeNoBit) {
  std::mt19937 random(2);
  for (int n = 1; n <= 40; ++n) {
    for (const int most : {2, 120}) {
      const RowMatrix A = random_matrix(n);
      const Eigen::VectorXd d = powers_of_two(random, n, most);
      const RowMatrix scaled = d.asDiagonal() * A * d.asDiagonal();
      const int lead = round_up_8(n);
      std::vector<double> factor(n * lead), other(n * lead), work(lead);
      ASSERT_TRUE(invert_factor(n, A.data(), factor.data()));
      ASSERT_TRUE(invert_factor(n, scaled.data(), other.data()));
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < lead; ++c) {
          ASSERT_EQ(factor[r * lead + c], d[r] * other[r * lead + c])
              << n << ": " << r << ", " << c;
        }
      }
      const Eigen::VectorXd rhs = Eigen::VectorXd::Random(n), scaled_rhs = d.cwiseProduct(rhs);
      Eigen::VectorXd x = Eigen::VectorXd::Zero(n), y = Eigen::VectorXd::Zero(n);
      add_inverse_times(n, factor.data(), rhs.data(), x.data(), work.data());
      add_inverse_times(n, other.data(), scaled_rhs.data(), y.data(), work.data());
      EXPECT_EQ(x, Eigen::VectorXd(d.cwiseProduct(y))) << n;
    }
  }
}

}  // namespace
}  // namespace abut
