#pragma once

// Triangular solves with one front, straight in the vector. Kernel code, see simd.hpp.

#include <algorithm>
#include <cstddef>

#include "abut/linalg/front_strips.hpp"
#include "abut/linalg/kernels.hpp"
#include "abut/linalg/simd.hpp"

namespace abut::ABUT_ISA {
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
}  // namespace abut::ABUT_ISA
