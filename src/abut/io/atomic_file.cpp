#include "abut/io/atomic_file.hpp"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdio>
#include <filesystem>

namespace abut {
namespace {

/// The file that `path` leads to, if that is a regular one; else `path`.
std::string follow_links(const std::string& path, const struct stat& info) {
  char resolved[PATH_MAX];
  if (!S_ISREG(info.st_mode) || ::realpath(path.c_str(), resolved) == nullptr) return path;
  return resolved;
}

/// A name in the folder of `target` that nothing else has.
std::string temporary_name(const std::string& target) {
  static std::atomic<unsigned> count = 0;
  const std::string name =
      ".abut-" + std::to_string(::getpid()) + "-" + std::to_string(count++) + ".tmp";
  return (std::filesystem::path(target).parent_path() / name).string();
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(path) {
  if (path.empty()) fail_writing(path, "the file name is empty");
  if (path.find('\0') != std::string::npos) fail_writing(path, "the file name has a zero byte");
  struct stat info;
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (!exists && errno != ENOENT) fail_writing(path, system_reason());
  if (!exists && ::lstat(path.c_str(), &info) == 0) {
    fail_writing(path, "it is a symbolic link to nothing");
  }
  if (exists && S_ISDIR(info.st_mode)) fail_writing(path, "it is a directory");
  if (exists && ::access(path.c_str(), W_OK) != 0) fail_writing(path, system_reason());
  if (exists && !S_ISREG(info.st_mode)) {
    file_ = FileDescriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file_.get() < 0) fail_writing(path, system_reason());
    return;
  }
  if (exists) target_ = follow_links(path, info);
  const std::string temporary = temporary_name(target_);
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  file_ = FileDescriptor(::open(temporary.c_str(), flags, 0666));
  if (file_.get() < 0) fail_writing(path, system_reason());
  temporary_ = temporary;
  if (exists) ::fchmod(file_.get(), info.st_mode & 0777);  // where it may; else as a new file
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  if (!write_all(file_.get(), bytes)) fail_writing(path_, system_reason());
}

void AtomicFile::commit() {
  if (temporary_.empty()) {
    if (!file_.close()) fail_writing(path_, system_reason());
    return;
  }
  // to the disk before the rename: else a crash could leave an empty file under the name
  if (::fsync(file_.get()) != 0 || !file_.close() ||
      std::rename(temporary_.c_str(), target_.c_str()) != 0) {
    fail_writing(path_, system_reason());
  }
  temporary_.clear();
}

void write_file_atomic(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace abut
