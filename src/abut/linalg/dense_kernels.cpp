// Small dense symmetric matrices. Rows of inverse factors come in packs of eight.

#include <cstddef>

#include "abut/linalg/dense_spd.hpp"
#include "abut/linalg/kernel_functions.hpp"
#include "abut/linalg/simd.hpp"
#include "abut/linalg/small_factor.hpp"

namespace abut::ABUT_ISA {
namespace {

// Rows are taken four at a time; the first block has the rest.

constexpr int block_rows = 4;
constexpr int most_packs = vec_width == 8 ? 4 : vec_width == 4 ? 2 : 1;  ///< of a row at once

/// Calls f(j) for each column j in [begin, end) where one of `rows` rows from `first` on is not
/// zero; `begin` is a multiple of 8.
template <int rows, class F>
ABUT_INLINE void for_nonzero_columns(const double* first, std::ptrdiff_t lead, int begin, int end,
                                     const F& f) {
  for (int p = begin; p < end; p += 8) {
    unsigned bits = 0;
    for (int r = 0; r < rows; ++r) bits |= nonzero_bits(loadu(first + r * lead + p));
    if (end - p < 8) bits &= (1u << (end - p)) - 1;
    for (; bits != 0; bits &= bits - 1) f(p + __builtin_ctz(bits));
  }
}

/// The same from the last of columns [0, end) to the first.
template <int rows, class F>
ABUT_INLINE void for_nonzero_columns_backward(const double* first, std::ptrdiff_t lead, int end,
                                              const F& f) {
  for (int p = (end - 1) & ~7; p >= 0; p -= 8) {
    unsigned bits = 0;
    for (int r = 0; r < rows; ++r) bits |= nonzero_bits(loadu(first + r * lead + p));
    if (end - p < 8) bits &= (1u << (end - p)) - 1;
    while (bits != 0) {
      const int last = 31 - __builtin_clz(bits);
      bits ^= 1u << last;
      f(p + last);
    }
  }
}

/// Of A = U^T D U, U lower triangular with ones on its diagonal, in whose place D is kept until Y
/// needs it: rows [first, first + rows), whose pivots are next, and what they take from the rows
/// before. The block on the diagonal is eliminated first: pivots wait for each other alone. Above
/// the diagonal packs write what is not read.
template <int rows>
ABUT_INLINE bool eliminate_rows(int first, std::ptrdiff_t lead, double* factor) {
  double* block = factor + first * lead;
  double a[rows][rows], u[rows][rows], pivot[rows], inverse[rows];
#pragma GCC unroll 4
  for (int k = 0; k < rows; ++k) {
#pragma GCC unroll 4
    for (int j = 0; j <= k; ++j) a[k][j] = block[k * lead + first + j];
  }
#pragma GCC unroll 4
  for (int k = rows - 1; k >= 0; --k) {
    pivot[k] = a[k][k];
    if (!(pivot[k] > 0)) return false;
    inverse[k] = 1 / pivot[k];
#pragma GCC unroll 4
    for (int j = 0; j < k; ++j) {
      u[k][j] = a[k][j] * inverse[k];
#pragma GCC unroll 4
      for (int i = 0; i <= j; ++i) a[j][i] = fnma(u[k][j], a[k][i], a[j][i]);
    }
  }
  for (int q = 0; q < first + rows; q += 8) {
    Pack row[rows];
#pragma GCC unroll 4
    for (int k = 0; k < rows; ++k) row[k] = loadu(block + k * lead + q);
#pragma GCC unroll 4
    for (int k = rows - 1; k >= 0; --k) {
#pragma GCC unroll 4
      for (int j = 0; j < k; ++j) row[j] = fnma(Pack(u[k][j]), row[k], row[j]);
      storeu(block + k * lead + q, Pack(inverse[k]) * row[k]);
    }
  }
  for_nonzero_columns_backward<rows>(block, lead, first, [&](int j) {
    Pack factors[rows];
#pragma GCC unroll 4
    for (int k = 0; k < rows; ++k) factors[k] = Pack(pivot[k] * block[k * lead + j]);
    double* to = factor + j * lead;
    for (int q = 0; q <= j; q += 8) {
      Pack rest = loadu(to + q);
#pragma GCC unroll 4
      for (int k = rows - 1; k >= 0; --k) {
        rest = fnma(factors[k], loadu(block + k * lead + q), rest);
      }
      storeu(to + q, rest);
    }
  });
  for (int k = 0; k < rows; ++k) block[k * lead + first + k] = pivot[k];
  return true;
}

/// `packs` packs from column q on of rows [first, first + rows) of Y, in U's place: Y(i) =
/// D(i)^(-1/2) e(i) - sum over j < i of U(i, j) Y(j). `u` is U's block on the diagonal, that on it
/// D^(-1/2).
template <int rows, int packs>
ABUT_INLINE void invert_packs(int first, std::ptrdiff_t lead, int q, const double (&u)[rows][rows],
                              double* factor) {
  static constexpr double unit[16] = {0, 0, 0, 0, 0, 0, 0, 0, 1};
  double* block = factor + first * lead;
  Pack rest[rows][packs];
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (int g = 0; g < packs; ++g) {
      const int lane = first + r - q - 8 * g;
      rest[r][g] = lane >= 0 && lane < 8 ? Pack(u[r][r]) * loadu(unit + 8 - lane) : Pack(0);
    }
  }
  for_nonzero_columns<rows>(block, lead, q, first, [&](int j) {  // rows before q end before it
    const double *y = factor + j * lead + q, *coefficient = block + j;
#pragma GCC unroll 4
    for (int g = 0; g < packs; ++g) {
      const Pack from = loadu(y + 8 * g);
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r) {
        rest[r][g] = fnma(Pack(coefficient[r * lead]), from, rest[r][g]);
      }
    }
  });
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (int g = 0; g < packs; ++g) {
#pragma GCC unroll 4
      for (int s = 0; s < r; ++s) rest[r][g] = fnma(Pack(u[r][s]), rest[s][g], rest[r][g]);
      storeu(block + r * lead + q + 8 * g, rest[r][g]);
    }
  }
}

template <int rows>
ABUT_INLINE void invert_rows(int first, std::ptrdiff_t lead, double* factor) {
  const double* block = factor + first * lead;
  double u[rows][rows];
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (int s = 0; s < r; ++s) u[r][s] = block[r * lead + first + s];
    u[r][r] = 1 / __builtin_sqrt(block[r * lead + first + r]);
  }
  const int count = (first + rows + 7) / 8;  // packs of the longest
  int p = 0;
  for (; p + most_packs <= count; p += most_packs) {
    invert_packs<rows, most_packs>(first, lead, 8 * p, u, factor);
  }
  for (; p < count; ++p) invert_packs<rows, 1>(first, lead, 8 * p, u, factor);
}

/// Calls f with a number of rows, at most four, as a constant.
template <class F>
ABUT_INLINE auto with_rows(int count, const F& f) {
  switch (count) {
    case 1: return f.template operator()<1>();
    case 2: return f.template operator()<2>();
    case 3: return f.template operator()<3>();
    default: return f.template operator()<block_rows>();
  }
}

}  // namespace

bool invert_factor(int n, const double* matrix, double* factor) {
  if (n <= most_small) {
    return with_size(n, [&]<int size>() { return invert_small<size>(matrix, factor); });
  }
  const std::ptrdiff_t lead = (n + 7) / 8 * 8;
  for (int r = 0; r < n; ++r) {
    const double* from = matrix + std::ptrdiff_t{r} * n;
    double* to = factor + r * lead;
    int q = 0;
    for (; q <= r && q + 8 <= n; q += 8) storeu(to + q, loadu(from + q));
    if (q <= r) storeu(to + q, load_first(from + q, n - q)), q += 8;
    for (; q < lead; q += 8) storeu(to + q, Pack(0));
  }
  const int rest = n % block_rows;
  for (int first = n - block_rows; first >= 0; first -= block_rows) {
    if (!eliminate_rows<block_rows>(first, lead, factor)) return false;
  }
  if (rest > 0 &&
      !with_rows(rest, [&]<int rows>() { return eliminate_rows<rows>(0, lead, factor); })) {
    return false;
  }
  if (rest > 0) with_rows(rest, [&]<int rows>() { invert_rows<rows>(0, lead, factor); });
  for (int first = rest; first < n; first += block_rows) {
    invert_rows<block_rows>(first, lead, factor);
  }
  return true;
}

namespace {

/// `packs` packs of Y^T x from column q on.
template <int packs>
ABUT_INLINE void transposed_times(int n, std::ptrdiff_t lead, int q, const double* factor,
                                  const double* x, double* product) {
  Pack sums[packs];
#pragma GCC unroll 4
  for (int g = 0; g < packs; ++g) sums[g] = Pack(0);
  for (int i = q; i < n; ++i) {  // rows before q end before it
    if (x[i] == 0) continue;
    const Pack a(x[i]);
#pragma GCC unroll 4
    for (int g = 0; g < packs; ++g) {
      sums[g] = fma(a, loadu(factor + i * lead + q + 8 * g), sums[g]);
    }
  }
#pragma GCC unroll 4
  for (int g = 0; g < packs; ++g) storeu(product + q + 8 * g, sums[g]);
}

}  // namespace

void add_inverse_times(int n, const double* factor, const double* x, double* y, double* work) {
  const std::ptrdiff_t lead = (n + 7) / 8 * 8;
  int begin = 0;
  for (; begin + 8 * most_packs <= lead; begin += 8 * most_packs) {
    transposed_times<most_packs>(n, lead, begin, factor, x, work);
  }
  for (; begin < lead; begin += 8) transposed_times<1>(n, lead, begin, factor, x, work);
  for (int i = 0; i < n; i += 6) {  // rows end in zeros: six may go as far as the longest
    const int rows = n - i < 6 ? n - i : 6;
    const double* row[6];
    for (int k = 0; k < 6; ++k) row[k] = factor + (i + (k < rows ? k : rows - 1)) * lead;
    Pack products[6] = {Pack(0), Pack(0), Pack(0), Pack(0), Pack(0), Pack(0)};
    for (int q = 0; q < i + rows; q += 8) {
      const Pack t = loadu(work + q);
      for (int k = 0; k < 6; ++k) products[k] = fma(loadu(row[k] + q), t, products[k]);
    }
    const Pack sums = sums6(products);
    if (rows == 6) {
      store6(y + i, load6(y + i) + sums);
    } else {
      store_first(y + i, load_first(y + i, rows) + sums, rows);
    }
  }
}

bool solve_definite(int n, const double* matrix, double* x, double* work) {
  if (n <= most_small) {
    return with_size(n, [&]<int size>() { return solve_small<size>(matrix, x); });
  }
  const std::ptrdiff_t lead = (n + 7) / 8 * 8;
  double *factor = work, *right = factor + n * lead, *rest = right + lead;
  if (!invert_factor(n, matrix, factor)) return false;
  for (int i = 0; i < n; ++i) right[i] = x[i], x[i] = 0;
  add_inverse_times(n, factor, right, x, rest);
  return true;
}

namespace {

/// Packs of `rows` rows of J Y from column q on: of the rows of Y that reach there.
template <int rows>
ABUT_INLINE void multiply_rows_by_factor(const double* jacobian, int columns,
                                         std::span<const IndexRun> runs, const double* factor,
                                         std::ptrdiff_t lead, int q, double* result) {
  Pack sums[rows];
#pragma GCC unroll 6
  for (int r = 0; r < rows; ++r) sums[r] = Pack(0);
  const double* j = jacobian;
  for (const IndexRun& run : runs) {
    int i = run.begin;
    if (i < q) i = run.end < q ? run.end : q;
    j += i - run.begin;
    for (; i < run.end; ++i, ++j) {
      const Pack y = loadu(factor + i * lead + q);
#pragma GCC unroll 6
      for (int r = 0; r < rows; ++r) {
        sums[r] = fma(Pack(j[r * std::ptrdiff_t{columns}]), y, sums[r]);
      }
    }
  }
#pragma GCC unroll 6
  for (int r = 0; r < rows; ++r) storeu(result + r * lead + q, sums[r]);
}

}  // namespace

void multiply_by_factor(int rows, int n, const double* jacobian, std::span<const IndexRun> runs,
                        const double* factor, double* result) {
  const std::ptrdiff_t lead = (n + 7) / 8 * 8;
  int columns = 0;
  for (const IndexRun& run : runs) columns += run.size();
  for (int r = 0; r < rows; r += 6) {
    const double* j = jacobian + std::ptrdiff_t{r} * columns;
    for (int q = 0; q < n; q += 8) {
      rows - r >= 6
          ? multiply_rows_by_factor<6>(j, columns, runs, factor, lead, q, result + r * lead)
          : multiply_rows_by_factor<3>(j, columns, runs, factor, lead, q, result + r * lead);
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

/// Two rows by three at a time, of the lower triangle: six sums are under way.
void multiply_by_transpose(int rows, int width, const double* a, double* product) {
  const std::ptrdiff_t lead = (rows + 7) / 8 * 8;
  const auto row = [&](int i) { return a + (i < rows ? i : rows - 1) * std::ptrdiff_t{width}; };
  for (int i = 0; i < rows; i += 2) {
    const double *x = row(i), *y = row(i + 1);
    for (int j = 0; j < rows && j <= i + 1; j += 3) {
      Pack sums[6] = {Pack(0), Pack(0), Pack(0), Pack(0), Pack(0), Pack(0)};
      const double *b = row(j), *c = row(j + 1), *d = row(j + 2);
      for (int q = 0; q < width; q += 8) {
        const Pack u = loadu(x + q), v = loadu(y + q);
        const Pack e = loadu(b + q), f = loadu(c + q), g = loadu(d + q);
        sums[0] = fma(u, e, sums[0]), sums[1] = fma(u, f, sums[1]), sums[2] = fma(u, g, sums[2]);
        sums[3] = fma(v, e, sums[3]), sums[4] = fma(v, f, sums[4]), sums[5] = fma(v, g, sums[5]);
      }
      double total[8];
      storeu(total, sums6(sums));
      for (int k = j; k < rows && k < j + 3; ++k) {
        product[i * lead + k] = product[k * lead + i] = total[k - j];
        if (i + 1 == rows) continue;
        product[(i + 1) * lead + k] = product[k * lead + i + 1] = total[3 + k - j];
      }
    }
  }
}

void multiply_by_runs(int n, const double* rows, const double* columns, const IndexRun* runs,
                      const std::int32_t* run_end, double* product) {
  const std::ptrdiff_t lead = (n + 7) / 8 * 8;
  std::int32_t run = 0;
  for (int i = 0; i < n; ++i, columns += 8, product += n) {
    const Pack f[6] = {Pack(columns[0]), Pack(columns[1]), Pack(columns[2]),
                       Pack(columns[3]), Pack(columns[4]), Pack(columns[5])};
    int end = 0;  // of what is known of the row
    for (; run < run_end[i]; ++run) {
      const IndexRun r = runs[run];
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

void copy_lower(int n, const double* matrix, double* to, std::ptrdiff_t leading) {
  for (int c = 0; c < n; ++c, matrix += n + 1, to += leading + 1) {
    const int count = n - c;
    int q = 0;
    for (; q + 8 <= count; q += 8) storeu(to + q, loadu(matrix + q));
    if (q < count) store_first(to + q, load_first(matrix + q, count - q), count - q);
  }
}

void copy_symmetric(int n, const double* lower, double* matrix) {
  const std::ptrdiff_t lead = n;
  const auto copy = [&](int r, int c) {
    matrix[r * lead + c] = matrix[c * lead + r] = lower[r * lead + c];
  };
  int r = 0;
  for (; r + 4 <= n; r += 4) {
    for (int c = 0; c < r; c += 4) {  // blocks of 4 x 4
      const double* from = lower + r * lead + c;
      Quad row[4], even[2], odd[2];
      for (int k = 0; k < 4; ++k) {
        row[k] = load_quad(from + k * lead);
        store_quad(matrix + (r + k) * lead + c, row[k]);
      }
      for (int k = 0; k < 2; ++k) {
        even[k] = __builtin_shufflevector(row[2 * k], row[2 * k + 1], 0, 4, 2, 6);
        odd[k] = __builtin_shufflevector(row[2 * k], row[2 * k + 1], 1, 5, 3, 7);
      }
      double* to = matrix + c * lead + r;
      store_quad(to, __builtin_shufflevector(even[0], even[1], 0, 1, 4, 5));
      store_quad(to + lead, __builtin_shufflevector(odd[0], odd[1], 0, 1, 4, 5));
      store_quad(to + 2 * lead, __builtin_shufflevector(even[0], even[1], 2, 3, 6, 7));
      store_quad(to + 3 * lead, __builtin_shufflevector(odd[0], odd[1], 2, 3, 6, 7));
    }
    for (int k = r; k < r + 4; ++k) {
      for (int c = r; c <= k; ++c) copy(k, c);
    }
  }
  for (; r < n; ++r) {
    for (int c = 0; c <= r; ++c) copy(r, c);
  }
}

}  // namespace abut::ABUT_ISA
