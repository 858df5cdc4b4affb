#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "abut/view/solver_report.hpp"

namespace abut::cli {

struct CaseOptions {
  double tolerance = 0;
  int iteration_limit = 0;  ///< 0: the solver's own; only if limits_iterations()
  bool is_warm = false;     ///< from what start_warm() found
};

/// A problem in a file, which solvers are tried on: one interface for the two families of solvers.
class SolveCase {
 public:
  virtual ~SolveCase() = default;

  virtual std::string name() const = 0;         ///< as the user named it
  virtual std::string description() const = 0;  ///< "friction problem, model ncp, ..."
  virtual std::string_view model() const = 0;
  virtual std::vector<std::string_view> all_solvers() const = 0;  ///< which solve the model
  virtual std::string_view default_solver() const = 0;
  /// @throws InputError if there is no such solver, or it does not solve the model
  virtual void require_solver(std::string_view solver) const = 0;
  virtual double default_tolerance() const = 0;
  virtual bool limits_iterations() const = 0;

  virtual SolveRow solve(std::string_view solver, const CaseOptions& options) = 0;
  /// Solves the problem with its data changed by up to 1 %, a fixed random choice; warm solves
  /// start from that answer.
  virtual void start_warm() = 0;

  // of the last solve
  virtual void print_impulses() const = 0;
  virtual void save_solution(const std::string& path) const = 0;
  /// The problem in FCLIB's form, with its answer if `has_answer`.
  /// @throws InputError if it cannot be put so
  virtual void save_fclib(const std::string& path, bool has_answer) const = 0;

  /// The figures of an answer that came with the problem; empty if none did.
  virtual std::vector<SolveFigure> stored() const { return {}; }
};

}  // namespace abut::cli
