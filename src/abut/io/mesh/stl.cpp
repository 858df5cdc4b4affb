#include <cstdint>
#include <cstring>

#include "abut/io/mesh/readers.hpp"
#include "abut/io/mesh/text_lines.hpp"

namespace abut::mesh {

namespace {

constexpr std::size_t header_size = 84, triangle_size = 50;

/// Little-endian, as all machines that abut runs on are.
template <class T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::vector<Vec3> read_binary(std::string_view bytes, const std::string& path) {
  const std::size_t count = load<std::uint32_t>(bytes.data() + 80);
  require_few_triangles(count, path);
  std::vector<Vec3> corners;
  corners.reserve(3 * count);
  for (std::size_t t = 0; t < count; ++t) {
    const char* at = bytes.data() + header_size + t * triangle_size + 12;  // behind the normal
    for (int k = 0; k < 9; k += 3) {
      corners.push_back(
          {load<float>(at + 4 * k), load<float>(at + 4 * k + 4), load<float>(at + 4 * k + 8)});
      if (!is_finite(corners.back())) {
        fail_input("triangle " + std::to_string(t) + " has a vertex that is not finite",
                   {path, 0, {}});
      }
    }
  }
  return corners;
}

/// Words of the text in their order, whatever the lines.
class Words {
 public:
  Words(std::string_view text, const std::string& path) : lines_(text, path) {}

  std::string_view take() {
    while (true) {
      const std::string_view word = take_word(line_);
      if (!word.empty()) return word;
      if (!lines_.next(line_)) lines_.fail("the file ends before endsolid");
    }
  }
  void expect(std::string_view word) {
    const std::string_view found = take();
    if (found != word) lines_.fail("found " + quote(found) + ", expected " + quote(word));
  }
  double take_coordinate() { return lines_.coordinate(take()); }
  [[noreturn]] void fail(const std::string& text) const { lines_.fail(text); }
  void skip_line() { line_ = {}; }
  /// Whether nothing but white space is left.
  bool at_end() {
    while (true) {
      std::string_view rest = line_;
      if (!take_word(rest).empty()) return false;
      if (!lines_.next(line_)) return true;
    }
  }

 private:
  TextLines lines_;
  std::string_view line_;
};

void read_solid(Words& words, const std::string& path, std::vector<Vec3>& corners) {
  words.expect("solid");
  words.skip_line();  // its name
  while (true) {
    const std::string_view word = words.take();
    if (word == "endsolid") return words.skip_line();
    if (word != "facet") words.fail("found " + quote(word) + ", expected 'facet' or 'endsolid'");
    words.expect("normal");
    for (int k = 0; k < 3; ++k) words.take();  // exporters write nan for slivers
    words.expect("outer");
    words.expect("loop");
    for (int k = 0; k < 3; ++k) {
      words.expect("vertex");
      const auto next = [&] { return words.take_coordinate(); };
      corners.push_back({next(), next(), next()});
    }
    words.expect("endloop");
    words.expect("endfacet");
    require_few_triangles(corners.size() / 3, path);
  }
}

/// One solid after the other.
std::vector<Vec3> read_text(std::string_view text, const std::string& path) {
  std::vector<Vec3> corners;
  Words words(text, path);
  while (!words.at_end()) read_solid(words, path, corners);
  return corners;
}

}  // namespace

std::vector<Vec3> read_stl(std::string_view bytes, const std::string& path) {
  const bool has_header = bytes.size() >= header_size;
  const std::size_t count = has_header ? load<std::uint32_t>(bytes.data() + 80) : 0;
  const std::size_t expected = header_size + count * triangle_size;
  if (has_header && bytes.size() == expected) return read_binary(bytes, path);
  if (bytes.starts_with("solid")) return read_text(bytes, path);
  if (!has_header)
    fail_input("an STL file of " + std::to_string(bytes.size()) + " bytes is too short",
               {path, 0, {}});
  fail_input("it has " + std::to_string(bytes.size()) + " bytes, but " + std::to_string(expected) +
                 " by its number of triangles, " + std::to_string(count),
             {path, 0, {}});
}

}  // namespace abut::mesh
