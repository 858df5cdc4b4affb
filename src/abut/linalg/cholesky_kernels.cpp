// Numeric supernodal Cholesky: each front gathers the updates of earlier fronts (left-looking),
// then eliminates its pivots strip by strip, up to six at a time. Pivot blocks are kept inverted,
// so that scaling the rows below and solving are products.

#include <algorithm>

#include "abut/linalg/front_elimination.hpp"
#include "abut/linalg/front_solves.hpp"
#include "abut/linalg/front_strips.hpp"
#include "abut/linalg/kernel_functions.hpp"
#include "abut/linalg/simd.hpp"

namespace abut::ABUT_ISA {
namespace {

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
