// QR factors whose rows and columns come and go against fresh ones of Eigen's.

#include "abut/linalg/updatable_qr.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace abut {
namespace {

/// Of a large matrix the rows and columns that are in the factors.
class Subset {
 public:
  Subset(Eigen::MatrixXd all, int capacity) : all_(std::move(all)) { qr_.reset(capacity); }

  double append(int index) {
    std::vector<double> column, row;
    for (const int i : in_) column.push_back(all_(i, index)), row.push_back(all_(index, i));
    column.push_back(all_(index, index));
    in_.push_back(index);
    return qr_.append(column, row);
  }
  void remove(int place) {
    in_.erase(in_.begin() + place);
    qr_.remove(place);
  }
  bool has(int index) const { return place_of(index) < size(); }
  int place_of(int index) const {
    return static_cast<int>(std::find(in_.begin(), in_.end(), index) - in_.begin());
  }
  int size() const { return static_cast<int>(in_.size()); }
  Eigen::MatrixXd matrix() const { return all_(in_, in_); }
  UpdatableQr& qr() { return qr_; }

  /// |A x - b| over |b| for a solution x
  double residual(const Eigen::VectorXd& b) {
    Eigen::VectorXd x(size());
    qr_.solve({b.data(), in_.size()}, {x.data(), in_.size()});
    return (matrix() * x - b).norm() / b.norm();
  }

 private:
  Eigen::MatrixXd all_;
  std::vector<int> in_;
  UpdatableQr qr_;
};

Eigen::MatrixXd random_matrix(std::mt19937& random, int rows, int columns) {
  std::normal_distribution<double> normal;
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); });
}

TEST(UpdatableQr, HoldsItsDigitsOver10000Changes) {
  std::mt19937 random(1);
  constexpr int all = 60;
  for (const bool symmetric : {false, true}) {
    SCOPED_TRACE(symmetric);
    const Eigen::MatrixXd half = random_matrix(random, all, all);
    const Eigen::MatrixXd skewed = half + 10 * Eigen::MatrixXd::Identity(all, all);
    Subset subset(symmetric ? half * half.transpose() : skewed, all);
    double worst = 0;
    int largest = 0;
    for (int change = 0; change < 10000; ++change) {
      const int index = static_cast<int>(random() % all);
      if (subset.has(index)) {
        subset.remove(subset.place_of(index));
      } else {
        subset.append(index);
      }
      if (change % 100 != 99 || subset.size() == 0) continue;
      largest = std::max(largest, subset.size());
      worst = std::max(worst, subset.residual(random_matrix(random, subset.size(), 1)));
    }
    EXPECT_LT(worst, 1e-10);
    EXPECT_GT(largest, all / 2);
  }
}

TEST(UpdatableQr, SolvesWhatEigenSolves) {
  std::mt19937 random(2);
  for (const int size : {1, 2, 7, 8, 9, 17, 40}) {
    SCOPED_TRACE(size);
    Subset subset(random_matrix(random, size, size), size);
    for (int i = 0; i < size; ++i) subset.append(i);
    for (int round = 0; round < 3; ++round) {
      const Eigen::VectorXd b = random_matrix(random, subset.size(), 1);
      Eigen::VectorXd x = b;
      const auto n = static_cast<std::size_t>(subset.size());
      subset.qr().solve({x.data(), n}, {x.data(), n});
      EXPECT_LT((x - subset.matrix().fullPivLu().solve(b)).norm(), 1e-9 * x.norm());
      if (subset.size() < 3) break;
      subset.remove(0), subset.remove(subset.size() - 1);
    }
  }
}

// [0 1; 1 0] has no LU factors without pivoting, and is singular on the way
TEST(UpdatableQr, PassesThroughSingularMatrices) {
  Eigen::MatrixXd swap(3, 3);
  swap << 0, 1, 0, 1, 0, 0, 0, 0, 2;
  Subset subset(swap, 3);
  EXPECT_EQ(subset.append(0), 0);
  EXPECT_EQ(subset.append(1), 1);
  subset.append(2);
  EXPECT_LT(subset.residual(Eigen::Vector3d(1, 2, 3)), 1e-15);
  subset.remove(0);  // diag(0, 2) is left
  subset.append(0);
  EXPECT_LT(subset.residual(Eigen::Vector3d(1, 2, 3)), 1e-15);
}

// of a matrix of rank 5 any five rows and columns are independent; a sixth is not
TEST(UpdatableQr, TellsWhatDependsOnTheRest) {
  std::mt19937 random(3);
  const Eigen::MatrixXd half = random_matrix(random, 12, 5);
  Subset subset(half * half.transpose(), 12);
  for (int i = 0; i < 5; ++i) EXPECT_GT(subset.append(i), 1e-3) << i;
  EXPECT_LT(subset.append(7), 1e-14);
  subset.remove(5);
  EXPECT_LT(subset.residual(random_matrix(random, 5, 1)), 1e-12);
  // with the sixth in place of another
  subset.append(7), subset.remove(2);
  EXPECT_LT(subset.residual(random_matrix(random, 5, 1)), 1e-12);
}

TEST(UpdatableQr, AChangeCostsAsTheSquareOfTheSize) {
  std::mt19937 random(4);
  double last = 0;
  for (const int size : {64, 128, 256, 512}) {
    SCOPED_TRACE(size);
    // rows of which few have entries between them are cheap to append: the full ones come last
    Eigen::MatrixXd a = Eigen::MatrixXd::Identity(size, size);
    a.rightCols(4) = random_matrix(random, size, 4),
    a.bottomRows(4) = random_matrix(random, 4, size);
    Subset subset(a, size);
    for (int i = 0; i + 1 < size; ++i) subset.append(i);
    const std::int64_t before = subset.qr().operations();
    subset.append(size - 1);
    const std::int64_t between = subset.qr().operations();
    subset.remove(size / 2);
    const auto appended = static_cast<double>(between - before),
               removed = static_cast<double>(subset.qr().operations() - between);
    EXPECT_LT(subset.residual(random_matrix(random, size - 1, 1)), 1e-10);
    EXPECT_LT(appended, 7.0 * size * size);
    EXPECT_LT(removed, 9.0 * size * size);
    if (last > 0) {
      EXPECT_NEAR(std::log2((appended + removed) / last), 2, 0.2);
    }
    last = appended + removed;
  }
}

}  // namespace
}  // namespace abut
