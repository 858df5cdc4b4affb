#include "abut/io/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "abut/core/text.hpp"
#include "abut/io/file_descriptor.hpp"

namespace abut {

namespace {

/// What the user asked for, where, and why it cannot be had.
class Request {
 public:
  Request(const std::string& path, const Origin& at) : path_(path), at_(at) {}

  [[noreturn]] void fail(const std::string& reason) const {
    throw FileError(describe(at_) + "cannot read " + quote(path_, 1024) + ": " + reason);
  }
  [[noreturn]] void fail_system() const { fail(system_reason()); }

 private:
  const std::string& path_;
  const Origin& at_;
};

void check_kind(const struct stat& info, std::size_t limit, const Request& request) {
  if (S_ISDIR(info.st_mode)) request.fail("it is a directory");
  if (!S_ISREG(info.st_mode)) request.fail("it is a device, a socket or a pipe, not a file");
  if (static_cast<std::size_t>(info.st_size) > limit) {
    request.fail("it has " + std::to_string(info.st_size) + " bytes, at most " +
                 std::to_string(limit) + " are read");
  }
}

struct OpenFile {
  FileDescriptor descriptor;
  std::size_t size;
};

/// Looks at the kind before opening, since opening some devices acts on them, and again on the open
/// file, which may be another by then.
OpenFile open_regular(const std::string& path, std::size_t limit, const Request& request) {
  if (path.empty()) request.fail("the file name is empty");
  if (path.find('\0') != std::string::npos) request.fail("the file name has a zero byte");
  if (path.find("://") != std::string::npos) {
    request.fail("URLs are not read, only files on this machine");
  }
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) request.fail_system();
  check_kind(info, limit, request);
  FileDescriptor descriptor(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (descriptor.get() < 0 || ::fstat(descriptor.get(), &info) != 0) request.fail_system();
  check_kind(info, limit, request);
  return {std::move(descriptor), static_cast<std::size_t>(info.st_size)};
}

}  // namespace

void require_regular_file(const std::string& path, std::size_t limit, const Origin& at) {
  open_regular(path, limit, Request(path, at));
}

std::string read_input_file(const std::string& path, std::size_t limit, const Origin& at) {
  const Request request(path, at);
  const OpenFile file = open_regular(path, limit, request);
  std::string bytes(file.size, '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::read(file.descriptor.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) request.fail_system();
    if (got == 0) break;  // the file shrank
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace abut
