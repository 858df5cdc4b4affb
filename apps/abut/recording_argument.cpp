#include "recording_argument.hpp"

#include <cstdio>
#include <filesystem>

#include "commands.hpp"

namespace abut::cli {

std::string recording_file(const std::string& argument) {
  namespace fs = std::filesystem;
  return fs::is_directory(argument) ? (fs::path(argument) / "recording.bin").string() : argument;
}

int report_end(const Recording& recording, const std::string& file) {
  if (recording.end() == RecordingEnd::closed) return success;
  const std::string lost =
      recording.lost_bytes() == 0
          ? ""
          : " (" + std::to_string(recording.lost_bytes()) + " bytes are left out)";
  std::fprintf(stderr, "note: %s: %s%s\n", file.c_str(), to_string(recording.end()), lost.c_str());
  return recording.end() == RecordingEnd::damaged ? input_output : success;
}

}  // namespace abut::cli
