#pragma once

// Inverse factors of matrices of few rows, and solutions, by loops without packs that are unrolled:
// what comes next does not wait for memory. Kernel code, see simd.hpp.

#include "abut/linalg/simd.hpp"

namespace abut::ABUT_ISA {
namespace {

/// A = U^T D U of the n x n lower triangle `a`: D in the place of its diagonal, U below. Rows are
/// eliminated from the last to the first, in groups of four with the same operations as
/// eliminate_rows(), so that the numbers are these.
template <int n>
ABUT_INLINE bool eliminate_small(double (&a)[n][n]) {
#pragma GCC unroll 16
  for (int end = n; end > 0; end -= 4) {
    const int first = end > 4 ? end - 4 : 0;
    double unscaled[n][n];
#pragma GCC unroll 16
    for (int k = end - 1; k >= first; --k) {
      if (!(a[k][k] > 0)) return false;
      const double inverse = 1 / a[k][k];
      double u[n];
#pragma GCC unroll 16
      for (int j = 0; j < k; ++j) {
        unscaled[k][j] = a[k][j];
        u[j] = a[k][j] * inverse;
      }
#pragma GCC unroll 16
      for (int j = first; j < k; ++j) {
#pragma GCC unroll 16
        for (int i = 0; i <= j; ++i) a[j][i] = fnma(u[j], unscaled[k][i], a[j][i]);
      }
#pragma GCC unroll 16
      for (int j = 0; j < k; ++j) a[k][j] = u[j];
    }
#pragma GCC unroll 16
    for (int j = 0; j < first; ++j) {
#pragma GCC unroll 16
      for (int k = end - 1; k >= first; --k) {
        const double factor = a[k][k] * a[k][j];
#pragma GCC unroll 16
        for (int i = 0; i <= j; ++i) a[j][i] = fnma(factor, a[k][i], a[j][i]);
      }
    }
  }
  return true;
}

template <int n>
ABUT_INLINE void load_lower(const double* matrix, double (&a)[n][n]) {
#pragma GCC unroll 16
  for (int i = 0; i < n; ++i) {
#pragma GCC unroll 16
    for (int j = 0; j <= i; ++j) a[i][j] = matrix[i * n + j];
  }
}

/// invert_factor() of n rows.
template <int n>
bool invert_small(const double* matrix, double* factor) {
  constexpr int lead = (n + 7) / 8 * 8;
  double a[n][n], y[n][n];
  load_lower<n>(matrix, a);
  if (!eliminate_small<n>(a)) return false;
#pragma GCC unroll 16
  for (int i = 0; i < n; ++i) {
#pragma GCC unroll 16
    for (int q = 0; q < i; ++q) {
      y[i][q] = 0;
#pragma GCC unroll 16
      for (int j = q; j < i; ++j) y[i][q] = fnma(a[i][j], y[j][q], y[i][q]);
    }
    y[i][i] = 1 / __builtin_sqrt(a[i][i]);
    double* row = factor + lead * i;
#pragma GCC unroll 16
    for (int q = 0; q < lead; ++q) row[q] = q <= i ? y[i][q] : 0;
  }
  return true;
}

/// solve_definite() of n rows.
template <int n>
bool solve_small(const double* matrix, double* x) {
  double a[n][n], y[n];
  load_lower<n>(matrix, a);
  if (!eliminate_small<n>(a)) return false;
#pragma GCC unroll 16
  for (int i = 0; i < n; ++i) y[i] = x[i];
#pragma GCC unroll 16
  for (int i = n - 1; i >= 0; --i) {
#pragma GCC unroll 16
    for (int j = 0; j < i; ++j) y[j] = fnma(a[i][j], y[i], y[j]);
  }
#pragma GCC unroll 16
  for (int i = 0; i < n; ++i) y[i] /= a[i][i];
#pragma GCC unroll 16
  for (int j = 0; j < n; ++j) {
#pragma GCC unroll 16
    for (int i = j + 1; i < n; ++i) y[i] = fnma(a[i][j], y[j], y[i]);
  }
#pragma GCC unroll 16
  for (int i = 0; i < n; ++i) x[i] = y[i];
  return true;
}

constexpr int most_small = 11;  ///< rows

/// Calls f with a number of rows, 1 to most_small, as a constant.
template <class F>
ABUT_INLINE bool with_size(int n, const F& f) {
  switch (n) {
    case 1: return f.template operator()<1>();
    case 2: return f.template operator()<2>();
    case 3: return f.template operator()<3>();
    case 4: return f.template operator()<4>();
    case 5: return f.template operator()<5>();
    case 6: return f.template operator()<6>();
    case 7: return f.template operator()<7>();
    case 8: return f.template operator()<8>();
    case 9: return f.template operator()<9>();
    case 10: return f.template operator()<10>();
    default: return f.template operator()<most_small>();
  }
}

}  // namespace
}  // namespace abut::ABUT_ISA
