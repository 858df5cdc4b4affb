#include "abut/linalg/dense_spd.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace abut {
namespace {

/// y -= a x
void subtract(int n, double a, const double* x, double* y) {
  for (int i = 0; i < n; ++i) y[i] -= a * x[i];
}
void add(int n, double a, const double* x, double* y) {
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}

/// With `work` of n numbers. Rows are contiguous in every inner loop.
bool invert(int n, const double* matrix, double* inverse, double* work) {
  const auto row = [&](int r) { return inverse + std::ptrdiff_t{r} * n; };
  for (int r = 0; r < n; ++r) std::copy_n(matrix + std::ptrdiff_t{r} * n, r + 1, row(r));
  // L in the lower triangle
  for (int k = 0; k < n; ++k) {
    if (!(row(k)[k] > 0)) return false;
    const double pivot = std::sqrt(row(k)[k]);
    row(k)[k] = pivot;
    for (int r = k + 1; r < n; ++r) work[r] = row(r)[k] /= pivot;
    for (int r = k + 1; r < n; ++r) {
      if (work[r] != 0) subtract(r - k, work[r], work + k + 1, row(r) + k + 1);
    }
  }
  // X = L^-1 in its place, row by row: L(r, r) X(r) = e(r) - sum over k of L(r, k) X(k)
  for (int r = 0; r < n; ++r) {
    std::fill_n(work, r, 0.0);
    for (int k = 0; k < r; ++k) {
      if (row(r)[k] != 0) subtract(k + 1, row(r)[k], row(k), work);
    }
    const double scale = 1 / row(r)[r];
    for (int c = 0; c < r; ++c) row(r)[c] = scale * work[c];
    row(r)[r] = scale;
  }
  // X^T X: row r needs the rows from r on
  for (int r = 0; r < n; ++r) {
    std::fill_n(work, r + 1, 0.0);
    for (int k = r; k < n; ++k) {
      if (row(k)[r] != 0) add(r + 1, row(k)[r], row(k), work);
    }
    std::copy_n(work, r + 1, row(r));
  }
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < r; ++c) row(c)[r] = row(r)[c];
  }
  return true;
}

}  // namespace

void multiply_symmetric(int n, const double* matrix, const double* x, double* y) {
  std::fill_n(y, n, 0.0);
  for (int r = 0; r < n; ++r, matrix += n) {
    if (x[r] != 0) add(n, x[r], matrix, y);
  }
}

bool invert_spd(int n, const double* matrix, double* inverse) {
  std::array<double, 256> work;
  if (n <= static_cast<int>(work.size())) return invert(n, matrix, inverse, work.data());
  std::vector<double> large(n);
  return invert(n, matrix, inverse, large.data());
}

}  // namespace abut
