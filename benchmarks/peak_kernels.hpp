#pragma once

#include <cstddef>

namespace abut {

/// What peak_bench runs, once per instruction set.
struct PeakKernels {
  /// a b + c into each of some registers `rounds` times, all added to `result`. The number of
  /// operations.
  double (*multiply_adds)(int rounds, double& result);
  /// x := x/2 + 1; `count` a multiple of 8.
  void (*stream)(double* x, std::size_t count);
};

}  // namespace abut
