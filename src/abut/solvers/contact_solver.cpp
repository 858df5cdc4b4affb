#include "abut/solvers/contact_solver.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include "abut/core/error.hpp"

namespace abut {

std::string_view to_string(SolveStatus status) {
  switch (status) {
    case SolveStatus::converged: return "converged";
    case SolveStatus::iteration_limit: return "iteration_limit";
    case SolveStatus::stalled: return "stalled";
    case SolveStatus::numerical_failure: return "numerical_failure";
  }
  return "";
}

SolveReport ContactSolver::solve(const ContactProblem& problem, const SolveOptions& options,
                                 ContactSolution& x) {
  if (!supports(problem.model)) {
    fail_input(std::string(name()) + " does not solve the model " +
               std::string(to_string(problem.model)));
  }
  if (x.velocity.empty()) x.velocity = problem.velocity;
  if (x.velocity.size() != problem.velocity.size()) {
    fail_input("the first guess has " + std::to_string(x.velocity.size()) +
               " velocities, the problem " + std::to_string(problem.velocity.size()));
  }
  const auto start = std::chrono::steady_clock::now();
  x.impulse.assign(problem.contacts.size(), {});
  x.islands.assign(problem.islands.size(), {});
  iterate(problem, options, x);
  free_trees_follow(problem, x);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

  SolveReport report;
  report.status = SolveStatus::converged;
  report.seconds = seconds.count();
  for (const IslandReport& i : x.islands) {
    report.status = worse(report.status, i.status);
    report.at_round_off = report.at_round_off || i.at_round_off;
    report.iterations = std::max(report.iterations, static_cast<int>(i.iterations));
    report.factorizations += i.factorizations;
    report.line_evaluations += i.line_evaluations;
    report.weighted_iterations += static_cast<double>(i.iterations) * i.contacts;
  }
  if (problem.contacts.size() > 0) report.weighted_iterations /= problem.contacts.size();
  report.certificate = certifier_.certify(problem, x.velocity, x.impulse);
  return report;
}

/// Trees without contact move freely.
void ContactSolver::free_trees_follow(const ContactProblem& problem, ContactSolution& x) {
  in_island_.assign(problem.trees.size(), false);
  for (const int t : problem.islands.trees) in_island_[t] = true;
  for (std::size_t t = 0; t < problem.trees.size(); ++t) {
    if (in_island_[t]) continue;
    const Tree& tree = problem.trees[t];
    std::copy_n(problem.free_velocity.begin() + tree.velocity, tree.size,
                x.velocity.begin() + tree.velocity);
  }
}

}  // namespace abut
