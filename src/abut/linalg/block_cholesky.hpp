#pragma once

#include <span>

#include "abut/core/aligned_buffer.hpp"
#include "abut/linalg/block_symbolic.hpp"

namespace abut {

class SharedFactor;
class Team;

/// Supernodal Cholesky factor of a symmetric positive definite block matrix, by the kernels of the
/// active instruction set. Buffers are kept from matrix to matrix.
///
/// Use: reset(symbolic); add blocks by add_diagonal() and add_off_diagonal(), or write them to
/// values(); factor(); solve(), or factor_and_solve() alone, or with solve() if it keeps the
/// factor.
class BlockCholesky {
 public:
  /// Room for factors of `pivot_strips` strips of pivots, below 8 rows each, with `strips` blocks
  /// of 6 by 8 numbers, at most half of them in fronts that threads share.
  void reserve(std::int64_t pivot_strips, std::int64_t strips);

  /// A zero matrix of this pattern. `symbolic` must outlive its use here. The leader of a team may
  /// give it to this and to the functions below: what is large enough is then done by all of its
  /// members, to the same bits.
  void reset(const BlockSymbolic& symbolic, Team* team = nullptr);

  /// The slots of the matrix, see BlockSymbolic. Only lower triangles of diagonal blocks count.
  double* values() { return values_.data(); }
  const BlockSymbolic& symbolic() const { return *symbolic_; }

  /// Adds a dense row-major block to the block of a node, or of an edge (a, b) with the rows of a
  /// and the columns of b.
  void add_diagonal(int node, int size, std::span<const double> block);
  void add_off_diagonal(int edge, int rows, int columns, std::span<const double> block);

  /// Factors in place; false if a pivot is not positive or not a number, or if products of four of
  /// its numbers overflow or underflow (outside of some 1e-72 to 1e77).
  bool factor(Team* team = nullptr);

  /// As factor() and solve(), to the same bits, in less time: fronts are at hand. Unless it is
  /// kept, the factor is used up, which saves time again: reset() comes next. If it fails, x is
  /// left with anything.
  bool factor_and_solve(std::span<double> x, Team* team = nullptr, bool is_kept = false);

  /// x := A^-1 x, in the layout of BlockSymbolic, whose padding is not touched.
  void solve(std::span<double> x, Team* team = nullptr);

 private:
  bool factor(double* x, Team* team, bool is_kept);
  void go_back(double* x, bool is_kept);
  bool is_shared(const Team* team) const;
  SharedFactor shared(Team& team);
  ApartSums apart() { return {apart_.data(), x_apart_.data()}; }

  const BlockSymbolic* symbolic_ = nullptr;  ///< null where reset() comes next
  AlignedBuffer<double> values_, inverse_;
  AlignedBuffer<double> apart_, x_apart_;  ///< ApartSums
  std::int64_t used_ = 0;                  ///< values from there on are zero
};

}  // namespace abut
