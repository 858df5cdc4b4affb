#pragma once

// The inverse of the Cholesky factor of one pivot block. Kernel code, see simd.hpp.

#include "abut/linalg/simd.hpp"

namespace abut::ABUT_ISA {
namespace {

/// L^-1 of a 3x3 block A = L L^T, by rows: (0,0), (1,0), (1,1), (2,0), (2,1), (2,2).
struct Inverse3 {
  double i00, i10, i11, i20, i21, i22;
};

/// A = (a; b d; c e f). After one division by a, the other two pivots follow from the minors of
/// the Schur complement with one vector square root and one vector division, instead of three of
/// each in sequence. (Minors of A itself would lose the digits that a stiff contact leaves.)
ABUT_INLINE bool invert3(double a, double b, double c, double d, double e, double f, Inverse3& x) {
  const double r = 1 / a;
  const double br = b * r, cr = c * r;
  const double s11 = fnma(br, b, d), s21 = fnma(br, c, e), s22 = fnma(cr, c, f);
  const double minor = fnma(s21, s21, s11 * s22);
  // 1/sqrt of a, s11 and s11 * minor; the last pivot is minor / s11
#if defined(__x86_64__)
  const __m128d roots = _mm_div_pd(_mm_set1_pd(1), _mm_sqrt_pd(_mm_setr_pd(a, s11)));
  x.i00 = roots[0];
  x.i11 = roots[1];
#else
  x.i00 = 1 / __builtin_sqrt(a);
  x.i11 = 1 / __builtin_sqrt(s11);
#endif
  x.i22 = s11 / __builtin_sqrt(s11 * minor);
  const double l21 = s21 * x.i11;  // L(2,1)
  x.i10 = -(x.i11 * br);
  x.i21 = -(x.i22 * l21 * x.i11);
  x.i20 = -(x.i22 * fma(l21, x.i10, cr));  // L(2,0) i00 = c/a
  return a > 0 && s11 > 0 && minor > 0;
}

/// Reads the lower triangle at `block` (column-major) and writes L^-1 to 6 columns of 8 rows, zero
/// elsewhere. False if a pivot is not positive.
ABUT_INLINE bool invert_pivot6(const double* block, std::ptrdiff_t leading, double* inverse) {
  const auto A = [&](int r, int c) { return block[r + c * leading]; };
  Inverse3 p, q;
  bool positive = invert3(A(0, 0), A(1, 0), A(2, 0), A(1, 1), A(2, 1), A(2, 2), p);
  double l[3][3];  // L21 = A21 L11^-T
  for (int r = 0; r < 3; ++r) {
    const double a0 = A(3 + r, 0), a1 = A(3 + r, 1), a2 = A(3 + r, 2);
    l[r][0] = a0 * p.i00;
    l[r][1] = fma(a1, p.i11, a0 * p.i10);
    l[r][2] = fma(a2, p.i22, fma(a1, p.i21, a0 * p.i20));
  }
  const auto schur = [&](int r, int c) {
    return fnma(l[r][2], l[c][2], fnma(l[r][1], l[c][1], fnma(l[r][0], l[c][0], A(3 + r, 3 + c))));
  };
  positive =
      invert3(schur(0, 0), schur(1, 0), schur(2, 0), schur(1, 1), schur(2, 1), schur(2, 2), q) &&
      positive;
  double m[3][3];  // L21 L11^-1
  for (int r = 0; r < 3; ++r) {
    m[r][0] = fma(l[r][2], p.i20, fma(l[r][1], p.i10, l[r][0] * p.i00));
    m[r][1] = fma(l[r][2], p.i21, l[r][1] * p.i11);
    m[r][2] = l[r][2] * p.i22;
  }
  for (int i = 0; i < 48; i += 8)
    store(inverse + i, Pack(0));
  const auto low = [&](int r, int c) {  // -L22^-1 (L21 L11^-1)
    if (r == 0) return -(q.i00 * m[0][c]);
    if (r == 1) return -fma(q.i11, m[1][c], q.i10 * m[0][c]);
    return -fma(q.i22, m[2][c], fma(q.i21, m[1][c], q.i20 * m[0][c]));
  };
  const auto put = [&](int r, int c, double value) { inverse[8 * c + r] = value; };
  put(0, 0, p.i00), put(1, 0, p.i10), put(2, 0, p.i20), put(1, 1, p.i11), put(2, 1, p.i21),
      put(2, 2, p.i22);
  put(3, 3, q.i00), put(4, 3, q.i10), put(5, 3, q.i20), put(4, 4, q.i11), put(5, 4, q.i21),
      put(5, 5, q.i22);
#pragma GCC unroll 3
  for (int c = 0; c < 3; ++c) {
#pragma GCC unroll 3
    for (int r = 0; r < 3; ++r)
      put(3 + r, c, low(r, c));
  }
  return positive;
}

/// The same for any number of pivots up to six.
template <int size>
ABUT_INLINE bool invert_pivot(const double* block, std::ptrdiff_t leading, double* inverse) {
  if constexpr (size == 6) return invert_pivot6(block, leading, inverse);
  double l[size][size];
  bool positive = true;
  for (int c = 0; c < size; ++c) {
    double d = block[c + c * leading];
    for (int k = 0; k < c; ++k)
      d -= l[c][k] * l[c][k];
    positive = positive && d > 0;
    l[c][c] = __builtin_sqrt(d);
    for (int r = c + 1; r < size; ++r) {
      double x = block[r + c * leading];
      for (int k = 0; k < c; ++k)
        x -= l[r][k] * l[c][k];
      l[r][c] = x / l[c][c];
    }
  }
  for (int i = 0; i < 48; ++i)
    inverse[i] = 0;
  for (int c = 0; c < size; ++c) {
    inverse[8 * c + c] = 1 / l[c][c];
    for (int r = c + 1; r < size; ++r) {
      double x = 0;
      for (int k = c; k < r; ++k)
        x -= l[r][k] * inverse[8 * c + k];
      inverse[8 * c + r] = x / l[r][r];
    }
  }
  return positive;
}

}  // namespace
}  // namespace abut::ABUT_ISA
