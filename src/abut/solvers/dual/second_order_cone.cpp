#include "abut/solvers/dual/second_order_cone.hpp"

#include <algorithm>
#include <cmath>

namespace abut {
Vec3 jordan_product(const Vec3& a, const Vec3& b) {
  return {a.z * b.x + b.z * a.x, a.z * b.y + b.z * a.y, dot(a, b)};
}

double jordan_determinant(const Vec3& x) {
  const double t = std::hypot(x.x, x.y);
  return (x.z - t) * (x.z + t);
}

Mat3 arrow(const Vec3& a) {
  return {{{a.z, 0, a.x}, {0, a.z, a.y}, {a.x, a.y, a.z}}};
}

Vec3 jordan_root(const Vec3& d, double k) {
  const double t = std::hypot(d.x, d.y);
  // of both eigenvalues d_n +- |d_t| the root of r^2 - d r = k
  const auto root = [&](double e) {
    const double r = std::sqrt(e * e + 4 * k);
    return e > 0 ? 0.5 * (e + r) : 2 * k / (r - e);
  };
  const double large = root(d.z + t), small = root(d.z - t);
  const double n = 0.5 * (large + small), along = t > 0 ? 0.5 * (large - small) / t : 0;
  return {along * d.x, along * d.y, n};
}

double step_in_cone(const Vec3& x, const Vec3& d, double most) {
  double step = most;
  if (x.z + step * d.z < 0) step = x.z / -d.z;
  // the first positive root of the determinant along the step
  const double a = d.x * d.x + d.y * d.y - d.z * d.z, b = x.x * d.x + x.y * d.y - x.z * d.z;
  const double c = std::min(-jordan_determinant(x), 0.0), root = b * b - a * c;
  if (root < 0) return step;
  const double q = -(b + std::copysign(std::sqrt(root), b));
  for (const double r : {a != 0 ? q / a : -1, q != 0 ? c / q : -1}) {
    if (r >= 0) step = std::min(step, r);
  }
  return step;
}

}  // namespace abut
