#include "abut/linalg/dense_spd.hpp"

#include <cmath>

namespace abut {

bool invert_spd(int n, const double* matrix, double* inverse) {
  // L in the lower triangle of `inverse`, then L^-1 in place, then L^-T L^-1
  const auto at = [&](int r, int c) -> double& { return inverse[r * n + c]; };
  for (int c = 0; c < n; ++c) {
    double d = matrix[c * n + c];
    for (int k = 0; k < c; ++k) d -= at(c, k) * at(c, k);
    if (!(d > 0)) return false;
    at(c, c) = std::sqrt(d);
    for (int r = c + 1; r < n; ++r) {
      double x = matrix[r * n + c];
      for (int k = 0; k < c; ++k) x -= at(r, k) * at(c, k);
      at(r, c) = x / at(c, c);
    }
  }
  for (int c = 0; c < n; ++c) {
    at(c, c) = 1 / at(c, c);
    for (int r = c + 1; r < n; ++r) {
      double x = 0;
      for (int k = c; k < r; ++k) x -= at(r, k) * at(k, c);
      at(r, c) = x / at(r, r);
    }
  }
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c <= r; ++c) {
      double x = 0;
      for (int k = r; k < n; ++k) x += at(k, r) * at(k, c);
      at(r, c) = x;
    }
  }
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < r; ++c) at(c, r) = at(r, c);
  }
  return true;
}

}  // namespace abut
