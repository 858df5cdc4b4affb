#pragma once

#include "abut/view/solver_report.hpp"

namespace abut::cli {

/// Columns that hold the longest of these names.
int name_width(const std::vector<std::string>& solvers);

/// The heads of the columns of print_row().
void print_head(int width, const std::vector<SolveFigure>& figures);
void print_row(int width, const SolveRow& row);
/// Figures alone.
void print_stored(int width, const std::vector<SolveFigure>& figures);

/// How often each solver met the tolerance.
void print_tally(int width, const SolverReport& report);

}  // namespace abut::cli
