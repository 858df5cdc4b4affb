// Small dense symmetric matrices. Every inner loop runs along a row.

#include "abut/linalg/kernel_functions.hpp"

namespace abut::ABUT_ISA {
namespace {

/// y += a x
inline __attribute__((always_inline)) void add(int n, double a, const double* __restrict x,
                                               double* __restrict y) {
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}

/// y += sum of a[k] times the rows k of x, in fours: y is read and written once for each four.
inline __attribute__((always_inline)) void add_rows(int n, int rows, const double* a,
                                                    std::ptrdiff_t a_stride, const double* x,
                                                    std::ptrdiff_t x_stride, double* __restrict y) {
  int k = 0;
  for (; k + 4 <= rows; k += 4, a += 4 * a_stride, x += 4 * x_stride) {
    const double a0 = a[0], a1 = a[a_stride], a2 = a[2 * a_stride], a3 = a[3 * a_stride];
    const double *x0 = x, *x1 = x + x_stride, *x2 = x1 + x_stride, *x3 = x2 + x_stride;
    for (int i = 0; i < n; ++i) y[i] += (a0 * x0[i] + a1 * x1[i]) + (a2 * x2[i] + a3 * x3[i]);
  }
  for (; k < rows; ++k, a += a_stride, x += x_stride) add(n, *a, x, y);
}

}  // namespace

bool invert_spd(int n, const double* matrix, double* inverse, double* work) {
  const auto row = [&](int r) { return inverse + std::ptrdiff_t{r} * n; };
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c <= r; ++c) row(r)[c] = matrix[std::ptrdiff_t{r} * n + c];
    for (int c = r + 1; c < n; ++c) row(r)[c] = 0;
  }
  // L in the lower triangle
  for (int k = 0; k < n; ++k) {
    if (!(row(k)[k] > 0)) return false;
    const double pivot = __builtin_sqrt(row(k)[k]);
    row(k)[k] = pivot;
    for (int r = k + 1; r < n; ++r) work[r] = row(r)[k] /= pivot;
    for (int r = k + 1; r < n; ++r) {
      if (work[r] != 0) add(r - k, -work[r], work + k + 1, row(r) + k + 1);
    }
  }
  // X = L^-1 in its place, row by row: L(r, r) X(r) = e(r) - sum over k of L(r, k) X(k)
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < r; ++c) work[c] = 0;
    add_rows(r, r, row(r), 1, inverse, n, work);
    const double scale = 1 / row(r)[r];
    for (int c = 0; c < r; ++c) row(r)[c] = -scale * work[c];
    row(r)[r] = scale;
  }
  // X^T X: row r needs the rows from r on
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c <= r; ++c) work[c] = 0;
    add_rows(r + 1, n - r, row(r) + r, n, row(r), n, work);
    for (int c = 0; c <= r; ++c) row(r)[c] = work[c];
  }
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < r; ++c) row(c)[r] = row(r)[c];
  }
  return true;
}

void multiply_symmetric(int n, const double* matrix, const double* x, double* y) {
  for (int r = 0; r < n; ++r) y[r] = 0;
  add_rows(n, n, x, 1, matrix, n, y);
}

}  // namespace abut::ABUT_ISA
