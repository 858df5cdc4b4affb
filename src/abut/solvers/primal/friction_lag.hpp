#pragma once

#include <span>
#include <vector>

#include "abut/problem/prepared_problem.hpp"
#include "abut/solvers/primal/contact_kernels.hpp"

namespace abut {

/// The fixed point gamma_n0 = gamma_n of Lagged friction in one island: what friction was given as
/// its normal impulse is to be what came out. With R = gamma_n - gamma_n0 at the velocities of a
/// solve,
///
///     gamma_n0 <- max(0, gamma_n0 + omega R),  omega by Aitken's rule from the last two R
///
/// which is a new convex problem, started where the last one ended.
class FrictionLag {
 public:
  void make_room(std::size_t contacts);

  /// Of these contacts of `problem`, with their gamma_n0 from `lagged` (by contact of the problem).
  void start(const PreparedProblem& problem, std::span<const std::int32_t> contacts,
             const std::vector<double>& lagged, const ContactArrays& arrays);

  /// The normal impulses of sweeps for gamma_n0.
  void take(const ContactArrays& arrays);

  /// Compares gamma_n0 with the impulses in `arrays`.
  void measure(const ContactArrays& arrays);

  /// The lag error: max mu |R| / max mu max(gamma_n, gamma_n0), 0 where there is no friction.
  double error() const { return error_; }
  /// sqrt(sum of w (mu R)^2) [J^(1/2)], to compare with a residual of momentum.
  double size() const { return size_; }

  /// gamma_n0 by the last measurement.
  void advance(const ContactArrays& arrays);

  /// Keeps the gamma_n0 of the last measurement, and takes what was kept.
  void keep(const ContactArrays& arrays);
  void recall(const ContactArrays& arrays);

  void write(const ContactArrays& arrays, std::vector<double>& lagged) const;

 private:
  void set(const ContactArrays& arrays, int i, double lagged_impulse);

  const PreparedProblem* problem_ = nullptr;
  std::span<const std::int32_t> contacts_;
  std::vector<double> residual_, previous_residual_;  ///< R
  std::vector<double> kept_;                          ///< gamma_n0
  double omega_ = 1, error_ = 0, size_ = 0;
  bool is_first_ = true;
};

}  // namespace abut
