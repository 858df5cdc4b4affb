#include "solve_measure.hpp"

#include <algorithm>
#include <cmath>

#include "format.hpp"

namespace abut::cli {
namespace {

constexpr double enough = 0.1;  ///< [s] after which a solve is not repeated

double error_of(const SolveRow& row) {
  return row.figures.front().value;
}

/// The first answer, with the shortest time of the repetitions.
SolveRow solve_repeatedly(SolveCase& problem, std::string_view solver, const CaseOptions& options,
                          int repetitions) {
  SolveRow row = problem.solve(solver, options);
  double spent = row.seconds;
  for (int k = 1; k < repetitions && spent < enough; ++k) {
    const double seconds = problem.solve(solver, options).seconds;
    spent += seconds;
    row.seconds = std::min(row.seconds, seconds);
  }
  return row;
}

/// What was fast enough for a small error was so for a larger one: without this, tolerances that
/// are met by the same answer show the noise of their times.
void take_best_times(std::vector<AccuracyPoint>& points) {
  for (AccuracyPoint& a : points) {
    for (const AccuracyPoint& b : points) {
      const bool counts = a.is_converged && b.is_converged && b.error <= a.error;
      if (counts) a.seconds = std::min(a.seconds, b.seconds);
    }
  }
}

/// By tolerances of 1e-1 to 1e-12, down to the first that is not met.
AccuracyCurve climb(SolveCase& problem, std::string_view solver, bool is_warm, int repetitions,
                    const BeforeSolve& before) {
  AccuracyCurve curve{.solver = std::string(solver), .is_warm = is_warm, .points = {}};
  for (int digits = 1; digits <= 12; ++digits) {
    const double tolerance = std::pow(10.0, -digits);
    if (!before(format("%s, %s start, 1e-%d", curve.solver.c_str(), is_warm ? "warm" : "cold",
                       digits))) {
      break;
    }
    const SolveRow row = solve_repeatedly(
        problem, solver, {.tolerance = tolerance, .iteration_limit = 0, .is_warm = is_warm},
        repetitions);
    if (!std::isfinite(error_of(row))) break;
    curve.points.push_back(
        {tolerance, error_of(row), row.seconds, row.iterations, row.is_converged});
    if (!row.is_converged) break;
  }
  take_best_times(curve.points);
  return curve;
}

/// By limits that rise up to `most`, while that is cheap.
IterationCurve count(SolveCase& problem, std::string_view solver, int most,
                     const BeforeSolve& before) {
  constexpr double tolerance = 1e-12, budget = 0.3;  // [s]
  IterationCurve curve{.solver = std::string(solver), .points = {}};
  double spent = 0;
  int last = 0;
  const auto after = [&](int limit) {
    return limit == most ? most + 1 : std::min(most, std::max(limit + 1, limit * 3 / 2));
  };
  for (int limit = 1; limit <= most && spent < budget; limit = after(limit)) {
    if (!before(format("%s, %d iterations", curve.solver.c_str(), limit))) break;
    const SolveRow row =
        problem.solve(solver, {.tolerance = tolerance, .iteration_limit = limit, .is_warm = false});
    spent += row.seconds;
    if (!std::isfinite(error_of(row))) break;
    if (row.iterations > last) curve.points.push_back({row.iterations, error_of(row)});
    last = std::max(last, row.iterations);
    if (row.is_converged) break;
  }
  return curve;
}

}  // namespace

SolveRow measure(SolveCase& problem, std::string_view solver, const MeasureOptions& options,
                 const BeforeSolve& before, SolvedProblem& result) {
  const CaseOptions once{.tolerance = options.tolerance, .iteration_limit = 0, .is_warm = false};
  CaseOptions warm = once;
  warm.is_warm = true;
  if (options.has_warm && before(std::string(solver) + ", warm start")) {
    result.rows.push_back(solve_repeatedly(problem, solver, warm, options.repetitions));
  }
  if (options.has_curves) {
    int most = 0;  // iterations
    for (const bool is_warm : {false, true}) {
      AccuracyCurve curve = climb(problem, solver, is_warm, options.repetitions, before);
      for (const AccuracyPoint& p : curve.points) {
        if (!is_warm) most = std::max(most, p.iterations);
      }
      if (!curve.points.empty()) result.accuracy.push_back(std::move(curve));
    }
    if (problem.limits_iterations()) {
      IterationCurve curve = count(problem, solver, most, before);
      if (curve.points.size() > 1) result.iterations.push_back(std::move(curve));
    }
  }
  // the last of all, so that its answer is the one that the case holds
  SolveRow cold = solve_repeatedly(problem, solver, once, options.repetitions);
  const auto warm_row = result.rows.empty() || result.rows.back().solver != solver
                            ? result.rows.end()
                            : result.rows.end() - 1;
  result.rows.insert(warm_row, cold);
  return cold;
}

}  // namespace abut::cli
