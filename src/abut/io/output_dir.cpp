#include "abut/io/output_dir.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>

#include "abut/io/atomic_file.hpp"
#include "abut/io/input_file.hpp"

namespace abut {
namespace {

namespace fs = std::filesystem;

constexpr const char* marker_name = ".abut";
constexpr const char* marker_title = "abut output, format 1: the files listed here are replaced";

std::string join(const std::string& directory, const std::string& name) {
  return (fs::path(directory) / name).string();
}

/// What has this name in the directory, links not followed; nullopt for nothing.
std::optional<mode_t> kind_of(const std::string& path) {
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0) return std::nullopt;
  return info.st_mode;
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name.find('/') == std::string::npos && name != "." && name != "..";
}

/// The names in the directory's marker; nullopt if it has none, or one that abut did not write.
std::optional<std::vector<std::string>> read_marker(const std::string& directory) {
  const std::string path = join(directory, marker_name);
  const auto kind = kind_of(path);
  if (!kind || !S_ISREG(*kind)) return std::nullopt;
  std::istringstream text(read_input_file(path, 1 << 24));
  std::string line;
  if (!std::getline(text, line) || line != marker_title) return std::nullopt;
  std::vector<std::string> names;
  while (std::getline(text, line)) {
    if (is_plain_name(line)) names.push_back(line);
  }
  return names;
}

/// Deletes regular files only: whatever else has the name now is somebody else's.
void remove_listed(const std::string& directory, const std::vector<std::string>& names) {
  const FileDescriptor folder(::open(directory.c_str(), O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) fail_writing(directory, system_reason());
  for (const std::string& name : names) {
    struct stat info;
    if (::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(info.st_mode)) continue;
    if (::unlinkat(folder.get(), name.c_str(), 0) != 0) {
      throw FileError("cannot replace " + quote(join(directory, name), 1024) + ": " +
                      system_reason());
    }
  }
}

/// Whether there is something; throws FileError unless it is a regular file.
bool check_kind(const std::string& path) {
  const auto kind = kind_of(path);
  if (!kind || S_ISREG(*kind)) return kind.has_value();
  fail_writing(path, S_ISDIR(*kind)   ? "it is a directory"
                     : S_ISLNK(*kind) ? "it is a symbolic link, which abut does not follow here"
                                      : "it is a device, a socket or a pipe");
}

}  // namespace

void OutputDir::write_marker() const {
  const std::string path = join(path_, marker_name);
  check_kind(path);
  std::string text = std::string(marker_title) + "\n";
  for (const std::string& name : names_) text += name + "\n";
  write_file_atomic(path, text);
}

std::string OutputDir::file(const std::string& name) {
  const std::string path = join(path_, name);
  const bool exists = check_kind(path);
  if (std::find(names_.begin(), names_.end(), name) != names_.end()) return path;
  if (exists && !force_) {
    fail_input(
        quote(path, 1024) +
        " was not written by abut: choose another output directory or overwrite it with --force");
  }
  names_.push_back(name);
  write_marker();
  return path;
}

namespace {

/// Locks the directory against other runs until the descriptor is closed.
std::shared_ptr<FileDescriptor> lock(const std::string& path) {
  auto folder = std::make_shared<FileDescriptor>(::open(path.c_str(), O_DIRECTORY | O_CLOEXEC));
  if (folder->get() < 0) fail_writing(path, system_reason());
  if (::flock(folder->get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    fail_input("output directory " + quote(path, 1024) + " is in use by another run");
  }
  return folder;  // a file system without locks does without
}

/// A temporary file that a killed run has left.
bool is_leftover(const std::string& name) {
  return name.starts_with(".abut-") && name.ends_with(".tmp");
}

bool holds_nothing(const std::string& path) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    if (!is_leftover(entry.path().filename().string())) return false;
  }
  if (error) fail_writing(path, system_reason(error.value()));
  return true;
}

void remove_leftovers(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    const std::string name = entry.path().filename().string();
    if (is_leftover(name)) names.push_back(name);
  }
  remove_listed(path, names);
}

}  // namespace

OutputDir prepare_output_dir(const std::string& path, bool force) {
  if (path.empty()) fail_input("the name of the output directory is empty");
  if (path.find('\0') != std::string::npos) {
    fail_input("the name of the output directory has a zero byte");
  }
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (error && status.type() != fs::file_type::not_found) {
    fail_writing(path, system_reason(error.value()));
  }
  if (!fs::exists(status)) {
    fs::create_directories(path, error);
    if (error) {
      throw FileError("cannot make the directory " + quote(path, 1024) + ": " +
                      system_reason(error.value()));
    }
  } else if (!fs::is_directory(status)) {
    fail_input("output directory " + quote(path, 1024) + " is a file: choose another name");
  } else if (!force && !read_marker(path) && !holds_nothing(path)) {
    fail_input("output directory " + quote(path, 1024) +
               " holds files that abut did not write: choose another or write into it with "
               "--force");
  }
  OutputDir directory(path, {}, force);
  directory.lock_ = lock(path);
  if (const auto listed = read_marker(path)) remove_listed(path, *listed);
  remove_leftovers(path);
  directory.write_marker();
  return directory;
}

std::vector<std::string> listed_output_files(const std::string& directory) {
  return read_marker(directory).value_or(std::vector<std::string>{});
}

void list_output_files(const std::string& directory, const std::vector<std::string>& names) {
  auto listed = read_marker(directory);
  if (!listed) return;
  OutputDir known(directory, std::move(*listed), true);
  for (const std::string& name : names) known.file(name);
}

}  // namespace abut
