#pragma once

#include <string>

#include "abut/io/recording.hpp"

namespace abut::cli {

/// The recording that an argument names: a run's output directory stands for the one in it.
std::string recording_file(const std::string& argument);

/// Says on the standard error how a recording ends that was not closed. @returns the exit code
int report_end(const Recording& recording, const std::string& file);

}  // namespace abut::cli
