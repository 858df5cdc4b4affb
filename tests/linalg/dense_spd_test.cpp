#include "abut/linalg/dense_spd.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "abut/core/aligned_buffer.hpp"
#include "abut/linalg/block_symbolic.hpp"

namespace abut {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Of a kinematic tree: parents[i] < i is the dof before i on its branch, -1 for none. A(i, j) is
/// zero unless one of i, j is an ancestor of the other.
RowMatrix tree_matrix(const std::vector<int>& parents, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto n = static_cast<Eigen::Index>(parents.size());
  RowMatrix A = 0.1 * RowMatrix::Identity(n, n);
  for (int i = 0; i < n; ++i) {  // what one body adds to its support
    Eigen::VectorXd row = Eigen::VectorXd::Zero(n);
    for (int k = i; k >= 0; k = parents[k]) row[k] = normal(random);
    A += row * row.transpose();
  }
  return A;
}

std::vector<int> chain(int n) {
  std::vector<int> parents(n);
  for (int i = 0; i < n; ++i) parents[i] = i - 1;
  return parents;
}

/// Branches of two to nine dofs, each from somewhere on the base or an earlier branch.
std::vector<int> random_tree(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> parents = chain(std::min(n, 6));
  while (static_cast<int>(parents.size()) < n) {
    int parent = static_cast<int>(random() % parents.size());
    for (unsigned k = 0; k < 2 + random() % 8 && static_cast<int>(parents.size()) < n; ++k) {
      parents.push_back(parent);
      parent = static_cast<int>(parents.size()) - 1;
    }
  }
  return parents;
}

struct Factor {
  bool good;
  std::vector<double> numbers;
  RowMatrix Y;
};

Factor factor_of(const RowMatrix& A) {
  const auto n = static_cast<int>(A.rows()), lead = round_up_8(n);
  Factor f;
  f.numbers.assign(static_cast<std::size_t>(n) * lead, std::nan(""));
  f.good = invert_factor(n, A.data(), f.numbers.data());
  f.Y = Eigen::Map<const RowMatrix, 0, Eigen::OuterStride<>>(f.numbers.data(), n, n,
                                                             Eigen::OuterStride<>(lead));
  return f;
}

TEST(InverseFactor, TimesItsTransposeIsTheInverse) {
  double worst = 0;
  for (int n = 1; n <= 70; ++n) {
    for (const auto& parents : {chain(n), random_tree(n, n)}) {
      const RowMatrix A = tree_matrix(parents, n);
      const Factor f = factor_of(A);
      ASSERT_TRUE(f.good) << n;
      for (int r = 0; r < n; ++r) {
        for (int c = r + 1; c < round_up_8(n); ++c) {
          ASSERT_EQ(f.numbers[r * round_up_8(n) + c], 0) << n << ": " << r << ", " << c;
        }
      }
      const RowMatrix inverse = A.llt().solve(RowMatrix::Identity(n, n));
      worst = std::max(worst, (f.Y * f.Y.transpose() - inverse).norm() / inverse.norm());
    }
  }
  EXPECT_LT(worst, 1e-11);
}

TEST(InverseFactor, KeepsTheZerosBetweenBranches) {
  const std::vector<int> parents = random_tree(40, 3);
  const Factor f = factor_of(tree_matrix(parents, 3));
  std::vector<bool> ancestor(40 * 40);
  for (int i = 0; i < 40; ++i) {
    for (int k = i; k >= 0; k = parents[k]) ancestor[i * 40 + k] = true;
  }
  for (int i = 0; i < 40; ++i) {
    for (int k = 0; k < 40; ++k) EXPECT_EQ(f.Y(i, k) != 0, ancestor[i * 40 + k]) << i << ", " << k;
  }
}

// A(1, 0) cancels when dof 2 is eliminated: what was found zero on the way is nothing to rely on
TEST(InverseFactor, SurvivesExactCancellation) {
  RowMatrix A(4, 4);
  A << 4, 1, 1, 1,  //
      1, 4, 1, 1,   //
      1, 1, 2, 1,   //
      1, 1, 1, 1;
  const Factor f = factor_of(A);
  ASSERT_TRUE(f.good);
  EXPECT_LT((f.Y * f.Y.transpose() * A - RowMatrix::Identity(4, 4)).norm(), 1e-14);
}

TEST(InverseFactor, ReadsTheLowerTriangleAlone) {
  for (const int n : {6, 11, 23}) {
    RowMatrix A = tree_matrix(chain(n), 5);
    const RowMatrix Y = factor_of(A).Y;
    A.triangularView<Eigen::StrictlyUpper>().setConstant(std::nan(""));
    EXPECT_EQ(factor_of(A).Y, Y);
  }
}

TEST(InverseFactor, RefusesWhatIsNotPositiveDefinite) {
  for (const int n : {1, 2, 6, 9, 13, 33}) {
    RowMatrix A = tree_matrix(chain(n), n);
    A -= (A.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff() + 1e-3) *
         RowMatrix::Identity(n, n);
    EXPECT_FALSE(factor_of(A).good) << n;
    A(n / 2, 0) = std::nan("");
    EXPECT_FALSE(factor_of(A).good) << n;
  }
}

TEST(InverseFactor, AnswersImpulses) {
  double worst = 0;
  for (int n = 1; n <= 45; ++n) {
    const RowMatrix A = tree_matrix(random_tree(n, n), n);
    const Factor f = factor_of(A);
    const Eigen::VectorXd start = Eigen::VectorXd::Random(n);
    Eigen::VectorXd x = Eigen::VectorXd::Random(n), y = start;
    if (n > 2) x[n / 2] = 0;
    std::vector<double> work(round_up_8(n), std::nan(""));
    add_inverse_times(n, f.numbers.data(), x.data(), y.data(), work.data());
    const Eigen::VectorXd expected = A.llt().solve(x);
    worst = std::max(worst, (y - start - expected).norm() / expected.norm());
  }
  EXPECT_LT(worst, 1e-11);
}

TEST(SolveDefinite, SolvesForOneRightSide) {
  double worst = 0;
  for (int n = 1; n <= 45; ++n) {
    const RowMatrix A = tree_matrix(random_tree(n, n), n);
    const Eigen::VectorXd right = Eigen::VectorXd::Random(n);
    std::vector<double> x(right.data(), right.data() + n), work(solve_work(n), std::nan(""));
    ASSERT_TRUE(solve_definite(n, A.data(), x.data(), work.data())) << n;
    const Eigen::VectorXd expected = A.llt().solve(right);
    const Eigen::Map<const Eigen::VectorXd> found(x.data(), n);
    worst = std::max(worst, (found - expected).norm() / expected.norm());
  }
  EXPECT_LT(worst, 1e-11);
}

TEST(SolveDefinite, RefusesWhatIsNotPositiveDefinite) {
  for (const int n : {1, 2, 6, 11, 12, 33}) {
    RowMatrix A = tree_matrix(chain(n), n);
    A -= (A.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff() + 1e-3) *
         RowMatrix::Identity(n, n);
    std::vector<double> x(n, 1), work(solve_work(n));
    EXPECT_FALSE(solve_definite(n, A.data(), x.data(), work.data())) << n;
    A(n / 2, 0) = std::nan("");
    EXPECT_FALSE(solve_definite(n, A.data(), x.data(), work.data())) << n;
  }
}

std::vector<IndexRun> all(int n) {
  return {{0, n}};
}

TEST(InverseFactor, GivesTheMobilityOfABody) {
  double worst = 0;
  for (int n = 1; n <= 45; ++n) {
    const std::vector<int> parents = random_tree(n, n);
    const RowMatrix A = tree_matrix(parents, n);
    RowMatrix J = RowMatrix::Zero(6, n), other = RowMatrix::Random(6, n);
    for (int k = n - 1; k >= 0; k = parents[k]) J.col(k).setRandom();
    const RowMatrix expected = J * A.llt().solve(RowMatrix(other.transpose()));
    const std::size_t size = 6 * static_cast<std::size_t>(round_up_8(n));
    std::vector<double> rows(size, std::nan("")), other_rows(size, std::nan(""));
    const Factor f = factor_of(A);
    std::vector<IndexRun> runs;  // of the columns that are not zero
    for (int k = 0; k < n; ++k) {
      if (J.col(k).isZero(0)) continue;
      if (runs.empty() || runs.back().end != k) runs.push_back({k, k});
      ++runs.back().end;
    }
    RowMatrix kept(6, 0);
    for (const IndexRun& run : runs) {
      RowMatrix more(6, kept.cols() + run.size());
      more << kept, J.middleCols(run.begin, run.size());
      kept = more;
    }
    multiply_by_factor(6, n, kept.data(), runs, f.numbers.data(), rows.data());
    multiply_by_factor(6, n, other.data(), all(n), f.numbers.data(), other_rows.data());
    RowMatrix W(6, 6);
    for (const auto& [r, c] : {std::pair(6, 6), {3, 6}, {6, 3}, {3, 3}}) {
      W.setZero();
      multiply_rows(r, c, round_up_8(n), rows.data(), other_rows.data(), W.data());
      const double off = (W - expected).topLeftCorner(r, c).norm();
      worst = std::max(worst, off / (1 + expected.norm()));
      EXPECT_LT(W.norm(), W.topLeftCorner(r, c).norm() * (1 + 1e-12)) << "nothing else is written";
    }
  }
  EXPECT_LT(worst, 1e-11);
}

TEST(InverseFactor, GivesTheMobilityOfABodyLessThatOfAnother) {
  double worst = 0;
  for (int n = 1; n <= 45; ++n) {
    const std::vector<int> parents = random_tree(n, n);
    const RowMatrix A = tree_matrix(parents, n);
    const Factor f = factor_of(A);
    const int lead = round_up_8(n);
    const Eigen::Vector3d d(0.3, -0.7, 0.2);  // from a's center to b's
    RowMatrix J[2];
    std::vector<double> rows[2];
    for (int k = 0; k < 2; ++k) {
      J[k] = RowMatrix::Random(6, n);
      rows[k].assign(6 * static_cast<std::size_t>(lead), std::nan(""));
      multiply_by_factor(6, n, J[k].data(), all(n), f.numbers.data(), rows[k].data());
    }
    const auto twist = [&](int k, int count) {
      RowMatrix T = J[k];
      if (count == 3) T.bottomRows(3).setZero();
      return T;
    };
    for (const int count_b : {3, 6}) {
      for (const int count_a : {0, 3, 6}) {
        RowMatrix T = twist(0, count_b);
        if (count_a > 0) {
          RowMatrix moved = twist(1, count_a);
          for (int c = 0; c < n; ++c) {
            moved.col(c).head(3) += Eigen::Vector3d(moved.col(c).tail(3)).cross(d);
          }
          T -= moved;
        }
        const RowMatrix expected = T * A.llt().solve(RowMatrix(T.transpose()));
        RowMatrix found = RowMatrix::Constant(6, 6, std::nan(""));
        relative_mobility(lead, {rows[0].data(), count_b},
                          count_a > 0 ? BodyRows{rows[1].data(), count_a} : BodyRows{}, d.data(),
                          found.data());
        const RowMatrix whole = found.selfadjointView<Eigen::Lower>();
        worst = std::max(worst, (whole - expected).norm() / expected.norm());
      }
    }
  }
  EXPECT_LT(worst, 1e-11);
}

TEST(DenseSpd, MultipliesByRunsOfABranch) {
  double worst = 0;
  for (int n = 1; n <= 45; ++n) {
    const std::vector<int> parents = random_tree(n, n);
    const int lead = round_up_8(n);
    const RowMatrix J = RowMatrix::Random(6, lead), F = RowMatrix::Random(n, 8);
    std::vector<double> rows(6 * static_cast<std::size_t>(lead) + 8, 0);
    std::copy_n(J.data(), J.size(), rows.begin());
    RowMatrix expected = RowMatrix::Zero(n, n);
    std::vector<IndexRun> runs;
    std::vector<std::int32_t> run_end;
    for (int i = 0; i < n; ++i) {
      std::vector<int> branch;
      for (int k = i; k >= 0; k = parents[k]) branch.insert(branch.begin(), k);
      for (const int k : branch) {
        expected(i, k) = F.row(i).head(6).dot(J.col(k));
        const bool goes_on = !runs.empty() && k > 0 && runs.back().end == k &&
                             std::ssize(runs) > (i == 0 ? 0 : run_end[i - 1]);
        if (!goes_on) runs.push_back({k, k});
        runs.back().end = k + 1;
      }
      run_end.push_back(static_cast<std::int32_t>(runs.size()));
    }
    std::vector<double> product(static_cast<std::size_t>(n) * n + 8, std::nan(""));
    multiply_by_runs(n, rows.data(), F.data(), runs.data(), run_end.data(), product.data());
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k <= i; ++k) {
        worst = std::max(worst, std::abs(product[i * n + k] - expected(i, k)));
      }
    }
  }
  EXPECT_LT(worst, 1e-14);
}

TEST(DenseSpd, MultipliesByItsTranspose) {
  for (int rows = 1; rows <= 20; ++rows) {
    for (const int width : {8, 24, 40}) {
      const RowMatrix A = RowMatrix::Random(rows, width), expected = A * A.transpose();
      const int lead = round_up_8(rows);
      RowMatrix product = RowMatrix::Constant(rows, lead, 7);
      multiply_by_transpose(rows, width, A.data(), product.data());
      EXPECT_LT((product.leftCols(rows) - expected).norm(), 1e-13 * expected.norm());
      EXPECT_TRUE((product.rightCols(lead - rows).array() == 7).all()) << "nothing else is written";
      EXPECT_EQ(product.leftCols(rows), product.leftCols(rows).transpose());
    }
  }
}

TEST(DenseSpd, MultipliesSymmetricMatrices) {
  for (int n = 1; n <= 45; ++n) {
    const RowMatrix A = tree_matrix(chain(n), n);
    const Eigen::VectorXd x = Eigen::VectorXd::Random(n);
    AlignedBuffer<double> y;
    y.resize(round_up_8(n));
    std::fill_n(y.data(), y.size(), std::nan(""));
    multiply_symmetric(n, A.data(), x.data(), y.data());
    const Eigen::Map<const Eigen::VectorXd> product(y.data(), n);
    EXPECT_LT((product - A * x).norm(), 1e-13 * A.norm() * x.norm()) << n;
    for (std::size_t i = n; i < y.size(); ++i) EXPECT_EQ(y[i], 0);
  }
}

TEST(DenseSpd, CopiesALowerTriangleToColumns) {
  for (int n = 1; n <= 21; ++n) {
    const int leading = n + n % 3;
    const RowMatrix A = tree_matrix(chain(n), n);
    std::vector<double> copy(n * leading + 1, 7);
    copy_lower(n, A.data(), copy.data(), leading);
    for (int c = 0; c < n; ++c) {
      for (int r = 0; r < leading; ++r) {
        EXPECT_EQ(copy[c * leading + r], r < c || r >= n ? 7 : A(r, c)) << n;
      }
    }
    EXPECT_EQ(copy.back(), 7) << "nothing else is written";
  }
}

TEST(DenseSpd, MirrorsALowerTriangle) {
  for (int n = 1; n <= 21; ++n) {
    const RowMatrix lower = RowMatrix::Random(n, n);
    std::vector<double> copy(n * n + 1, 7);
    copy_symmetric(n, lower.data(), copy.data());
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) {
        EXPECT_EQ(copy[r * n + c], r < c ? lower(c, r) : lower(r, c)) << n;
      }
    }
    EXPECT_EQ(copy.back(), 7) << "nothing else is written";
  }
}

}  // namespace
}  // namespace abut
