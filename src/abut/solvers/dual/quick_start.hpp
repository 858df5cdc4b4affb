#pragma once

#include <vector>

#include "abut/solvers/dual/central_path.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "abut/solvers/dual/scaled_problem.hpp"
#include "abut/solvers/dual/semismooth_newton.hpp"

namespace abut {

/// Solves what is easy for less than a few factorizations: by sweeps over the contacts where these
/// converge fast, by Newton's method where they have found what holds, slides and parts, or where
/// all holds, which sweeps find late in stacks.
class QuickStart {
 public:
  /// Improves scaled impulses of the given error; returns that of the better ones.
  double run(const ScaledProblem& problem, const FrictionOptions& options, CentralPath& path,
             SemismoothNewton& newton, std::vector<Vec3>& impulse, double error,
             FrictionReport& report);

  /// True if the last run left off sweeping that would have come to an end, after many sweeps.
  bool converges_slowly() const { return converges_slowly_; }

 private:
  double sweep(const ScaledProblem& problem, const FrictionOptions& options,
               FrictionReport& report);

  std::vector<Vec3> gamma_, sigma_, tried_;
  bool converges_slowly_ = false;
};

}  // namespace abut
