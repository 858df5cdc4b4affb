#pragma once

#include <numbers>

namespace abut {

/// Where a convex function is least between `lower` and `upper`, to 1e-8 of their distance: golden
/// section. Of a flat stretch any place.
template <class Function>
double minimize_convex(const Function& f, double lower, double upper) {
  constexpr double ratio = std::numbers::phi - 1;
  constexpr int steps = 39;  // 0.618^39 = 7e-9
  double a = upper - ratio * (upper - lower), b = lower + ratio * (upper - lower);
  double fa = f(a), fb = f(b);
  for (int k = 0; k < steps; ++k) {
    if (fa <= fb) {
      upper = b, b = a, fb = fa;
      a = upper - ratio * (upper - lower), fa = f(a);
    } else {
      lower = a, a = b, fa = fb;
      b = lower + ratio * (upper - lower), fb = f(b);
    }
  }
  return 0.5 * (lower + upper);
}

}  // namespace abut
