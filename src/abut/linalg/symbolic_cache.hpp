#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "abut/linalg/block_symbolic.hpp"

namespace abut {

/// Keeps symbolic factors while their patterns stay. A heap has hundreds of islands, and small
/// patterns come back in many of them (a lone body, a pair): shelves by size have many slots for
/// small patterns and few for large ones. A pattern's hash says in which four slots of its shelf it
/// may be; it takes the one that was used longest ago. Slots have room for the largest factor any
/// of their shelf has held, so that a pattern that comes anew allocates only where it passes that
/// mark.
class SymbolicCache {
 public:
  /// The symbolic factor of `pattern`, valid until the next call.
  const BlockSymbolic& get(const BlockPattern& pattern);

  /// Strips of pivots: of all nodes together, and of the node that has most.
  struct PivotStrips {
    std::int64_t all = 0;
    int widest = 1;
  };
  /// Room for patterns up to this size whose factors have at most `typical_strips` strips per node,
  /// and of pivots one more for each beyond a node's first; denser ones make room when they come.
  void reserve(int nodes, int edges, const PivotStrips& pivots);
  static constexpr int typical_strips = 12;

  std::int64_t analyses() const { return analyses_; }  ///< made so far

 private:
  struct Slot {
    std::uint64_t hash = 0;  ///< of the pattern
    std::int64_t last_use = -1;
    BlockPattern pattern;
    BlockSymbolic symbolic;
  };
  static constexpr int dense_pattern = 32;  ///< nodes up to which all pairs may be coupled
  static constexpr int ways = 4;            ///< slots that a pattern may be in
  struct Shelf {
    int nodes, most_sets;  ///< most nodes of a pattern; what hashes choose from
    std::vector<Slot> slots{};
  };
  int most_strips(int nodes) const;
  static void reserve(Slot& slot, int nodes, int edges, int strips);
  void warm_up(int nodes, int width);
  static void add_sets(Shelf& shelf, int sets);
  Shelf& shelf_of(int nodes);

  SymbolicAnalysis analysis_;
  Slot made_;  ///< analyzed last, before it goes to its slot
  std::array<Shelf, 3> shelves_{Shelf{8, 64}, Shelf{32, 16},
                                Shelf{std::numeric_limits<int>::max(), 1}};
  int reserved_nodes_ = 0, reserved_edges_ = 0;
  PivotStrips reserved_pivots_;
  std::int64_t uses_ = 0, analyses_ = 0;
};

}  // namespace abut
