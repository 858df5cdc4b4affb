#pragma once

// The conditions of rigid models by which a certificate judges contacts, written out a second time:
// in world axes and from the velocities, without W (see certify_laws.hpp).

#include <algorithm>
#include <cmath>

#include "abut/problem/certify_laws.hpp"

namespace abut::judging {

/// What is taken off the normal velocity: pairs apart may meet, overlaps are let out, and what
/// meets at -v_n0 in this step parts at a share of it.
template <class Real>
Real least_normal_velocity(const ContactProblem& p, int i, Real normal_velocity_before) {
  const Real h = p.time_step, gap = p.contacts.gap[i], e = p.rigid.restitution;
  Real least = -gap / h;
  if (gap < 0) least *= Real(p.rigid.baumgarte);
  const bool meets = normal_velocity_before < 0 && gap <= -h * normal_velocity_before;
  return e > 0 && meets ? std::max(least, -e * normal_velocity_before) : least;
}

/// The nearest point of the cone |x_t| <= mu x_n, in coordinates in which friction is mu in all
/// directions.
template <class Real>
void project_on_cone(Real& x, Real& y, Real& n, Real mu) {
  const Real across = std::hypot(x, y);
  if (across <= mu * n) return;
  if (n <= -mu * across) {
    x = y = n = 0;
    return;
  }
  const Real length = (n + mu * across) / (1 + mu * mu), to = mu * length / across;
  x *= to, y *= to, n = length;
}

/// P_K(gamma - c/w), of which gamma is the fixed point if and only if the contact satisfies the
/// model at this velocity: c is its velocity without `least`, of the NCP with mu |v_t| n.
template <class Real>
Vector<Real> rigid_impulse(const ContactProblem& p, int i, const Motion<Real>& m, Real least,
                           const Vector<Real>& gamma, Real w) {
  const ContactPool& c = p.contacts;
  const Real delta = c.anisotropy(i), along = 1 + delta, across = 1 - delta, mu = c.friction[i];
  Vector<Real> t(delta == 0 ? any_perpendicular(c.normal[i]) : c.friction_axis(i));
  const Vector<Real> s = cross(m.n, t);
  const auto part = [](Real impulse, Real scale) { return scale > 0 ? impulse / scale : Real(0); };
  const Real vt = along * dot(t, m.vt), vs = across * dot(s, m.vt);
  Real vn = m.vn - least;
  if (p.model == ContactModel::ncp) vn += mu * std::hypot(vt, vs);
  Real x = part(dot(t, gamma), along) - vt / w, y = part(dot(s, gamma), across) - vs / w;
  Real n = dot(m.n, gamma) - vn / w;
  project_on_cone(x, y, n, mu);
  return along * x * t + across * y * s + n * m.n;
}

}  // namespace abut::judging
