#pragma once

#include <Eigen/Dense>

#include "abut/problem/prepared_problem.hpp"

namespace abut {

/// The convex problem with dense matrices and no structure: the oracle of the sparse solver.
struct DenseProblem {
  explicit DenseProblem(const PreparedProblem& problem);

  double cost(const Eigen::VectorXd& v) const;
  Eigen::VectorXd gradient(const Eigen::VectorXd& v) const;
  Eigen::MatrixXd hessian(const Eigen::VectorXd& v) const;

  /// Damped Newton until nothing improves.
  Eigen::VectorXd minimize() const;

  const PreparedProblem& q;
  const ContactProblem& p;
  Eigen::MatrixXd A, J;      ///< J: three rows per contact
  Eigen::MatrixXd scalar_J;  ///< a row per scalar constraint
  Eigen::VectorXd v_star, bias;
};

}  // namespace abut
