#include "solve_table.hpp"

#include <algorithm>
#include <cstdio>

namespace abut::cli {
namespace {

constexpr std::size_t columns = 8;  ///< as many figures as fit a line

std::string figure_columns(const std::vector<SolveFigure>& figures) {
  std::string text;
  for (std::size_t i = 0; i < std::min(columns, figures.size()); ++i) {
    char number[32];
    std::snprintf(number, sizeof number, "  %.2e", figures[i].value);
    text += number;
  }
  return text;
}

}  // namespace

int name_width(const std::vector<std::string>& solvers) {
  std::size_t width = 14;
  for (const std::string& name : solvers) width = std::max(width, name.size());
  return static_cast<int>(width);
}

void print_head(int width, const std::vector<SolveFigure>& figures) {
  std::printf("%-*s %-17s %5s %5s %10s", width, "solver", "status", "its", "fact", "us");
  for (std::size_t i = 0; i < std::min(columns, figures.size()); ++i) {
    std::printf("  %-8s", figures[i].label.c_str());
  }
  std::puts("");
}

void print_row(int width, const SolveRow& row) {
  std::printf("%-*s %-17s %5d %5d %10.1f%s%s%s\n", width, row.solver.c_str(), row.status.c_str(),
              row.iterations, row.factorizations, 1e6 * row.seconds,
              figure_columns(row.figures).c_str(), row.remark.empty() ? "" : "  ",
              row.remark.c_str());
}

void print_stored(int width, const std::vector<SolveFigure>& figures) {
  std::printf("%-*s %-17s %22s%s\n", width, "in the file", "", "", figure_columns(figures).c_str());
}

void print_tally(int width, const SolverReport& report) {
  std::printf("%zu problems\n%-*s %5s %6s %7s  %s\n", report.problems.size(), width, "solver",
              "tried", "solved", "fastest", "slower than the fastest, geometric mean");
  for (const SolverTally& t : tally(report)) {
    std::printf("%-*s %5d %6d %7d", width, t.solver.c_str(), t.tried, t.solved, t.fastest);
    if (t.solved > 0) std::printf("  %.3g times", t.slower);
    std::puts("");
  }
}

}  // namespace abut::cli
