#include "abut/laws/barrier_force.hpp"

#include <algorithm>
#include <cmath>

namespace abut {
namespace {

/// -ln(1 - q) without the terms of its series below q^n/n: sum of q^k/k over k >= n.
double log_tail(int n, double q) {
  if (q < 0.25) {
    double power = 1, sum = 0;
    for (int k = 0; k < n; ++k) power *= q;
    for (int k = n; k < n + 30; ++k, power *= q) sum += power / k;
    return sum;
  }
  double sum = -std::log1p(-q), power = 1;
  for (int k = 1; k < n; ++k) sum -= (power *= q) / k;
  return sum;
}

}  // namespace

double BarrierForce::at(double s) const {
  if (!(s > 0)) return 0;
  if (s > linear_from) return at(linear_from) + slope(linear_from) * (s - linear_from);
  return is_log_ ? s / (1 - s) : s * s / (1 - s) - 2 * s * std::log1p(-s);
}

double BarrierForce::slope(double s) const {
  const double left = 1 - std::min(s, linear_from);
  if (is_log_) return 1 / (left * left);
  return (1 - left * left) / (left * left) - 2 * std::log(left) + 2 * (1 - left) / left;
}

double BarrierForce::integral(double s) const {
  if (!(s > 0)) return 0;
  if (s > linear_from) {
    const double over = s - linear_from;
    return integral(linear_from) + over * (at(linear_from) + 0.5 * over * slope(linear_from));
  }
  return is_log_ ? log_tail(2, s) : -s * s * std::log1p(-s);
}

double BarrierForce::moment(double s, double u) const {
  const double smooth = std::clamp(linear_from - s, 0.0, u), over = u - smooth;
  const double moment = smooth > 0 ? smooth_moment(s, smooth) : 0;
  if (!(over > 0)) return moment;
  const double b = at(s + smooth), rise = slope(s + smooth);
  return moment + over * (smooth * b + over * (0.5 * (b + smooth * rise) + over * rise / 3));
}

/// With r = 1 - s, q = u/r: B is expanded about s, and every term is positive.
double BarrierForce::smooth_moment(double s, double u) const {
  const double r = 1 - s, q = u / r;
  if (is_log_) return r * log_tail(3, q) + 0.5 * s * u * u / r;
  const double quotient =
      r * log_tail(4, q) + u * u * u / 3 * (s * (1 + r)) / (r * r) + 0.5 * s * s * u * u / r;
  // 2 integral of (s + t) t (-ln r - ln(1 - t/r)): of t and of t^2
  const double first = 0.5 * (q * q * log_tail(1, q) - log_tail(3, q));
  const double second = (q * q * q * log_tail(1, q) - log_tail(4, q)) / 3;
  return quotient - std::log(r) * (s * u * u + 2 * u * u * u / 3) +
         2 * (s * r * r * first + r * r * r * second);
}

double BarrierForce::inverse(double b) const {
  if (!(b > 0)) return 0;
  const double most = at(linear_from);
  if (b >= most) return linear_from + (b - most) / slope(linear_from);
  if (is_log_) return b / (1 + b);
  // from above Newton's method falls to the root: B >= 3 s^2, and >= s/(1 - s) from s = 0.42 on
  double s = b < 1 ? std::sqrt(b / 3) : b / (1 + b);
  for (int i = 0; i < 100; ++i) {
    const double next = s - (at(s) - b) / slope(s);
    if (!(next < s)) break;
    s = next;
  }
  return s;
}

}  // namespace abut
