#pragma once

// The inverse of the Cholesky factor of one pivot block. Kernel code, see simd.hpp.

#include "abut/linalg/simd.hpp"

namespace abut::ABUT_ISA {
namespace {

/// A 3x3 block A = U D U^T: the reciprocals of D, the entries below the diagonal of U (unit lower)
/// and those of U^-1. U^-1(1,0) and U^-1(2,1) are -u10 and -u21.
struct Factor3 {
  double r0, r1, r2;
  double u10, u20, u21;
  double v20;
};

/// A = (a; b d; c e f). The Schur complement of a is kept times a and the last pivot follows from
/// its minor, so that one division is in sequence where there would be three. (Minors of A itself
/// would lose the digits that a stiff contact leaves.) False if a pivot is not positive, or numbers
/// are too large or small for products of four.
ABUT_INLINE bool factor3(double a, double b, double c, double d, double e, double f, Factor3& x) {
  const double s11 = fma(a, d, -(b * b)), s21 = fma(a, e, -(b * c)), s22 = fma(a, f, -(c * c));
  const double minor = fnma(s21, s21, s11 * s22);
  const double inverse = 1 / s11;
  x.r0 = 1 / a;
  x.r1 = a * inverse;
  x.r2 = a * s11 / minor;
  x.u10 = b * x.r0;
  x.u20 = c * x.r0;
  x.u21 = s21 * inverse;
  x.v20 = fma(x.u10, x.u21, -x.u20);
  return a > 0 && s11 > 0 && minor > 1e-290 && minor < __builtin_inf();
}

/// The first three of each; the fourth of `b`, zero, behind them.
ABUT_INLINE Pack join3(Quad a, Quad b) {
  Pack r;
#if defined(__AVX512F__)
  r.part[0] = __builtin_shufflevector(a, b, 0, 1, 2, 4, 5, 6, 7, 7);
#elif defined(__AVX2__)
  r.part[0] = __builtin_shufflevector(a, b, 0, 1, 2, 4);
  r.part[1] = __builtin_shufflevector(b, b, 1, 2, 3, 3);
#else
  r.part[0] = Vec{a[0], a[1]}, r.part[1] = Vec{a[2], b[0]};
  r.part[2] = Vec{b[1], b[2]}, r.part[3] = Vec{b[3], b[3]};
#endif
  return r;
}

/// Reads the lower triangle at `block` (column-major), A = L L^T, and writes L^-1 = S W as 6
/// columns of 8 rows: those of W, unit lower triangular, whose last one is known and is S instead.
/// Zero elsewhere. False if a pivot is not positive. Halves of three: with A = (P .; B C), P = U D
/// U^T, Y = B U^-T, Z = Y D^-1 and C - Y Z^T = V E V^T,
///     S = diag(D, E)^-1/2,  W = (U^-1 0; -V^-1 Z U^-1 V^-1).
/// Roots are off the way from pivot to pivot, and what W multiplies need not wait for them. Columns
/// of three are quads whose fourth lane is whatever lies below (inside the panel) and is multiplied
/// by zero in the end.
ABUT_INLINE bool invert_pivot6(const double* block, std::ptrdiff_t leading, double* inverse) {
  const auto at = [&](int r, int c) { return block[r + c * leading]; };
  const auto column = [&](int c) { return load_quad(block + 3 + c * leading); };
  Factor3 p, q;
  const bool upper = factor3(at(0, 0), at(1, 0), at(2, 0), at(1, 1), at(2, 1), at(2, 2), p);
  const Quad u10 = splat_quad(p.u10), u20 = splat_quad(p.u20), u21 = splat_quad(p.u21);
  const Quad y0 = column(0);
  const Quad y1 = fnma(u10, y0, column(1));
  const Quad y2 = fnma(u21, y1, fnma(u20, y0, column(2)));
  const Quad z0 = y0 * splat_quad(p.r0), z1 = y1 * splat_quad(p.r1), z2 = y2 * splat_quad(p.r2);
  const Quad c0 = fnma(z2, splat_lane<0>(y2),
                       fnma(z1, splat_lane<0>(y1), fnma(z0, splat_lane<0>(y0), column(3))));
  const Quad c1 = fnma(z2, splat_lane<1>(y2),
                       fnma(z1, splat_lane<1>(y1), fnma(z0, splat_lane<1>(y0), column(4))));
  const Quad c2 = fnma(z2, splat_lane<2>(y2),
                       fnma(z1, splat_lane<2>(y1), fnma(z0, splat_lane<2>(y0), column(5))));
  const bool lower = factor3(c0[0], c0[1], c0[2], c1[1], c1[2], c2[2], q);
  const Quad m1 = fnma(u21, z2, z1), m0 = fma(splat_quad(p.v20), z2, fnma(u10, z1, z0));
  const Quad top = quad_sqrt(Quad{p.r0, p.r1, p.r2, 0});
  const Quad bottom = quad_sqrt(Quad{q.r0, q.r1, q.r2, 0});
  const Quad v0 = {0, -q.u10, q.v20, 0}, v1 = {0, 0, -q.u21, 0};
  constexpr Quad three = {1, 1, 1, 0};
  const auto low = [&](Quad m) {
    return -three * fma(v1, splat_lane<1>(m), fma(v0, splat_lane<0>(m), m));
  };
  constexpr Quad none = {};
  store(inverse, join3(Quad{1, -p.u10, p.v20, 0}, low(m0)));
  store(inverse + 8, join3(Quad{0, 1, -p.u21, 0}, low(m1)));
  store(inverse + 16, join3(Quad{0, 0, 1, 0}, low(z2)));
  store(inverse + 24, join3(none, Quad{1, -q.u10, q.v20, 0}));
  store(inverse + 32, join3(none, Quad{0, 1, -q.u21, 0}));
  store(inverse + 40, join3(top, bottom));
  return upper && lower;
}

/// The same for any number of pivots up to six.
template <int size>
ABUT_INLINE bool invert_pivot(const double* block, std::ptrdiff_t leading, double* inverse) {
  if constexpr (size == 6) return invert_pivot6(block, leading, inverse);
  double u[size][size], y[size][size], r[size];  // of A = U D U^T: U, U D, D^-1
  bool positive = true;
  for (int i = 0; i < 48; ++i) inverse[i] = 0;
  for (int c = 0; c < size; ++c) {
    for (int row = c; row < size; ++row) {
      double x = block[row + c * leading];
      for (int k = 0; k < c; ++k) x -= y[row][k] * u[c][k];
      y[row][c] = x;
    }
    positive = positive && y[c][c] > 0;
    r[c] = 1 / y[c][c];
    for (int row = c + 1; row < size; ++row) u[row][c] = y[row][c] * r[c];
  }
  for (int c = 0; c < size; ++c) {
    inverse[8 * c + c] = 1;
    for (int row = c + 1; row < size; ++row) {
      double x = 0;
      for (int k = c; k < row; ++k) x -= u[row][k] * inverse[8 * c + k];
      inverse[8 * c + row] = x;
    }
    inverse[40 + c] = __builtin_sqrt(r[c]);
  }
  return positive;
}

}  // namespace
}  // namespace abut::ABUT_ISA
