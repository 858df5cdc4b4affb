#pragma once

#include <cstdint>
#include <vector>

#include "abut/linalg/block_pattern.hpp"
#include "abut/linalg/front.hpp"
#include "abut/linalg/ordering.hpp"
#include "abut/linalg/sharing_plan.hpp"

namespace abut {

/// Where a block of the matrix lies in the factor's values: column-major, row r and column c at
/// values[offset + r + c * leading].
struct BlockSlot {
  std::int64_t offset = 0;
  std::int32_t leading = 0;
  bool transposed = false;  ///< rows are those of the edge's b: the block of (a, b) goes in turned
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
  std::int64_t value_count = 0;    ///< doubles, 8 behind each panel included
  std::int64_t inverse_count = 0;  ///< doubles
  double flops = 0;                ///< of one numeric factorization
  std::int64_t factor_blocks = 0;  ///< blocks of the factor, explicit zeros of panels included
  SharingPlans sharing;            ///< of a factorization among threads
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

  FillReducingOrder ordering_;
  SharingAnalysis sharing_;
  Adjacency adjacency_;
  std::vector<std::int32_t> order_, place_;  ///< node -> node of the pattern, and back
  std::vector<std::int32_t> parent_, ancestor_, child_, sibling_, scratch_;
  std::vector<std::uint64_t> rows_;                        ///< a bit each, of the pivot at hand
  std::vector<std::int32_t> structure_start_, structure_;  ///< rows below each pivot, ascending
  std::vector<Supernode> supernodes_;
  std::vector<std::int32_t> front_of_, row_of_;        ///< by node; row_of_ in the front at hand
  std::vector<std::int32_t> strip_node_, strip_part_;  ///< by strip: its node, rows before it there
  std::vector<std::int32_t> waiting_, next_, progress_;  ///< fronts queued for the one they update
};

}  // namespace abut
