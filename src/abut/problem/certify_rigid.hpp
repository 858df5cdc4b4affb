#pragma once

// The conditions of rigid models by which a certificate judges a step's contacts: from velocities,
// without W (see certify_laws.hpp).

#include <algorithm>
#include <cmath>

#include "abut/problem/certify_contact.hpp"
#include "abut/problem/certify_laws.hpp"

namespace abut::judging {

/// What is taken off the normal velocity: pairs apart may meet, overlaps are let out, and what
/// meets at -v_n0 in this step parts at a share of it.
template <class Real>
Real least_normal_velocity(const ContactProblem& p, int i, Real normal_velocity_before) {
  const Real h = p.time_step, gap = p.contacts.gap[i], e = p.rigid.restitution;
  Real least = -gap / h;
  if (gap < 0) {
    const Real overlap = -gap - Real(p.rigid.penetration_slop);
    least = overlap > 0 ? overlap * Real(p.rigid.baumgarte) / h : 0;
  }
  const bool meets = normal_velocity_before < 0 && gap <= -h * normal_velocity_before;
  return e > 0 && meets ? std::max(least, -e * normal_velocity_before) : least;
}

/// P_K(gamma - c/w), of which gamma is the fixed point if and only if the contact satisfies the
/// model at this velocity (CertifiedContact). Vectors are taken to the contact's axes, in which
/// friction is mu in all directions, and back.
template <class Real>
Vector<Real> rigid_impulse(const ContactProblem& p, int i, const Motion<Real>& m, Real least,
                           const Vector<Real>& gamma, const ContactNumbers<Real>& numbers) {
  const ContactPool& c = p.contacts;
  const Real delta = c.anisotropy(i), along = 1 + delta, across = 1 - delta, mu = c.friction[i];
  const Vector<Real> t(delta == 0 ? any_perpendicular(c.normal[i]) : c.friction_axis(i));
  const Vector<Real> s = cross(m.n, t);
  const auto part = [](Real impulse, Real scale) { return scale > 0 ? impulse / scale : Real(0); };
  CertifiedContact x;
  x.friction = mu, x.mobility = numbers.w;
  x.gamma = {part(dot(t, gamma), along), part(dot(s, gamma), across), dot(m.n, gamma)};
  x.sigma = {along * dot(t, m.vt), across * dot(s, m.vt), m.vn - least};
  const Vector<Real>& response = numbers.normal_response;
  if (const Real normal = dot(m.n, response); normal > 0) {
    x.tilt = {mu * along * dot(t, response) / normal, mu * across * dot(s, response) / normal, 0};
  }
  const auto [a, b, n] = x.natural_impulse(*rigid_model(p.model));
  return along * Real(a) * t + across * Real(b) * s + Real(n) * m.n;
}

}  // namespace abut::judging
