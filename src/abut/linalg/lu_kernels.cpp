// LU of matrices of 3 x 3 blocks, block row by block row: each is reduced by the earlier ones that
// it has blocks left of the diagonal for.

#include "abut/linalg/kernel_functions.hpp"
#include "abut/linalg/simd.hpp"

namespace abut::ABUT_ISA {
namespace {

/// The first `count` < vec_width doubles, zeros behind them; nothing else is touched.
ABUT_INLINE Vec load_part(const double* p, int count) {
#if defined(__AVX512F__)
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << count) - 1), p);
#elif defined(__AVX2__)
  const VecMask lane{0, 1, 2, 3};
  return _mm256_maskload_pd(p, reinterpret_cast<__m256i>(lane < (VecMask{} + count)));
#else
  return Vec{count > 0 ? p[0] : 0, 0};
#endif
}
ABUT_INLINE void store_part(double* p, Vec a, int count) {
#if defined(__AVX512F__)
  _mm512_mask_storeu_pd(p, static_cast<__mmask8>((1u << count) - 1), a);
#elif defined(__AVX2__)
  const VecMask lane{0, 1, 2, 3};
  _mm256_maskstore_pd(p, reinterpret_cast<__m256i>(lane < (VecMask{} + count)), a);
#else
  if (count > 0) p[0] = a[0];
#endif
}

/// to -= a b of three scalar rows `count` long, a 3 x 3 by rows.
ABUT_INLINE void subtract_rows(const Vec a[9], const double* b, int b_width, double* to,
                               int to_width, int count) {
  const double *b0 = b, *b1 = b + b_width, *b2 = b1 + b_width;
  double *t0 = to, *t1 = to + to_width, *t2 = t1 + to_width;
  const auto row = [&](const Vec* f, Vec x0, Vec x1, Vec x2, Vec y) __attribute__((always_inline)) {
    return fnma(f[2], x2, fnma(f[1], x1, fnma(f[0], x0, y)));
  };
  int i = 0;
  for (; i + vec_width <= count; i += vec_width) {
    const Vec x0 = loadu_vec(b0 + i), x1 = loadu_vec(b1 + i), x2 = loadu_vec(b2 + i);
    storeu_vec(t0 + i, row(a, x0, x1, x2, loadu_vec(t0 + i)));
    storeu_vec(t1 + i, row(a + 3, x0, x1, x2, loadu_vec(t1 + i)));
    storeu_vec(t2 + i, row(a + 6, x0, x1, x2, loadu_vec(t2 + i)));
  }
  const int rest = count - i;
  if (rest == 0) return;
  const Vec x0 = load_part(b0 + i, rest), x1 = load_part(b1 + i, rest),
            x2 = load_part(b2 + i, rest);
  store_part(t0 + i, row(a, x0, x1, x2, load_part(t0 + i, rest)), rest);
  store_part(t1 + i, row(a + 3, x0, x1, x2, load_part(t1 + i, rest)), rest);
  store_part(t2 + i, row(a + 6, x0, x1, x2, load_part(t2 + i, rest)), rest);
}

/// Inverse of a 3 x 3 with rows `width` apart, by elimination with row pivoting; false if it is
/// singular or not finite.
ABUT_INLINE bool invert_pivot(const double* from, int width, double* inverse) {
  double m[3][6] = {};
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) m[r][c] = from[r * width + c];
    m[r][3 + r] = 1;
  }
  for (int k = 0; k < 3; ++k) {
    int best = k;
    for (int r = k + 1; r < 3; ++r) {
      if (__builtin_fabs(m[r][k]) > __builtin_fabs(m[best][k])) best = r;
    }
    if (!(__builtin_fabs(m[best][k]) > 0) || !(__builtin_fabs(m[best][k]) < 1e300)) return false;
    for (int c = 0; c < 6 && best != k; ++c) {
      const double kept = m[k][c];
      m[k][c] = m[best][c], m[best][c] = kept;
    }
    const double scale = 1 / m[k][k];
    for (int c = 0; c < 6; ++c) m[k][c] *= scale;
    for (int r = 0; r < 3; ++r) {
      if (r == k) continue;
      const double f = m[r][k];
      for (int c = 0; c < 6; ++c) m[r][c] -= f * m[k][c];
    }
  }
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) inverse[3 * r + c] = m[r][3 + c];
  }
  return true;
}

/// y -= the blocks of a row from column `begin` to `end` (in doubles) times their parts of x.
ABUT_INLINE void subtract_products(const LuFactorView& s, const LuRow& row, const double* values,
                                   int begin, int end, const double* x, double y[3]) {
  const std::int32_t* column = s.columns + row.column_begin;
  const double *r0 = values + row.values, *r1 = r0 + row.width, *r2 = r1 + row.width;
  if (end - begin <= 9) {
    for (int p = begin; p < end; p += 3) {
      const double* v = x + 3 * column[p / 3];
      for (int c = 0; c < 3; ++c) {
        y[0] = fnma(r0[p + c], v[c], y[0]);
        y[1] = fnma(r1[p + c], v[c], y[1]);
        y[2] = fnma(r2[p + c], v[c], y[2]);
      }
    }
    return;
  }
  // a block's three columns and one of the next block, or of what follows, times zero
  const Quad three{1, 1, 1, 0};
  Quad sum[3] = {}, other[3] = {};
  int p = begin;
  for (; p + 6 <= end; p += 6) {
    const Quad u = load_quad(x + 3 * column[p / 3]) * three,
               v = load_quad(x + 3 * column[p / 3 + 1]) * three;
    sum[0] = fma(load_quad(r0 + p), u, sum[0]), other[0] = fma(load_quad(r0 + p + 3), v, other[0]);
    sum[1] = fma(load_quad(r1 + p), u, sum[1]), other[1] = fma(load_quad(r1 + p + 3), v, other[1]);
    sum[2] = fma(load_quad(r2 + p), u, sum[2]), other[2] = fma(load_quad(r2 + p + 3), v, other[2]);
  }
  if (p < end) {
    const Quad u = load_quad(x + 3 * column[p / 3]) * three;
    sum[0] = fma(load_quad(r0 + p), u, sum[0]);
    sum[1] = fma(load_quad(r1 + p), u, sum[1]);
    sum[2] = fma(load_quad(r2 + p), u, sum[2]);
  }
  for (int r = 0; r < 3; ++r) {
    const Quad all = sum[r] + other[r];
    y[r] -= (all[0] + all[2]) + (all[1] + all[3]);
  }
}

}  // namespace

bool factor_lu(const LuFactorView& s, double* values, double* inverse) {
  for (int i = 0; i < s.count; ++i) {
    const LuRow& row = s.rows[i];
    double* own = values + row.values;
    for (int u = row.update_begin; u < row.update_end; ++u) {
      const LuUpdate& update = s.updates[u];
      const LuRow& earlier = s.rows[update.row];
      double* left = own + 3 * (u - row.update_begin);
      const double* d = inverse + 9 * static_cast<std::int64_t>(update.row);
      double a[9];
      for (int r = 0; r < 3; ++r) {
        const double* l = left + r * row.width;
        for (int c = 0; c < 3; ++c) {
          a[3 * r + c] = fma(l[2], d[6 + c], fma(l[1], d[3 + c], l[0] * d[c]));
        }
      }
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) left[r * row.width + c] = a[3 * r + c];
      }
      Vec factors[9];
      for (int k = 0; k < 9; ++k) factors[k] = splat(a[k]);
      const double* from = values + earlier.values;
      for (int k = update.run_begin; k < update.run_end; ++k) {
        const LuRun& run = s.runs[k];
        subtract_rows(factors, from + run.from, earlier.width, own + run.to, row.width, run.length);
      }
    }
    if (!invert_pivot(own + row.pivot, row.width, inverse + 9 * static_cast<std::int64_t>(i))) {
      return false;
    }
  }
  return true;
}

void solve_lu(const LuFactorView& s, const double* values, const double* inverse, double* x) {
  for (int i = 0; i < s.count; ++i) {
    subtract_products(s, s.rows[i], values, 0, s.rows[i].pivot, x, x + 3 * i);
  }
  for (int i = s.count - 1; i >= 0; --i) {
    double* y = x + 3 * i;
    subtract_products(s, s.rows[i], values, s.rows[i].pivot + 3, s.rows[i].width, x, y);
    const double* d = inverse + 9 * static_cast<std::int64_t>(i);
    const double b[3] = {y[0], y[1], y[2]};
    for (int r = 0; r < 3; ++r) {
      y[r] = fma(d[3 * r + 2], b[2], fma(d[3 * r + 1], b[1], d[3 * r] * b[0]));
    }
  }
}

}  // namespace abut::ABUT_ISA
