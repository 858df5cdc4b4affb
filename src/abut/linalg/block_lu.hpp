#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "abut/core/aligned_buffer.hpp"
#include "abut/linalg/block_matrix.hpp"
#include "abut/linalg/block_pattern.hpp"
#include "abut/linalg/lu_structure.hpp"
#include "abut/linalg/ordering.hpp"

namespace abut {

/// LU of a matrix of 3 x 3 blocks whose pattern is symmetric, without pivoting between blocks; in
/// the diagonal blocks rows are pivoted. The order of elimination reduces fill and depends on the
/// pattern alone. Buffers are kept, and the analyses of the patterns met last.
class BlockLu {
 public:
  /// Symbolic analysis of a matrix with this pattern.
  void analyze(const BlockMatrix& pattern);

  /// Factors a matrix of the analyzed pattern; false if a pivot is singular or not finite.
  bool factor(const BlockMatrix& matrix) { return factor(std::span<const Mat3>(matrix.block)); }
  /// The same, of its blocks in the order of the pattern.
  bool factor(std::span<const Mat3> blocks);

  /// x := A^-1 x
  void solve(std::span<Vec3> x);

  std::int64_t value_count() const { return static_cast<std::int64_t>(values_.size()); }
  double flops() const { return plan().flops; }        ///< of a factorization
  std::int64_t analyses() const { return analyses_; }  ///< made so far

 private:
  /// What is known of a pattern before there are numbers.
  struct Plan {
    std::vector<std::int64_t> start;  ///< the pattern
    std::vector<std::int32_t> column;
    std::vector<std::int32_t> order, place;  ///< row of the factors -> of the matrix, and back
    std::vector<LuRow> rows;
    std::vector<LuUpdate> updates;
    std::vector<LuRun> runs;
    std::vector<std::int32_t> columns;  ///< of each row's blocks, ascending
    std::vector<std::int64_t> slots;    ///< of each block of the matrix, in values_
    std::int64_t values = 0;
    double flops = 0;
    std::int64_t last_use = -1;
  };
  /// Lists of numbers, one after the other.
  struct Lists {
    std::vector<std::int32_t> begin, item;
    std::span<const std::int32_t> of(int i) const {
      return {item.data() + begin[i], item.data() + begin[i + 1]};
    }
  };
  Plan& plan() { return plans_[current_]; }
  const Plan& plan() const { return plans_[current_]; }
  LuFactorView view() const;
  void make_room_for_largest();
  void note_sizes();
  void find_structure(int rows);
  void postorder(int rows);
  void plan_rows(int rows);
  void plan_slots();

  std::array<Plan, 8> plans_;
  int current_ = 0;  ///< the plan in use
  std::int64_t uses_ = 0, analyses_ = 0;
  std::array<std::size_t, 5> largest_{};  ///< numbers of rows, blocks, updates, runs, columns
  FillReducingOrder ordering_;
  Adjacency adjacency_;
  BlockPattern pattern_;
  Lists below_, left_;  ///< by row of the factors: later ones it touches, and earlier ones
  std::vector<std::int32_t> first_child_, next_child_, mark_, stack_, new_order_;
  AlignedBuffer<double> values_, inverse_, work_;
};

}  // namespace abut
