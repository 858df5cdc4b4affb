#pragma once

#include <memory>
#include <string>

#include "abut/io/friction_file.hpp"
#include "solve_case.hpp"

namespace abut::cli {

/// A friction problem in impulses under a rigid model. @throws InputError if there is no such model
std::unique_ptr<SolveCase> make_friction_case(std::string name, FrictionFile file,
                                              const std::string& model);

}  // namespace abut::cli
