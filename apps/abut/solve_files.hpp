#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solve_case.hpp"
#include "solve_friction.hpp"

namespace abut::cli {

/// Files, and in place of a folder the problems that lie in it, by name.
/// @throws InputError if a folder has none
/// @throws FileError if a folder cannot be read
std::vector<std::string> problem_files(const std::vector<std::string>& arguments);

/// The problem in a file; without a model a saved step is solved under its own.
/// @throws InputError, FileError
std::unique_ptr<SolveCase> load_case(const std::string& path, const FrictionArguments& arguments);

}  // namespace abut::cli
