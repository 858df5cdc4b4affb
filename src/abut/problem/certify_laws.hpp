#pragma once

// The laws and the kinematics of contacts by which a certificate judges: written out a second time,
// from docs/notation.md and in another form than in src/abut/laws and the solvers, so that no error
// can hide in both. Real is double, or long double where rounding matters.

#include <algorithm>
#include <cmath>

#include "abut/problem/certify_numbers.hpp"
#include "abut/problem/certify_vector.hpp"
#include "abut/problem/contact_problem.hpp"

namespace abut::judging {

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

/// A contact's velocity, apart along its normal and across.
template <class Real>
struct Motion {
  Vector<Real> n, vt;
  Real vn = 0, slip = 0;

  Motion(const Vector<Real>& normal, const Vector<Real>& v) : n(normal), vn(dot(normal, v)) {
    vt = v - vn * n;
    slip = norm(vt);
  }
};

/// The projection of y on the friction cone in the norm of R, with R y = (-v_t, approach), by
/// regions: the pair parts, sticks, or slides.
template <class Real>
Vector<Real> project(Real approach, const Motion<Real>& m, Real mu, Real rt, Real rn) {
  if (approach <= -mu * m.slip) return {};
  if (rn * m.slip <= mu * rt * approach) return (approach / rn) * m.n - (1 / rt) * m.vt;
  const Real gamma_n = (approach + mu * m.slip) / (rn + mu * mu * rt);
  return gamma_n * m.n - (mu * gamma_n / m.slip) * m.vt;
}

/// True if the contact gives no impulse, whatever its regularization.
template <class Real>
bool is_apart(const ContactProblem& p, int i, const Motion<Real>& m, double lagged) {
  const ContactPool& c = p.contacts;
  const bool viscous = p.model == ContactModel::sap || p.law == NormalLawKind::kelvin_voigt;
  const Real reach = Real(p.time_step) + (viscous ? Real(c.relaxation_time[i]) : Real(0));
  if (p.model == ContactModel::lagged && lagged != 0) return false;
  return Real(c.gap[i]) + reach * (m.vn - Real(c.friction[i]) * m.slip) > 0;
}

/// The impulse that the model's law gives, with gamma_n0 = lagged.
template <class Real>
Vector<Real> law_impulse(const ContactProblem& p, int i, const Motion<Real>& m, double lagged,
                         const ContactNumbers<Real>& numbers) {
  const Real mu = p.contacts.friction[i];
  const auto eps = [&] {
    return std::max(Real(p.friction.stiction_tolerance), numbers.rt * mu * Real(lagged));
  };
  const auto soft_norm = [&] {  // squares may overflow
    const Real squares = dot(m.vt, m.vt) + eps() * eps();
    return std::isinf(squares) ? std::max(m.slip, eps()) : std::sqrt(squares);
  };
  switch (p.model) {
    case ContactModel::sap: break;
    case ContactModel::lagged:
      return normal_impulse(p, i, m.vn) * m.n - (mu * Real(lagged) / soft_norm()) * m.vt;
    case ContactModel::similar: {
      const Real soft = soft_norm();
      const Real slip = dot(m.vt, m.vt) / (soft + eps());  // soft - eps without cancellation
      const Real gamma_n = normal_impulse(p, i, m.vn - mu * slip);
      return gamma_n * m.n - (mu * gamma_n / soft) * m.vt;
    }
  }
  return project(numbers.target - m.vn, m, mu, numbers.rt, numbers.rn);
}

/// The impulse that the law of scalar constraint i gives at c = J v, by cases.
template <class Real>
Real scalar_impulse(const ContactProblem& p, int i, Real c, Real regularization) {
  const ScalarPool& s = p.scalars;
  const Real h = p.time_step;
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
