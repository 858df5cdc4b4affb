#pragma once

// Strips of a front, of one to six rows. Kernel code, see simd.hpp.

#include "abut/linalg/front.hpp"
#include "abut/linalg/simd.hpp"

namespace abut::ABUT_ISA {
namespace {

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

}  // namespace
}  // namespace abut::ABUT_ISA
