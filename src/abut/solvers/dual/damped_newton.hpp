#pragma once

#include <vector>

#include "abut/solvers/dual/friction_solver.hpp"
#include "abut/solvers/dual/proximal_newton.hpp"
#include "abut/solvers/dual/scaled_problem.hpp"

namespace abut {

/// Proximal steps with a semi-smooth Newton method (ProximalNewton): eps falls from 1 to 10^-7
/// around no impulses, then around the impulses of the step before, until the model's error is
/// below the tolerance. Where Newton's method is stuck, eps rises again and the center moves.
/// Few factorizations, and exact to rounding, where it converges; not a method for masses that
/// differ by 10^3 and more.
class DampedNewton final : public FrictionSolver {
 public:
  std::string_view name() const noexcept override { return "semismooth-newton"; }
  bool supports(RigidModel model) const noexcept override { return model != RigidModel::raisim; }

 private:
  void iterate(const FrictionProblem& problem, const FrictionOptions& options,
               std::span<Vec3> impulse, FrictionReport& report) override;

  ScaledProblem problem_;
  ProximalNewton newton_;
  std::vector<Vec3> center_;
};

}  // namespace abut
