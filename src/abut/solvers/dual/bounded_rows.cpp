#include "abut/solvers/dual/bounded_rows.hpp"

#include <algorithm>
#include <cmath>

namespace abut {
namespace {

/// The root s > 0 of s - k / s = e.
double distance_of_one_bound(double e, double k) {
  const double root = std::sqrt(e * e + 4 * k);
  return e > 0 ? 0.5 * (e + root) : 2 * k / (root - e);
}

/// The root 0 < s <= width / 2 of s - k / s + k / (width - s) = e, of which there is one if e is at
/// most width / 2. The left-hand side is concave there: Newton's method from below stays below.
double distance_of_nearer_bound(double e, double k, double width) {
  double s = std::min(distance_of_one_bound(e - 2 * k / width, k), 0.5 * width);
  for (int i = 0; i < 20; ++i) {
    const double a = k / s, b = k / (width - s);
    const double change = (e - s + a - b) / (1 + a / s + b / (width - s));
    s = std::min(s + change, 0.5 * width);
    if (!(change > 1e-3 * s)) break;
  }
  return s;
}

/// Of one constraint: sets what belongs to distances, `nan` where there is no bound.
void put(BoundedRow& x, int r, double from_lower, double to_upper, double k) {
  x.from_lower[r] = x.to_upper[r] = 1;
  x.z_lower[r] = x.z_upper[r] = 0;
  if (std::isfinite(from_lower)) x.from_lower[r] = from_lower, x.z_lower[r] = k / from_lower;
  if (std::isfinite(to_upper)) x.to_upper[r] = to_upper, x.z_upper[r] = k / to_upper;
}

constexpr double none = HUGE_VAL;

}  // namespace

BoundedRow start_bounded(const ImpulseBounds& bounds, double size, Vec3& gamma) {
  BoundedRow x;
  for (int r = 0; r < 3; ++r) {
    const double lower = bounds.lower[r], upper = bounds.upper[r];
    if (is_fixed(bounds, r)) {
      gamma[r] = lower;
      put(x, r, none, none, 0);
      continue;
    }
    const double room = std::min(size, 0.5 * (upper - lower));
    if (room < size) {
      gamma[r] = lower + room;
      put(x, r, room, room, size * size);
      continue;
    }
    gamma[r] = std::min(std::max(0.0, lower + room), upper - room);
    put(x, r, gamma[r] - lower, upper - gamma[r], size * size);
  }
  return x;
}

BoundedRow nearest_on_path(const ImpulseBounds& bounds, double k, const Vec3& gamma_less_sigma,
                           Vec3& gamma) {
  BoundedRow x;
  for (int r = 0; r < 3; ++r) {
    const double lower = bounds.lower[r], upper = bounds.upper[r], d = gamma_less_sigma[r];
    const bool has_lower = std::isfinite(lower), has_upper = std::isfinite(upper);
    double from_lower = none, to_upper = none;
    gamma[r] = d;
    if (is_fixed(bounds, r)) {
      gamma[r] = lower;
    } else if (has_lower && has_upper) {
      const double width = upper - lower;
      if (d - lower < upper - d) {
        from_lower = distance_of_nearer_bound(d - lower, k, width);
        to_upper = width - from_lower;
        gamma[r] = lower + from_lower;
      } else {
        to_upper = distance_of_nearer_bound(upper - d, k, width);
        from_lower = width - to_upper;
        gamma[r] = upper - to_upper;
      }
    } else if (has_lower) {
      from_lower = distance_of_one_bound(d - lower, k);
      gamma[r] = lower + from_lower;
    } else if (has_upper) {
      to_upper = distance_of_one_bound(upper - d, k);
      gamma[r] = upper - to_upper;
    }
    put(x, r, from_lower, to_upper, k);
  }
  return x;
}

BoundedTarget missing(const BoundedRow& x, double k) {
  BoundedTarget t;
  for (int r = 0; r < 3; ++r) {
    if (x.z_lower[r] > 0) t.lower[r] = k - x.from_lower[r] * x.z_lower[r];
    if (x.z_upper[r] > 0) t.upper[r] = k - x.to_upper[r] * x.z_upper[r];
  }
  return t;
}

Vec3 stiffness(const BoundedRow& x) {
  Vec3 a;
  for (int r = 0; r < 3; ++r) {
    a[r] = x.z_lower[r] / x.from_lower[r] + x.z_upper[r] / x.to_upper[r];
  }
  return a;
}

Vec3 pull(const BoundedRow& x, const BoundedTarget& target) {
  Vec3 b;
  for (int r = 0; r < 3; ++r) {
    b[r] = target.lower[r] / x.from_lower[r] - target.upper[r] / x.to_upper[r];
  }
  return b;
}

BoundedRow change_of(const BoundedRow& x, const BoundedTarget& target, const Vec3& d_gamma) {
  BoundedRow d;
  for (int r = 0; r < 3; ++r) {
    if (x.z_lower[r] > 0) d.from_lower[r] = d_gamma[r];
    if (x.z_upper[r] > 0) d.to_upper[r] = -d_gamma[r];
    d.z_lower[r] = (target.lower[r] - x.z_lower[r] * d.from_lower[r]) / x.from_lower[r];
    d.z_upper[r] = (target.upper[r] - x.z_upper[r] * d.to_upper[r]) / x.to_upper[r];
  }
  return d;
}

double products(const BoundedRow& x, const BoundedRow& dx, double step) {
  double sum = 0;
  for (int r = 0; r < 3; ++r) {
    sum += (x.from_lower[r] + step * dx.from_lower[r]) * (x.z_lower[r] + step * dx.z_lower[r]) +
           (x.to_upper[r] + step * dx.to_upper[r]) * (x.z_upper[r] + step * dx.z_upper[r]);
  }
  return sum;
}

double longest_step(const BoundedRow& x, const BoundedRow& dx, double most) {
  double step = most;
  const auto keep_positive = [&](const Vec3& value, const Vec3& change) {
    for (int r = 0; r < 3; ++r) {
      if (value[r] + step * change[r] < 0) step = value[r] / -change[r];
    }
  };
  keep_positive(x.from_lower, dx.from_lower);
  keep_positive(x.to_upper, dx.to_upper);
  keep_positive(x.z_lower, dx.z_lower);
  keep_positive(x.z_upper, dx.z_upper);
  return step;
}

}  // namespace abut
