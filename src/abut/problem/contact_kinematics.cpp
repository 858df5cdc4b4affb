#include "abut/problem/contact_kinematics.hpp"

namespace abut {

Twist linked_velocity(const ContactProblem& p, int index, bool is_point, const double* v) {
  const ContactBody& body = p.bodies[index];
  const int n = body.columns;
  const double *u = v + p.trees[body.tree].first_dof, *j = p.jacobians.data() + body.first_element;
  const auto product = [&](const double* x) {
    // even and odd dofs apart: additions that need not wait for each other
    Vec3 even, odd;
    for (const IndexRun& run : p.runs_of(body)) {
      const double *y = x + n, *z = y + n;
      int k = run.begin;
      for (; k + 1 < run.end; k += 2, x += 2, y += 2, z += 2) {
        even += u[k] * Vec3{x[0], y[0], z[0]};
        odd += u[k + 1] * Vec3{x[1], y[1], z[1]};
      }
      if (k < run.end) even += u[k] * Vec3{*x++, *y, *z};
    }
    return even + odd;
  };
  return {product(j), is_point ? Vec3{} : product(j + std::ptrdiff_t{3} * n), body.center};
}

void add_linked_load(const ContactProblem& p, int index, const Twist& load, double* generalized) {
  const ContactBody& body = p.bodies[index];
  const int n = body.columns;
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
