#pragma once

#include <memory>
#include <span>
#include <vector>

#include "abut/solvers/contact_solver.hpp"

namespace abut {

/// The Cholesky factor of the exact Hessian of a problem's cost at a solution,
///
///     H = A + J^T G J,   G = hess l(J v + b)     [SAP 19]
///
/// island by island, whatever the solver did on its way there. By the implicit function theorem it
/// gives derivatives of the solution: v depends on v* by dv/dv* = H^-1 A. Lagged friction counts
/// with the gamma_n0 that it was solved with. Its products and its condition number tell how hard
/// the step is.
class HessianFactor {
 public:
  HessianFactor();
  ~HessianFactor();
  HessianFactor(const HessianFactor&) = delete;
  HessianFactor& operator=(const HessianFactor&) = delete;

  /// At x.velocity, x a solution of `problem`, which is read by solve() again. False if H is not
  /// positive definite in rounded numbers.
  /// @throws InputError if the problem is not prepared, or x is not a solution of it
  bool compute(const PreparedProblem& problem, const ContactSolution& x);

  /// u becomes H^-1 u; all dofs of the problem. After a compute() that gave true.
  /// @throws InputError if u has another size
  void solve(std::span<double> u);

  /// u becomes H u, likewise.
  void multiply(std::span<double> u);

  /// The largest eigenvalue of H over the smallest, by Lanczos' method, to about 1e-5; 1 without
  /// dofs. In the units of the dofs, as the papers plot it. After a compute() that gave true.
  /// @throws InputError before any compute()
  double condition();

 private:
  struct Part;
  void require_size(std::span<const double> u, const char* function) const;

  const PreparedProblem* problem_ = nullptr;
  std::vector<std::unique_ptr<Part>> parts_;  ///< by island; kept for the next problem
  std::vector<std::int32_t> free_;            ///< trees in no island
  std::size_t count_ = 0;                     ///< islands
  std::vector<double> change_, work_;
};

}  // namespace abut
