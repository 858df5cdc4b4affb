#pragma once

#include <vector>

#include "abut/solvers/dual/friction_solver.hpp"
#include "abut/solvers/dual/scaled_problem.hpp"

namespace abut {

/// Solves each contact in turn exactly, against the impulses of the others at hand.
void sweep_contacts(const FrictionProblem& problem, RigidModel model, std::span<Vec3> impulse);

/// Sweeps over the contacts, each solved exactly against the others' impulses (nonsmooth
/// Gauss-Seidel, Jourdan et al. 1998). Linear convergence, slow where masses differ or many
/// contacts bear each other.
class GaussSeidel final : public FrictionSolver {
 public:
  std::string_view name() const noexcept override { return "gauss-seidel"; }
  bool supports(RigidModel) const noexcept override { return true; }

 private:
  void iterate(const FrictionProblem& problem, const FrictionOptions& options,
               std::span<Vec3> impulse, FrictionReport& report) override;

  ScaledProblem problem_;
  std::vector<Vec3> gamma_, sigma_;
};

}  // namespace abut
