#pragma once

#include <string>

#include "abut/io/recording.hpp"

namespace abut::cli {

/// @throws InputError if `argument` is a recording or a run's directory; `wanted`: what was to be
/// given instead, "a scene"
void refuse_recording(const std::string& argument, const char* wanted);

/// The recording that an argument names: a run's output directory stands for the one in it.
std::string recording_file(const std::string& argument);

/// Says on the standard error how a recording ends that was not closed. @returns the exit code
int report_end(const Recording& recording, const std::string& file);

}  // namespace abut::cli
