#pragma once

#include <optional>
#include <string>

namespace abut::cli {

/// `abut solve` of a file that holds a friction problem in impulses.
struct FrictionArguments {
  std::string problem, solver, model = "ncp", solution;
  std::optional<double> tolerance;
  bool impulses = false;
};

/// Returns the exit code.
int solve_friction(const FrictionArguments& arguments);

}  // namespace abut::cli
