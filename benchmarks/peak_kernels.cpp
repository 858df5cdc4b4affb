#include "peak_kernels.hpp"

#include "abut/linalg/simd.hpp"

namespace abut::ABUT_ISA {
namespace {

double multiply_adds(int rounds, double& result) {
  constexpr int registers = 12;  // more than a multiply-add's latency times two of them a cycle
  const Vec half = splat(0.5), one = splat(1);
  Vec x[registers];
  for (Vec& a : x) a = one;
  for (int i = 0; i < rounds; ++i) {
    for (Vec& a : x) a = fma(a, half, one);
  }
  for (const Vec& a : x) result += a[0];
  return 2.0 * vec_width * registers * rounds;
}

void stream(double* x, std::size_t count) {
  const Vec half = splat(0.5), one = splat(1);
  for (std::size_t i = 0; i < count; i += vec_width) {
    storeu_vec(x + i, fma(loadu_vec(x + i), half, one));
  }
}

}  // namespace

extern const PeakKernels peak_table;
constinit const PeakKernels peak_table = {multiply_adds, stream};

}  // namespace abut::ABUT_ISA
