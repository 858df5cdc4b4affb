#pragma once

#include <span>

#include "abut/solvers/dual/sweep_solver.hpp"

namespace abut {

/// Solves each contact in turn exactly, against the impulses of the others at hand, and takes the
/// share `relaxation` of the change.
void sweep_contacts(const FrictionProblem& problem, RigidModel model, std::span<Vec3> impulse,
                    double relaxation = 1);

/// Sweeps over the contacts, each solved exactly against the others' impulses (nonsmooth
/// Gauss-Seidel, Jourdan et al. 1998). Linear convergence, slow where masses differ or many
/// contacts bear each other.
class GaussSeidel final : public SweepSolver {
 public:
  std::string_view name() const noexcept override { return "gauss-seidel"; }
  bool supports(RigidModel) const noexcept override { return true; }

 private:
  void sweep(const FrictionProblem& p, const FrictionOptions& options,
             std::span<Vec3> gamma) override {
    sweep_contacts(p, options.model, gamma, options.relaxation);
  }
};

}  // namespace abut
