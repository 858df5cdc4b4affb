#pragma once

#include <vector>

#include "abut/linalg/block_lu.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "abut/solvers/dual/scaled_problem.hpp"

namespace abut {

/// Takes the last digits of an answer by a proximal semi-smooth Newton method (Alart and Curnier
/// 1991): with Pi(z) = (z_n+, z_t within the disk of radius mu z_n+), or z between the bounds of
/// scalar constraints, it solves
///
///     eps (z - gamma_k) + W Pi(z) + g = 0,   gamma_(k+1) = Pi(z),
///
/// of which gamma_(k+1) = gamma_k is a solution of the NCP. It converges where an interior point
/// method does not: where a contact has neither impulse nor velocity.
class Polish {
 public:
  /// Improves scaled impulses of the given error; returns that of the better ones. `lu` must be
  /// analyzed for the problem's W.
  double improve(const ScaledProblem& problem, const FrictionOptions& options, BlockLu& lu,
                 std::vector<Vec3>& impulse, double error, FrictionReport& report);

 private:
  bool newton_step(const FrictionProblem& p, BlockLu& lu);

  BlockMatrix matrix_;
  std::vector<Vec3> center_, z_, gamma_, sigma_, change_;
};

}  // namespace abut
