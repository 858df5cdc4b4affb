#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abut/core/error.hpp"
#include "abut/io/scene_file/toml.hpp"
#include "abut/laws/force_table.hpp"
#include "abut/linalg/rotation.hpp"

namespace abut::scene_file {

enum class Sign : std::uint8_t { any, not_negative, positive };

/// A table of a scene file, read key by key. All reading throws InputError "file:line: table: ..."
/// for a value of another type, a number that is not finite or of the wrong sign; what is absent is
/// empty. finish() refuses the keys that nobody asked for.
class Table {
 public:
  /// `value` must outlive it. `kind` names the table in messages, with the value of its key `name`.
  Table(const Value& value, const std::string& file, std::string_view kind);

  /// Of the table, and of one of its values.
  const Origin& origin() const { return origin_; }
  Origin origin_of(std::string_view key) const;
  bool has(std::string_view key) const { return value_->find(key) != nullptr; }

  std::optional<double> number(std::string_view key, std::string_view unit, Sign sign = Sign::any);
  std::optional<Vec3> vector(std::string_view key, std::string_view unit, Sign sign = Sign::any);
  std::vector<double> numbers(std::string_view key, std::string_view unit);
  /// [[depth, force], ...], checked; null if absent.
  std::shared_ptr<const ForceTable> force_table(std::string_view key);
  std::optional<std::int64_t> whole_number(std::string_view key, std::int64_t lowest,
                                           std::int64_t highest);
  std::optional<bool> boolean(std::string_view key);
  std::optional<std::string> text(std::string_view key);
  std::vector<std::string> texts(std::string_view key);
  /// The place in `words` of the word that is given.
  std::optional<std::size_t> choice(std::string_view key, std::span<const std::string_view> words);
  /// That of `values` whose name is given.
  template <class Values>
  auto named(std::string_view key, const Values& values) {
    std::vector<std::string_view> names;
    names.reserve(values.size());
    for (const auto value : values) names.push_back(to_string(value));
    const auto at = choice(key, names);
    return at ? std::optional(values[*at]) : std::nullopt;
  }
  std::optional<Table> table(std::string_view key);
  /// [[key]]; a single table where `one_will_do`.
  std::vector<Table> tables(std::string_view key, bool one_will_do = false);
  /// [key.NAME], with the names.
  std::vector<std::pair<std::string, Table>> named_tables(std::string_view key);
  /// key = { name = number, ... }
  std::vector<std::pair<std::string, double>> named_numbers(std::string_view key,
                                                            std::string_view unit);
  /// position, and orientation (a quaternion) or rpy; the identity as far as absent.
  std::pair<Vec3, Quaternion> place();

  /// What must be there.
  template <class T>
  T need(std::string_view key, std::optional<T> value) const {
    if (!value) fail_missing(key);
    return *std::move(value);
  }

  /// @throws InputError for the first key that was not asked for, with the nearest that was
  void finish() const;

 private:
  const Value* find(std::string_view key);
  [[noreturn]] void fail_missing(std::string_view key) const;
  [[noreturn]] void fail_type(std::string_view key, const Value& found, const char* rule) const;
  double read_number(std::string_view key, const Value& value, std::string_view unit,
                     Sign sign) const;

  const Value* value_;
  Origin origin_;
  std::vector<std::string> asked_;
};

}  // namespace abut::scene_file
