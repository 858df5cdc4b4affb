#include "abut/problem/contact_kinematics.hpp"

namespace abut {
namespace {

Twist sparse_velocity(const ContactProblem& p, int index, bool is_point, const double* v) {
  const ContactBody& body = p.bodies[index];
  const int n = p.columns(body);
  const double *u = v + p.trees[body.tree].first_dof, *j = p.jacobians.data() + body.first_element;
  const auto product = [&](const double* x) {
    Vec3 sum;
    const double *y = x + n, *z = y + n;
    p.for_each_run(body, [&](int dof, int column, int count) {
      for (int k = 0; k < count; ++k) {
        const int c = column + k;
        sum += u[dof + k] * Vec3{x[c], y[c], z[c]};
      }
    });
    return sum;
  };
  return {product(j), is_point ? Vec3{} : product(j + std::ptrdiff_t{3} * n), body.center};
}

}  // namespace

Twist linked_velocity(const ContactProblem& p, int index, bool is_point, const double* v) {
  const ContactBody& body = p.bodies[index];
  const Tree& tree = p.trees[body.tree];
  if (tree.kind == TreeKind::sparse) return sparse_velocity(p, index, is_point, v);
  const int n = tree.size;
  const double *u = v + tree.first_dof, *j = p.jacobians.data() + body.first_element;
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

void add_linked_load(const ContactProblem& p, int index, const Twist& load, double* generalized) {
  const ContactBody& body = p.bodies[index];
  const int n = p.columns(body);
  const double* j = p.jacobians.data() + body.first_element;
  double* u = generalized + p.trees[body.tree].first_dof;
  const auto add = [&](const Vec3& part, const double* x) {
    p.for_each_run(body, [&](int dof, int column, int count) {
      for (int k = 0; k < count; ++k) {
        const int c = column + k;
        u[dof + k] += dot(part, {x[c], x[n + c], x[2 * n + c]});
      }
    });
  };
  add(load.linear, j);
  if (!(load.angular == Vec3{})) add(load.angular, j + std::ptrdiff_t{3} * n);
}

}  // namespace abut
