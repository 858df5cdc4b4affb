#include "fuzz/fuzz_target.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace abut {
namespace {

/// Removed when the process ends well.
struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("abut-fuzz-" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

}  // namespace

std::string write_input(const char* name, const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  const std::string path = folder.path / name;
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
