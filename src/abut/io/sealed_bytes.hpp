#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace abut {

/// Bytes that only the version of abut that made them reads: `magic`, the version, the content, a
/// checksum.
std::string seal(std::string_view magic, const std::vector<char>& content);

/// The content of sealed bytes, which live on. `kind` stands in messages: "scene".
/// @throws InputError if they are other bytes, of another version, or damaged
std::string_view unseal(std::string_view magic, std::string_view bytes, const std::string& kind);

}  // namespace abut
