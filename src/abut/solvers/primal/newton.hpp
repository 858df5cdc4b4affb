#pragma once

#include <memory>
#include <vector>

#include "abut/solvers/contact_solver.hpp"
#include "abut/solvers/primal/island_newton.hpp"
#include "abut/solvers/primal/lone_bodies.hpp"
#include "abut/solvers/primal/scalar_island.hpp"

namespace abut {

/// Newton's method for the convex models, island by island.
class Newton : public ContactSolver {
 public:
  explicit Newton(std::string_view name = "newton", const NewtonOptions& options = {})
      : name_(name), options_(options) {}
  std::string_view name() const noexcept override { return name_; }
  bool supports(ContactModel model) const noexcept override { return !traits(model).is_rigid; }

 private:
  bool takes_guess() const noexcept override { return options_.first_guess; }
  void iterate(const PreparedProblem& problem, std::span<const std::int32_t> islands,
               const SolveOptions& options, ContactSolution& x) override;

  /// Of one thread.
  struct Worker {
    explicit Worker(const NewtonOptions& options) : newton(options) {}
    IslandNewton newton;
    ScalarIsland scalars;
    LoneBodies lone;
  };
  void put_in_order(int group);
  void solve_lone_bodies(Worker& worker, const PreparedProblem& problem,
                         std::span<const std::int32_t> islands, const SolveOptions& options,
                         ContactSolution& x) const;
  void solve_island(Worker& worker, const PreparedProblem& problem, int island,
                    const SolveOptions& options, ContactSolution& x, Team* team) const;

  std::string_view name_;
  NewtonOptions options_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::int32_t> lone_, others_;  ///< islands to solve: LoneBodies, all others
  std::vector<std::int32_t> order_;          ///< items, by whose turn it is
  std::size_t room_ = 0;                     ///< for contacts, that the workers have
};

}  // namespace abut
