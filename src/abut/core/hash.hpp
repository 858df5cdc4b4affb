#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace abut {

/// FNV-1a over 64-bit words, each mixed: equal exactly when all bits are, in practice.
class StateHash {
 public:
  void add(std::uint64_t word) {
    word *= 0x9e3779b97f4a7c15u;
    word ^= word >> 32;
    value_ = (value_ ^ word) * 0x100000001b3u;
    value_ ^= value_ >> 29;
  }
  void add(double x) { add(std::bit_cast<std::uint64_t>(x)); }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace abut
