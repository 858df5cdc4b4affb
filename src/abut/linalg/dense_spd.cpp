#include "abut/linalg/dense_spd.hpp"

#include <array>
#include <vector>

#include "abut/linalg/kernels.hpp"

namespace abut {

bool invert_spd(int n, const double* matrix, double* inverse) {
  std::array<double, 256> work;
  const LinalgKernels& kernels = linalg_kernels();
  if (n <= static_cast<int>(work.size())) {
    return kernels.invert_spd(n, matrix, inverse, work.data());
  }
  std::vector<double> large(n);
  return kernels.invert_spd(n, matrix, inverse, large.data());
}

void multiply_symmetric(int n, const double* matrix, const double* x, double* y) {
  linalg_kernels().multiply_symmetric(n, matrix, x, y);
}

}  // namespace abut
