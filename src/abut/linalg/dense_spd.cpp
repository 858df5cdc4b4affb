#include "abut/linalg/dense_spd.hpp"

#include "abut/linalg/kernels.hpp"

namespace abut {

bool invert_factor(int n, const double* matrix, double* factor) {
  return linalg_kernels().invert_factor(n, matrix, factor);
}

void add_inverse_times(int n, const double* factor, const double* x, double* y, double* work) {
  linalg_kernels().add_inverse_times(n, factor, x, y, work);
}

bool solve_definite(int n, const double* matrix, double* x, double* work) {
  return linalg_kernels().solve_definite(n, matrix, x, work);
}

void multiply_by_factor(int rows, int n, const double* jacobian, std::span<const IndexRun> runs,
                        const double* factor, double* result) {
  linalg_kernels().multiply_by_factor(rows, n, jacobian, runs, factor, result);
}

void multiply_rows(int rows, int columns, int width, const double* a, const double* b,
                   double* product) {
  linalg_kernels().multiply_rows(rows, columns, width, a, b, product);
}

void multiply_by_transpose(int rows, int width, const double* a, double* product) {
  linalg_kernels().multiply_by_transpose(rows, width, a, product);
}

void relative_mobility(int width, const BodyRows& b, const BodyRows& a, const double d[3],
                       double matrix[36]) {
  linalg_kernels().relative_mobility(width, b, a, d, matrix);
}

void multiply_by_runs(int n, const double* rows, const double* columns, const IndexRun* runs,
                      const std::int32_t* run_end, double* product) {
  linalg_kernels().multiply_by_runs(n, rows, columns, runs, run_end, product);
}

void multiply_symmetric(int n, const double* matrix, const double* x, double* y) {
  linalg_kernels().multiply_symmetric(n, matrix, x, y);
}

void copy_lower(int n, const double* matrix, double* to, std::ptrdiff_t leading) {
  linalg_kernels().copy_lower(n, matrix, to, leading);
}

void copy_symmetric(int n, const double* lower, double* matrix) {
  linalg_kernels().copy_symmetric(n, lower, matrix);
}

}  // namespace abut
