#pragma once

#include <cstdint>
#include <functional>

namespace abut {

/// Names an element of a Pool: index and generation in 8 bytes, passed by value. The null id is
/// all zeros; an id stays invalid for ever once its element is gone.
template <class Tag>
struct Id {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;  ///< 0 only in the null id

  bool operator==(const Id&) const = default;
  explicit operator bool() const { return generation != 0; }
};

}  // namespace abut
