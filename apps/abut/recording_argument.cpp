#include "recording_argument.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "abut/core/text.hpp"
#include "abut/io/recording_format.hpp"
#include "commands.hpp"

namespace abut::cli {

std::string recording_file(const std::string& argument) {
  namespace fs = std::filesystem;
  std::error_code error;
  return fs::is_directory(argument, error) ? (fs::path(argument) / "recording.bin").string()
                                           : argument;
}

void refuse_recording(const std::string& argument, const char* wanted) {
  const std::string file = recording_file(argument);
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return;
  std::string begin(recording_magic.size(), ' ');
  std::ifstream(file, std::ios::binary).read(begin.data(), std::ssize(begin));
  if (begin != recording_magic) return;
  fail_input(quote(argument, 1024) + " is a recording, not " + wanted +
             ": abut replay and abut export read it");
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
