#pragma once

#include <cstdint>
#include <span>
#include <utility>
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

  /// smallest() of all numbers 0 to n - 1, until the next change.
  std::span<const std::int32_t> all_smallest() {
    for (std::int32_t& i : towards_) i = towards_[i];  // what is smaller is done already
    return towards_;
  }

  /// Follows both paths together, from the larger number, and shortens them (Rem's algorithm).
  /// False if they were in one set already.
  bool join(int i, int j) {
    while (towards_[i] != towards_[j]) {
      if (towards_[i] < towards_[j]) std::swap(i, j);
      const int next = towards_[i];
      towards_[i] = towards_[j];
      if (next == i) return true;
      i = next;
    }
    return false;
  }

 private:
  std::vector<std::int32_t> towards_;  ///< a member not larger, the smallest itself
};

}  // namespace abut
