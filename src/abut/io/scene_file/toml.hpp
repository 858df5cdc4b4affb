#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace abut::scene_file {

/// A value of a TOML document and the line where it begins.
struct Value {
  enum class Kind : std::uint8_t { boolean, integer, number, text, time, array, table };
  Kind kind = Kind::table;
  int line = 1;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;  ///< of an integer too
  std::string text;
  std::vector<Value> items;       ///< of an array or a table
  std::vector<std::string> keys;  ///< of a table's items, sorted

  /// A table's item; nullptr if it has none of this name.
  const Value* find(std::string_view key) const;
};

/// "a string", "a table", ...: for messages.
const char* to_string(Value::Kind kind);

/// The table that a TOML text is. `name` stands for its path in messages.
/// @throws InputError "name:line: ..." for what is not TOML, for more than 200 dots in a line and
/// for values nested more than 16 deep
Value parse_toml(std::string_view text, const std::string& name);

}  // namespace abut::scene_file
