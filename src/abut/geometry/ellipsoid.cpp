#include "abut/geometry/ellipsoid.hpp"

#include <algorithm>
#include <cmath>

namespace abut {

EllipsoidPoint nearest_on_ellipsoid(const Vec3& a, const Vec3& x) {
  const double shortest = std::min({a.x, a.y, a.z});
  const auto at = [&](double t) {
    Vec3 y;
    for (int k = 0; k < 3; ++k) y[k] = x[k] * (a[k] * a[k] / (a[k] * a[k] + t));
    return y;
  };
  const auto level = [&](double t) {  // decreases with t
    const Vec3 y = at(t);
    double sum = -1;
    for (int k = 0; k < 3; ++k) sum += (y[k] / a[k]) * (y[k] / a[k]);
    return sum;
  };
  // beyond the pole the level falls from infinity, unless x lies in the plane of the longer axes
  double lower = -shortest * shortest * (1 - 1e-9), upper = norm(x) * std::max({a.x, a.y, a.z});
  if (level(lower) < 0) upper = lower;
  for (int k = 0; k < 200 && upper - lower > 1e-15 * maximum(upper, shortest * shortest); ++k) {
    const double middle = 0.5 * (lower + upper);
    (level(middle) > 0 ? lower : upper) = middle;
  }
  Vec3 y = at(upper);
  if (level(upper) < -1e-6) {  // the missing part is along the shortest axis
    const int k = a.x == shortest ? 0 : a.y == shortest ? 1 : 2;
    y[k] += std::copysign(a[k] * std::sqrt(-level(upper)), x[k]);
  }
  Vec3 n;
  for (int k = 0; k < 3; ++k) n[k] = y[k] / (a[k] * a[k]);
  n = n / norm(n);
  return {n, dot(n, x - y)};
}

}  // namespace abut
