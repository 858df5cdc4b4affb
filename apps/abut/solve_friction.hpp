#pragma once

#include <optional>
#include <span>
#include <string>

#include "abut/problem/friction_problem.hpp"

namespace abut::cli {

/// `abut solve` of a friction problem in impulses.
struct FrictionArguments {
  std::string solver, model, solution;
  std::optional<double> tolerance;
  bool impulses = false;
};

/// Prints a row of figures for each solver; `stored` are impulses that came with the problem, or
/// none. Returns the exit code.
int solve_friction(const std::string& name, const FrictionProblem& problem,
                   std::span<const Vec3> stored, const FrictionArguments& arguments);

}  // namespace abut::cli
