#pragma once

#include <memory>
#include <string>

#include "abut/io/friction_file.hpp"
#include "solve_case.hpp"

namespace abut::cli {

/// What is asked of friction problems beside a tolerance.
struct FrictionArguments {
  std::string model;      ///< a rigid model's name; empty: ncp, and a saved step's own
  double relaxation = 1;  ///< FrictionOptions::relaxation
  bool least_norm = false;
};

/// A friction problem in impulses under a rigid model. @throws InputError if there is no such model
std::unique_ptr<SolveCase> make_friction_case(std::string name, FrictionFile file,
                                              const FrictionArguments& arguments);

}  // namespace abut::cli
