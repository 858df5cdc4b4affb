#pragma once

#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "abut/core/error.hpp"
#include "abut/core/text.hpp"

namespace abut {

/// Owns a file descriptor; -1 for none.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  /// Closes it now; false, with errno, if the system reports an error that it had kept back.
  bool close() { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

/// The system's reason for the last failed call.
inline std::string system_reason(int error = errno) {
  return std::generic_category().message(error);
}

[[noreturn]] inline void fail_writing(const std::string& path, const std::string& reason) {
  throw FileError("cannot write " + quote(path, 1024) + ": " + reason);
}

/// Writes all of `bytes`; false, with errno, if the system refuses.
inline bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace abut
