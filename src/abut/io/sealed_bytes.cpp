#include "abut/io/sealed_bytes.hpp"

#include "abut/core/error.hpp"
#include "abut/core/version.hpp"
#include "abut/io/bytes.hpp"
#include "abut/io/crc32.hpp"

namespace abut {

std::string seal(std::string_view magic, const std::vector<char>& content) {
  std::vector<char> bytes(magic.begin(), magic.end());
  ByteWriter writer(bytes);
  writer.put_text(version());
  bytes.insert(bytes.end(), content.begin(), content.end());
  writer.put(crc32({bytes.data(), bytes.size()}));
  return {bytes.begin(), bytes.end()};
}

std::string_view unseal(std::string_view magic, std::string_view bytes, const std::string& kind) {
  constexpr std::size_t checksum_size = sizeof(std::uint32_t);
  if (!bytes.starts_with(magic) || bytes.size() < magic.size() + checksum_size) {
    fail_input("the bytes are not a " + kind);
  }
  const std::string_view all = bytes.substr(0, bytes.size() - checksum_size);
  if (ByteReader(bytes.substr(all.size())).take<std::uint32_t>() != crc32(all)) {
    fail_input("the " + kind + " is damaged: its checksum is wrong");
  }
  const std::string_view rest = all.substr(magic.size());
  const std::string of = ByteReader(rest).take_text();
  if (of != version()) {
    fail_input("the " + kind + " was written by abut " + of + ", this is abut " + version());
  }
  return rest.substr(sizeof(std::uint32_t) + of.size());
}

}  // namespace abut
