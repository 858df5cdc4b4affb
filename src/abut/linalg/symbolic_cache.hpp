#pragma once

#include <array>
#include <cstdint>

#include "abut/linalg/block_symbolic.hpp"

namespace abut {

/// Keeps symbolic factors while their patterns stay. Small patterns come back often, in many places
/// at once (a lone body, a pair): each has a slot by its hash. Of large ones the last few are kept.
/// Slots have room for the largest factor any of their kind has held, so that a pattern that comes
/// anew allocates only where it passes that mark.
class SymbolicCache {
 public:
  SymbolicCache();

  /// The symbolic factor of `pattern`, valid until the next call.
  const BlockSymbolic& get(const BlockPattern& pattern);

  /// Room for large patterns up to this size whose factors have at most `typical_strips` strips
  /// per node; denser ones make room when they come.
  void reserve(int nodes, int edges);
  static constexpr int typical_strips = 12;

  std::int64_t analyses() const { return analyses_; }  ///< made so far

 private:
  static constexpr int small_pattern = 8;  ///< nodes
  struct Slot {
    BlockPattern pattern;
    BlockSymbolic symbolic;
    std::int64_t last_use = -1;
  };
  static void reserve(Slot& slot, int nodes, int edges, int strips);
  void warm_up(int nodes, int width);
  Slot& slot_of(const BlockPattern& pattern);

  SymbolicAnalysis analysis_;
  Slot made_;  ///< analyzed last, before it goes to its slot
  std::array<Slot, 64> small_;
  std::array<Slot, 4> large_;
  int reserved_nodes_ = 0, reserved_edges_ = 0;
  std::int64_t uses_ = 0, analyses_ = 0;
};

}  // namespace abut
