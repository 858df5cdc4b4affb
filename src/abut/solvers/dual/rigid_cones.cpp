#include "abut/solvers/dual/rigid_cones.hpp"

#include <algorithm>
#include <cmath>

namespace abut {

Vec3 project_on_cone(const Vec3& x, double mu) {
  const double t = std::sqrt(x.x * x.x + x.y * x.y);
  if (t <= mu * x.z) return x;
  if (mu * t <= -x.z) return {};
  const double n = (x.z + mu * t) / (1 + mu * mu);
  return {mu * n * x.x / t, mu * n * x.y / t, n};
}

Vec3 project_on_pyramid(const Vec3& x, double mu) {
  const double more = std::max(std::abs(x.x), std::abs(x.y)),
               less = std::min(std::abs(x.x), std::abs(x.y));
  if (more <= mu * x.z) return x;
  double n = (x.z + mu * more) / (1 + mu * mu);                           // on one face
  if (less > mu * n) n = (x.z + mu * (more + less)) / (1 + 2 * mu * mu);  // on an edge
  if (!(n > 0)) return {};
  return {std::clamp(x.x, -mu * n, mu * n), std::clamp(x.y, -mu * n, mu * n), n};
}

RaisimSlips raisim_slips(const Vec3& slip, const Vec3& tilt) {
  // (1 - |tilt|^2) tau^2 - 2 along tau - |slip|^2 = 0
  const double along = slip.x * tilt.x + slip.y * tilt.y,
               square = slip.x * slip.x + slip.y * slip.y;
  const double lead = 1 - (tilt.x * tilt.x + tilt.y * tilt.y),
               inside = along * along + lead * square;
  if (square == 0) return {1, {0}, {0}};
  if (lead > 0) {
    const double root = std::sqrt(inside);
    return {1, {along > 0 ? (along + root) / lead : square / (root - along)}, {0}};
  }
  if (along < 0 && inside >= 0) {
    const double sum = std::sqrt(inside) - along, other = sum / -lead;
    const double nearest = square / sum;
    return {std::isfinite(other) ? 2 : 1, {nearest, other}, {0, 0}};
  }
  const double tau = along < 0 ? -along / -lead : 0;
  return {1, {tau}, {std::hypot(slip.x + tau * tilt.x, slip.y + tau * tilt.y) - tau}};
}

NaturalImpulse natural_impulse(RigidModel model, double mu, const Vec3& tilt, const Vec3& gamma,
                               const Vec3& sigma) {
  const Vec3& s = sigma;
  switch (model) {
    case RigidModel::ncp: {
      const Vec3 c{s.x, s.y, s.z + mu * std::sqrt(s.x * s.x + s.y * s.y)};
      return {project_on_cone(gamma - c, mu)};
    }
    case RigidModel::ccp: return {project_on_cone(gamma - s, mu)};
    case RigidModel::lcp: {
      const Vec3 c{s.x, s.y, s.z + mu * (std::abs(s.x) + std::abs(s.y))};
      return {project_on_pyramid(gamma - c, mu)};
    }
    case RigidModel::raisim: break;
  }
  const RaisimSlips slips = raisim_slips(s, tilt);
  NaturalImpulse nearest;
  double least = INFINITY;
  for (int k = 0; k < slips.count; ++k) {
    const Vec3 turned = s + slips.tau[k] * tilt;
    const Vec3 c{turned.x, turned.y, s.z + mu * std::hypot(turned.x, turned.y)};
    const NaturalImpulse at{project_on_cone(gamma - c, mu),
                            std::min(slips.missed[k], std::max(gamma.z, 0.0))};
    const double square = squared_norm(gamma - at.impulse) + at.missed * at.missed;
    if (!(square < least)) continue;
    least = square;
    nearest = at;
  }
  return nearest;
}

double squared_natural_map(RigidModel model, double mu, const Vec3& tilt, const Vec3& gamma,
                           const Vec3& sigma) {
  const NaturalImpulse at = natural_impulse(model, mu, tilt, gamma, sigma);
  return squared_norm(gamma - at.impulse) + at.missed * at.missed;
}

}  // namespace abut
