#include "abut/problem/contact_kinematics.hpp"

namespace abut {

Twist dense_velocity(const ContactProblem& p, int index, bool is_point, const double* v) {
  const ContactBody& body = p.bodies[index];
  const Tree& tree = p.trees[body.tree];
  const int n = tree.size;
  const double *u = v + tree.first_dof, *j = p.jacobians.data() + body.jacobian;
  const auto product = [&](const double* x) {
    // even and odd dofs apart: additions that need not wait for each other
    Vec3 even, odd;
    const double *y = x + n, *z = y + n;
    int k = 0;
    for (; k + 1 < n; k += 2) {
      even += u[k] * Vec3{x[k], y[k], z[k]};
      odd += u[k + 1] * Vec3{x[k + 1], y[k + 1], z[k + 1]};
    }
    if (k < n) even += u[k] * Vec3{x[k], y[k], z[k]};
    return even + odd;
  };
  return {product(j), is_point ? Vec3{} : product(j + std::ptrdiff_t{3} * n), body.center};
}

void add_dense_load(const ContactProblem& p, int index, const Twist& load, double* generalized) {
  const ContactBody& body = p.bodies[index];
  const Tree& tree = p.trees[body.tree];
  const int n = tree.size;
  const double* j = p.jacobians.data() + body.jacobian;
  double* u = generalized + tree.first_dof;
  for (int k = 0; k < n; ++k) u[k] += dot(load.linear, {j[k], j[n + k], j[2 * n + k]});
  if (load.angular == Vec3{}) return;
  for (int k = 0; k < n; ++k) {
    u[k] += dot(load.angular, {j[3 * n + k], j[4 * n + k], j[5 * n + k]});
  }
}

}  // namespace abut
