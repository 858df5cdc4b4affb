#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abut/io/file_descriptor.hpp"

namespace abut {

/// A directory for the files of one run. A marker file in it, `.abut`, lists the names that abut
/// wrote: these, and nothing else, are deleted when the directory is used again.
class OutputDir {
 public:
  /// The path of `name` in the directory, listed as abut's from now on.
  /// @throws InputError if a file has the name that abut did not write, unless forced
  /// @throws FileError if something else than a file has it, or the list cannot be written
  std::string file(const std::string& name);

  const std::string& path() const { return path_; }

 private:
  friend OutputDir prepare_output_dir(const std::string& path, bool force);
  friend void list_output_files(const std::string& directory,
                                const std::vector<std::string>& names);
  OutputDir(std::string path, std::vector<std::string> names, bool force)
      : path_(std::move(path)), names_(std::move(names)), force_(force) {}
  void write_marker() const;

  std::string path_;
  std::vector<std::string> names_;  ///< in the marker
  bool force_;
  std::shared_ptr<FileDescriptor> lock_;  ///< held as long as the run uses the directory
};

/// Makes the directory, and those above it, or empties it of what abut wrote before.
/// @throws InputError if it exists, holds something and abut did not make it, unless `force`: then
///         it is used as it is, and files of the run's names are overwritten; or if it is no
///         directory, or another run uses it
/// @throws FileError if it cannot be made or written
OutputDir prepare_output_dir(const std::string& path, bool force);

/// The names that a run's directory lists as abut's; none elsewhere.
std::vector<std::string> listed_output_files(const std::string& directory);

/// Lists further files as abut's where `directory` is a run's; does nothing elsewhere.
void list_output_files(const std::string& directory, const std::vector<std::string>& names);

}  // namespace abut
