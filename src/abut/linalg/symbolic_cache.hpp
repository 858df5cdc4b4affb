#pragma once

#include <array>
#include <cstdint>

#include "abut/linalg/block_symbolic.hpp"

namespace abut {

/// Keeps symbolic factors while their patterns stay. Small patterns come back often, in many places
/// at once (a lone body, a pair): each has a slot by its hash. Of large ones the last few are kept.
class SymbolicCache {
 public:
  /// The symbolic factor of `pattern`, valid until the next call.
  const BlockSymbolic& get(const BlockPattern& pattern);

  std::int64_t analyses() const { return analyses_; }  ///< made so far

 private:
  static constexpr int small_pattern = 8;  ///< nodes
  struct Slot {
    BlockPattern pattern;
    BlockSymbolic symbolic;
    std::int64_t last_use = -1;
  };
  Slot& slot_of(const BlockPattern& pattern);

  SymbolicAnalysis analysis_;
  std::array<Slot, 64> small_;
  std::array<Slot, 4> large_;
  std::int64_t uses_ = 0, analyses_ = 0;
};

}  // namespace abut
