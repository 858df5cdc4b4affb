#pragma once

#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

namespace abut {

/// Where an input came from; empty when code built it.
struct Origin {
  std::string file;     ///< as the user named it
  int line = 0;         ///< 1-based; 0 when unknown
  std::string element;  ///< for example "geom 'box3'"
};

/// Wrong input from a caller or a file: the message names place, value, unit and rule.
class InputError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A file that cannot be read or written: the message names the file and the system's reason.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// No memory for what was asked for: the message names it.
class OutOfMemory : public std::bad_alloc {
 public:
  /// `doing`: "loading 'scene.xml'"
  explicit OutOfMemory(const std::string& doing)
      : text_(std::make_shared<const std::string>("out of memory " + doing)) {}
  const char* what() const noexcept override { return text_->c_str(); }

 private:
  std::shared_ptr<const std::string> text_;  ///< copies of exceptions must not throw
};

/// "file:line: element: ", as far as the parts are known; empty for an empty origin.
std::string describe(const Origin& at);

/// Throws InputError with the origin in front of `text`.
[[noreturn]] void fail_input(std::string_view text, const Origin& at = {});

/// What require() throws.
[[noreturn, gnu::cold]] void fail_rule(std::string_view name, double value, std::string_view unit,
                                       std::string_view rule, const Origin& at = {});

/// Throws InputError "file:line: element: name = value unit, rule" unless `ok`. Always on.
/// Write the condition so that NaN fails it.
inline void require(bool ok, std::string_view name, double value, std::string_view unit,
                    std::string_view rule, const Origin& at = {}) {
  if (!ok) fail_rule(name, value, unit, rule, at);
}

}  // namespace abut
