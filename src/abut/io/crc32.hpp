#pragma once

#include <cstdint>
#include <string_view>

namespace abut {

/// CRC-32 of zip and of Ethernet, zlib's; `before` continues an earlier one.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

}  // namespace abut
