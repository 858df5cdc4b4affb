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

/// A velocity, or a force, with its angular part about `center`.
template <class Real>
struct Screw {
  Vector<Real> linear, angular, center;
};

/// The first `rows` of J u of a body, u of its tree.
template <int rows, class Real>
void get_velocity(const ContactProblem& p, const ContactBody& b, const double* u, Real* velocity) {
  const double* j = p.jacobians.data() + b.first_element;
  const int n = b.columns;
  Real sums[rows] = {};  // in registers
  for_each_column(p, b, [&](int dof, int column) {
    for (int row = 0; row < rows; ++row) sums[row] += Real(j[row * n + column]) * Real(u[dof]);
  });
  for (int row = 0; row < rows; ++row) velocity[row] = sums[row];
}

/// Adds J^T load to the momenta of its tree, of a load whose numbers beyond `rows` are zero.
template <int rows, class Real>
void add_momentum(const ContactProblem& p, const ContactBody& b, const Real* load, Real* to) {
  const double* j = p.jacobians.data() + b.first_element;
  const int n = b.columns;
  for_each_column(p, b, [&](int dof, int column) {
    Real sum = to[dof];
    for (int row = 0; row < rows; ++row) sum += Real(j[row * n + column]) * load[row];
    to[dof] = sum;
  });
}

/// The velocity of one side of a patch with velocities v of the problem.
template <class Real>
Screw<Real> side_velocity(const ContactProblem& p, const Patch& patch, int tree, int body,
                          std::span<const double> v) {
  Screw<Real> side;
  if (tree == world_tree) return side;
  const Tree& t = p.trees[tree];
  const double* u = v.data() + t.first_dof;
  if (t.kind == TreeKind::rigid_body) {
    side.center = Vector<Real>(t.center);
    side.linear = {u[0], u[1], u[2]}, side.angular = {u[3], u[4], u[5]};
    return side;
  }
  const ContactBody& b = p.bodies[body];
  side.center = Vector<Real>(b.center);
  // of a lone contact at the center no turn is asked for
  const bool is_point =
      patch.end - patch.begin == 1 && p.contacts.point[patch.begin] == p.bodies[body].center;
  Real sum[6] = {};
  is_point ? get_velocity<3>(p, b, u, sum) : get_velocity<6>(p, b, u, sum);
  side.linear = {sum[0], sum[1], sum[2]}, side.angular = {sum[3], sum[4], sum[5]};
  return side;
}

template <class Real>
Vector<Real> velocity_at(const Screw<Real>& side, const Vec3& point) {
  return side.linear + cross(side.angular, Vector<Real>(point) - side.center);
}

/// Adds what `force` at a point does to one side, whose loads are summed about its center.
template <class Real>
void add_force(Screw<Real>& side, const Vec3& point, const Vector<Real>& force) {
  side.linear += force;
  side.angular += cross(Vector<Real>(point) - side.center, force);
}

/// Adds J^T load of one side to `generalized`.
template <class Real>
void add_load(const ContactProblem& p, int tree, int body, const Screw<Real>& load,
              Real* generalized) {
  if (tree == world_tree) return;
  const Tree& t = p.trees[tree];
  Real* to = generalized + t.first_dof;
  const Real numbers[6] = {load.linear.x,  load.linear.y,  load.linear.z,
                           load.angular.x, load.angular.y, load.angular.z};
  if (t.kind == TreeKind::rigid_body) {
    for (int k = 0; k < 6; ++k) to[k] += numbers[k];
    return;
  }
  if (load.linear.is_zero() && load.angular.is_zero()) return;
  const ContactBody& b = p.bodies[body];
  load.angular.is_zero() ? add_momentum<3>(p, b, numbers, to) : add_momentum<6>(p, b, numbers, to);
}

/// F(x) of a table: what each of its lines adds up to x.
template <class Real>
Real table_force(const ForceTable& t, Real x) {
  Real force = 0;
  for (std::size_t i = 0; i + 1 < t.depth.size() && x > t.depth[i]; ++i) {
    const Real from = t.depth[i], to = t.depth[i + 1], rise = Real(t.force[i + 1]) - t.force[i];
    const bool goes_on = i + 2 == t.depth.size();
    force += rise * (((goes_on ? x : std::min(x, to)) - from) / (to - from));
  }
  return force;
}

/// A barrier's force over k, by the gap that is left of its layer d; from 2^-12 of it on a
/// straight line.
template <class Real>
Real barrier_force(NormalLawKind law, Real x, Real d) {
  const Real left = std::max((d - x) / d, Real(0x1p-12)), beyond = (left - (d - x) / d) * d;
  const Real logarithm = std::log(left), used = 1 - left;
  if (law == NormalLawKind::log_barrier) return d * used / left + beyond / (left * left);
  const Real force = used * (used / left - 2 * logarithm);
  return d * force + beyond * (used * used / (left * left) + 4 * used / left - 2 * logarithm);
}

/// h f(x, xdot) of the normal laws, as their force is defined.
template <class Real>
Real normal_impulse(const ContactProblem& p, int i, Real vn) {
  const ContactPool& c = p.contacts;
  const Real h = p.time_step, k = Real(c.weight[i]) * Real(c.stiffness[i]);
  const Real x = -Real(c.gap[i]) - h * vn, zero = 0;
  const Real damping = std::max(zero, 1 - Real(c.dissipation[i]) * vn), overlap = std::max(zero, x);
  switch (p.law_of(i)) {
    case NormalLawKind::kelvin_voigt:
      return h * k * std::max(zero, x - Real(c.relaxation_time[i]) * vn);
    case NormalLawKind::hunt_crossley: return h * k * overlap * damping;
    case NormalLawKind::tabulated:
      if (c.table(i) == nullptr) return h * k * overlap * damping;
      return h * Real(c.weight[i]) * table_force(*c.table(i), overlap) * damping;
    case NormalLawKind::log_barrier:
    case NormalLawKind::ipc_barrier:
      return h * k * barrier_force(p.law_of(i), overlap, Real(c.thickness(i))) * damping;
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

/// Friction that depends on the direction, by its two coefficients: mu_t along t, mu_s along s.
template <class Real>
struct Ellipse {
  Vector<Real> t, s;
  Real mu_t, mu_s, mean;

  Ellipse(const ContactPool& c, int i) : t(c.friction_axis(i)), mean(c.friction[i]) {
    s = cross(Vector<Real>(c.normal[i]), t);
    mu_t = mean * (1 + Real(c.anisotropy(i))), mu_s = mean * (1 - Real(c.anisotropy(i)));
  }

  /// What sliding at v dissipates per normal impulse [m/s].
  Real rate(const Vector<Real>& v) const { return std::hypot(mu_t * dot(t, v), mu_s * dot(s, v)); }
  /// Friction per normal impulse, times rate(v), against v: the point of the ellipse that
  /// dissipates most.
  Vector<Real> against(const Vector<Real>& v) const {
    return Real(-1) * (mu_t * mu_t * dot(t, v) * t + mu_s * mu_s * dot(s, v) * s);
  }
  /// The normal impulse for which friction is on its limit [N s].
  Real needed(const Vector<Real>& friction) const {
    const auto part = [](Real f, Real mu) { return mu > 0 ? f / mu : Real(0); };
    return std::hypot(part(dot(t, friction), mu_t), part(dot(s, friction), mu_s));
  }
};

inline bool is_ellipse(const ContactProblem& p, int i) {
  return p.contacts.anisotropy(i) != 0 && p.contacts.friction[i] > 0;
}

/// mu |v_t|, or what an ellipse has in its place.
template <class Real>
Real friction_rate(const ContactProblem& p, int i, const Motion<Real>& m) {
  if (is_ellipse(p, i)) return Ellipse<Real>(p.contacts, i).rate(m.vt);
  return Real(p.contacts.friction[i]) * m.slip;
}

/// The projection of y on the friction cone in the norm of R, with R y = (-v_t, approach), by
/// regions: the pair parts, sticks, or slides.
template <class Real>
Vector<Real> project(Real approach, const Motion<Real>& m, Real mu, Real rt, Real rn) {
  if (approach <= -mu * m.slip) return {};
  if (rn * m.slip <= mu * rt * approach) return (approach / rn) * m.n - (1 / rt) * m.vt;
  const Real gamma_n = (approach + mu * m.slip) / (rn + mu * mu * rt);
  return gamma_n * m.n - (mu * gamma_n / m.slip) * m.vt;
}

/// kappa of anchored friction: the slope of its spring, as the elastic force is under gamma_n0 =
/// lagged, or that of its damper where this is steeper.
template <class Real>
Real anchored_slope(const ContactProblem& p, int i, double lagged, Real eps) {
  const ContactPool& c = p.contacts;
  const Real h = p.time_step, k = Real(c.weight[i]) * Real(c.stiffness[i]);
  Real kt = 0;
  switch (p.law_of(i)) {
    case NormalLawKind::kelvin_voigt:
    case NormalLawKind::log_barrier:
    case NormalLawKind::ipc_barrier:
    case NormalLawKind::hunt_crossley: kt = k; break;
    case NormalLawKind::tabulated:
      kt = k;
      if (const ForceTable* t = c.table(i)) {
        kt = Real(c.weight[i]) * Real(t->force.back()) / Real(t->depth.back());
      }
      break;
    case NormalLawKind::hertz: kt = 1.5 * std::cbrt(k * k * Real(lagged) / h); break;
  }
  return std::max(h * h * kt, Real(c.friction[i]) * Real(lagged) / eps);
}

/// Its friction: what spring and damper give, but no more than the limit.
template <class Real>
Vector<Real> anchored_friction(const ContactProblem& p, int i, const Motion<Real>& m, double lagged,
                               Real eps) {
  const Vector<Real> anchor(p.contacts.anchor[i]);
  const Vector<Real> held = Real(p.time_step) * (anchor - dot(m.n, anchor) * m.n);
  const Vector<Real> trial = held - anchored_slope(p, i, lagged, eps) * m.vt;
  const Real limit = Real(p.contacts.friction[i]) * Real(lagged), size = norm(trial);
  return size > limit ? (limit / size) * trial : trial;
}

/// True if the contact gives no impulse, whatever its regularization.
template <class Real>
bool is_apart(const ContactProblem& p, int i, const Motion<Real>& m, double lagged) {
  const ContactPool& c = p.contacts;
  Real horizon = Real(p.time_step);
  if (traits(p.law_of(i)).relaxes) horizon += Real(c.relaxation_time[i]);
  if (traits(p.model).lags_friction && lagged != 0) return false;
  if (traits(p.model).is_rigid && p.rigid.restitution > 0) return false;
  return Real(c.gap[i]) + horizon * (m.vn - friction_rate(p, i, m)) > 0;
}

/// law_impulse() where friction is an ellipse.
template <class Real>
Vector<Real> ellipse_impulse(const ContactProblem& p, int i, const Motion<Real>& m, double lagged,
                             const ContactNumbers<Real>& numbers) {
  const Ellipse<Real> e(p.contacts, i);
  const Real rate = e.rate(m.vt), load = lagged;
  const Real eps = std::max(Real(p.friction.stiction_tolerance), numbers.rt * e.mean * load);
  const Real soft = std::hypot(rate, e.mean * eps);
  switch (p.model) {
    case ContactModel::sap:
    case ContactModel::ncp:
    case ContactModel::ccp:
    case ContactModel::lcp:
    case ContactModel::raisim: break;
    case ContactModel::lagged:
      return normal_impulse(p, i, m.vn) * m.n + (load / soft) * e.against(m.vt);
    case ContactModel::similar: {
      const Real slip = rate * rate / (soft + e.mean * eps);
      const Real gamma_n = normal_impulse(p, i, m.vn - slip);
      return gamma_n * m.n + (gamma_n / soft) * e.against(m.vt);
    }
    case ContactModel::anchored: {
      const Vector<Real> anchor(p.contacts.anchor[i]), against = e.against(m.vt);
      const Real h = p.time_step;
      const Real damping = anchored_slope(p, i, lagged, eps) / (e.mean * e.mean);
      const Real along = h * dot(e.t, anchor), across = h * dot(e.s, anchor);
      Vector<Real> trial = damping * against + along * e.t;
      if (e.mu_s > 0) trial = trial + across * e.s;
      const Real needed = e.needed(trial);
      return normal_impulse(p, i, m.vn) * m.n + (needed > load ? load / needed : 1) * trial;
    }
  }
  const Real approach = numbers.target - m.vn, squared = e.mean * e.mean * numbers.rt;
  if (approach <= -rate) return {};
  if (numbers.rn * rate <= squared * approach) {
    return (approach / numbers.rn) * m.n + (1 / squared) * e.against(m.vt);
  }
  const Real gamma_n = (approach + rate) / (numbers.rn + squared);
  return gamma_n * m.n + (gamma_n / rate) * e.against(m.vt);
}

/// The impulse that a convex model's law gives, with gamma_n0 = lagged.
template <class Real>
Vector<Real> law_impulse(const ContactProblem& p, int i, const Motion<Real>& m, double lagged,
                         const ContactNumbers<Real>& numbers) {
  if (is_ellipse(p, i)) return ellipse_impulse(p, i, m, lagged, numbers);
  const Real mu = p.contacts.friction[i];
  const auto eps = [&] {
    return std::max(Real(p.friction.stiction_tolerance), numbers.rt * mu * Real(lagged));
  };
  const auto soft_norm = [&] {  // squares may overflow
    const Real squares = dot(m.vt, m.vt) + eps() * eps();
    return std::isinf(squares) ? std::max(m.slip, eps()) : std::sqrt(squares);
  };
  switch (p.model) {
    case ContactModel::sap:
    case ContactModel::ncp:
    case ContactModel::ccp:
    case ContactModel::lcp:
    case ContactModel::raisim: break;
    case ContactModel::lagged:
      return normal_impulse(p, i, m.vn) * m.n - (mu * Real(lagged) / soft_norm()) * m.vt;
    case ContactModel::similar: {
      const Real soft = soft_norm();
      const Real slip = dot(m.vt, m.vt) / (soft + eps());  // soft - eps without cancellation
      const Real gamma_n = normal_impulse(p, i, m.vn - mu * slip);
      return gamma_n * m.n - (mu * gamma_n / soft) * m.vt;
    }
    case ContactModel::anchored:
      return normal_impulse(p, i, m.vn) * m.n + anchored_friction(p, i, m, lagged, eps());
  }
  return project(numbers.target - m.vn, m, mu, numbers.rt, numbers.rn);
}

/// The impulse that the law of scalar constraint i gives at c = J v, by cases.
template <class Real>
Real scalar_impulse(const ContactProblem& p, int i, Real c, Real regularization) {
  const ScalarPool& s = p.scalars;
  const Real h = p.time_step;
  const Real horizon = h + Real(s.relaxation_time[i]), over = Real(s.gap[i]) + horizon * c;
  Real force = 0;
  switch (s.kind[i]) {
    case ScalarKind::limit:
      if (over >= 0) return 0;
      [[fallthrough]];
    case ScalarKind::equality: return -over / (horizon * regularization);
    case ScalarKind::dry_friction: force = -c / (h * regularization); break;
    case ScalarKind::actuator:
      force = Real(s.force[i]) - (h * Real(s.stiffness[i]) + Real(s.damping[i])) * c;
      break;
  }
  if (force > s.upper_force[i]) force = s.upper_force[i];
  if (force < s.lower_force[i]) force = s.lower_force[i];
  return h * force;
}

}  // namespace abut::judging
