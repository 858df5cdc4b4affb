#include <algorithm>
#include <cmath>
#include <limits>

#include "abut/view/solver_report.hpp"

namespace abut {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double solved_in(const SolvedProblem& problem, const std::string& solver) {
  double seconds = infinity;
  for (const SolveRow& row : problem.rows) {
    if (row.solver == solver && !row.is_warm && row.is_converged) {
      seconds = std::min(seconds, row.seconds);
    }
  }
  return seconds;
}

}  // namespace

double fastest_of(const SolvedProblem& problem) {
  double seconds = infinity;
  for (const SolveRow& row : problem.rows) {
    seconds = std::min(seconds, solved_in(problem, row.solver));
  }
  return seconds;
}

std::vector<double> ratios_to_fastest(const SolverReport& report, const std::string& solver) {
  std::vector<double> all;
  for (const SolvedProblem& problem : report.problems) {
    const double seconds = solved_in(problem, solver);
    if (seconds < infinity && seconds > 0) all.push_back(seconds / fastest_of(problem));
  }
  std::ranges::sort(all);
  return all;
}

std::vector<SolverTally> tally(const SolverReport& report) {
  std::vector<SolverTally> all;
  for (const std::string& solver : report.solvers) {
    SolverTally t;
    t.solver = solver;
    for (const SolvedProblem& p : report.problems) {
      const bool tried = std::ranges::any_of(
          p.rows, [&](const SolveRow& row) { return row.solver == solver && !row.is_warm; });
      if (!tried) continue;
      ++t.tried;
      const double seconds = solved_in(p, solver);
      if (seconds == infinity) continue;
      ++t.solved;
      if (seconds == fastest_of(p)) ++t.fastest;
    }
    const std::vector<double> r = ratios_to_fastest(report, solver);
    double logs = 0;
    for (const double ratio : r) logs += std::log(ratio);
    if (!r.empty()) t.slower = std::exp(logs / static_cast<double>(r.size()));
    all.push_back(t);
  }
  return all;
}

}  // namespace abut
