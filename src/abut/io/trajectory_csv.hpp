#pragma once

#include <string>
#include <vector>

#include "abut/control/signal.hpp"
#include "abut/core/error.hpp"

namespace abut {

/// A table of values over time: what its columns are called, and the signal with one channel each.
struct Trajectory {
  std::vector<std::string> names;
  TrajectorySignal signal;
};

/// Reads comma-separated values: a first line with "time" and the names of the other columns, then
/// one line per knot, times [s] rising. Empty lines and those that begin with # are passed over.
/// @throws FileError if it cannot be read (`at`: where it is asked for), InputError "file:line:
/// ..."
Trajectory load_trajectory(const std::string& path, const Origin& at = {});

}  // namespace abut
