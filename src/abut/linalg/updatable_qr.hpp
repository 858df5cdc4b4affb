#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/core/aligned_buffer.hpp"

namespace abut {

/// Q^T A = R of a dense square matrix, which need not be symmetric, where rows and columns come and
/// go: Q^T is stored as it is, R is upper triangular. A change of A takes O(n^2) operations, all of
/// them plane rotations, so that errors grow with the number of changes only, whatever the matrices
/// on the way: a matrix that is singular for the time being does no harm until solve(). The updates
/// of LU, which take a third of the operations, divide by pivots of every matrix on the way.
/// Buffers are kept. Places are those of rows and of columns alike, in the order of append().
class UpdatableQr {
 public:
  /// Empties it, with room for `capacity` rows.
  void reset(int capacity);
  int size() const { return size_; }

  /// Appends a row and a column: `column` has the new size, its last entry the one that both share,
  /// `row` the old size. Returns |R_nn| over the norm of the column as it is: the sine of the angle
  /// between the column and those before it, 0 where it depends on them.
  double append(std::span<const double> column, std::span<const double> row);

  /// Removes the row and the column at a place; those behind move up.
  void remove(int place);

  /// x = A^-1 b; not finite if A is singular to the last digit. `x` may be `b`.
  void solve(std::span<const double> b, std::span<double> x);

  /// Multiplications and additions of the changes so far, by which their cost is known.
  std::int64_t operations() const { return operations_; }

 private:
  int size_ = 0;
  std::int64_t lead_ = 0;           ///< numbers per row, a multiple of 8
  std::vector<std::int32_t> slot_;  ///< where the rows of Q^T and R are, by place; then free ones
  AlignedBuffer<double> q_, r_, work_;
  std::int64_t operations_ = 0;
};

}  // namespace abut
