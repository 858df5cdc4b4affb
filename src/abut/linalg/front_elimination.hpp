#pragma once

// Elimination of a front's pivots, strip by strip. Kernel code, see simd.hpp.

#include <cstddef>

#include "abut/linalg/front_strips.hpp"
#include "abut/linalg/kernels.hpp"
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

}  // namespace
}  // namespace abut::ABUT_ISA
