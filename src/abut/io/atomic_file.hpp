#pragma once

#include <string>
#include <string_view>

#include "abut/io/file_descriptor.hpp"

namespace abut {

/// A file that appears under its name whole or not at all: written beside it under another name,
/// then renamed. Without commit() nothing is left. A symbolic link is followed; a device or a pipe
/// is written directly.
class AtomicFile {
 public:
  /// Throws FileError with the system's reason, as all functions here do.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  /// Brings it to the disk and to its name.
  void commit();

 private:
  std::string path_;       ///< as the user named it
  std::string target_;     ///< the file itself, links followed
  std::string temporary_;  ///< empty when the target is written directly
  FileDescriptor file_;
};

/// Writes a whole file atomically.
void write_file_atomic(const std::string& path, std::string_view bytes);

}  // namespace abut
