#pragma once

#include <span>
#include <string>

#include "abut/io/friction_file.hpp"

namespace abut {

// The HDF5 layout of FCLIB, the collection of frictional contact problems of V. Acary, M. Bremond,
// T. Koziara and F. Perignon (INRIA RT-0444, 2014), normals first. Local problems are
//
//     u = W r + V l + q,   0 = V^T r + R l + s,   K contains r, perpendicular to u + mu |u_t| n in
//     K*,
//
// and global ones
//
//     M v = H r + G l + f,   0 = G^T v + b,   u = H^T v + w;
//
// velocities v and multipliers l of bilateral constraints are eliminated. Plane problems get a
// second tangent along which nothing acts.

/// True if the file begins as HDF5 files do. @throws FileError if it cannot be read
bool is_fclib_file(const std::string& path);

/// Reads and validates a problem of either form, and its solution if it has one.
/// @throws InputError naming the file and the dataset; also if abut was built without HDF5
/// @throws FileError if the file cannot be read
FrictionFile load_fclib(const std::string& path);

/// Writes a local problem, atomically, and its solution unless `impulse` is empty.
/// @throws InputError if it has scalar constraints, which FCLIB does not know; or without HDF5
/// @throws FileError
void save_fclib(const std::string& path, const FrictionProblem& problem,
                std::span<const Vec3> impulse = {});

}  // namespace abut
