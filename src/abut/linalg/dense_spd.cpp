#include "abut/linalg/dense_spd.hpp"

#include "abut/linalg/kernels.hpp"

namespace abut {

bool invert_factor(int n, const double* matrix, double* factor) {
  return linalg_kernels().invert_factor(n, matrix, factor);
}

void add_inverse_times(int n, const double* factor, const double* x, double* y, double* work) {
  linalg_kernels().add_inverse_times(n, factor, x, y, work);
}

void add_mobility(int n, const double* factor, const double* jacobian, double* w, double* work) {
  linalg_kernels().add_mobility(n, factor, jacobian, w, work);
}

void multiply_symmetric(int n, const double* matrix, const double* x, double* y) {
  linalg_kernels().multiply_symmetric(n, matrix, x, y);
}

}  // namespace abut
