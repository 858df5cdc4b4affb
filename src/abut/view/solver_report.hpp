#pragma once

#include <optional>
#include <string>
#include <vector>

namespace abut {

/// A number by which an answer is judged.
struct SolveFigure {
  std::string label;  ///< in tables: "eps_p"
  std::string key;    ///< for programs: "model_primal"
  std::string unit;
  double value = 0;
};

/// One solve of one problem.
struct SolveRow {
  std::string solver, status;
  bool is_converged = false;
  bool is_warm = false;  ///< from the answer of a problem like it
  int iterations = 0, factorizations = 0;
  double seconds = 0;                ///< wall time, without the certificate
  std::vector<SolveFigure> figures;  ///< from the certificate; the first is what solvers stop by
  std::string remark;
};

/// How long a solver took, asked for a tolerance.
struct AccuracyPoint {
  double tolerance = 0, error = 0;  ///< what was asked for, what the certificate says
  double seconds = 0;
  int iterations = 0;
  bool is_converged = false;
};
struct AccuracyCurve {
  std::string solver;
  bool is_warm = false;
  std::vector<AccuracyPoint> points;  ///< by falling tolerance
};

/// The error that a solver left when it was stopped early.
struct IterationPoint {
  int iterations = 0;
  double error = 0;
};
struct IterationCurve {
  std::string solver;
  std::vector<IterationPoint> points;  ///< by rising number
};

struct SolvedProblem {
  std::string name, description;
  std::string model;
  double tolerance = 0;  ///< of the rows
  std::vector<SolveRow> rows;
  std::vector<SolveFigure> stored;  ///< of an answer that came with the problem
  std::vector<AccuracyCurve> accuracy;
  std::vector<IterationCurve> iterations;
};

struct SolverReport {
  int repetitions = 1;               ///< of which the shortest time is given
  std::string program;               ///< what measured: "abut 0.1.0, avx512"
  std::string interrupted;           ///< the signal that ended it early
  std::vector<std::string> solvers;  ///< of all problems, in the order of their colours
  std::vector<SolvedProblem> problems;
};

/// How often a solver met the tolerance, cold.
struct SolverTally {
  std::string solver;
  int tried = 0, solved = 0, fastest = 0;
  double slower = 1;  ///< geometric mean of its time over the fastest's, where it solved
};
/// By solver, in the report's order.
std::vector<SolverTally> tally(const SolverReport& report);

/// The shortest time of a cold solve that converged [s]; infinite if none did.
double fastest_of(const SolvedProblem& problem);
/// By how many times a solver was slower than the fastest, of each problem it solved; they ascend.
std::vector<double> ratios_to_fastest(const SolverReport& report, const std::string& solver);

/// A page of its own that needs no script and no network: tables, time over accuracy, error over
/// iterations, and of several problems a performance profile (Dolan, More 2002): the part of the
/// problems that a solver solves within a factor of the fastest solver's time.
std::string solver_report_page(const SolverReport& report);

}  // namespace abut
