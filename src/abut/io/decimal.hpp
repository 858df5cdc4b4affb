#pragma once

#include <string_view>

namespace abut {

/// A number as files write it. Values too small for a double are 0.
struct Decimal {
  double value = 0;
  const char* broken_rule = nullptr;  ///< why there is no `value`: "must be a finite number"
};

/// Reads a whole word as a decimal number, in C's notation whatever the locale: no hexadecimal, no
/// "inf", at most 1024 characters.
Decimal read_decimal(std::string_view word);

/// Takes the first word off `text`, which may begin with white space; empty if there is none.
std::string_view take_word(std::string_view& text);

}  // namespace abut
