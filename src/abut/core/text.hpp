#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "abut/core/error.hpp"

namespace abut {

/// Offset of the first byte that is not part of well-formed UTF-8; npos when there is none.
std::size_t find_invalid_utf8(std::string_view text);

/// `text` in single quotes for a one-line message: at most `longest` bytes of it, control
/// characters and bytes that are not UTF-8 as \xNN.
std::string quote(std::string_view text, std::size_t longest = 64);

/// The word of `known` that `word` is most likely a slip of; empty when none is close: at most two
/// letters inserted, dropped or replaced, and fewer than half of the word.
template <class Words>
std::string_view nearest_word(std::string_view word, const Words& known);

/// The one of `values` (names, or what to_string() names) that is called `name`.
/// @throws InputError "model 'foo' is not known: must be one of ..." if none is; `what`: "model"
template <class Values>
auto find_named(const std::string& what, std::string_view name, const Values& values);

/// The values' names with commas between them.
template <class Values>
std::string list_names(const Values& values);

/// Letters to insert, drop or replace to turn `a` into `b` (Levenshtein).
int edit_distance(std::string_view a, std::string_view b);

template <class Value>
std::string_view name_text(const Value& value) {
  if constexpr (std::is_convertible_v<Value, std::string_view>) {
    return value;
  } else {
    return to_string(value);
  }
}

template <class Values>
std::string list_names(const Values& values) {
  std::string text;
  for (const auto& value : values) {
    text.append(text.empty() ? "" : ", ").append(name_text(value));
  }
  return text;
}

template <class Words>
std::string_view nearest_word(std::string_view word, const Words& known) {
  std::string_view nearest;
  int best = 3;
  constexpr std::size_t longest = 64;  // no slip of a word, and long to compare
  for (const std::string_view candidate : known) {
    const std::size_t longer = std::max(word.size(), candidate.size());
    if (longer > longest || longer - std::min(word.size(), candidate.size()) > 2) continue;
    const int distance = edit_distance(word, candidate);
    if (distance < best && 2 * distance < static_cast<int>(word.size())) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

template <class Values>
auto find_named(const std::string& what, std::string_view name, const Values& values) {
  for (const auto& value : values) {
    if (name == name_text(value)) return value;
  }
  const std::string known = list_names(values);
  fail_input(what + " " + quote(name) + " is not known: must be one of " + known);
}

}  // namespace abut
