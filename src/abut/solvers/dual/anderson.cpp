#include "abut/solvers/dual/anderson.hpp"

#include <algorithm>
#include <cmath>

namespace abut {
namespace {

/// Of the products' diagonal: differences that depend on each other leave a matrix that is singular
/// to rounding.
constexpr double ridge = 1e-13;

/// By four sums, which run beside each other.
double product(const double* a, const double* b, std::size_t n) {
  double sum[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; ++k) sum[k] += a[i + k] * b[i + k];
  }
  for (; i < n; ++i) sum[0] += a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// x := A^-1 x by Cholesky's method; false if A is not positive.
bool solve_positive(int n, double (&a)[Anderson::capacity][Anderson::capacity], double* x) {
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k];
    if (!(a[j][j] > 0)) return false;
    a[j][j] = std::sqrt(a[j][j]);
    for (int i = j + 1; i < n; ++i) {
      for (int k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) x[i] -= a[i][k] * x[k];
    x[i] /= a[i][i];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) x[i] -= a[k][i] * x[k];
    x[i] /= a[i][i];
  }
  return true;
}

}  // namespace

void Anderson::reset(std::size_t size) {
  size_ = size;
  count_ = newest_ = 0;
  has_last_ = false;
  points_.resize(capacity * size);
  residuals_.resize(capacity * size);
  last_point_.resize(size);
  last_residual_.resize(size);
}

void Anderson::propose(std::span<const double> v, std::span<const double> f,
                       std::span<double> next) {
  if (has_last_) {
    double *dv = point(newest_), *df = residual(newest_);
    for (std::size_t i = 0; i < size_; ++i) {
      dv[i] = v[i] - last_point_[i];
      df[i] = f[i] - last_residual_[i];
    }
    count_ = std::min(count_ + 1, capacity);
    for (int k = 0; k < count_; ++k) {
      products_[newest_][k] = products_[k][newest_] = product(df, residual(k), size_);
    }
    newest_ = (newest_ + 1) % capacity;
  }
  std::copy(v.begin(), v.end(), last_point_.begin());
  std::copy(f.begin(), f.end(), last_residual_.begin());
  has_last_ = true;
  double a[capacity][capacity], weight[capacity];
  for (int i = 0; i < count_; ++i) {
    for (int j = 0; j < count_; ++j) a[i][j] = products_[i][j];
    a[i][i] *= 1 + ridge;
    weight[i] = product(residual(i), f.data(), size_);
  }
  for (std::size_t i = 0; i < size_; ++i) next[i] = v[i] + f[i];
  if (!solve_positive(count_, a, weight)) return;
  for (int k = 0; k < count_; ++k) {
    const double *dv = point(k), *df = residual(k), w = weight[k];
    for (std::size_t i = 0; i < size_; ++i) next[i] -= w * (dv[i] + df[i]);
  }
}

}  // namespace abut
