#pragma once

#include <compare>
#include <cstdint>
#include <utility>

namespace abut {

/// The order in which pairs of geoms are searched and their contacts lie in a problem: by their
/// trees, then bodies, then geoms; the world's -1 comes first.
struct PairKey {
  std::uint64_t trees = 0, bodies = 0, geoms = 0;  ///< two indices each

  static std::uint64_t packed(std::int32_t a, std::int32_t b) {
    return std::uint64_t{static_cast<std::uint32_t>(a + 1)} << 32 |
           static_cast<std::uint32_t>(b + 1);
  }
  /// After all others.
  static PairKey last() { return {~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}}; }

  std::pair<std::int32_t, std::int32_t> geoms_of() const {
    return {static_cast<std::int32_t>(geoms >> 32) - 1, static_cast<std::int32_t>(geoms) - 1};
  }
  auto operator<=>(const PairKey&) const = default;
};

}  // namespace abut
