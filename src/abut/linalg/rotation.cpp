#include "abut/linalg/rotation.hpp"

namespace abut {

Quaternion to_quaternion(const Mat3& R) {
  const double xx = R(0, 0), yy = R(1, 1), zz = R(2, 2);
  Quaternion q;
  if (xx + yy + zz > 0) {
    q = {1 + xx + yy + zz, R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
  } else if (xx >= yy && xx >= zz) {
    q = {R(2, 1) - R(1, 2), 1 + xx - yy - zz, R(0, 1) + R(1, 0), R(0, 2) + R(2, 0)};
  } else if (yy >= zz) {
    q = {R(0, 2) - R(2, 0), R(0, 1) + R(1, 0), 1 - xx + yy - zz, R(1, 2) + R(2, 1)};
  } else {
    q = {R(1, 0) - R(0, 1), R(0, 2) + R(2, 0), R(1, 2) + R(2, 1), 1 - xx - yy + zz};
  }
  return normalized(q);
}

Quaternion exp_rotation(const Vec3& a) {
  const double angle2 = squared_norm(a) / 4;  // of the half angle
  // sin(t)/t and cos(t) by their series, to rounding: no quotient that loses digits, and most steps
  // turn a body by less
  double s, c;
  if (angle2 < 1e-2) {
    const auto series = [x = angle2](double k1, double k2, double k3, double k4) {
      return 1 - x * k1 * (1 - x * k2 * (1 - x * k3 * (1 - x * k4)));
    };
    s = series(1.0 / 6, 1.0 / 20, 1.0 / 42, 1.0 / 72);
    c = series(1.0 / 2, 1.0 / 12, 1.0 / 30, 1.0 / 56);
  } else {
    const double t = std::sqrt(angle2);
    s = std::sin(t) / t;
    c = std::cos(t);
  }
  return {c, s * a.x / 2, s * a.y / 2, s * a.z / 2};
}

}  // namespace abut
