#pragma once

#include <memory>
#include <vector>

#include "abut/problem/delassus.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "abut/solvers/dual/friction_solver.hpp"

namespace abut {

/// Solves steps under rigid models in impulses, island by island: makes each island's friction
/// problem, solves it by a FrictionSolver from the impulses of the step before, and returns to
/// velocities by A (v - v*) = J^T gamma.
class RigidSolver final : public ContactSolver {
 public:
  /// @throws InputError if there is no friction solver of that name
  explicit RigidSolver(std::string_view name);
  ~RigidSolver() override;
  std::string_view name() const noexcept override { return method_->name(); }
  bool supports(ContactModel model) const noexcept override;

 private:
  class Worker;
  void iterate(const PreparedProblem& problem, std::span<const std::int32_t> islands,
               const SolveOptions& options, ContactSolution& x) override;

  std::unique_ptr<FrictionSolver> method_;  ///< asked what it can
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace abut
