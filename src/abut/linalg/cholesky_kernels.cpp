// Numeric supernodal Cholesky: each front gathers the updates of earlier fronts (left-looking),
// then eliminates its pivots six at a time. Pivot blocks are kept inverted, so that scaling the
// rows below and solving are products.

#include "abut/linalg/kernel_functions.hpp"
#include "abut/linalg/pivot_block.hpp"
#include "abut/linalg/simd.hpp"

namespace abut::ABUT_ISA {
namespace {

/// Vectors of rows that a tile of six columns keeps in registers.
constexpr int tile_parts = vec_width == 8 ? 3 : 2;

/// A tile of `width` columns: C -= A B^T over `depth` columns of A and the rows B of the pivot
/// block, then, with that block's inverse L^-1, C := C L^-T. All in the same panel.
template <int width, int parts, bool scale>
ABUT_INLINE void tile(double* c, const double* a, const double* b, std::ptrdiff_t leading,
                      int depth, const double* inverse) {
  Vec acc[parts][width];
#pragma GCC unroll 6
  for (int j = 0; j < width; ++j) {
#pragma GCC unroll 3
    for (int p = 0; p < parts; ++p) acc[p][j] = load_vec(c + j * leading + p * vec_width);
  }
  for (int k = 0; k < depth; ++k, a += leading, b += leading) {
    Vec column[parts];
#pragma GCC unroll 3
    for (int p = 0; p < parts; ++p) column[p] = load_vec(a + p * vec_width);
#pragma GCC unroll 6
    for (int j = 0; j < width; ++j) {
      const Vec factor = splat(b[j]);
#pragma GCC unroll 3
      for (int p = 0; p < parts; ++p) acc[p][j] = fnma(column[p], factor, acc[p][j]);
    }
  }
#pragma GCC unroll 6
  for (int j = 0; j < width; ++j) {
#pragma GCC unroll 3
    for (int p = 0; p < parts; ++p) {
      Vec x = acc[p][j];
      if (scale) {
        x = acc[p][0] * splat(inverse[j]);
#pragma GCC unroll 6
        for (int i = 1; i <= j; ++i) x = fma(acc[p][i], splat(inverse[8 * i + j]), x);
      }
      store_vec(c + j * leading + p * vec_width, x);
    }
  }
}

/// Rows [begin, end) of a pivot block's columns, both multiples of the vector width.
template <int width, bool scale>
void sweep_rows(double* columns, const double* panel, const double* pivot_rows,
                std::ptrdiff_t leading, int begin, int end, int depth, const double* inverse) {
  int r = begin;
  for (; r + tile_parts * vec_width <= end; r += tile_parts * vec_width) {
    tile<width, tile_parts, scale>(columns + r, panel + r, pivot_rows, leading, depth, inverse);
  }
  for (; r < end; r += vec_width) {
    tile<width, 1, scale>(columns + r, panel + r, pivot_rows, leading, depth, inverse);
  }
}

/// Eliminates the `width` pivots that start at column `first`. False if one is not positive.
template <int width>
bool eliminate_block(const Front& f, double* panel, int first, double* inverse) {
  const std::ptrdiff_t leading = f.leading;
  double* columns = panel + first * leading;
  const double* rows = panel + first;
  const int begin = first / vec_width * vec_width;
  const int split = (first + width + vec_width - 1) / vec_width * vec_width;
  if (first > 0) {
    sweep_rows<width, false>(columns, panel, rows, leading, begin, split, first, nullptr);
  }
  if (!invert_pivot<width>(columns + first, leading, inverse)) return false;
  if (first + width < f.pivots) {  // pivots of the next block share the last vectors
    sweep_rows<width, true>(columns, panel, rows, leading, begin, split, 0, inverse);
  }
  sweep_rows<width, true>(columns, panel, rows, leading, split, f.leading, first, inverse);
  // the sweeps start at a whole vector, strips may straddle pivot blocks, and the solve reads
  // whole packs: what lies just above the pivot block must be zero again
  for (int j = 0; j < width && first > 0; ++j) {
    for (int r = first / 8 * 8; r < first; ++r) columns[r + j * leading] = 0;
  }
  return true;
}

/// Eliminates all pivots of one panel, six at a time. False if one is not positive.
bool eliminate(const Front& f, double* panel, double* inverse) {
  int first = 0;
  for (; first + 6 <= f.pivots; first += 6, inverse += 48) {
    if (!eliminate_block<6>(f, panel, first, inverse)) return false;
  }
  switch (f.pivots - first) {
    case 1: return eliminate_block<1>(f, panel, first, inverse);
    case 2: return eliminate_block<2>(f, panel, first, inverse);
    case 3: return eliminate_block<3>(f, panel, first, inverse);
    case 4: return eliminate_block<4>(f, panel, first, inverse);
    case 5: return eliminate_block<5>(f, panel, first, inverse);
    default: return true;
  }
}

/// The first `count` of up to six entries, zeros behind them.
ABUT_INLINE Pack load_strip(const double* x, int count) {
  return count == 6 ? load6(x) : load_first(x, count);
}

ABUT_INLINE void subtract_strip(double* x, const Pack& a, int count) {
  if (count == 6) return store6(x, load6(x) - a);
  double lanes[8];
  storeu(lanes, a);
  for (int i = 0; i < count; ++i) x[i] -= lanes[i];
}

/// Subtracts L_rows L_columns^T for `parts` strips of six rows and one of six columns.
template <int parts>
ABUT_INLINE void update_strips(const double* source, std::ptrdiff_t leading, int depth,
                               const Strip* rows, const Strip& column, double* target,
                               std::ptrdiff_t target_leading, const std::int32_t* target_rows,
                               std::int32_t target_column) {
  Pack acc[parts][6];
#pragma GCC unroll 6
  for (int j = 0; j < 6; ++j) {
#pragma GCC unroll 3
    for (int p = 0; p < parts; ++p) acc[p][j] = Pack(0);
  }
  const double* b = source + column.row;
  for (int k = 0; k < depth; ++k, source += leading, b += leading) {
    Pack row[parts];
#pragma GCC unroll 3
    for (int p = 0; p < parts; ++p) row[p] = loadu(source + rows[p].row);
#pragma GCC unroll 6
    for (int j = 0; j < 6; ++j) {
      const Pack factor = Pack(b[j]);
#pragma GCC unroll 3
      for (int p = 0; p < parts; ++p) acc[p][j] = fma(row[p], factor, acc[p][j]);
    }
  }
#pragma GCC unroll 3
  for (int p = 0; p < parts; ++p) {
    double* to = target + target_rows[p] + target_column * target_leading;
    for (int j = 0; j < column.count; ++j, to += target_leading) {
      subtract_strip(to, acc[p][j], rows[p].count);
    }
  }
}

/// Subtracts from the target's panel what one earlier front contributes to it.
void apply_update(const BlockFactorView& s, const FrontUpdate& update, double* values,
                  const Front& target_front) {
  const Front& f = s.fronts[update.source];
  const double* source = values + f.panel;
  double* target = values + target_front.panel;
  const Strip* strips = s.strips + update.strip;
  const std::int32_t* targets = s.targets + update.target;
  const int count = f.below_end - update.strip;
  constexpr int group = vec_width == 8 ? 3 : 1;
  for (int j = 0; j < update.columns; ++j) {
    int i = j;
    for (; i + group <= count; i += group) {
      update_strips<group>(source, f.leading, f.pivots, strips + i, strips[j], target,
                           target_front.leading, targets + i, targets[j]);
    }
    for (; i < count; ++i) {
      update_strips<1>(source, f.leading, f.pivots, strips + i, strips[j], target,
                       target_front.leading, targets + i, targets[j]);
    }
  }
}

}  // namespace

int factor(const BlockFactorView& s, double* values, double* inverse) {
  for (int k = 0; k < s.front_count; ++k) {
    const Front& f = s.fronts[k];
    for (int u = f.update_begin; u < f.update_end; ++u) {
      apply_update(s, s.updates[u], values, f);
    }
    if (!eliminate(f, values + f.panel, inverse + f.inverse)) return k;
  }
  return -1;
}

namespace {

/// x := L^-1 x for one inverted pivot block: columns of the inverse times entries of x.
ABUT_INLINE Pack multiply6(const double* inverse, const double* x) {
  Pack even = load(inverse) * Pack(x[0]), odd = load(inverse + 8) * Pack(x[1]);
#pragma GCC unroll 2
  for (int k = 2; k < 6; k += 2) {
    even = fma(load(inverse + 8 * k), Pack(x[k]), even);
    odd = fma(load(inverse + 8 * (k + 1)), Pack(x[k + 1]), odd);
  }
  return even + odd;
}

// Most fronts of loose piles have one strip of pivots: vectors stay in registers.

ABUT_INLINE void solve_forward_strip(const BlockFactorView& s, const Front& f, const double* panel,
                                     const double* inverse, double* x) {
  double* y = x + s.strips[f.pivot_begin].vector;
  store(y, multiply6(inverse, y));
  for (int i = f.below_begin; i < f.below_end; ++i) {
    const Strip& t = s.strips[i];
    Pack sum = loadu(panel + t.row) * Pack(y[0]);
    for (int k = 1; k < f.pivots; ++k) {
      sum = fma(loadu(panel + t.row + k * std::ptrdiff_t{f.leading}), Pack(y[k]), sum);
    }
    subtract_strip(x + t.vector, sum, t.count);
  }
}

ABUT_INLINE void solve_backward_strip(const BlockFactorView& s, const Front& f, const double* panel,
                                      const double* inverse, double* x) {
  double* y = x + s.strips[f.pivot_begin].vector;
  Pack rest = load(y);
  Pack sums[6];
  if (f.rows > 0) {
    for (int k = 0; k < 6; ++k) sums[k] = Pack(0);
    for (int i = f.below_begin; i < f.below_end; ++i) {
      const Strip& t = s.strips[i];
      const Pack below = load_strip(x + t.vector, t.count);
      for (int k = 0; k < f.pivots; ++k) {
        sums[k] = fma(loadu(panel + t.row + k * std::ptrdiff_t{f.leading}), below, sums[k]);
      }
    }
    rest -= sums6(sums);
  }
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) sums[k] = load(inverse + 8 * k) * rest;
  store(y, sums6(sums));
}

void gather(double* to, const double* x, const Strip* begin, const Strip* end) {
  for (const Strip* s = begin; s != end; ++s) {
    for (int i = 0; i < s->count; ++i) to[s->row + i] = x[s->vector + i];
  }
}

void solve_forward(const BlockFactorView& s, const Front& f, const double* panel,
                   const double* inverse, double* x, double* work) {
  // one pack more: a last block of fewer than six pivots reads past its end
  for (int i = 0; i <= f.leading; i += 8) store(work + i, Pack(0));
  gather(work, x, s.strips + f.pivot_begin, s.strips + f.pivot_end);
  for (int first = 0; first < f.pivots; first += 6, inverse += 48) {
    const int width = f.pivots - first < 6 ? f.pivots - first : 6;
    const double* columns = panel + first * std::ptrdiff_t{f.leading};
    alignas(64) double y[8];
    store(y, multiply6(inverse, work + first));
    // the pivot block's own rows hold no factor: what they receive is overwritten
    for (int r = first / 8 * 8; r < f.leading; r += 8) {
      Pack w = load(work + r);
      for (int k = 0; k < width; ++k) {
        w = fnma(load(columns + r + k * std::ptrdiff_t{f.leading}), Pack(y[k]), w);
      }
      store(work + r, w);
    }
    for (int k = 0; k < width; ++k) work[first + k] = y[k];
  }
  for (int i = f.pivot_begin; i < f.pivot_end; ++i) {
    const Strip& t = s.strips[i];
    for (int k = 0; k < t.count; ++k) x[t.vector + k] = work[t.row + k];
  }
  for (int i = f.below_begin; i < f.below_end; ++i) {
    const Strip& t = s.strips[i];
    for (int k = 0; k < t.count; ++k) x[t.vector + k] += work[t.row + k];
  }
}

void solve_backward(const BlockFactorView& s, const Front& f, const double* panel,
                    const double* inverse, double* x, double* work) {
  for (int i = 0; i < f.leading; i += 8) store(work + i, Pack(0));
  gather(work, x, s.strips + f.pivot_begin, s.strips + f.below_end);
  const int blocks = (f.pivots + 5) / 6;
  for (int block = blocks - 1; block >= 0; --block) {
    const int first = 6 * block;
    const int width = f.pivots - first < 6 ? f.pivots - first : 6;
    const double* columns = panel + first * std::ptrdiff_t{f.leading};
    alignas(64) double rest[8] = {};
    for (int k = 0; k < width; ++k) {
      rest[k] = work[first + k];
      work[first + k] = 0;  // the pivots' own rows do not count below
    }
    Pack acc[6];
    for (int k = 0; k < 6; ++k) acc[k] = Pack(0);
    for (int r = first / 8 * 8; r < f.leading; r += 8) {
      const Pack w = load(work + r);
      for (int k = 0; k < width; ++k) {
        acc[k] = fma(load(columns + r + k * std::ptrdiff_t{f.leading}), w, acc[k]);
      }
    }
    const Pack y = load(rest) - sums6(acc);
    for (int k = 0; k < 6; ++k) acc[k] = load(inverse + 48 * block + 8 * k) * y;
    store(rest, sums6(acc));
    for (int k = 0; k < width; ++k) work[first + k] = rest[k];
  }
  for (int i = f.pivot_begin; i < f.pivot_end; ++i) {
    const Strip& t = s.strips[i];
    for (int k = 0; k < t.count; ++k) x[t.vector + k] = work[t.row + k];
  }
}

}  // namespace

void solve(const BlockFactorView& s, const double* values, const double* inverse, double* x,
           double* work) {
  for (int k = 0; k < s.front_count; ++k) {
    const Front& f = s.fronts[k];
    if (f.pivot_end - f.pivot_begin == 1) {
      solve_forward_strip(s, f, values + f.panel, inverse + f.inverse, x);
    } else {
      solve_forward(s, f, values + f.panel, inverse + f.inverse, x, work);
    }
  }
  for (int k = s.front_count - 1; k >= 0; --k) {
    const Front& f = s.fronts[k];
    if (f.pivot_end - f.pivot_begin == 1) {
      solve_backward_strip(s, f, values + f.panel, inverse + f.inverse, x);
    } else {
      solve_backward(s, f, values + f.panel, inverse + f.inverse, x, work);
    }
  }
}

}  // namespace abut::ABUT_ISA
