// The normal impulse that Lagged friction multiplies.

#include <algorithm>
#include <cmath>

#include "abut/laws/law_list.hpp"
#include "abut/problem/contact_kinematics.hpp"
#include "abut/problem/prepare.hpp"

namespace abut {
namespace {

/// Adds A^-1 J^T gamma of one side to u.
void add_response(const ContactProblem& p, const ContactSide& side, const Vec3& point,
                  const Vec3& gamma, double* velocity) {
  if (side.tree == nullptr) return;
  double* u = velocity + side.tree->velocity;
  if (side.jacobian == nullptr) {
    const Vec3 linear = (side.sign / side.tree->mass) * gamma;
    const Vec3 angular = p.inverse_inertia[side.tree - p.trees.data()] *
                         cross(point - side.tree->center, side.sign * gamma);
    u[0] += linear.x, u[1] += linear.y, u[2] += linear.z;
    u[3] += angular.x, u[4] += angular.y, u[5] += angular.z;
    return;
  }
  const int n = side.tree->size;
  const double* inverse = p.inverses.data() + side.tree->matrix;
  for (int k = 0; k < n; ++k) {
    const double x = dot(gamma, {side.jacobian[k], side.jacobian[n + k], side.jacobian[2 * n + k]});
    for (int l = 0; l < n; ++l) u[l] += inverse[l * n + k] * x;
  }
}

/// n . J A^-1 J^T n of one side.
double normal_mobility(const ContactProblem& p, const ContactSide& side, const Vec3& point,
                       const Vec3& n) {
  if (side.tree == nullptr) return 0;
  if (side.jacobian == nullptr) {
    const Vec3 rn = cross(point - side.tree->center, n);
    return 1 / side.tree->mass + dot(rn, p.inverse_inertia[side.tree - p.trees.data()] * rn);
  }
  const int size = side.tree->size;
  const double* inverse = p.inverses.data() + side.tree->matrix;
  const auto row = [&](int k) {
    return dot(n, {side.jacobian[k], side.jacobian[size + k], side.jacobian[2 * size + k]});
  };
  double sum = 0;
  for (int k = 0; k < size; ++k) {
    for (int l = 0; l < size; ++l) sum += row(k) * inverse[k * size + l] * row(l);
  }
  return sum;
}

/// The impulse of one point that alone stops the velocity v_free: n(v_free + w n) = n. With
/// y = v_hat - v_n this is y + w n(y) = c, c = v_hat - v_free, where n grows with y and is convex:
/// Newton from y = c decreases to the root.
template <NormalLaw Law>
double solve_point(const NormalStep<double>& step, double w, double v_free) {
  const double c = step.v_hat - v_free;
  if (!(c > 0)) return 0;
  double y = c;
  for (int iteration = 0; iteration < 50; ++iteration) {
    const NormalEval<double> e = Law::evaluate(step, step.v_hat - y);
    const double change = (y + w * e.impulse - c) / (1 - w * e.slope);
    y -= change;
    if (std::abs(change) <= 1e-14 * c) break;
  }
  return Law::evaluate(step, step.v_hat - y).impulse;
}

template <NormalLaw Law>
void predict(ContactProblem& p, std::span<const std::int32_t> patches, double* u) {
  ContactPool& c = p.contacts;
  for (const int k : patches) {
    const Patch& patch = p.patches[k];
    for (int i = patch.begin; i < patch.end; ++i) {
      const NormalStep<double> step = Law::discretize(
          {c.weight[i] * c.stiffness[i], c.dissipation[i], c.relaxation_time[i]}, p.time_step,
          c.gap[i]);
      const Vec3 &n = c.normal[i], &point = c.point[i];
      if (p.friction.lagged_rule == LaggedRule::state) {
        // h f(phi0, v_n0): the law of a step, at a gap shifted by the motion it would assume
        const double vn = dot(n, contact_velocity(p, patch, i, p.velocity.data()));
        const NormalStep<double> still = Law::discretize(
            {c.weight[i] * c.stiffness[i], c.dissipation[i], c.relaxation_time[i]}, p.time_step,
            c.gap[i] - p.time_step * vn);
        c.lagged_impulse[i] = Law::evaluate(still, vn).impulse;
        continue;
      }
      const ContactSide a = side_a(p, patch, i), b = side_b(p, patch, i);
      const double w = normal_mobility(p, a, point, n) + normal_mobility(p, b, point, n);
      const double last = std::max(0.0, dot(n, c.previous_impulse[i]));
      const double vn = dot(n, contact_velocity(p, patch, i, u));
      const double impulse = solve_point<Law>(step, w, vn - w * last);
      c.lagged_impulse[i] = impulse;
      const Vec3 change = (impulse - last) * n;
      add_response(p, a, point, change, u);
      add_response(p, b, point, change, u);
    }
  }
}

}  // namespace

void predict_impulses(ContactProblem& p, std::span<const std::int32_t> trees,
                      std::span<const std::int32_t> patches, std::span<double> u) {
  if (p.friction.lagged_rule == LaggedRule::sweep) {
    // the velocity that the last impulses would give
    for (const int t : trees) {
      const Tree& tree = p.trees[t];
      std::copy_n(p.free_velocity.begin() + tree.velocity, tree.size, u.begin() + tree.velocity);
    }
    for (const int k : patches) {
      const Patch& patch = p.patches[k];
      for (int i = patch.begin; i < patch.end; ++i) {
        const Vec3& gamma = p.contacts.previous_impulse[i];
        if (gamma == Vec3{}) continue;
        add_response(p, side_a(p, patch, i), p.contacts.point[i], gamma, u.data());
        add_response(p, side_b(p, patch, i), p.contacts.point[i], gamma, u.data());
      }
    }
  }
  dispatch_law(p.law, [&]<class Law>() { predict<Law>(p, patches, u.data()); });
}

}  // namespace abut
