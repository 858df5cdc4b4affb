#pragma once

#include <functional>
#include <string>

#include "solve_case.hpp"

namespace abut::cli {

struct MeasureOptions {
  double tolerance = 0;
  int repetitions = 1;      ///< at most; fewer where a solve takes long
  bool has_warm = false;    ///< also from warm starts
  bool has_curves = false;  ///< also by a ladder of tolerances, and of iteration limits
};

/// Says what comes next; false ends the measurement.
using BeforeSolve = std::function<bool(const std::string& what)>;

/// Solves the case by one solver and adds what was found to `result`. A warm start needs
/// start_warm() before. Returns the cold row, which `result` then holds too.
SolveRow measure(SolveCase& problem, std::string_view solver, const MeasureOptions& options,
                 const BeforeSolve& before, SolvedProblem& result);

}  // namespace abut::cli
