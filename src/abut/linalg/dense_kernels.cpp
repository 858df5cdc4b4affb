// Small dense symmetric matrices. Rows of inverse factors come in packs of eight.

#include <cstddef>

#include "abut/linalg/dense_spd.hpp"
#include "abut/linalg/kernel_functions.hpp"
#include "abut/linalg/simd.hpp"

namespace abut::ABUT_ISA {
namespace {

/// Calls f(j) for each j < k in the pack from `first` on where the row is not zero.
template <class F>
ABUT_INLINE void for_nonzero(const double* row, int first, int k, const F& f) {
  unsigned bits = nonzero_bits(loadu(row + first));
  if (k - first < 8) bits &= (1u << (k - first)) - 1;
  for (; bits != 0; bits &= bits - 1) f(first + __builtin_ctz(bits));
}

/// t += a y, of a row whose last entry is `last`
ABUT_INLINE void add_packs(int last, double a, const double* y, double* t) {
  const Pack factor(a);
  for (int q = 0; q <= last; q += 8) storeu(t + q, fma(factor, loadu(y + q), loadu(t + q)));
}

}  // namespace

bool invert_factor(int n, const double* matrix, double* factor) {
  const std::ptrdiff_t lead = (n + 7) / 8 * 8;
  const auto row = [&](int r) { return factor + r * lead; };
  for (int r = 0; r < n; ++r) {
    const double* from = matrix + std::ptrdiff_t{r} * n;
    for (int c = 0; c <= r; ++c) row(r)[c] = from[c];
    for (int c = r + 1; c < lead; ++c) row(r)[c] = 0;
  }
  // L in the lower triangle, 1/L(k, k) on the diagonal; what packs write above it is not read
  for (int k = n - 1; k >= 0; --k) {
    double* pivot_row = row(k);
    const double pivot = pivot_row[k];
    if (!(pivot > 0)) return false;
    const double inverse = 1 / pivot;
    for (int p = 0; p < k; p += 8) {
      for_nonzero(pivot_row, p, k,
                  [&](int j) { add_packs(j, -(pivot_row[j] * inverse), pivot_row, row(j)); });
    }
    const double scale = 1 / __builtin_sqrt(pivot);
    for (int q = 0; q < k; q += 8) storeu(pivot_row + q, Pack(scale) * loadu(pivot_row + q));
    pivot_row[k] = scale;
  }
  // Y = L^-1 in its place: L(i, i) Y(i) = e(i) - sum over j < i of L(i, j) Y(j)
  for (int i = 0; i < n; ++i) {
    double* y = row(i);
    const double scale = y[i];
    for (int q = 0; q <= i; q += 8) {
      Pack rest(0);
      for (int p = q; p < i; p += 8) {
        for_nonzero(y, p, i, [&](int j) { rest = fnma(Pack(y[j]), loadu(row(j) + q), rest); });
      }
      storeu(y + q, Pack(scale) * rest);
    }
    y[i] = scale;
  }
  return true;
}

void add_inverse_times(int n, const double* factor, const double* x, double* y, double* work) {
  const std::ptrdiff_t lead = (n + 7) / 8 * 8;
  for (int q = 0; q < lead; q += 8) storeu(work + q, Pack(0));
  for (int i = 0; i < n; ++i) {
    if (x[i] != 0) add_packs(i, x[i], factor + i * lead, work);
  }
  int i = 0;
  for (; i + 6 <= n; i += 6) {  // rows end in zeros: six may go as far as the longest
    Pack products[6] = {Pack(0), Pack(0), Pack(0), Pack(0), Pack(0), Pack(0)};
    for (int q = 0; q < i + 6; q += 8) {
      const Pack t = loadu(work + q);
      for (int k = 0; k < 6; ++k) {
        products[k] = fma(loadu(factor + (i + k) * lead + q), t, products[k]);
      }
    }
    store6(y + i, load6(y + i) + sums6(products));
  }
  for (; i < n; ++i) {
    Pack products(0);
    for (int q = 0; q <= i; q += 8) {
      products = fma(loadu(factor + i * lead + q), loadu(work + q), products);
    }
    y[i] += sum(products);
  }
}

void multiply_by_factor(int rows, int n, const double* jacobian, const double* factor,
                        double* result) {
  const std::ptrdiff_t lead = (n + 7) / 8 * 8;
  for (std::ptrdiff_t q = 0; q < rows * lead; q += 8) storeu(result + q, Pack(0));
  for (int r = 0; r < rows; r += 3) {
    const double *x = jacobian + std::ptrdiff_t{r} * n, *y = x + n, *z = y + n;
    double *tx = result + r * lead, *ty = tx + lead, *tz = ty + lead;
    for (int i = 0; i < n; ++i) {
      if (x[i] == 0 && y[i] == 0 && z[i] == 0) continue;  // a joint that does not move the body
      const Pack a(x[i]), b(y[i]), c(z[i]);
      for (int q = 0; q <= i; q += 8) {
        const Pack row = loadu(factor + i * lead + q);
        storeu(tx + q, fma(a, row, loadu(tx + q)));
        storeu(ty + q, fma(b, row, loadu(ty + q)));
        storeu(tz + q, fma(c, row, loadu(tz + q)));
      }
    }
  }
}

namespace {

/// Of three rows with themselves.
void multiply_three(int width, const double* a, double* product) {
  Pack sums[6] = {Pack(0), Pack(0), Pack(0), Pack(0), Pack(0), Pack(0)};
  for (int q = 0; q < width; q += 8) {
    const Pack x = loadu(a + q), y = loadu(a + width + q), z = loadu(a + 2 * width + q);
    sums[0] = fma(x, x, sums[0]), sums[1] = fma(x, y, sums[1]), sums[2] = fma(x, z, sums[2]);
    sums[3] = fma(y, y, sums[3]), sums[4] = fma(y, z, sums[4]), sums[5] = fma(z, z, sums[5]);
  }
  double w[8];
  storeu(w, sums6(sums));
  const int entry[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) product[6 * r + c] = w[entry[r][c]];
  }
}

/// Two or one of A's rows at a time, so that six sums are under way.
template <int together, int columns>
void multiply_some(int rows, int width, const double* a, const double* b, double* product) {
  for (int r = 0; r < rows; r += together) {
    Pack sums[6] = {Pack(0), Pack(0), Pack(0), Pack(0), Pack(0), Pack(0)};
    const double *x = a + r * width, *y = r + 1 < rows ? x + width : x;
    for (int q = 0; q < width; q += 8) {
      const Pack u = loadu(x + q), v = loadu(y + q);
      for (int c = 0; c < columns; ++c) {
        const Pack w = loadu(b + c * width + q);
        sums[c] = fma(u, w, sums[c]);
        if (together == 2) sums[3 + c] = fma(v, w, sums[3 + c]);
      }
    }
    double total[8];
    storeu(total, sums6(sums));
    for (int c = 0; c < columns; ++c) {
      product[6 * r + c] = total[c];
      if (together == 2 && r + 1 < rows) product[6 * (r + 1) + c] = total[3 + c];
    }
  }
}

}  // namespace

void multiply_rows(int rows, int columns, int width, const double* a, const double* b,
                   double* product) {
  if (a == b && rows == 3) return multiply_three(width, a, product);
  columns == 3 ? multiply_some<2, 3>(rows, width, a, b, product)
               : multiply_some<1, 6>(rows, width, a, b, product);
}

namespace {

/// Three rows of a point of a body.
struct PointPacks {
  Pack x, y, z;
};

ABUT_INLINE PointPacks load_point(const BodyRows& b, int width, const double* arm, int q) {
  const double* j = b.rows + q;
  PointPacks p{loadu(j), loadu(j + width), loadu(j + 2 * width)};
  if (b.count == 3) return p;
  const Pack wx = loadu(j + 3 * width), wy = loadu(j + 4 * width), wz = loadu(j + 5 * width);
  p.x = fnma(wz, Pack(arm[1]), fma(wy, Pack(arm[2]), p.x));
  p.y = fnma(wx, Pack(arm[2]), fma(wz, Pack(arm[0]), p.y));
  p.z = fnma(wy, Pack(arm[0]), fma(wx, Pack(arm[1]), p.z));
  return p;
}

}  // namespace

void point_mobility(int width, const BodyRows& b, const double* arm_b, const BodyRows& a,
                    const double* arm_a, double* w) {
  Pack sums[6] = {Pack(0), Pack(0), Pack(0), Pack(0), Pack(0), Pack(0)};
  for (int q = 0; q < width; q += 8) {
    PointPacks p = load_point(b, width, arm_b, q);
    if (a.rows != nullptr) {
      const PointPacks other = load_point(a, width, arm_a, q);
      p = {p.x - other.x, p.y - other.y, p.z - other.z};
    }
    sums[0] = fma(p.x, p.x, sums[0]), sums[1] = fma(p.x, p.y, sums[1]);
    sums[2] = fma(p.x, p.z, sums[2]), sums[3] = fma(p.y, p.y, sums[3]);
    sums[4] = fma(p.y, p.z, sums[4]), sums[5] = fma(p.z, p.z, sums[5]);
  }
  double all[8];
  storeu(all, sums6(sums));
  for (int k = 0; k < 6; ++k) w[k] = all[k];
}

void multiply_by_runs(int n, const double* rows, const double* columns, const ColumnRun* runs,
                      const std::int32_t* run_end, double* product) {
  const std::ptrdiff_t lead = (n + 7) / 8 * 8;
  std::int32_t run = 0;
  for (int i = 0; i < n; ++i, columns += 8, product += n) {
    const Pack f[6] = {Pack(columns[0]), Pack(columns[1]), Pack(columns[2]),
                       Pack(columns[3]), Pack(columns[4]), Pack(columns[5])};
    int end = 0;  // of what is known of the row
    for (; run < run_end[i]; ++run) {
      const ColumnRun r = runs[run];
      for (int q = end; q < r.begin; ++q) product[q] = 0;
      for (int q = r.begin; q < r.end; q += 8) {
        const double* j = rows + q;
        Pack sum = f[0] * loadu(j);
        for (int k = 1; k < 6; ++k) sum = fma(f[k], loadu(j + k * lead), sum);
        storeu(product + q, sum);
      }
      end = r.end;
    }
  }
}

namespace {

/// Packs of A x from row q on, A's columns its rows, whose packs load(row) reads: two sums of each
/// are under way.
template <int packs, class Load>
ABUT_INLINE void multiply_packs(int n, const double* matrix, const double* x, int q, double* y,
                                const Load& load_row) {
  Pack even[packs], odd[packs];
#pragma GCC unroll 4
  for (int p = 0; p < packs; ++p) even[p] = odd[p] = Pack(0);
  const double* row = matrix + q;
  int k = 0;
  for (; k + 2 <= n; k += 2, row += 2 * std::ptrdiff_t{n}) {
    const Pack a(x[k]), b(x[k + 1]);
#pragma GCC unroll 4
    for (int p = 0; p < packs; ++p) {
      even[p] = fma(a, load_row(row + 8 * p), even[p]);
      odd[p] = fma(b, load_row(row + n + 8 * p), odd[p]);
    }
  }
  if (k < n) {
    const Pack a(x[k]);
#pragma GCC unroll 4
    for (int p = 0; p < packs; ++p) even[p] = fma(a, load_row(row + 8 * p), even[p]);
  }
#pragma GCC unroll 4
  for (int p = 0; p < packs; ++p) store(y + q + 8 * p, even[p] + odd[p]);
}

}  // namespace

void multiply_symmetric(int n, const double* matrix, const double* x, double* y) {
  const auto whole = [](const double* row) { return loadu(row); };
  int q = 0;
  for (; q + 16 <= n; q += 16) multiply_packs<2>(n, matrix, x, q, y, whole);
  for (; q + 8 <= n; q += 8) multiply_packs<1>(n, matrix, x, q, y, whole);
  const int rest = n - q;
  if (rest == 0) return;
  multiply_packs<1>(n, matrix, x, q, y, [&](const double* row) { return load_first(row, rest); });
}

}  // namespace abut::ABUT_ISA
