#pragma once

#include <string>
#include <string_view>

#include "abut/core/error.hpp"
#include "abut/core/text.hpp"
#include "abut/io/decimal.hpp"

namespace abut::mesh {

/// The lines of a text, with their numbers.
class TextLines {
 public:
  TextLines(std::string_view text, const std::string& path) : rest_(text), at_{path, 0, {}} {}

  /// The next line without its end; false after the last.
  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++at_.line;
    return true;
  }

  [[noreturn]] void fail(const std::string& text) const { fail_input(text, at_); }

  double coordinate(std::string_view word) const {
    const Decimal number = read_decimal(word);
    if (number.broken_rule != nullptr)
      fail("coordinate " + quote(word) + ", " + number.broken_rule);
    return number.value;
  }

 private:
  std::string_view rest_;
  Origin at_;
};

}  // namespace abut::mesh
