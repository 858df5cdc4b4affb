#pragma once

// The laws and the kinematics of contacts by which a certificate judges: written out a second time,
// from docs/notation.md and in another form than in src/abut/laws and the solvers, so that no error
// can hide in both. Real is double, or long double where rounding matters.

#include <algorithm>
#include <cmath>

#include "abut/problem/contact_problem.hpp"

namespace abut::judging {

template <class Real>
struct Vector {
  Real x = 0, y = 0, z = 0;

  Vector() = default;
  Vector(Real x_, Real y_, Real z_) : x(x_), y(y_), z(z_) {}
  explicit Vector(const Vec3& v) : x(v.x), y(v.y), z(v.z) {}

  Vector& operator+=(const Vector& b) { return *this = *this + b; }
  friend Vector operator+(const Vector& a, const Vector& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend Vector operator-(const Vector& a, const Vector& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend Vector operator*(Real s, const Vector& a) { return {s * a.x, s * a.y, s * a.z}; }
  friend Real dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend Vector cross(const Vector& a, const Vector& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
  friend Real norm(const Vector& a) { return std::sqrt(dot(a, a)); }
  bool is_zero() const { return x == 0 && y == 0 && z == 0; }
};

/// The velocity of one side of a contact with velocities v of the problem: what a tree's point
/// moves at, or its Jacobian times v, which has its sign.
template <class Real>
Vector<Real> side_velocity(const ContactProblem& p, int tree, int sign, std::int64_t jacobian,
                           int contact, std::span<const double> v) {
  if (tree == world_tree) return {};
  const Tree& t = p.trees[tree];
  const double* u = v.data() + t.velocity;
  if (t.kind == TreeKind::rigid_body) {
    const Vector<Real> arm = Vector<Real>(p.contacts.point[contact]) - Vector<Real>(t.center);
    return Real(sign) *
           (Vector<Real>(u[0], u[1], u[2]) + cross(Vector<Real>(u[3], u[4], u[5]), arm));
  }
  const double* j = p.jacobians.data() + jacobian;
  Real sum[3] = {0, 0, 0};
  for (int row = 0; row < 3; ++row, j += t.size) {
    for (int k = 0; k < t.size; ++k) sum[row] += Real(j[k]) * Real(u[k]);
  }
  return {sum[0], sum[1], sum[2]};
}

/// Adds what `gamma` on B does to one side, J^T gamma, to `generalized`.
template <class Real>
void add_impulse(const ContactProblem& p, int tree, int sign, std::int64_t jacobian, int contact,
                 const Vector<Real>& gamma, Real* generalized) {
  if (tree == world_tree) return;
  const Tree& t = p.trees[tree];
  Real* to = generalized + t.velocity;
  if (t.kind == TreeKind::rigid_body) {
    const Vector<Real> arm = Vector<Real>(p.contacts.point[contact]) - Vector<Real>(t.center);
    const Vector<Real> force = Real(sign) * gamma, moment = cross(arm, force);
    to[0] += force.x, to[1] += force.y, to[2] += force.z;
    to[3] += moment.x, to[4] += moment.y, to[5] += moment.z;
    return;
  }
  const double *jx = p.jacobians.data() + jacobian, *jy = jx + t.size, *jz = jy + t.size;
  for (int k = 0; k < t.size; ++k) {
    to[k] += Real(jx[k]) * gamma.x + Real(jy[k]) * gamma.y + Real(jz[k]) * gamma.z;
  }
}

/// h f(x, xdot) of the normal laws, as their force is defined.
template <class Real>
Real normal_impulse(const ContactProblem& p, int i, Real vn) {
  const ContactPool& c = p.contacts;
  const Real h = p.time_step, k = Real(c.weight[i]) * Real(c.stiffness[i]);
  const Real x = -Real(c.gap[i]) - h * vn, zero = 0;
  const Real damping = std::max(zero, 1 - Real(c.dissipation[i]) * vn), overlap = std::max(zero, x);
  switch (p.law) {
    case NormalLawKind::kelvin_voigt:
      return h * k * std::max(zero, x - Real(c.relaxation_time[i]) * vn);
    case NormalLawKind::hunt_crossley: return h * k * overlap * damping;
    case NormalLawKind::hertz: break;
  }
  return h * k * overlap * std::sqrt(overlap) * damping;
}

/// The projection of y on the friction cone in the norm of R, with R y = (-v_t, approach), by
/// regions: the pair parts, sticks, or slides.
template <class Real>
Vector<Real> project(Real approach, const Vector<Real>& vt, const Vector<Real>& n, Real mu, Real rt,
                     Real rn) {
  const Real slip = norm(vt);
  if (approach <= -mu * slip) return {};
  if (rn * slip <= mu * rt * approach) return (approach / rn) * n - (1 / rt) * vt;
  const Real gamma_n = (approach + mu * slip) / (rn + mu * mu * rt);
  return gamma_n * n - (mu * gamma_n / slip) * vt;
}

/// The impulse that the model's law gives at contact velocity v, with gamma_n0 = lagged.
template <class Real>
Vector<Real> law_impulse(const ContactProblem& p, int i, const Vector<Real>& v, double lagged) {
  const ContactPool& c = p.contacts;
  const Real h = p.time_step, mu = c.friction[i];
  const Vector<Real> n(c.normal[i]);
  const Real vn = dot(n, v);
  const Vector<Real> vt = v - vn * n;
  if (p.model == ContactModel::sap) {
    const Real rn = c.normal_regularization[i], rt = c.tangential_regularization[i];
    const Real v_hat = -Real(c.gap[i]) / (h + Real(c.relaxation_time[i]));
    return project(v_hat - vn, vt, n, mu, rt, rn);
  }
  const Real eps = std::max(Real(p.friction.stiction_tolerance),
                            Real(c.tangential_regularization[i]) * mu * Real(lagged));
  const Real soft = std::sqrt(dot(vt, vt) + eps * eps);
  if (p.model == ContactModel::lagged) {
    return normal_impulse(p, i, vn) * n - (mu * Real(lagged) / soft) * vt;
  }
  // soft - eps without cancellation
  const Real slip = dot(vt, vt) / (soft + eps);
  const Real gamma_n = normal_impulse(p, i, vn - mu * slip);
  return gamma_n * n - (mu * gamma_n / soft) * vt;
}

/// The impulse that the law of scalar constraint i gives at c = J v, by cases.
template <class Real>
Real scalar_impulse(const ContactProblem& p, int i, Real c) {
  const ScalarPool& s = p.scalars;
  const Real h = p.time_step, regularization = s.regularization[i];
  if (s.kind[i] == ScalarKind::limit || s.kind[i] == ScalarKind::equality) {
    const Real reach = h + Real(s.relaxation_time[i]), over = Real(s.gap[i]) + reach * c;
    const bool acts = s.kind[i] == ScalarKind::equality || !(over >= 0);
    return acts ? -over / (reach * regularization) : Real(0);
  }
  Real force = -c / (h * regularization);
  if (s.kind[i] == ScalarKind::actuator) {
    force = Real(s.force[i]) - (h * Real(s.stiffness[i]) + Real(s.damping[i])) * c;
  }
  if (force > s.upper_force[i]) force = s.upper_force[i];
  if (force < s.lower_force[i]) force = s.lower_force[i];
  return h * force;
}

}  // namespace abut::judging
