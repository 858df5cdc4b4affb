#pragma once

#include <string>
#include <vector>

#include "abut/problem/friction_problem.hpp"

namespace abut {

/// A friction problem from a file, and the impulses that the file keeps with it, if any that are
/// not zero [N s].
struct FrictionFile {
  FrictionProblem problem;
  std::vector<Vec3> stored_impulse;
};

/// True if the file holds a friction problem: the arrays of an .npz file say so; an HDF5 file is
/// one of FCLIB.
/// @throws InputError if it is neither
/// @throws FileError if it cannot be read
bool is_friction_file(const std::string& path);

/// Reads and validates one: docs/formats/friction_problem.md.
/// @throws InputError naming the file and the array or contact
/// @throws FileError if the file cannot be read
FrictionFile load_friction_file(const std::string& path);

}  // namespace abut
