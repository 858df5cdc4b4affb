#include "abut/io/scene_file/toml.hpp"

// toml++ asserts that a table's name begins as a key does before it tells the user that it does
// not; without assertions it has some compilers assume it
#undef NDEBUG
#define TOML_ASSERT(condition) static_assert(true)
#define TOML_HEADER_ONLY 1
#define TOML_MAX_NESTED_VALUES 16
#include <toml++/toml.h>

#include <algorithm>

#include "abut/core/error.hpp"
#include "abut/core/text.hpp"

namespace abut::scene_file {

namespace {

constexpr int deepest_value = 16;
constexpr std::ptrdiff_t most_dots = 200;  // a.b.c... nests without brackets

int line_of(const toml::node& node) {
  return static_cast<int>(node.source().begin.line);
}

class Reader {
 public:
  explicit Reader(const std::string& name) : name_(name) {}

  Value read(const toml::node& node, int depth) const {
    Value v;
    v.line = line_of(node);
    if (depth > deepest_value) {
      fail_input("values are nested more than " + std::to_string(deepest_value) + " deep",
                 {name_, v.line, ""});
    }
    if (const toml::table* table = node.as_table()) {
      v.kind = Value::Kind::table;
      for (const auto& [key, item] : *table) {
        v.keys.emplace_back(key.str());
        v.items.push_back(read(item, depth + 1));
      }
    } else if (const toml::array* array = node.as_array()) {
      v.kind = Value::Kind::array;
      for (const toml::node& item : *array) v.items.push_back(read(item, depth + 1));
    } else if (const auto* text = node.as_string()) {
      v.kind = Value::Kind::text;
      v.text = text->get();
    } else if (const auto* integer = node.as_integer()) {
      v.kind = Value::Kind::integer;
      v.integer = integer->get();
      v.number = static_cast<double>(v.integer);
    } else if (const auto* number = node.as_floating_point()) {
      v.kind = Value::Kind::number;
      v.number = number->get();
    } else if (const auto* boolean = node.as_boolean()) {
      v.kind = Value::Kind::boolean;
      v.boolean = boolean->get();
    } else {
      v.kind = Value::Kind::time;
    }
    return v;
  }

 private:
  const std::string& name_;
};

/// The parser and its tables descend once per dot of a key.
void check_dots(std::string_view text, const std::string& name) {
  int line = 1;
  while (!text.empty()) {
    const std::string_view row = text.substr(0, text.find('\n'));
    if (std::count(row.begin(), row.end(), '.') > most_dots) {
      fail_input("more than " + std::to_string(most_dots) + " dots: break the line",
                 {name, line, ""});
    }
    text.remove_prefix(std::min(text.size(), row.size() + 1));
    ++line;
  }
}

}  // namespace

const Value* Value::find(std::string_view key) const {
  const auto at = std::find(keys.begin(), keys.end(), key);
  return at == keys.end() ? nullptr : &items[at - keys.begin()];
}

const char* to_string(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::boolean: return "true or false";
    case Value::Kind::integer: return "a whole number";
    case Value::Kind::number: return "a number";
    case Value::Kind::text: return "a string";
    case Value::Kind::time: return "a date or time";
    case Value::Kind::array: return "an array";
    case Value::Kind::table: return "a table";
  }
  return "";
}

Value parse_toml(std::string_view text, const std::string& name) {
  check_dots(text, name);
  try {
    const toml::table root = toml::parse(text);
    return Reader(name).read(root, 0);
  } catch (const toml::parse_error& e) {
    const std::string quoted = quote(e.description(), 400);  // it may repeat what is written
    fail_input("is not valid TOML: " + quoted.substr(1, quoted.size() - 2),
               {name, static_cast<int>(e.source().begin.line), ""});
  }
}

}  // namespace abut::scene_file
