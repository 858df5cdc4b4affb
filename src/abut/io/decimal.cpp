#include "abut/io/decimal.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace abut {

namespace {

constexpr std::size_t longest_number = 1024;  // characters

}  // namespace

Decimal read_decimal(std::string_view word) {
  if (word.size() > longest_number) return {0, "must have at most 1024 characters"};
  std::string_view digits = word;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end != digits.data() + digits.size() || error == std::errc::invalid_argument ||
      digits.starts_with('-') != word.starts_with('-')) {
    return {0, "must be a decimal number"};
  }
  // Too small for a double is zero, too large is an error.
  const std::size_t exponent = digits.find_first_of("eE");
  if (error == std::errc::result_out_of_range && exponent != std::string_view::npos &&
      digits.substr(exponent + 1).starts_with('-')) {
    return {0, nullptr};
  }
  if (error != std::errc{} || !std::isfinite(value)) return {0, "must be a finite number"};
  return {value, nullptr};
}

std::string_view take_word(std::string_view& text) {
  constexpr std::string_view white_space = " \t\n\v\f\r";
  text.remove_prefix(std::min(text.find_first_not_of(white_space), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(white_space));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace abut
