#pragma once

// What a contact's answer is measured by, in 64-bit numbers: the rigid NCP's criteria, SAP's slack,
// and the stiffness by which rounding counts.

#include <algorithm>
#include <cmath>

#include "abut/laws/barrier_force.hpp"
#include "abut/problem/certify_laws.hpp"
#include "abut/problem/certify_rigid.hpp"

namespace abut::judging {

/// max of numbers of which one may be NaN, which then wins.
template <class Real>
Real worst(Real a, Real b) {
  return b > a || std::isnan(b) ? b : a;
}

/// Raises `most` to the distance of x = (x_n, x_t), |x_t| given, from the friction cone
/// |x_t| <= mu x_n.
inline void raise_by_cone(double& most, double xn, double xt, double mu) {
  const double beyond = xt - mu * xn;
  if (xn >= 0 && beyond <= most) return;  // it is no further away than that
  if (mu * xt <= -xn) {
    most = worst(most, std::sqrt(xn * xn + xt * xt));
  } else if (!(beyond <= 0)) {
    most = worst(most, beyond / std::sqrt(1 + mu * mu));
  }
}

/// From the dual cone mu |x_t| <= x_n.
inline void raise_by_dual_cone(double& most, double xn, double xt, double mu) {
  const double beyond = mu * xt - xn;
  if (beyond <= most) return;
  most =
      worst(most, xt <= -mu * xn ? std::sqrt(xn * xn + xt * xt) : beyond / std::sqrt(1 + mu * mu));
}

/// A contact's normal and velocity, rounded; `slip` such that mu slip is what friction dissipates
/// per normal impulse.
struct RoundedMotion {
  Vec3 n, vt;
  double vn, slip;
};

/// |gamma_t|, of an ellipse mu times the normal impulse that it needs [N s].
inline double friction_size(const ContactProblem& p, int i, const Vec3& friction) {
  if (!is_ellipse(p, i)) return norm(friction);
  const Ellipse<double> e(p.contacts, i);
  return e.mean * e.needed(Vector<double>(friction));
}

/// gamma . R (gamma - y), with R (gamma - y) = v_c - v_hat + R gamma.
inline double sap_slack(const ContactProblem& p, int i, const RoundedMotion& m, const Vec3& gamma,
                        const ContactNumbers<double>& c) {
  const double gn = dot(m.n, gamma);
  if (is_ellipse(p, i)) {
    const double size = friction_size(p, i, gamma - gn * m.n);
    return dot(gamma, m.vt) + c.rt * size * size + gn * (m.vn - c.target + c.rn * gn);
  }
  return dot(gamma, m.vt) + c.rt * squared_norm(gamma) +
         gn * (m.vn - c.target + (c.rn - c.rt) * gn);
}

/// Scaled by h; complementarity by its square.
struct NcpErrors {
  double primal = 0, dual = 0, complementarity = 0;

  void raise_to(const NcpErrors& other) {
    primal = worst(primal, other.primal);
    dual = worst(dual, other.dual);
    complementarity = worst(complementarity, other.complementarity);
  }
};

/// `least` is what its normal velocity is to be at least [m/s].
inline void judge_as_ncp(const ContactProblem& p, int i, const RoundedMotion& m, double least,
                         const Vec3& gamma, NcpErrors& errors) {
  const double open = m.vn - least;
  if (open >= 0 && gamma == Vec3{}) return;
  const double mu = p.contacts.friction[i], gn = dot(m.n, gamma), sigma = open + mu * m.slip;
  const Vec3 gt = gamma - gn * m.n;
  raise_by_cone(errors.primal, gn, friction_size(p, i, gt), mu);
  raise_by_dual_cone(errors.dual, sigma, m.slip, mu);
  errors.complementarity = worst(errors.complementarity, std::abs(gn * sigma + dot(gt, m.vt)));
}

/// Raises `most` to how much of a change of velocity a contact's impulse answers with, times w [-]:
/// along the normal, friction following, or across, where friction sticks or creeps.
inline void raise_by_stiffness(double& most, const ContactProblem& p, int i, const RoundedMotion& m,
                               const Vec3& gamma, double lagged,
                               const ContactNumbers<double>& numbers) {
  if (traits(p.model).is_rigid) {  // P_K(gamma - c/w)
    most = std::max(most, 1.0);
    return;
  }
  const ContactPool& c = p.contacts;
  const double h = p.time_step, mu = c.friction[i], w = numbers.w * (1 + mu);
  const double stretch = 1 + c.anisotropy(i), tangential = numbers.w * stretch * stretch;
  if (traits(p.model).is_anchored) {
    const double eps = std::max(p.friction.stiction_tolerance, numbers.rt * mu * lagged);
    most = std::max(most, tangential * anchored_slope(p, i, lagged, eps));
  } else {
    const double across = -tangential * dot(gamma, m.vt), squared_slip = m.slip * m.slip;
    if (across > most * squared_slip) most = across / squared_slip;
  }
  if (p.model == ContactModel::sap) {
    if (w > most * numbers.rn) most = w / numbers.rn;
    return;
  }
  const double closing = (p.model == ContactModel::similar ? mu * m.slip : 0) - m.vn;
  const double x = std::max(0.0, h * closing - c.gap[i]), d = c.dissipation[i];
  const auto damped = [&] { return h * std::max(0.0, 1 + d * closing) + d * x; };
  double slope = 0, scale = c.weight[i] * c.stiffness[i];  // of the force over the scale
  switch (p.law_of(i)) {
    case NormalLawKind::kelvin_voigt: slope = h + c.relaxation_time[i]; break;
    case NormalLawKind::hunt_crossley: slope = damped(); break;
    case NormalLawKind::hertz: slope = 1.5 * std::sqrt(x) * damped(); break;
    case NormalLawKind::tabulated:
      slope = damped();
      if (c.table(i) == nullptr) break;
      scale = c.weight[i];
      slope = h * c.table(i)->slope_at(x) * std::max(0.0, 1 + d * closing) +
              d * c.table(i)->force_at(x);
      break;
    case NormalLawKind::log_barrier:
    case NormalLawKind::ipc_barrier: {
      const BarrierForce force(p.law_of(i));
      const double s = x / c.thickness(i);
      slope =
          h * force.slope(s) * std::max(0.0, 1 + d * closing) + d * c.thickness(i) * force.at(s);
      break;
    }
  }
  most = std::max(most, w * h * scale * slope);
}

}  // namespace abut::judging
