#include "abut/problem/contact_kinematics.hpp"

namespace abut {

Vec3 dense_velocity(const Tree& tree, const double* jacobian, const double* u) {
  // even and odd dofs apart: additions that need not wait for each other
  Vec3 even, odd;
  const int n = tree.size;
  const double *x = jacobian, *y = x + n, *z = y + n;
  int k = 0;
  for (; k + 1 < n; k += 2) {
    even += u[k] * Vec3{x[k], y[k], z[k]};
    odd += u[k + 1] * Vec3{x[k + 1], y[k + 1], z[k + 1]};
  }
  if (k < n) even += u[k] * Vec3{x[k], y[k], z[k]};
  return even + odd;
}

}  // namespace abut
