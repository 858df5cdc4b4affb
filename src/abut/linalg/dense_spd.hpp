#pragma once

#include <cstdint>
#include <span>

#include "abut/linalg/block_symbolic.hpp"
#include "abut/linalg/index_run.hpp"

// The small dense A of one tree, n x n, row-major. Its inverse factor is the lower triangular
// Y = L^-1 with A = L^T L, so that A^-1 = Y Y^T: n rows of round_up_8(n) numbers, zero above the
// diagonal. Eliminating from the last dof to the first, as L^T L does, leaves zero in L and Y what
// is zero because two dofs are on different branches of a tree [FEATHERSTONE 6.5]; what is zero in
// four rows at once costs nothing.

namespace abut {

/// Of a symmetric positive definite A, whose lower triangle is read. False if a pivot is not
/// positive; `factor` is then of no use.
bool invert_factor(int n, const double* matrix, double* factor);

/// y += A^-1 x. `work` has room for round_up_8(n) numbers.
void add_inverse_times(int n, const double* factor, const double* x, double* y, double* work);

/// x := A^-1 x, where no other x follows: up to eleven rows without an inverse factor. `work` has
/// room for solve_work(n) numbers. False if a pivot is not positive; x is then of no use.
bool solve_definite(int n, const double* matrix, double* x, double* work);
inline std::size_t solve_work(int n) {
  return static_cast<std::size_t>(n + 2) * round_up_8(n);
}

/// result = J Y in rows of round_up_8(n). J has a multiple of 3 rows of n columns, zero but for
/// those of the runs, which ascend; `jacobian` has these alone.
void multiply_by_factor(int rows, int n, const double* jacobian, std::span<const IndexRun> runs,
                        const double* factor, double* result);

/// product = A B^T of matrices with `rows` and `columns` rows, each 3 or 6, of `width` numbers, a
/// multiple of 8; all row-major, the product with rows of 6 numbers.
void multiply_rows(int rows, int columns, int width, const double* a, const double* b,
                   double* product);

/// product = A A^T of a matrix of `rows` rows of `width` numbers, a multiple of 8; its rows come
/// round_up_8(rows) numbers apart, of which those beyond its columns stay as they are.
void multiply_by_transpose(int rows, int width, const double* a, double* product);

/// J Y of a body, in rows as multiply_by_factor() leaves them: the velocity of its center and, of
/// six rows, its angular velocity.
struct BodyRows {
  const double* rows = nullptr;  ///< null: no body
  int count = 6;                 ///< 3: all that counts is at the center
};

/// J A^-1 J^T of the twist of body b less that of body a of the same tree, if there is one, both
/// about b's center: the lower triangle of a 6 x 6 matrix, row-major. d leads from a's center to
/// b's; rows of `width` numbers.
void relative_mobility(int width, const BodyRows& b, const BodyRows& a, const double d[3],
                       double matrix[36]);

/// The lower triangle of a matrix P, n x n, row-major, with room for 8 numbers more: P(i, j) = F_i
/// . J_j in the runs of row i, zero between them. `rows`: J, six rows of round_up_8(n); `columns`:
/// F, six numbers of eight for each i. The runs of row i end at run_end[i], ascend, and end with
/// column i. What is above the diagonal is of no use.
void multiply_by_runs(int n, const double* rows, const double* columns, const IndexRun* runs,
                      const std::int32_t* run_end, double* product);

/// y = A x for a symmetric A, n x n. Vectors on a 64-byte boundary, y with whole packs, whose
/// padding becomes zero.
void multiply_symmetric(int n, const double* matrix, const double* x, double* y);

/// The lower triangle of a symmetric matrix, n x n, to columns that are `leading` apart, of which
/// the rest stays as it is.
void copy_lower(int n, const double* matrix, double* to, std::ptrdiff_t leading);

/// The lower triangle of a matrix, n x n, row-major, and above the diagonal what is below it.
void copy_symmetric(int n, const double* lower, double* matrix);

}  // namespace abut
