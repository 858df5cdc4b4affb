#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace abut {

/// CRC-32 of zip and of Ethernet (reflected polynomial 0xEDB88320), as zlib.crc32 in Python;
/// `before` continues an earlier one.
inline std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0) {
  // table[k][b]: the remainder of byte b with k zero bytes behind it, to take eight at a time
  static constexpr auto table = [] {
    std::array<std::array<std::uint32_t, 256>, 8> t{};
    for (std::uint32_t b = 0; b < 256; ++b) {
      std::uint32_t c = b;
      for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ ((c & 1) != 0 ? 0xEDB88320u : 0u);
      t[0][b] = c;
    }
    for (std::size_t k = 1; k < 8; ++k) {
      for (std::size_t b = 0; b < 256; ++b) t[k][b] = (t[k - 1][b] >> 8) ^ t[0][t[k - 1][b] & 0xFF];
    }
    return t;
  }();
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  std::uint32_t c = ~before;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      const std::uint32_t mixed = byte(i) ^ (i < 4 ? (c >> (8 * i)) & 0xFF : 0);
      next ^= table[7 - i][mixed];
    }
    c = next;
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) c = (c >> 8) ^ table[0][(c ^ byte(i)) & 0xFF];
  return ~c;
}

}  // namespace abut
