#include "abut/io/scene_file/table.hpp"

#include <algorithm>
#include <cmath>

#include "abut/core/text.hpp"

namespace abut::scene_file {

namespace {

std::string list_of(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

/// Turns about x, then the world's y, then its z.
Quaternion from_rpy(const Vec3& rpy) {
  return exp_rotation({0, 0, rpy.z}) * exp_rotation({0, rpy.y, 0}) * exp_rotation({rpy.x, 0, 0});
}

}  // namespace

Table::Table(const Value& value, const std::string& file, std::string_view kind)
    : value_(&value), origin_{file, value.line, std::string(kind)} {
  const Value* name = value.find("name");
  if (name != nullptr && !name->text.empty()) origin_.element.append(" ").append(quote(name->text));
}

Origin Table::origin_of(std::string_view key) const {
  Origin at = origin_;
  if (const Value* value = value_->find(key)) at.line = value->line;
  return at;
}

const Value* Table::find(std::string_view key) {
  asked_.emplace_back(key);
  return value_->find(key);
}

void Table::fail_type(std::string_view key, const Value& found, const char* rule) const {
  fail_input(std::string(key) + " is " + to_string(found.kind) + ", must be " + rule,
             {origin_.file, found.line, origin_.element});
}

double Table::read_number(std::string_view key, const Value& value, std::string_view unit,
                          Sign sign) const {
  if (value.kind != Value::Kind::number && value.kind != Value::Kind::integer) {
    fail_type(key, value, "a number");
  }
  const Origin at{origin_.file, value.line, origin_.element};
  const double x = value.number;
  require(std::isfinite(x), key, x, unit, "must be finite", at);
  require(sign != Sign::not_negative || x >= 0, key, x, unit, "must not be negative", at);
  require(sign != Sign::positive || x > 0, key, x, unit, "must be positive", at);
  return x;
}

std::optional<double> Table::number(std::string_view key, std::string_view unit, Sign sign) {
  const Value* value = find(key);
  if (value == nullptr) return {};
  return read_number(key, *value, unit, sign);
}

std::vector<double> Table::numbers(std::string_view key, std::string_view unit) {
  const Value* value = find(key);
  if (value == nullptr) return {};
  if (value->kind != Value::Kind::array) fail_type(key, *value, "an array of numbers");
  std::vector<double> list;
  list.reserve(value->items.size());
  for (const Value& item : value->items) list.push_back(read_number(key, item, unit, Sign::any));
  return list;
}

std::shared_ptr<const ForceTable> Table::force_table(std::string_view key) {
  const Value* value = find(key);
  if (value == nullptr) return nullptr;
  constexpr char rule[] = "an array of pairs [depth, force]";
  if (value->kind != Value::Kind::array) fail_type(key, *value, rule);
  ForceTable table;
  for (const Value& point : value->items) {
    if (point.kind != Value::Kind::array || point.items.size() != 2) fail_type(key, point, rule);
    table.depth.push_back(read_number(key, point.items[0], "m", Sign::any));
    table.force.push_back(read_number(key, point.items[1], "N", Sign::any));
  }
  table.validate(origin_of(key));
  return std::make_shared<const ForceTable>(std::move(table));
}

std::optional<Vec3> Table::vector(std::string_view key, std::string_view unit, Sign sign) {
  const Value* value = find(key);
  if (value == nullptr) return {};
  if (value->kind != Value::Kind::array || value->items.size() != 3) {
    fail_type(key, *value, "an array of three numbers");
  }
  Vec3 v;
  for (int i = 0; i < 3; ++i) v[i] = read_number(key, value->items[i], unit, sign);
  return v;
}

std::optional<std::int64_t> Table::whole_number(std::string_view key, std::int64_t lowest,
                                                std::int64_t highest) {
  const Value* value = find(key);
  if (value == nullptr) return {};
  if (value->kind != Value::Kind::integer) fail_type(key, *value, "a whole number");
  require(value->integer >= lowest && value->integer <= highest, key, value->number, "",
          "must lie in [" + std::to_string(lowest) + ", " + std::to_string(highest) + "]",
          origin_of(key));
  return value->integer;
}

std::optional<bool> Table::boolean(std::string_view key) {
  const Value* value = find(key);
  if (value == nullptr) return {};
  if (value->kind != Value::Kind::boolean) fail_type(key, *value, "true or false");
  return value->boolean;
}

std::optional<std::string> Table::text(std::string_view key) {
  const Value* value = find(key);
  if (value == nullptr) return {};
  if (value->kind != Value::Kind::text) fail_type(key, *value, "a string");
  if (value->text.empty()) fail_input(std::string(key) + " is empty", origin_of(key));
  return value->text;
}

std::vector<std::string> Table::texts(std::string_view key) {
  const Value* value = find(key);
  if (value == nullptr) return {};
  if (value->kind != Value::Kind::array) fail_type(key, *value, "an array of strings");
  std::vector<std::string> list;
  for (const Value& item : value->items) {
    if (item.kind != Value::Kind::text) fail_type(key, item, "an array of strings");
    list.push_back(item.text);
  }
  return list;
}

std::optional<std::size_t> Table::choice(std::string_view key,
                                         std::span<const std::string_view> words) {
  const std::optional<std::string> word = text(key);
  if (!word) return {};
  const auto at = std::find(words.begin(), words.end(), *word);
  if (at == words.end()) {
    fail_input(std::string(key) + " = " + quote(*word) + ", must be one of " + list_of(words),
               origin_of(key));
  }
  return at - words.begin();
}

std::optional<Table> Table::table(std::string_view key) {
  const Value* value = find(key);
  if (value == nullptr) return {};
  if (value->kind != Value::Kind::table) fail_type(key, *value, "a table");
  return Table(*value, origin_.file, key);
}

std::vector<Table> Table::tables(std::string_view key, bool one_will_do) {
  const Value* value = find(key);
  if (value == nullptr) return {};
  if (one_will_do && value->kind == Value::Kind::table) return {Table(*value, origin_.file, key)};
  const std::string rule = "an array of tables: [[" + std::string(key) + "]]";
  if (value->kind != Value::Kind::array) fail_type(key, *value, rule.c_str());
  std::vector<Table> list;
  for (const Value& item : value->items) {
    if (item.kind != Value::Kind::table) fail_type(key, item, rule.c_str());
    list.emplace_back(item, origin_.file, key);
  }
  return list;
}

std::vector<std::pair<std::string, Table>> Table::named_tables(std::string_view key) {
  const Value* value = find(key);
  if (value == nullptr) return {};
  const std::string rule = "tables with names: [" + std::string(key) + ".NAME]";
  if (value->kind != Value::Kind::table) fail_type(key, *value, rule.c_str());
  std::vector<std::pair<std::string, Table>> list;
  for (std::size_t i = 0; i < value->items.size(); ++i) {
    if (value->items[i].kind != Value::Kind::table) fail_type(key, value->items[i], rule.c_str());
    const std::string& name = value->keys[i];
    list.emplace_back(name,
                      Table(value->items[i], origin_.file, std::string(key) + " " + quote(name)));
  }
  return list;
}

std::vector<std::pair<std::string, double>> Table::named_numbers(std::string_view key,
                                                                 std::string_view unit) {
  const Value* value = find(key);
  if (value == nullptr) return {};
  if (value->kind != Value::Kind::table) fail_type(key, *value, "a table of numbers");
  std::vector<std::pair<std::string, double>> list;
  for (std::size_t i = 0; i < value->items.size(); ++i) {
    const std::string& name = value->keys[i];
    list.emplace_back(name, read_number(name, value->items[i], unit, Sign::any));
  }
  return list;
}

std::pair<Vec3, Quaternion> Table::place() {
  const Vec3 position = vector("position", "m").value_or(Vec3{});
  const std::optional<Vec3> rpy = vector("rpy", "rad");
  if (rpy && has("orientation")) {
    fail_input("it has both orientation and rpy, must have one of them", origin_of("rpy"));
  }
  const std::vector<double> q = numbers("orientation", "");
  if (rpy) return {position, from_rpy(*rpy)};
  if (!has("orientation")) return {position, {}};
  require(q.size() == 4, "orientation", static_cast<double>(q.size()), "numbers",
          "must have 4: a quaternion w, x, y, z", origin_of("orientation"));
  const Quaternion orientation{q[0], q[1], q[2], q[3]};
  const double length = norm(orientation);
  require(std::abs(length - 1) <= 1e-3, "norm of orientation", length, "", "must be 1 within 0.001",
          origin_of("orientation"));
  return {position, normalized(orientation)};
}

/// A key that is there instead may be a slip of the one that is not.
void Table::fail_missing(std::string_view key) const {
  for (std::size_t i = 0; i < value_->keys.size(); ++i) {
    const std::string& there = value_->keys[i];
    const bool asked = std::find(asked_.begin(), asked_.end(), there) != asked_.end();
    const std::string_view known[] = {key};
    if (asked || nearest_word(there, known).empty()) continue;
    fail_input("key " + quote(there) + " is not known, did you mean '" + std::string(key) + "'?",
               {origin_.file, value_->items[i].line, origin_.element});
  }
  fail_input("it needs the key '" + std::string(key) + "'", origin_);
}

void Table::finish() const {
  std::size_t first = value_->keys.size();
  for (std::size_t i = 0; i < value_->keys.size(); ++i) {
    const bool known = std::find(asked_.begin(), asked_.end(), value_->keys[i]) != asked_.end();
    if (known) continue;
    if (first == value_->keys.size() || value_->items[i].line < value_->items[first].line)
      first = i;
  }
  if (first == value_->keys.size()) return;
  const std::string& key = value_->keys[first];
  const std::vector<std::string_view> words(asked_.begin(), asked_.end());
  const std::string_view nearest = nearest_word(key, words);
  std::string text = "key " + quote(key) + " is not known";
  text += nearest.empty() ? ": must be one of " + list_of(words)
                          : ", did you mean '" + std::string(nearest) + "'?";
  fail_input(text, {origin_.file, value_->items[first].line, origin_.element});
}

}  // namespace abut::scene_file
