#pragma once

#include <CLI/CLI.hpp>

namespace abut::cli {

/// What the process returns.
enum ExitCode : int {
  success = 0,        ///< all that was asked for was done, and every step converged
  wrong_input = 2,    ///< usage, scene, problem or recording
  not_converged = 3,  ///< done, but some step or solve did not converge
  input_output = 4,   ///< a file cannot be read or written
};

// Each adds its sub-command to the program; its callback leaves the exit code in `code`.
void add_run(CLI::App& app, int& code);
void add_compare(CLI::App& app, int& code);
void add_view(CLI::App& app, int& code);
void add_info(CLI::App& app, int& code);
void add_solve(CLI::App& app, int& code);
void add_export(CLI::App& app, int& code);
void add_replay(CLI::App& app, int& code);
void add_reproduce(CLI::App& app, int& code);
void add_models(CLI::App& app, int& code);

}  // namespace abut::cli
