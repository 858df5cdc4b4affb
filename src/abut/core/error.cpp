#include "abut/core/error.hpp"

#include <cstdio>

namespace abut {

std::string describe(const Origin& at) {
  std::string text;
  if (!at.file.empty()) {
    text += at.file + ":";
    if (at.line > 0) text += std::to_string(at.line) + ":";
    text += " ";
  }
  if (!at.element.empty()) text += at.element + ": ";
  return text;
}

void fail_input(std::string_view text, const Origin& at) {
  throw InputError(describe(at).append(text));
}

void fail_rule(std::string_view name, double value, std::string_view unit, std::string_view rule,
               const Origin& at) {
  char number[32];
  std::snprintf(number, sizeof number, "%g", value);
  std::string text{name};
  text.append(" = ").append(number);
  if (!unit.empty()) text.append(" ").append(unit);
  text.append(", ").append(rule);
  fail_input(text, at);
}

}  // namespace abut
