#pragma once

#include <string>

#include "abut/view/solver_report.hpp"

namespace abut::cli {

/// The report for programs: docs/formats/solve.md.
std::string solver_report_json(const SolverReport& report);

}  // namespace abut::cli
