// Updates of Q^T A = R by plane rotations, and sums of columns. Rows come in packs of eight.

#include "abut/linalg/kernel_functions.hpp"
#include "abut/linalg/simd.hpp"

namespace abut::ABUT_ISA {
namespace {

ABUT_INLINE int padded(int n) {
  return (n + 7) / 8 * 8;
}

/// x := c x + s y, y := c y - s x, from the pack of `begin` to `end`.
ABUT_INLINE void rotate(double c, double s, int begin, int end, double* x, double* y) {
  const Pack cosine(c), sine(s);
  for (int i = begin / 8 * 8; i < end; i += 8) {
    const Pack a = loadu(x + i), b = loadu(y + i);
    storeu(x + i, fma(cosine, a, sine * b));
    storeu(y + i, fnma(sine, a, cosine * b));
  }
}

/// t[i] = the first `rows` rows of Q^T times b, which is zero beyond `size` up to the next pack.
ABUT_INLINE void multiply_q(const QrView& v, int rows, const double* b, double* t) {
  const int width = padded(v.size);
  int i = 0;
  for (; i + 6 <= rows; i += 6) {
    Pack sums[6] = {Pack(0), Pack(0), Pack(0), Pack(0), Pack(0), Pack(0)};
    const double* row[6];
    for (int k = 0; k < 6; ++k) row[k] = v.q + v.slot[i + k] * v.lead;
    for (int j = 0; j < width; j += 8) {
      const Pack x = loadu(b + j);
      for (int k = 0; k < 6; ++k) sums[k] = fma(loadu(row[k] + j), x, sums[k]);
    }
    store6(t + i, sums6(sums));
  }
  for (; i < rows; ++i) {
    Pack products(0);
    const double* row = v.q + v.slot[i] * v.lead;
    for (int j = 0; j < width; j += 8) products = fma(loadu(row + j), loadu(b + j), products);
    t[i] = sum(products);
  }
}

/// Rotates rows `upper` and `lower` so that R's entry of the lower one in `column` is zero. Returns
/// how many pairs of numbers were rotated.
ABUT_INLINE std::int64_t clear(const QrView& v, int upper, int lower, int column) {
  double *a = v.r + v.slot[upper] * v.lead, *b = v.r + v.slot[lower] * v.lead;
  if (b[column] == 0) return 0;
  const double length = __builtin_sqrt(a[column] * a[column] + b[column] * b[column]);
  const double c = a[column] / length, s = b[column] / length;
  rotate(c, s, column, v.size, a, b);
  a[column] = length, b[column] = 0;
  rotate(c, s, 0, v.size, v.q + v.slot[upper] * v.lead, v.q + v.slot[lower] * v.lead);
  return 2 * v.size - column;
}

/// Drops entry k of a row.
ABUT_INLINE void shift(double* row, int k, int size) {
  __builtin_memmove(row + k, row + k + 1, sizeof(double) * static_cast<std::size_t>(size - 1 - k));
  row[size - 1] = 0;
}

}  // namespace

std::int64_t append_to_qr(const QrView& v, const double* column, const double* row, double* work) {
  const int last = v.size - 1;
  double *q = v.q + v.slot[last] * v.lead, *r = v.r + v.slot[last] * v.lead;
  for (int i = 0; i < v.lead; i += 8) storeu(q + i, Pack(0)), storeu(r + i, Pack(0));
  q[last] = 1;
  for (int i = 0; i < last; ++i) r[i] = row[i];
  multiply_q(v, last, column, work);
  for (int i = 0; i < last; ++i) v.r[v.slot[i] * v.lead + last] = work[i];
  r[last] = column[last];
  std::int64_t pairs = 0;
  for (int k = 0; k < last; ++k) pairs += clear(v, k, last, k);
  return std::int64_t{last} * v.size + 3 * pairs;
}

std::int64_t remove_from_qr(const QrView& v, int place) {
  const int n = v.size;
  // without its column R has a diagonal below the main one
  for (int i = 0; i < n; ++i) shift(v.r + v.slot[i] * v.lead, place, n);
  std::int64_t pairs = 0;
  for (int j = place; j + 1 < n; ++j) pairs += clear(v, j, j + 1, j);
  // the column of Q^T that belongs to the row of A becomes a multiple of e_0; R gets that diagonal
  // back, which the rows below the first have as their main one
  for (int i = n - 1; i > 0; --i) {
    double *x = v.q + v.slot[i - 1] * v.lead, *y = v.q + v.slot[i] * v.lead;
    if (y[place] == 0) continue;
    const double length = __builtin_sqrt(x[place] * x[place] + y[place] * y[place]);
    const double c = x[place] / length, s = y[place] / length;
    rotate(c, s, 0, n, x, y);
    rotate(c, s, i - 1, n, v.r + v.slot[i - 1] * v.lead, v.r + v.slot[i] * v.lead);
    pairs += 2 * n - i + 1;
  }
  for (int i = 1; i < n; ++i) shift(v.q + v.slot[i] * v.lead, place, n);
  return 3 * pairs;
}

void solve_qr(const QrView& v, const double* b, double* x) {
  const int n = v.size;
  multiply_q(v, n, b, x);
  for (int i = n; i < padded(n); ++i) x[i] = 0;
  // eight rows at a time: what the entries below give them, all at once, then their triangle
  for (int begin = padded(n) - 8; begin >= 0; begin -= 8) {
    const int end = begin + 8 < n ? begin + 8 : n;
    for (int i = begin; i < end; ++i) {
      const double* row = v.r + v.slot[i] * v.lead;
      Pack products(0);
      for (int j = begin + 8; j < n; j += 8) {
        products = fma(loadu(row + j), loadu(x + j), products);
      }
      x[i] -= sum(products);
    }
    for (int i = end - 1; i >= begin; --i) {
      const double* row = v.r + v.slot[i] * v.lead;
      double rest = x[i];
      for (int j = end - 1; j > i; --j) rest = fnma(row[j], x[j], rest);
      x[i] = rest / row[i];
    }
  }
}

void add_columns(int rows, int count, const std::int32_t* column, const double* factor,
                 const double* matrix, std::ptrdiff_t lead, double* y) {
  int k = 0;
  for (; k + 4 <= count; k += 4) {
    const double *a = matrix + column[k] * lead, *b = matrix + column[k + 1] * lead,
                 *c = matrix + column[k + 2] * lead, *d = matrix + column[k + 3] * lead;
    const Pack fa(factor[k]), fb(factor[k + 1]), fc(factor[k + 2]), fd(factor[k + 3]);
    for (int i = 0; i < rows; i += 8) {
      Pack s = fma(fa, loadu(a + i), loadu(y + i));
      s = fma(fb, loadu(b + i), s);
      s = fma(fc, loadu(c + i), s);
      storeu(y + i, fma(fd, loadu(d + i), s));
    }
  }
  for (; k < count; ++k) {
    const double* a = matrix + column[k] * lead;
    const Pack f(factor[k]);
    for (int i = 0; i < rows; i += 8) storeu(y + i, fma(f, loadu(a + i), loadu(y + i)));
  }
}

}  // namespace abut::ABUT_ISA
