#pragma once

#include <memory>
#include <string>

#include "abut/problem/contact_problem.hpp"
#include "solve_case.hpp"

namespace abut::cli {

/// A saved step under its own contact model.
std::unique_ptr<SolveCase> make_step_case(std::string name, ContactProblem problem);

}  // namespace abut::cli
