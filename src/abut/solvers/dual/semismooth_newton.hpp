#pragma once

#include <vector>

#include "abut/linalg/block_lu.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "abut/solvers/dual/scaled_problem.hpp"

namespace abut {

/// A proximal semi-smooth Newton method on Alart and Curnier's form (1991): with Pi(z) = (z_n+, z_t
/// within the disk of radius mu z_n+), or z between the bounds of scalar constraints, it solves
///
///     eps (z - gamma_k) + W Pi(z) + g = 0,   gamma_(k+1) = Pi(z),
///
/// of which gamma_(k+1) = gamma_k is a solution of the NCP. It finds it where what holds, slides
/// and parts is nearly known, also where an interior point method does not: where a contact has
/// neither impulse nor velocity.
class SemismoothNewton {
 public:
  /// Takes the last digits: improves scaled impulses of the given error; returns that of the better
  /// ones. `lu` must be analyzed for the problem's W.
  double improve(const ScaledProblem& problem, const FrictionOptions& options, BlockLu& lu,
                 std::vector<Vec3>& impulse, double error, FrictionReport& report);

  /// From where to guess what holds, slides and parts.
  enum class Guess {
    of_impulses,  ///< by the impulses and velocities given
    all_hold      ///< all contacts hold, no scalar constraint is at a bound
  };
  /// A few steps from a guess, from impulses of 0: the answer is near the smallest of several.
  /// Gives up early; as improve() otherwise.
  double try_guess(const ScaledProblem& problem, const FrictionOptions& options, Guess guess,
                   BlockLu& lu, std::vector<Vec3>& impulse, double error, FrictionReport& report);

 private:
  void resize(const FrictionProblem& p);
  double evaluate(const ScaledProblem& problem, const FrictionOptions& options);
  bool factor(const FrictionProblem& p, double eps, BlockLu& lu, FrictionReport& report);
  void step(double eps, BlockLu& lu);
  double evaluate_natural(const ScaledProblem& problem, const FrictionOptions& options);
  bool factor_natural(const FrictionProblem& p, double eps, Guess guess, BlockLu& lu,
                      FrictionReport& report);
  void step_natural(const FrictionProblem& p, double eps, Guess guess, BlockLu& lu);

  std::vector<Mat3> matrix_;  ///< blocks in the pattern of W
  std::vector<Vec3> center_, z_, gamma_, allowed_, sigma_, change_;
  std::vector<Mat3> slope_;
};

}  // namespace abut
