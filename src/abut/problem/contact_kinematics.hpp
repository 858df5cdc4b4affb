#pragma once

#include "abut/laws/normal_law.hpp"
#include "abut/problem/contact_problem.hpp"

namespace abut {

/// The normal law's parameters at contact i, its weight included.
inline PointMaterial point_material(const ContactPool& c, int i) {
  return {c.weight[i] * c.stiffness[i], c.dissipation[i], c.relaxation_time[i]};
}

/// One side of a contact: a tree, or the world.
struct ContactSide {
  const Tree* tree = nullptr;        ///< null for the world
  const double* jacobian = nullptr;  ///< 3 x nv, dense trees only
  double sign = 0;                   ///< of a rigid body's velocity in v_c
};

inline ContactSide side_a(const ContactProblem& p, const Patch& patch, int contact) {
  if (patch.tree_a == world_tree) return {};
  const std::int64_t at = p.contacts.jacobian_a[contact];
  return {&p.trees[patch.tree_a], at < 0 ? nullptr : p.jacobians.data() + at, -1};
}
inline ContactSide side_b(const ContactProblem& p, const Patch& patch, int contact) {
  const std::int64_t at = p.contacts.jacobian_b[contact];
  return {&p.trees[patch.tree_b], at < 0 ? nullptr : p.jacobians.data() + at, 1};
}

// What a dense tree does is apart from these functions, which are inlined for rigid bodies' sake.

/// J u of a dense tree with the velocity u.
Vec3 dense_velocity(const Tree& tree, const double* jacobian, const double* u);

/// This side's part of J v.
inline Vec3 side_velocity(const ContactSide& side, const Vec3& point, const double* v) {
  if (side.tree == nullptr) return {};
  const double* u = v + side.tree->velocity;
  if (side.jacobian == nullptr) {
    return side.sign *
           (Vec3{u[0], u[1], u[2]} + cross(Vec3{u[3], u[4], u[5]}, point - side.tree->center));
  }
  return dense_velocity(*side.tree, side.jacobian, u);
}

/// Adds this side's part of J^T gamma to `generalized`.
inline void add_side_impulse(const ContactSide& side, const Vec3& point, const Vec3& gamma,
                             double* generalized) {
  if (side.tree == nullptr) return;
  double* u = generalized + side.tree->velocity;
  if (side.jacobian == nullptr) {
    const Vec3 linear = side.sign * gamma;
    const Vec3 angular = cross(point - side.tree->center, linear);
    u[0] += linear.x, u[1] += linear.y, u[2] += linear.z;
    u[3] += angular.x, u[4] += angular.y, u[5] += angular.z;
    return;
  }
  const int n = side.tree->size;
  for (int k = 0; k < n; ++k) {
    u[k] += dot(gamma, {side.jacobian[k], side.jacobian[n + k], side.jacobian[2 * n + k]});
  }
}

/// v_c = J v + b of one contact.
inline Vec3 contact_velocity(const ContactProblem& p, const Patch& patch, int contact,
                             const double* v) {
  const Vec3& point = p.contacts.point[contact];
  return side_velocity(side_a(p, patch, contact), point, v) +
         side_velocity(side_b(p, patch, contact), point, v) + p.contacts.bias[contact];
}

/// Adds J^T gamma of one contact.
inline void add_impulse(const ContactProblem& p, const Patch& patch, int contact, const Vec3& gamma,
                        double* generalized) {
  const Vec3& point = p.contacts.point[contact];
  add_side_impulse(side_a(p, patch, contact), point, gamma, generalized);
  add_side_impulse(side_b(p, patch, contact), point, gamma, generalized);
}

}  // namespace abut
