#pragma once

#include <cstdint>
#include <vector>

#include "abut/linalg/block_pattern.hpp"
#include "abut/linalg/ordering.hpp"

namespace abut {

constexpr std::int32_t round_up_8(std::int32_t n) {
  return (n + 7) & ~7;
}

/// Where a block of the matrix lies in the factor's values: column-major, row r and column c at
/// values[offset + r + c * leading].
struct BlockSlot {
  std::int64_t offset = 0;
  std::int32_t leading = 0;
  bool transposed = false;  ///< rows are those of the edge's b: the block of (a, b) goes in turned
};

/// Up to six consecutive rows of one node: the unit of elimination, of updates and of solves.
struct Strip {
  std::int32_t row = 0;     ///< first row in its panel
  std::int32_t count = 0;   ///< 1 to 6
  std::int32_t vector = 0;  ///< its place in a vector of the system
};

/// A supernode: consecutive pivots with the same rows below them, stored as one column-major
/// panel. Pivot rows come first; the rows below start at `pivot_rows`, a multiple of 8.
struct Front {
  std::int32_t pivots = 0;      ///< columns
  std::int32_t rows = 0;        ///< rows below the pivots
  std::int32_t pivot_rows = 0;  ///< pivots rounded up to 8
  std::int32_t leading = 0;     ///< pivot_rows + rows rounded up to 8
  std::int64_t panel = 0;       ///< into the values
  std::int64_t inverse = 0;     ///< into the inverted pivot blocks: 48 doubles per strip of them
  std::int32_t pivot_begin = 0, pivot_end = 0;    ///< strips of the pivots
  std::int32_t below_begin = 0, below_end = 0;    ///< strips of the rows below
  std::int32_t update_begin = 0, update_end = 0;  ///< updates of this front by earlier ones
};

/// The strips of an earlier front that fall into this one, from `strip` to the source's end; the
/// first `columns` of them are pivots here. targets[target + i] is the row here of strip + i.
struct FrontUpdate {
  std::int32_t source = 0;
  std::int32_t strip = 0;
  std::int32_t columns = 0;
  std::int32_t target = 0;
};

/// Everything about the Cholesky factor of a block pattern that does not depend on numbers.
/// Vectors of the system hold node after node in the pattern's order, each padded to 8 entries.
struct BlockSymbolic {
  std::vector<Front> fronts;  ///< in elimination order
  std::vector<Strip> strips;
  std::vector<FrontUpdate> updates;
  std::vector<std::int32_t> targets;
  std::vector<BlockSlot> diagonal;          ///< by node; only the lower triangle is read
  std::vector<BlockSlot> off_diagonal;      ///< by edge
  std::vector<std::int32_t> vector_offset;  ///< by node
  std::int32_t vector_size = 0;
  std::int64_t value_count = 0;    ///< doubles, the 8 that kernels may read past the end included
  std::int64_t inverse_count = 0;  ///< doubles
  double flops = 0;                ///< of one numeric factorization
  std::int64_t factor_blocks = 0;  ///< blocks of the factor, explicit zeros of panels included
};

/// Symbolic analysis: orders the nodes, finds and merges supernodes, lays the panels out. Keeps
/// its buffers; the result depends on the pattern alone. Patterns must be well formed: sizes > 0,
/// edges within range, none from a node to itself, none twice.
class SymbolicAnalysis {
 public:
  void analyze(const BlockPattern& pattern, BlockSymbolic& result);

  /// The same with a given elimination order (a permutation of the nodes).
  void analyze(const BlockPattern& pattern, const std::vector<std::int32_t>& order,
               BlockSymbolic& result);

 private:
  // Below, a node is named by its place in the elimination order, unless it is "of the pattern".
  struct Supernode {
    std::int32_t first = 0, last = 0;   ///< its pivot nodes, inclusive
    std::int32_t pivots = 0, rows = 0;  ///< scalars
  };
  void finish(const BlockPattern& pattern, BlockSymbolic& result);
  void find_parents();
  void postorder();
  void find_structures();
  void find_supernodes(const BlockPattern& pattern);
  void lay_out(const BlockPattern& pattern, BlockSymbolic& result);
  void add_strips(int node, std::int32_t row, const BlockPattern& pattern, BlockSymbolic& result);
  void place_rows(const Front& front, const BlockSymbolic& symbolic);
  void place_blocks(int front, const BlockPattern& pattern, BlockSymbolic& result);
  void plan_updates(int front, BlockSymbolic& result);
  void wait_for_next_front(int source, const BlockSymbolic& symbolic);
  std::span<const std::int32_t> below(int node) const {
    return {structure_.data() + structure_start_[node],
            structure_.data() + structure_start_[node + 1]};
  }

  MinimumDegree minimum_degree_;
  Adjacency adjacency_;
  std::vector<std::int32_t> order_, place_;  ///< node -> node of the pattern, and back
  std::vector<std::int32_t> parent_, ancestor_, child_, sibling_, mark_, scratch_;
  std::vector<std::int32_t> structure_start_, structure_;  ///< rows below each pivot, ascending
  std::vector<Supernode> supernodes_;
  std::vector<std::int32_t> front_of_, row_of_;        ///< by node; row_of_ in the front at hand
  std::vector<std::int32_t> strip_node_, strip_part_;  ///< by strip: its node, rows before it there
  std::vector<std::int32_t> waiting_, next_, progress_;  ///< fronts queued for the one they update
};

}  // namespace abut
