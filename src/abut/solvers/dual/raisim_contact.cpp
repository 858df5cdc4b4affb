#include "abut/solvers/dual/raisim_contact.hpp"

#include <cmath>

#include "abut/solvers/dual/lone_contact.hpp"
#include "abut/solvers/dual/rigid_cones.hpp"

namespace abut {

Vec3 slide_by_bisection(const Mat3& w, const Vec3& g, double mu, const Vec3& held) {
  const Vec3 tilt = tilt_of(w, mu);
  const auto impulse = [&](double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    const double n = -g.z / (w(2, 2) * (1 + tilt.x * c + tilt.y * s));
    return Vec3{mu * n * c, mu * n * s, n};
  };
  // of a small turn by the angle: > 0 uphill; NaN beyond the stretch that `held` sees
  const auto slope = [&](double angle) {
    const Vec3 gamma = impulse(angle);
    const Vec3 slip = w * gamma + g;
    const double x = std::cos(angle) + tilt.x, y = std::sin(angle) + tilt.y;
    const bool is_seen = gamma.z > 0 && (held.x - gamma.x) * x + (held.y - gamma.y) * y > 0;
    return is_seen ? x * slip.y - y * slip.x : std::nan("");
  };
  const double start = std::atan2(held.y, held.x), first = slope(start);
  if (first == 0 || std::isnan(first)) {  // of rounding, or of a W that has no inverse
    const Vec3 gamma = impulse(start);
    return gamma.z >= 0 && is_finite(gamma) ? gamma : Vec3{0, 0, -g.z / w(2, 2)};
  }
  const double side = first > 0 ? -1 : 1;
  const auto is_downhill = [&](double turn) { return side * slope(start + side * turn) < 0; };
  double low = 0, high = 0.05;
  while (high < 4 && is_downhill(high)) low = high, high *= 2;
  for (int k = 0; k < 60 && high - low > 1e-17; ++k) {
    const double middle = 0.5 * (low + high);
    (is_downhill(middle) ? low : high) = middle;
  }
  return impulse(start + side * low);
}

Vec3 solve_raisim_contact(const Mat3& given, const Vec3& velocity, double mu, const Vec3& last) {
  if (velocity.z >= 0) return {};
  if (!(given(2, 2) > 0)) return last;  // nothing helps
  if (mu == 0) return {0, 0, -velocity.z / given(2, 2)};
  const ProximalContact contact(RigidModel::raisim, given, velocity, last);
  const Vec3 held = contact.holding_impulse();
  if (is_in_cone(held, mu)) return held;
  return slide_by_bisection(contact.delassus, contact.g, mu, held);
}

}  // namespace abut
