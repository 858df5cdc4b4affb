#include "abut/io/trajectory_csv.hpp"

#include <algorithm>
#include <string_view>

#include "abut/core/text.hpp"
#include "abut/io/decimal.hpp"
#include "abut/io/input_file.hpp"

namespace abut {

namespace {

constexpr std::size_t largest_file = 256u << 20;  // bytes
constexpr std::size_t most_columns = 10000;

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    cells.push_back(trimmed(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  return cells;
}

void read_names(std::string_view line, const Origin& at, Trajectory& t) {
  const std::vector<std::string_view> cells = cells_of(line);
  if (cells.front() != "time") {
    const bool by_semicolon = cells.front().find(';') != std::string_view::npos;
    fail_input("the first column is " + quote(cells.front()) + ", must be time" +
                   (by_semicolon ? "; commas separate columns" : ""),
               at);
  }
  if (cells.size() > most_columns) {
    fail_input("it has more than " + std::to_string(most_columns) + " columns", at);
  }
  for (std::size_t i = 1; i < cells.size(); ++i) {
    if (cells[i].empty()) fail_input("a column has no name", at);
    if (std::find(cells.begin(), cells.begin() + i, cells[i]) != cells.begin() + i) {
      fail_input("column " + quote(cells[i]) + " appears twice", at);
    }
    t.names.emplace_back(cells[i]);
  }
  if (t.names.empty()) fail_input("it has no column but time", at);
}

void read_knot(std::string_view line, const Origin& at, Trajectory& t) {
  const std::vector<std::string_view> cells = cells_of(line);
  if (cells.size() != t.names.size() + 1) {
    fail_input(std::to_string(cells.size()) + " cells, must have " +
                   std::to_string(t.names.size() + 1) + ", one for each column",
               at);
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto [x, broken_rule] = read_decimal(cells[i]);
    if (broken_rule != nullptr) {
      fail_input((i == 0 ? "time" : t.names[i - 1]) + " = " + quote(cells[i]) + ", " + broken_rule,
                 at);
    }
    if (i > 0) {
      t.signal.values.push_back(x);
      continue;
    }
    require(t.signal.times.empty() || x > t.signal.times.back(), "time", x, "s",
            "must be later than the one before", at);
    t.signal.times.push_back(x);
  }
}

}  // namespace

Trajectory load_trajectory(const std::string& path, const Origin& asked) {
  const std::string text = read_input_file(path, largest_file, asked);
  Trajectory t;
  Origin at{path, 0, ""};
  std::string_view rest = text;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);  // spreadsheets' mark of UTF-8
  while (!rest.empty()) {
    const std::string_view row = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), row.size() + 1));
    ++at.line;
    const std::string_view line = trimmed(row);
    if (line.empty() || line.front() == '#') continue;
    t.names.empty() ? read_names(line, at, t) : read_knot(line, at, t);
  }
  if (t.signal.times.empty()) fail_input("it has no row of values", {path, 0, ""});
  t.signal.channels = static_cast<int>(t.names.size());
  return t;
}

}  // namespace abut
