#include "abut/io/npy.hpp"

#include <charconv>
#include <stdexcept>

#include "abut/core/text.hpp"

namespace abut {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

[[noreturn]] void fail(const std::string& text) {
  throw std::invalid_argument(text);
}

/// Reads the Python dictionary {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
class Dictionary {
 public:
  explicit Dictionary(std::string_view text) : rest_(text) {}

  NpyHead read() {
    NpyHead head;
    bool type = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr") {
        once(type), head.type = string();
      } else if (key == "fortran_order") {
        once(order), head.fortran_order = boolean();
      } else if (key == "shape") {
        once(shape), head.shape = tuple();
      } else {
        fail("its .npy header has an unknown key " + quote(key));
      }
      if (!accept(',') && next() != '}') fail("its .npy header is malformed");
    }
    if (!type || !order || !shape) fail("its .npy header is not complete");
    if (next() != '\0') fail("its .npy header is malformed");
    return head;
  }

 private:
  static void once(bool& seen) {
    if (seen) fail("its .npy header has a key twice");
    seen = true;
  }
  /// The next character that is no space, 0 at the end.
  char next() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
    return rest_.empty() ? '\0' : rest_[0];
  }
  bool accept(char c) {
    if (next() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail("its .npy header is malformed");
  }
  std::string_view string() {
    const char mark = next();
    if (mark == '[') fail("it has a structured element type");
    if (mark != '\'' && mark != '"') fail("its .npy header is malformed");
    const std::size_t end = rest_.find(mark, 1);
    if (end == std::string_view::npos) fail("its .npy header is malformed");
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool boolean() {
    next();
    for (const std::string_view word : {"False", "True"}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return word == "True";
    }
    fail("its .npy header is malformed");
  }
  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> extents;
    expect('(');
    while (!accept(')')) {
      next();
      std::size_t extent = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (error != std::errc() || extents.size() == 32)
        fail("its .npy header has an invalid shape");
      rest_.remove_prefix(end - rest_.data());
      extents.push_back(extent);
      if (!accept(',') && next() != ')') fail("its .npy header has an invalid shape");
    }
    return extents;
  }

  std::string_view rest_;
};

}  // namespace

NpyHead parse_npy_head(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  if (!bytes.starts_with(magic) || bytes.size() < 10) fail("it is not an .npy array");
  const int version = byte(6);
  if (version < 1 || version > 3)
    fail("its .npy version " + std::to_string(version) + " is not known");
  const std::size_t start = version == 1 ? 10 : 12;
  if (bytes.size() < start) fail("its .npy header is cut off");
  std::size_t length = 0;
  for (std::size_t i = start; i-- > 8;) length = 256 * length + byte(i);
  if (length > bytes.size() - start) fail("its .npy header is cut off");
  NpyHead head = Dictionary(bytes.substr(start, length)).read();
  head.data = start + length;
  return head;
}

std::string shape_text(std::span<const std::size_t> shape) {
  std::string text = "(";
  for (const std::size_t extent : shape) text += std::to_string(extent) + ", ";
  if (shape.size() > 1) text.resize(text.size() - 2);
  if (shape.size() == 1) text.pop_back();
  return text + ")";
}

std::string make_npy_head(std::string_view type, std::span<const std::size_t> shape) {
  std::string dictionary = "{'descr': '" + std::string(type) +
                           "', 'fortran_order': False, 'shape': " + shape_text(shape) + ", }";
  const std::size_t used = 10 + dictionary.size() + 1;
  dictionary.append((64 - used % 64) % 64, ' ').push_back('\n');
  std::string head(magic);
  head += {'\x01', '\x00', static_cast<char>(dictionary.size() & 0xFF),
           static_cast<char>(dictionary.size() >> 8)};
  return head + dictionary;
}

}  // namespace abut
