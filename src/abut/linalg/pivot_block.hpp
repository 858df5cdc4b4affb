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
ABUT_INLINE bool invert3(double a, double b, double c, double d, double e, double f,
                         Inverse3& x) {
  const double r = 1 / a;
  const double br = b * r, cr = c * r;
  const double s11 = fnma(br, b, d), s21 = fnma(br, c, e), s22 = fnma(cr, c, f);
  const double minor = fnma(s21, s21, s11 * s22);
  // 1/sqrt of a, s11 and s11 * minor; the last pivot is minor / s11
  double roots[4] = {a, s11, s11 * minor, 1};
  for (int i = 0; i < 4; i += 2) {
#if defined(__x86_64__)
    const __m128d v = _mm_sqrt_pd(_mm_loadu_pd(roots + i));
    _mm_storeu_pd(roots + i, _mm_div_pd(_mm_set1_pd(1), v));
#else
    for (int k = i; k < i + 2; ++k) roots[k] = 1 / __builtin_sqrt(roots[k]);
#endif
  }
  x.i00 = roots[0];
  x.i11 = roots[1];
  x.i22 = s11 * roots[2];
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
  positive = invert3(schur(0, 0), schur(1, 0), schur(2, 0), schur(1, 1), schur(2, 1), schur(2, 2),
                     q) && positive;
  double m[3][3];  // L21 L11^-1
  for (int r = 0; r < 3; ++r) {
    m[r][0] = fma(l[r][2], p.i20, fma(l[r][1], p.i10, l[r][0] * p.i00));
    m[r][1] = fma(l[r][2], p.i21, l[r][1] * p.i11);
    m[r][2] = l[r][2] * p.i22;
  }
  double* column = inverse;
  const auto put = [&](double r0, double r1, double r2, double r3, double r4, double r5) {
    column[0] = r0, column[1] = r1, column[2] = r2, column[3] = r3, column[4] = r4,
    column[5] = r5, column[6] = 0, column[7] = 0;
    column += 8;
  };
  const auto low = [&](int r, int c) {  // -L22^-1 (L21 L11^-1)
    if (r == 0) return -(q.i00 * m[0][c]);
    if (r == 1) return -fma(q.i11, m[1][c], q.i10 * m[0][c]);
    return -fma(q.i22, m[2][c], fma(q.i21, m[1][c], q.i20 * m[0][c]));
  };
  put(p.i00, p.i10, p.i20, low(0, 0), low(1, 0), low(2, 0));
  put(0, p.i11, p.i21, low(0, 1), low(1, 1), low(2, 1));
  put(0, 0, p.i22, low(0, 2), low(1, 2), low(2, 2));
  put(0, 0, 0, q.i00, q.i10, q.i20);
  put(0, 0, 0, 0, q.i11, q.i21);
  put(0, 0, 0, 0, 0, q.i22);
  return positive;
}

/// The same for 1 to 6 pivots, by the textbook.
inline bool invert_pivot(const double* block, std::ptrdiff_t leading, int size, double* inverse) {
  double l[6][6] = {};
  bool positive = true;
  for (int c = 0; c < size; ++c) {
    double d = block[c + c * leading];
    for (int k = 0; k < c; ++k) d -= l[c][k] * l[c][k];
    positive = positive && d > 0;
    l[c][c] = __builtin_sqrt(d);
    for (int r = c + 1; r < size; ++r) {
      double x = block[r + c * leading];
      for (int k = 0; k < c; ++k) x -= l[r][k] * l[c][k];
      l[r][c] = x / l[c][c];
    }
  }
  for (int i = 0; i < 48; ++i) inverse[i] = 0;
  for (int c = 0; c < size; ++c) {
    inverse[8 * c + c] = 1 / l[c][c];
    for (int r = c + 1; r < size; ++r) {
      double x = 0;
      for (int k = c; k < r; ++k) x -= l[r][k] * inverse[8 * c + k];
      inverse[8 * c + r] = x / l[r][r];
    }
  }
  return positive;
}

}  // namespace
}  // namespace abut::ABUT_ISA
