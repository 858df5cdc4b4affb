#include "abut/problem/certify_contact.hpp"

#include <algorithm>
#include <cmath>

namespace abut {
namespace {

using Real = CertifiedContact::Real;
using Vector = CertifiedContact::Vector;

Real dot(const Vector& a, const Vector& b) {
  return a.x * b.x + a.y * b.y + a.n * b.n;
}
/// a + s b
Vector sum(const Vector& a, Real s, const Vector& b) {
  return {a.x + s * b.x, a.y + s * b.y, a.n + s * b.n};
}
Real size(const Vector& a) {
  return std::hypot(a.x, a.y, a.n);
}

/// The point of {|x_t| <= mu x_n} nearest to y; of mu = 0 that of the normal's half-line.
Vector project_on_cone(const Vector& y, Real mu) {
  const Real t = std::hypot(y.x, y.y);
  if (t <= mu * y.n) return y;
  if (mu * t <= -y.n) return {};
  const Real n = (mu * t + y.n) / (1 + mu * mu);
  return t > 0 ? Vector{mu * n * (y.x / t), mu * n * (y.y / t), n} : Vector{0, 0, n};
}

/// That of {|x_1|, |x_2| <= mu x_n}: at each height that is best for some bounds active the nearest
/// point, and of these the nearest.
Vector project_on_pyramid(const Vector& y, Real mu) {
  const Real a = std::abs(y.x), b = std::abs(y.y), m = mu * mu;
  const Real heights[] = {0, y.n, (y.n + mu * a) / (1 + m), (y.n + mu * b) / (1 + m),
                          (y.n + mu * (a + b)) / (1 + 2 * m)};
  Vector nearest{NAN, NAN, NAN};
  Real least = INFINITY;
  for (const Real height : heights) {
    const Real n = std::max(height, Real(0)), most = mu * n;
    const Vector x{std::clamp(y.x, -most, most), std::clamp(y.y, -most, most), n};
    const Real distance = size(sum(x, -1, y));
    if (!(distance < least)) continue;
    least = distance;
    nearest = x;
  }
  return nearest;
}

/// c with K containing gamma, perpendicular to c in K*.
struct Reading {
  Vector c;
  Real missed = 0;  ///< by which no c belongs to sigma [m/s], of RaiSim
};

/// With de Saxce's term.
Reading lift(const Vector& sigma, Real mu) {
  return {{sigma.x, sigma.y, sigma.n + mu * std::hypot(sigma.x, sigma.y)}};
}

/// Of the slip sigma_t + tau a, where it has the size tau; if it has not, that is missed.
Reading lift_turned(const CertifiedContact& x, Real tau, bool fits) {
  const Vector turned = sum(x.sigma, tau, x.tilt);
  Reading r = lift(turned, x.friction);
  if (!fits) r.missed = std::hypot(turned.x, turned.y) - tau;
  return r;
}

class Model {
 public:
  Model(const CertifiedContact& x, RigidModel model) : x_(x), model_(model) {}

  CertifiedContact::Errors errors() const {
    const Reading r = read();
    const Vector minus{-r.c.x, -r.c.y, -r.c.n};
    return {.primal = size(sum(x_.gamma, -1, project(x_.gamma))),
            .dual = size(project(minus)),  // by Moreau's decomposition
            .complementarity =
                std::abs(dot(x_.gamma, r.c)) + x_.friction * std::abs(x_.gamma.n) * r.missed,
            .squared_map = squared_map(r)};
  }

  Vector natural_impulse() const { return natural_impulse(read()); }

 private:
  Vector project(const Vector& y) const {
    return model_ == RigidModel::lcp ? project_on_pyramid(y, x_.friction)
                                     : project_on_cone(y, x_.friction);
  }

  Vector natural_impulse(const Reading& r) const {
    return project(sum(x_.gamma, -1 / x_.mobility, r.c));
  }

  Real squared_map(const Reading& r) const {
    const Vector off = sum(x_.gamma, -1, natural_impulse(r));
    const Real missed = std::min(r.missed / x_.mobility, std::max(x_.gamma.n, Real(0)));
    return dot(off, off) + missed * missed;
  }

  Reading read() const {
    const Vector& s = x_.sigma;
    switch (model_) {
      case RigidModel::ncp: return lift(s, x_.friction);
      case RigidModel::ccp: return {s};
      case RigidModel::lcp:
        return {{s.x, s.y, s.n + x_.friction * (std::abs(s.x) + std::abs(s.y))}};
      case RigidModel::raisim: break;
    }
    return read_raisim();
  }

  /// tau >= 0 with |sigma_t + tau a| = tau, a root of (1 - |a|^2) tau^2 - 2 p tau - |sigma_t|^2; of
  /// two that by which the map is less.
  Reading read_raisim() const {
    const Vector &s = x_.sigma, &a = x_.tilt;
    const Real slip = std::hypot(s.x, s.y), p = s.x * a.x + s.y * a.y,
               lead = 1 - a.x * a.x - a.y * a.y, inside = p * p + lead * slip * slip;
    if (slip == 0) return lift(s, x_.friction);
    const Real root = std::sqrt(std::max(inside, Real(0)));
    if (lead > 0)
      return lift_turned(x_, p > 0 ? (p + root) / lead : slip * slip / (root - p), true);
    if (!(p < 0)) return lift_turned(x_, 0, false);
    if (inside < 0) return lift_turned(x_, p / lead, false);
    const Reading near = lift_turned(x_, slip * slip / (root - p), true);
    if (lead == 0) return near;
    const Reading far = lift_turned(x_, (root - p) / -lead, true);
    return squared_map(far) < squared_map(near) ? far : near;
  }

  const CertifiedContact& x_;
  RigidModel model_;
};

}  // namespace

CertifiedContact::Errors CertifiedContact::errors(RigidModel model) const {
  return Model(*this, model).errors();
}

CertifiedContact::Vector CertifiedContact::natural_impulse(RigidModel model) const {
  return Model(*this, model).natural_impulse();
}

}  // namespace abut
