// Small dense symmetric matrices. Every inner loop runs along a row.

#include "abut/linalg/kernel_functions.hpp"

namespace abut::ABUT_ISA {
namespace {

/// y += a x
inline __attribute__((always_inline)) void add(int n, double a, const double* x, double* y) {
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}

}  // namespace

bool invert_spd(int n, const double* matrix, double* inverse, double* work) {
  const auto row = [&](int r) { return inverse + std::ptrdiff_t{r} * n; };
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c <= r; ++c) row(r)[c] = matrix[std::ptrdiff_t{r} * n + c];
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
    for (int k = 0; k < r; ++k) {
      if (row(r)[k] != 0) add(k + 1, -row(r)[k], row(k), work);
    }
    const double scale = 1 / row(r)[r];
    for (int c = 0; c < r; ++c) row(r)[c] = scale * work[c];
    row(r)[r] = scale;
  }
  // X^T X: row r needs the rows from r on
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c <= r; ++c) work[c] = 0;
    for (int k = r; k < n; ++k) {
      if (row(k)[r] != 0) add(r + 1, row(k)[r], row(k), work);
    }
    for (int c = 0; c <= r; ++c) row(r)[c] = work[c];
  }
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < r; ++c) row(c)[r] = row(r)[c];
  }
  return true;
}

void multiply_symmetric(int n, const double* matrix, const double* x, double* y) {
  for (int r = 0; r < n; ++r) y[r] = 0;
  for (int r = 0; r < n; ++r, matrix += n) {
    if (x[r] != 0) add(n, x[r], matrix, y);
  }
}

}  // namespace abut::ABUT_ISA
