// Numeric supernodal Cholesky: each front gathers the updates of earlier fronts (left-looking),
// then eliminates its pivots strip by strip, up to six at a time. Pivot blocks are kept inverted,
// so that scaling the rows below and solving are products.

#include <algorithm>

#include "abut/linalg/kernel_functions.hpp"
#include "abut/linalg/pivot_block.hpp"
#include "abut/linalg/simd.hpp"

namespace abut::ABUT_ISA {
namespace {

/// Vectors of rows that a tile of six columns keeps in registers.
constexpr int tile_parts = vec_width == 8 ? 3 : 2;

template <class V>
ABUT_INLINE V splat_as(double a) {
  if constexpr (sizeof(V) == sizeof(Quad)) {
    return splat_quad(a);
  } else {
    return splat(a);
  }
}

/// A tile of `width` columns: C -= A B^T over `depth` columns of A and the rows B of the pivot
/// block, then, with that block's inverse L^-1 = S W (invert_pivot()), C := C W^T S. All in the
/// same panel, in vectors of type V.
template <class V, int width, int parts, bool scale>
ABUT_INLINE void tile(double* c, const double* a, const double* b, std::ptrdiff_t leading,
                      int depth, const double* inverse) {
  constexpr int lanes = sizeof(V) / sizeof(double);
  const auto at = [](const double* p) { return *reinterpret_cast<const V*>(p); };
  V acc[parts][width];
#pragma GCC unroll 6
  for (int j = 0; j < width; ++j) {
#pragma GCC unroll 3
    for (int p = 0; p < parts; ++p) acc[p][j] = at(c + j * leading + p * lanes);
  }
  for (int k = 0; k < depth; ++k, a += leading, b += leading) {
    V column[parts];
#pragma GCC unroll 3
    for (int p = 0; p < parts; ++p) column[p] = at(a + p * lanes);
#pragma GCC unroll 6
    for (int j = 0; j < width; ++j) {
      const V factor = splat_as<V>(b[j]);
#pragma GCC unroll 3
      for (int p = 0; p < parts; ++p) acc[p][j] = fnma(column[p], factor, acc[p][j]);
    }
  }
#pragma GCC unroll 6
  for (int j = 0; j < width; ++j) {
#pragma GCC unroll 3
    for (int p = 0; p < parts; ++p) {
      V x = acc[p][j];
      if (scale) {
#pragma GCC unroll 6
        for (int i = j - 1; i >= 0; --i) {
          x = fma(acc[p][i], splat_as<V>(inverse[8 * i + j]), x);
        }
        x *= splat_as<V>(inverse[40 + j]);
      }
      *reinterpret_cast<V*>(c + j * leading + p * lanes) = x;
    }
  }
}

/// Rows [begin, end) of a pivot block's columns: multiples of the vector width, but where that is
/// eight, begin may be one of four.
template <int width, bool scale>
void sweep_rows(double* columns, const double* panel, const double* pivot_rows,
                std::ptrdiff_t leading, int begin, int end, int depth, const double* inverse) {
  int r = begin;
#if defined(__AVX512F__)
  if (r % 8 == 4) {
    tile<Quad, width, 1, scale>(columns + r, panel + r, pivot_rows, leading, depth, inverse);
    r += 4;
  }
#endif
  for (; r + tile_parts * vec_width <= end; r += tile_parts * vec_width) {
    tile<Vec, width, tile_parts, scale>(columns + r, panel + r, pivot_rows, leading, depth,
                                        inverse);
  }
  for (; r < end; r += vec_width) {
    tile<Vec, width, 1, scale>(columns + r, panel + r, pivot_rows, leading, depth, inverse);
  }
}

/// The end of the vectors of rows in which a strip's pivots lie.
ABUT_INLINE int end_of_pivots(const Strip& strip) {
  return (strip.row + strip.count + vec_width - 1) / vec_width * vec_width;
}

/// Eliminates the `width` pivots of a strip, in the rows that share vectors with them. False if one
/// is not positive. Rows above the strip are left with anything finite: who reads them multiplies
/// them by zero.
template <int width>
bool eliminate_pivots(const Front& f, double* panel, const Strip& strip, double* inverse) {
  const std::ptrdiff_t leading = f.leading;
  const int first = strip.row;
  double* columns = panel + first * leading;
  const double* rows = panel + first;
  constexpr int least = vec_width < 4 ? vec_width : 4;
  const int begin = first / least * least, end = end_of_pivots(strip);
  if (first > 0) {
    sweep_rows<width, false>(columns, panel, rows, leading, begin, end, first, nullptr);
  }
  if (!invert_pivot<width>(columns + first, leading, inverse)) return false;
  if (first + width < f.pivots) {  // pivots of the next strip share the last vectors
    sweep_rows<width, true>(columns, panel, rows, leading, begin, end, 0, inverse);
  }
  return true;
}

/// Of the columns of a strip whose pivots are eliminated, rows [begin, end).
template <int width>
void eliminate_rows(const Front& f, double* panel, const Strip& strip, int begin, int end,
                    const double* inverse) {
  const int first = strip.row;
  sweep_rows<width, true>(panel + first * std::ptrdiff_t{f.leading}, panel, panel + first,
                          f.leading, begin, end, first, inverse);
}

/// Calls f<count>() for a strip's count.
template <class F>
ABUT_INLINE auto with_count(int count, const F& f) {
  switch (count) {
    case 1: return f.template operator()<1>();
    case 2: return f.template operator()<2>();
    case 3: return f.template operator()<3>();
    case 4: return f.template operator()<4>();
    case 5: return f.template operator()<5>();
    default: return f.template operator()<6>();
  }
}

/// One strip of six pivots, as most fronts of small systems: code of its own for them, without
/// loops over strips and calls, takes 0.9 of the time.
ABUT_INLINE bool is_one_six(const Front& f) {
  return f.pivots == 6 && f.pivot_end - f.pivot_begin == 1;
}

/// Eliminates all pivots of one panel, strip by strip. False if one is not positive.
bool eliminate(const BlockFactorView& s, const Front& f, double* panel, double* inverse) {
  if (is_one_six(f)) {
    if (!invert_pivot<6>(panel, f.leading, inverse)) return false;
    for (int r = 8; r < f.leading; r += vec_width) {
      tile<Vec, 6, 1, true>(panel + r, panel + r, panel, f.leading, 0, inverse);
    }
    return true;
  }
  for (int i = f.pivot_begin; i < f.pivot_end; ++i, inverse += 48) {
    const Strip& t = s.strips[i];
    if (!with_count(t.count, [&]<int count>() {
          if (!eliminate_pivots<count>(f, panel, t, inverse)) return false;
          eliminate_rows<count>(f, panel, t, end_of_pivots(t), f.leading, inverse);
          return true;
        })) {
      return false;
    }
  }
  return true;
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

template <int count>
ABUT_INLINE void store_strip(double* x, const Pack& a) {
  if (count == 6) return store6(x, a);
  double lanes[8];
  storeu(lanes, a);
  for (int i = 0; i < count; ++i) x[i] = lanes[i];
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
  target += target_column * target_leading;
#pragma GCC unroll 3
  for (int p = 0; p < parts; ++p) {
    double* to = target + target_rows[p];
    if (column.count == 6 && rows[p].count == 6) {  // from registers
#pragma GCC unroll 6
      for (int j = 0; j < 6; ++j, to += target_leading) store6(to, load6(to) - acc[p][j]);
      continue;
    }
    double sums[48];
#pragma GCC unroll 6
    for (int j = 0; j < 6; ++j) storeu(sums + 8 * j, acc[p][j]);
    for (int j = 0; j < column.count; ++j, to += target_leading) {
      subtract_strip(to, loadu(sums + 8 * j), rows[p].count);
    }
  }
}

#if defined(__AVX512F__)
/// True of four strips if each has six rows.
ABUT_INLINE bool are_full(const Strip* strips) {
  return strips[0].count + strips[1].count + strips[2].count + strips[3].count == 24;
}

/// As update_strips(), for four strips of six rows, which lie behind one another and fill three
/// vectors, and six columns. Of the target all is read before any is written: a load that begins
/// beside a masked store just made waits for it.
ABUT_INLINE void update_four_strips(const double* source, std::ptrdiff_t leading, int depth,
                                    const Strip* rows, const Strip& column, double* target,
                                    std::ptrdiff_t target_leading, const std::int32_t* target_rows,
                                    std::int32_t target_column) {
  Vec acc[3][6];
#pragma GCC unroll 6
  for (int j = 0; j < 6; ++j) acc[0][j] = acc[1][j] = acc[2][j] = Vec{};
  const double* a = source + rows->row;
  const double* b = source + column.row;
  for (int k = 0; k < depth; ++k, a += leading, b += leading) {
    const Vec row[3] = {loadu_vec(a), loadu_vec(a + 8), loadu_vec(a + 16)};
#pragma GCC unroll 6
    for (int j = 0; j < 6; ++j) {
      const Vec factor = splat(b[j]);
#pragma GCC unroll 3
      for (int p = 0; p < 3; ++p) acc[p][j] = fma(row[p], factor, acc[p][j]);
    }
  }
  target += target_column * target_leading;
  const auto at = [&](int strip, int j) {
    return target + target_rows[strip] + j * target_leading;
  };
  Pack rest[4][6];
#pragma GCC unroll 6
  for (int j = 0; j < 6; ++j) {
    const Vec x = acc[0][j], y = acc[1][j], z = acc[2][j];
    const Vec sums[4] = {x, __builtin_shufflevector(x, y, 6, 7, 8, 9, 10, 11, 12, 13),
                         __builtin_shufflevector(y, z, 4, 5, 6, 7, 8, 9, 10, 11),
                         __builtin_shufflevector(z, z, 2, 3, 4, 5, 6, 7, 8, 9)};
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) rest[i][j].part[0] = load6(at(i, j)).part[0] - sums[i];
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
#pragma GCC unroll 6
    for (int j = 0; j < 6; ++j) store6(at(i, j), rest[i][j]);
  }
}
#endif

/// Which columns of a front one of a team updates: groups of six in turn, a strip's as its first.
struct ColumnShare {
  int member = 0, members = 1;

  ABUT_INLINE bool has(int column) const { return members == 1 || column / 6 % members == member; }
};

/// Subtracts from a panel of the target what one earlier front contributes to these columns of it.
void apply_update(const BlockFactorView& s, const FrontUpdate& update, ColumnShare share,
                  const double* values, const Front& target_front, double* target) {
  const Front& f = s.fronts[update.source];
  const double* source = values + f.panel;
  const Strip* strips = s.strips + update.strip;
  const std::int32_t* targets = s.targets + update.target;
  const int count = f.below_end - update.strip;
  constexpr int group = vec_width == 8 ? 3 : 1;
  for (int j = 0; j < update.columns; ++j) {
    if (!share.has(targets[j])) continue;
    for (int i = j; i < count;) {
#if defined(__AVX512F__)
      if (i + 4 <= count && strips[j].count == 6 && are_full(strips + i)) {
        update_four_strips(source, f.leading, f.pivots, strips + i, strips[j], target,
                           target_front.leading, targets + i, targets[j]);
        i += 4;
        continue;
      }
#endif
      if (i + group <= count) {
        update_strips<group>(source, f.leading, f.pivots, strips + i, strips[j], target,
                             target_front.leading, targets + i, targets[j]);
        i += group;
      } else {
        update_strips<1>(source, f.leading, f.pivots, strips + i, strips[j], target,
                         target_front.leading, targets + i, targets[j]);
        ++i;
      }
    }
  }
}

void apply_updates(const BlockFactorView& s, const Front& f, UpdateRange range, ColumnShare share,
                   const double* values, double* panel) {
  for (int u = range.begin; u < range.end; ++u) {
    apply_update(s, s.updates[u], share, values, f, panel);
  }
}

/// Adds what is apart, in rows [begin, end) of these columns, multiples of 8; clears it if asked.
template <bool clear, class Values>
void add_apart(const BlockFactorView& s, const Front& f, ColumnShare share, int begin, int end,
               double* panel, Values* apart) {
  for (int i = f.pivot_begin; i < f.pivot_end; ++i) {
    const Strip& t = s.strips[i];
    if (!share.has(t.row)) continue;
    for (int c = t.row; c < t.row + t.count; ++c) {
      for (int r = std::max(begin, t.row / 8 * 8); r < end; r += 8) {
        const std::ptrdiff_t at = r + c * std::ptrdiff_t{f.leading};
        store(panel + at, load(panel + at) + load(apart + at));
        if constexpr (clear) store(apart + at, Pack(0));
      }
    }
  }
}

/// All updates of these columns; leaves nothing apart.
ABUT_INLINE void update(const BlockFactorView& s, const Front& f, ColumnShare share, double* values,
                        double* apart) {
  double* panel = values + f.panel;
  apply_updates(s, f, {f.update_begin, f.apart_begin}, share, values, panel);
  if (f.apart_begin < f.apart_end) {
    apply_updates(s, f, {f.apart_begin, f.apart_end}, share, values, apart + f.apart);
    add_apart<true>(s, f, share, 0, f.leading, panel, apart + f.apart);
  }
  apply_updates(s, f, {f.apart_end, f.update_end}, share, values, panel);
}

}  // namespace

void update_columns(const BlockFactorView& s, const Front& f, int member, int members,
                    double* values, double* apart) {
  update(s, f, {member, members}, values, apart);
}

void update_panel(const BlockFactorView& s, const Front& f, UpdateRange range, int member,
                  int members, const double* values, double* panel) {
  apply_updates(s, f, range, {member, members}, values, panel);
}

void add_apart(const BlockFactorView& s, const Front& f, int begin, int end, double* values,
               const double* apart) {
  add_apart<false>(s, f, {}, begin, end, values + f.panel, apart + f.apart);
}

bool factor_pivots(const BlockFactorView& s, const Front& f, int strip, double* values,
                   double* inverse) {
  const Strip& t = s.strips[strip];
  return with_count(t.count, [&]<int count>() {
    return eliminate_pivots<count>(f, values + f.panel, t,
                                   inverse + f.inverse + 48 * (strip - f.pivot_begin));
  });
}

void factor_rows(const BlockFactorView& s, const Front& f, int strip, int begin, int end,
                 double* values, const double* inverse) {
  const Strip& t = s.strips[strip];
  with_count(t.count, [&]<int count>() {
    eliminate_rows<count>(f, values + f.panel, t, std::max(begin, end_of_pivots(t)), end,
                          inverse + f.inverse + 48 * (strip - f.pivot_begin));
  });
}

namespace {

/// Six numbers, each in all lanes.
struct Six {
  Pack lane[6];

  ABUT_INLINE explicit Six(const Pack& x)
      : lane{splat_lane<0>(x), splat_lane<1>(x), splat_lane<2>(x),
             splat_lane<3>(x), splat_lane<4>(x), splat_lane<5>(x)} {}
};

/// One in lane 5: W's last column (invert_pivot()).
ABUT_INLINE Pack last_of_six() {
  Pack r(0);
  r.part[5 / vec_width][5 % vec_width] = 1;
  return r;
}

/// L^-1 x = S W x for one inverted pivot block: columns of W times entries of x.
ABUT_INLINE Pack multiply6(const double* inverse, const Pack& x) {
  const Six of(x);
  Pack even = load(inverse) * of.lane[0], odd = load(inverse + 8) * of.lane[1];
  even = fma(load(inverse + 16), of.lane[2], even);
  odd = fma(load(inverse + 24), of.lane[3], odd);
  even = fma(load(inverse + 32), of.lane[4], even);
  odd = fma(last_of_six(), of.lane[5], odd);
  return (even + odd) * load(inverse + 40);
}

/// L^-T x = W^T S x.
ABUT_INLINE Pack multiply6_transposed(const double* inverse, const Pack& x) {
  const Pack scaled = load(inverse + 40) * x;
  Pack products[6];
#pragma GCC unroll 5
  for (int k = 0; k < 5; ++k) products[k] = load(inverse + 8 * k) * scaled;
  products[5] = last_of_six() * scaled;
  return sums6(products);
}

// Small fronts spend most of a solve waiting for numbers just stored; those of a strip of pivots,
// and what the next one needs of them, stay in registers.

/// The sum of a strip's columns, in the eight rows from `columns` on, times entries of y.
template <int pivots>
ABUT_INLINE Pack times_columns(const double* columns, std::ptrdiff_t leading, const Six& y) {
  Pack even = loadu(columns) * y.lane[0], odd(0);
  if constexpr (pivots > 1) odd = loadu(columns + leading) * y.lane[1];
#pragma GCC unroll 4
  for (int k = 2; k < pivots; ++k) {
    Pack& sum = k % 2 == 0 ? even : odd;
    sum = fma(loadu(columns + k * leading), y.lane[k], sum);
  }
  return pivots > 1 ? even + odd : even;
}

/// Takes from the strips [begin, end) of x what a strip of pivots that is solved, y, has in them.
template <int pivots>
ABUT_INLINE void subtract_below(const BlockFactorView& s, const Front& f, const double* columns,
                                const Six& y, int begin, int end, double* x) {
  for (int i = begin; i < end; ++i) {
    const Strip& t = s.strips[i];
    subtract_strip(x + t.vector, times_columns<pivots>(columns + t.row, f.leading, y), t.count);
  }
}

/// x := L^-1 x as far as one strip of pivots goes, in the strips before `end`. `rest` is x there,
/// and then in the next strip, if that is one of pivots, too.
template <int pivots>
ABUT_INLINE void solve_forward(const BlockFactorView& s, const Front& f, int strip, int end,
                               const double* columns, const double* inverse, double* x,
                               double* x_apart, Pack& rest) {
  const Pack y = multiply6(inverse, rest);
  const Six of(y);
  int next = strip + 1;
  if (next < f.pivot_end) {
    const Strip& t = s.strips[next++];
    rest =
        load_strip(x + t.vector, t.count) - times_columns<pivots>(columns + t.row, f.leading, of);
  }
  store_strip<pivots>(x + s.strips[strip].vector, y);
  const int own_end = std::min(end, f.below_apart);
  subtract_below<pivots>(s, f, columns, of, next, own_end, x);
  if (own_end < end) subtract_below<pivots>(s, f, columns, of, own_end, end, x_apart);
}

/// x := L^-T x as far as one strip of pivots goes. `below` is x in the next strip, if that is one
/// of pivots, too, and then here.
template <int pivots>
ABUT_INLINE void solve_backward(const BlockFactorView& s, const Front& f, int strip,
                                const double* columns, const double* inverse, double* x,
                                Pack& below) {
  double* at = x + s.strips[strip].vector;
  Pack rest = load_strip(at, pivots);
  if (strip + 1 < f.below_end) {
    Pack sums[6];
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) sums[k] = Pack(0);
    const auto add = [&](const Strip& t, const Pack& x_t) __attribute__((always_inline)) {
#pragma GCC unroll 6
      for (int k = 0; k < pivots; ++k) {
        sums[k] = fma(loadu(columns + t.row + k * std::ptrdiff_t{f.leading}), x_t, sums[k]);
      }
    };
    const bool has_next = strip + 1 < f.pivot_end;
    for (int i = f.below_end - 1; i > strip + has_next; --i) {
      const Strip& t = s.strips[i];
      add(t, load_strip(x + t.vector, t.count));
    }
    if (has_next) add(s.strips[strip + 1], below);
    rest -= sums6(sums);
  }
  below = multiply6_transposed(inverse, rest);
  store_strip<pivots>(at, below);
}

/// Where the columns of a strip of pivots begin among the values.
ABUT_INLINE std::ptrdiff_t columns_of(const BlockFactorView& s, const Front& f, int strip) {
  return f.panel + s.strips[strip].row * std::ptrdiff_t{f.leading};
}
/// Its inverted block.
ABUT_INLINE const double* inverse_of(const Front& f, int strip, const double* inverse) {
  return inverse + f.inverse + 48 * (strip - f.pivot_begin);
}

/// Adds what is apart at one front's pivots, and clears it.
void add_vector_apart(const BlockFactorView& s, const Front& f, double* x, double* x_apart) {
  for (int i = f.pivot_begin; i < f.pivot_end; ++i) {
    const Strip& t = s.strips[i];
    for (int k = t.vector; k < t.vector + t.count; ++k) {
      x[k] += x_apart[k];
      x_apart[k] = 0;
    }
  }
}

/// x := L^-1 x as far as one front goes, in the strips before `end`.
ABUT_INLINE void solve_forward(const BlockFactorView& s, const Front& f, int end,
                               const double* values, const double* inverses, double* x,
                               double* x_apart) {
  if (f.apart_begin < f.apart_end) add_vector_apart(s, f, x, x_apart);
  if (is_one_six(f)) {
    const int i = f.pivot_begin;
    Pack rest = load6(x + s.strips[i].vector);
    solve_forward<6>(s, f, i, end, values + f.panel, inverses + f.inverse, x, x_apart, rest);
    return;
  }
  const Strip& first = s.strips[f.pivot_begin];
  Pack rest = load_strip(x + first.vector, first.count);
  for (int i = f.pivot_begin; i < f.pivot_end; ++i) {
    with_count(s.strips[i].count, [&]<int count>() {
      solve_forward<count>(s, f, i, end, values + columns_of(s, f, i), inverse_of(f, i, inverses),
                           x, x_apart, rest);
    });
  }
}

/// x := L^-T x, and done<count>(front, strip) after each strip of pivots, from the last to the
/// first.
template <class F>
ABUT_INLINE void go_backward(const BlockFactorView& s, FrontRange range, const double* values,
                             const double* inverses, double* x, const F& done) {
  for (int k = range.end - 1; k >= range.begin; --k) {
    const Front& f = s.fronts[k];
    Pack below(0);
    if (is_one_six(f)) {
      const int i = f.pivot_begin;
      solve_backward<6>(s, f, i, values + f.panel, inverses + f.inverse, x, below);
      done.template operator()<6>(f, i);
      continue;
    }
    for (int i = f.pivot_end - 1; i >= f.pivot_begin; --i) {
      with_count(s.strips[i].count, [&]<int count>() {
        solve_backward<count>(s, f, i, values + columns_of(s, f, i), inverse_of(f, i, inverses), x,
                              below);
        done.template operator()<count>(f, i);
      });
    }
  }
}

}  // namespace

int factor(const BlockFactorView& s, FrontRange range, double* values, double* inverse, double* x,
           const ApartSums& apart) {
  for (int k = range.begin; k < range.end; ++k) {
    const Front& f = s.fronts[k];
    update(s, f, {}, values, apart.values);
    if (!eliminate(s, f, values + f.panel, inverse + f.inverse)) return k;
    if (x != nullptr) solve_forward(s, f, f.below_end, values, inverse, x, apart.x);
  }
  return -1;
}

void solve_forward(const BlockFactorView& s, FrontRange range, const double* values,
                   const double* inverse, double* x, double* x_apart) {
  for (int k = range.begin; k < range.end; ++k) {
    solve_forward(s, s.fronts[k], s.fronts[k].below_end, values, inverse, x, x_apart);
  }
}

void solve_inside(const BlockFactorView& s, FrontRange range, const std::int32_t* outside,
                  const double* values, const double* inverse, double* x) {
  for (int k = range.begin; k < range.end; ++k) {
    solve_forward(s, s.fronts[k], outside[k], values, inverse, x, nullptr);
  }
}

void solve_outside(const BlockFactorView& s, FrontRange range, const std::int32_t* outside,
                   const double* values, const double* inverse, double* x, double* x_apart) {
  for (int k = range.begin; k < range.end; ++k) {
    const Front& f = s.fronts[k];
    if (outside[k] == f.below_end) continue;
    if (outside[k] == f.pivot_begin) {  // in no subtree
      solve_forward(s, f, f.below_end, values, inverse, x, x_apart);
      continue;
    }
    for (int i = f.pivot_begin; i < f.pivot_end; ++i) {
      with_count(s.strips[i].count, [&]<int count>() {
        const double* columns = values + columns_of(s, f, i);
        const Six y(load_strip(x + s.strips[i].vector, count));
        const int own_end = std::max(outside[k], f.below_apart);
        subtract_below<count>(s, f, columns, y, outside[k], own_end, x);
        subtract_below<count>(s, f, columns, y, own_end, f.below_end, x_apart);
      });
    }
  }
}

void solve_backward(const BlockFactorView& s, FrontRange range, const double* values,
                    const double* inverse, double* x) {
  go_backward(s, range, values, inverse, x, []<int count>(const Front&, int) {});
}

void use_up(const BlockFactorView& s, FrontRange range, double* values, const double* inverse,
            double* x) {
  go_backward(s, range, values, inverse, x, [&]<int count>(const Front& f, int strip) {
    double* columns = values + columns_of(s, f, strip);
    // and the eight doubles behind a panel
    const std::ptrdiff_t end =
        count * std::ptrdiff_t{f.leading} + (strip + 1 == f.pivot_end ? 8 : 0);
    for (std::ptrdiff_t i = 0; i < end; i += 8) store(columns + i, Pack(0));
  });
}

}  // namespace abut::ABUT_ISA
