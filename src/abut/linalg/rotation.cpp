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
  // sin(t)/t by its series where the quotient would lose digits
  double s, c;
  if (angle2 < 1e-4) {
    s = 1 - angle2 / 6 * (1 - angle2 / 20 * (1 - angle2 / 42));
    c = 1 - angle2 / 2 * (1 - angle2 / 12 * (1 - angle2 / 30));
  } else {
    const double t = std::sqrt(angle2);
    s = std::sin(t) / t;
    c = std::cos(t);
  }
  return {c, s * a.x / 2, s * a.y / 2, s * a.z / 2};
}

}  // namespace abut
