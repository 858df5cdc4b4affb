#pragma once

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace abut {

/// An argument of a program as a number >= 0, all of it; else the program says so and ends.
template <class Number = double>
Number number_argument(const char* text) {
  Number value{};
  const char* end = text + std::strlen(text);
  const auto [read, error] = std::from_chars(text, end, value);
  if (error == std::errc() && read == end && value >= Number{}) return value;
  std::fprintf(stderr, "'%s' is not a number that fits here\n", text);
  std::exit(2);
}

}  // namespace abut
