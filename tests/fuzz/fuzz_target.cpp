#include "fuzz/fuzz_target.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace abut {

std::string write_input(const char* name, const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path folder = [] {
    const auto path = std::filesystem::temp_directory_path() / ("abut-fuzz-" + std::to_string(getpid()));
    std::filesystem::create_directories(path);
    return path;
  }();
  const std::string path = folder / name;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  must(file.good(), "the temporary file cannot be written");
  return path;
}

void must(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

}  // namespace abut
