#include "abut/linalg/lanczos.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

namespace abut {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

double largest(const MatrixXd& a) {
  return largest_eigenvalue(static_cast<int>(a.rows()), [&](std::span<double> x) {
    Eigen::Map<VectorXd> v(x.data(), std::ssize(x));
    v = VectorXd(a * v);
  });
}

/// Symmetric, with these eigenvalues in random directions.
MatrixXd with_eigenvalues(const VectorXd& values) {
  const MatrixXd random = MatrixXd::Random(values.size(), values.size());
  const MatrixXd q = Eigen::HouseholderQR<MatrixXd>(random).householderQ();
  return q * values.asDiagonal() * q.transpose();
}

TEST(Lanczos, FindsTheLargestEigenvalue) {
  std::srand(1);
  for (const int n : {1, 2, 3, 10, 100, 600}) {
    const MatrixXd random = MatrixXd::Random(n, n), a = random + random.transpose();
    const VectorXd values = Eigen::SelfAdjointEigenSolver<MatrixXd>(a).eigenvalues();
    EXPECT_NEAR(largest(a), values[n - 1], 1e-6 * values.cwiseAbs().maxCoeff()) << n;
  }
}

TEST(Lanczos, OfEigenvaluesManyTimesAndNearEachOther) {
  EXPECT_NEAR(largest(5 * MatrixXd::Identity(40, 40)), 5, 1e-14);
  EXPECT_EQ(largest(MatrixXd::Zero(7, 7)), 0);
  EXPECT_NEAR(largest(with_eigenvalues(-VectorXd::LinSpaced(50, 1, 9))), -1, 1e-8);
  VectorXd values = VectorXd::LinSpaced(300, 1, 1e8);
  values.tail(3).setConstant(1e8);
  EXPECT_NEAR(largest(with_eigenvalues(values)), 1e8, 1e2);
  values.head(299) = VectorXd::Constant(299, 1e-8);  // one far from all others
  EXPECT_NEAR(largest(with_eigenvalues(values)), 1e8, 1e-6);
}

}  // namespace
}  // namespace abut
