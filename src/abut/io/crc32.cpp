#include "abut/io/crc32.hpp"

#include <zlib.h>

namespace abut {

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(crc32_z(before, data, bytes.size()));
}

}  // namespace abut
