#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace abut {

static_assert(std::endian::native == std::endian::little,
              "numbers are copied as they lie in memory");

/// Appends little-endian numbers to a buffer that keeps its capacity.
class ByteWriter {
 public:
  explicit ByteWriter(std::vector<char>& to) : to_(to) {}

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) {
    const auto* begin = reinterpret_cast<const char*>(&value);
    to_.insert(to_.end(), begin, begin + sizeof(T));
  }
  /// Length, then the bytes.
  void put_text(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    to_.insert(to_.end(), text.begin(), text.end());
  }

 private:
  std::vector<char>& to_;
};

/// Takes numbers from bytes that may hold anything. Past the end it gives zeros and is no longer
/// good().
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  requires std::is_trivially_copyable_v<T> T take() {
    T value{};
    if (const std::string_view bytes = take_bytes(sizeof(T)); !bytes.empty()) {
      std::memcpy(&value, bytes.data(), sizeof(T));
    }
    return value;
  }
  std::string take_text() { return std::string(take_bytes(take<std::uint32_t>())); }

  bool good() const { return good_; }
  std::size_t left() const { return rest_.size(); }

 private:
  std::string_view take_bytes(std::size_t count) {
    if (count > rest_.size()) {
      good_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }

  std::string_view rest_;
  bool good_ = true;
};

}  // namespace abut
