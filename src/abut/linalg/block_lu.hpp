#pragma once

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
/// pattern alone. Buffers are kept.
class BlockLu {
 public:
  /// Symbolic analysis of a matrix with this pattern.
  void analyze(const BlockMatrix& pattern);

  /// Factors a matrix of the analyzed pattern; false if a pivot is singular or not finite.
  bool factor(const BlockMatrix& matrix);

  /// x := A^-1 x
  void solve(std::span<Vec3> x);

  std::int64_t value_count() const { return static_cast<std::int64_t>(values_.size()); }

 private:
  LuFactorView view() const;
  void find_structure(const BlockMatrix& pattern);
  void plan();

  MinimumDegree minimum_degree_;
  Adjacency adjacency_;
  BlockPattern pattern_;
  std::vector<std::int32_t> order_, place_;       ///< row of the factors -> of the matrix, and back
  std::vector<std::vector<std::int32_t>> below_;  ///< by row of the factors: later ones it touches
  std::vector<LuRow> rows_;
  std::vector<LuUpdate> updates_;
  std::vector<LuRun> runs_;
  std::vector<std::int32_t> columns_;  ///< of each row's blocks, ascending
  std::vector<std::int64_t> slots_;    ///< of each block of the matrix, in values_
  AlignedBuffer<double> values_, inverse_, work_;
};

}  // namespace abut
