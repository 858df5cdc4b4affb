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

/// A = (a; b d; c e f). The last pivot follows from the minor of the Schur complement, so that two
/// divisions in sequence do for three. (Minors of A itself would lose the digits that a stiff
/// contact leaves.) False if a pivot is not positive.
ABUT_INLINE bool factor3(double a, double b, double c, double d, double e, double f, Factor3& x) {
  x.r0 = 1 / a;
  x.u10 = b * x.r0;
  x.u20 = c * x.r0;
  const double s11 = fnma(x.u10, b, d), s21 = fnma(x.u10, c, e), s22 = fnma(x.u20, c, f);
  const double minor = fnma(s21, s21, s11 * s22);
  x.r1 = 1 / s11;
  x.r2 = s11 / minor;
  x.u21 = s21 * x.r1;
  x.v20 = fma(x.u10, x.u21, -x.u20);
  return a > 0 && s11 > 0 && minor > 0;
}

/// Reads the lower triangle at `block` (column-major) and writes L^-1 to 6 columns of 8 rows, zero
/// elsewhere. False if a pivot is not positive. Halves of three: with A = (P .; B C), P = U D U^T,
/// Y = B U^-T, Z = Y D^-1 and C - Y Z^T = V E V^T,
///     L^-1 = diag(D, E)^-1/2 (U^-1 0; -V^-1 Z U^-1 V^-1).
/// The roots come last, off the way from pivot to pivot. Columns of three are quads whose fourth
/// lane is whatever lies below (inside the panel) and is multiplied by zero in the end.
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
  const auto low = [&](Quad m) {
    return -bottom * fma(v1, splat_lane<1>(m), fma(v0, splat_lane<0>(m), m));
  };
  for (int i = 0; i < 48; i += 8) store(inverse + i, Pack(0));
  store_quad(inverse, top * Quad{1, -p.u10, p.v20, 0});
  store_quad(inverse + 8, top * Quad{0, 1, -p.u21, 0});
  store_quad(inverse + 16, top * Quad{0, 0, 1, 0});
  store_quad(inverse + 3, low(m0));
  store_quad(inverse + 11, low(m1));
  store_quad(inverse + 19, low(z2));
  store_quad(inverse + 27, bottom * Quad{1, -q.u10, q.v20, 0});
  store_quad(inverse + 35, bottom * Quad{0, 1, -q.u21, 0});
  store_quad(inverse + 43, bottom * Quad{0, 0, 1, 0});
  return upper && lower;
}

/// The same for any number of pivots up to six.
template <int size>
ABUT_INLINE bool invert_pivot(const double* block, std::ptrdiff_t leading, double* inverse) {
  if constexpr (size == 6) return invert_pivot6(block, leading, inverse);
  double l[size][size];
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
