#pragma once

#include "abut/solvers/dual/sweep_solver.hpp"

namespace abut {

/// RaiSim's per-contact iteration [CB algorithm 5]: a contact parts if g~_n >= 0, sticks if
/// -W_ii^-1 g~ is in the cone, else slides by bisection, see slide_by_bisection(). Of what this
/// gives the share alpha is taken, which falls from `relaxation` towards 0.7 of it: by the printed
/// rule, but once a sweep, so that it does not depend on the number of contacts.
class Bisection final : public SweepSolver {
 public:
  std::string_view name() const noexcept override { return "bisection"; }
  bool supports(RigidModel model) const noexcept override { return model == RigidModel::raisim; }

 private:
  void prepare(const FrictionProblem& p, const FrictionOptions& options) override;
  void sweep(const FrictionProblem& p, const FrictionOptions& options,
             std::span<Vec3> gamma) override;

  double alpha_ = 1;
};

}  // namespace abut
