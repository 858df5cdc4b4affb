#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/core/grow.hpp"

namespace abut {

/// Sets of the numbers 0 to n - 1 that are joined two by two. A set is named by its smallest
/// member. Buffers are kept.
class DisjointSets {
 public:
  /// Each number alone.
  void reset(int count) {
    resize(towards_, count);
    for (int i = 0; i < count; ++i) towards_[i] = i;
  }

  /// Each of these alone, which are all members of some sets.
  void reset(std::span<const std::int32_t> members) {
    for (const std::int32_t i : members) towards_[i] = i;
  }

  void make_room(std::size_t count) { abut::make_room(towards_, count); }

  int smallest(int i) {
    while (towards_[i] != i) i = towards_[i] = towards_[towards_[i]];  // paths are halved
    return i;
  }

  bool is_smallest(int i) const { return towards_[i] == i; }

  void join(int i, int j) {
    const int a = smallest(i), b = smallest(j);
    (a < b ? towards_[b] : towards_[a]) = a < b ? a : b;
  }

 private:
  std::vector<std::int32_t> towards_;
};

}  // namespace abut
