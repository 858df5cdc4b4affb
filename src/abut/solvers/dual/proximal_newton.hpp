#pragma once

#include <span>
#include <vector>

#include "abut/linalg/block_lu.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "abut/solvers/dual/scaled_problem.hpp"

namespace abut {

/// One proximal step of a rigid model by a damped semi-smooth Newton method: the root z of
///
///     F(z) = eps (z - center) + W Pi(z) + g,   gamma = Pi(z)
///
/// on a scaled problem. Pi is, of the NCP, that of Alart and Curnier (1991): z_n+, and z_t within
/// the disk of radius mu z_n+; of the LCP the same with a square; of the CCP the projection on the
/// cone; of scalar constraints that between their bounds. gamma = center at a root solves the
/// model. Of a Newton step, the part is taken at which |F| is smaller, halved as often as need be.
/// z holds impulses that do not part from their cones by eps times rounding, so that roots are
/// exact to rounding whatever eps is.
class ProximalNewton {
 public:
  /// Sets the problem, which must outlive its use, and analyzes its pattern.
  void set(const ScaledProblem& problem, const FrictionOptions& options);

  /// z of impulses and their velocities: center - sigma / eps.
  void start(std::span<const Vec3> gamma, std::span<const Vec3> center, double eps);
  /// Other units of eps for the same impulses: Pi(z) stays, what z is beyond is scaled.
  void change(double from, double to);

  enum class End { root, stuck, singular };
  /// Newton's method until the norm of F, as the solvers' error counts, is at most `tolerance`, or
  /// after `limit` steps. Keeps the best impulses by the model's error, and ends where that is at
  /// most the options' tolerance.
  End run(std::span<const Vec3> center, double eps, double tolerance, int limit,
          FrictionReport& report);

  const std::vector<Vec3>& gamma() const { return gamma_; }  ///< Pi(z)
  const std::vector<Vec3>& best() const { return best_; }
  double best_error() const { return best_error_; }
  /// As the best, if they are; returns their error.
  double keep(std::span<const Vec3> gamma);

 private:
  double evaluate(std::span<const Vec3> center, double eps);
  bool find_step(double eps);
  Vec3 limit(int row, const Vec3& z) const;
  Mat3 slope(int row, const Vec3& z) const;

  const ScaledProblem* problem_ = nullptr;
  FrictionOptions options_;
  BlockLu lu_;
  BlockMatrix matrix_;
  std::vector<Vec3> z_, gamma_, sigma_, f_, step_, from_, best_, trial_;
  double best_error_ = 0;
};

}  // namespace abut
