#include "abut/sim/directional_friction.hpp"

#include <algorithm>
#include <cmath>

#include "abut/sim/contact_material.hpp"

namespace abut {
namespace {

/// A symmetric matrix across a normal, in two unit vectors.
struct Tangent {
  double xx = 0, xy = 0, yy = 0;
};
Tangent operator+(const Tangent& a, const Tangent& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.yy + b.yy};
}
Tangent operator*(double s, const Tangent& a) {
  return {s * a.xx, s * a.xy, s * a.yy};
}

/// high u u^T + low w w^T with u = (cos, sin) and w across it.
struct Spectrum {
  double high, low, cos, sin;

  explicit Spectrum(const Tangent& m) {
    const double mean = 0.5 * (m.xx + m.yy), half = 0.5 * (m.xx - m.yy);
    const double radius = std::hypot(half, m.xy), angle = 0.5 * std::atan2(m.xy, half);
    high = mean + radius, low = mean - radius;
    cos = std::cos(angle), sin = std::sin(angle);
  }
  Tangent with(double along, double across) const {
    const double difference = along - across;
    return {across + difference * cos * cos, difference * cos * sin,
            across + difference * sin * sin};
  }
};

/// a c b, with its rounding made symmetric.
Tangent product(const Tangent& a, const Tangent& c, const Tangent& b) {
  const double pxx = a.xx * c.xx + a.xy * c.xy, pxy = a.xx * c.xy + a.xy * c.yy,
               pyx = a.xy * c.xx + a.yy * c.xy, pyy = a.xy * c.xy + a.yy * c.yy;
  const double upper = pxx * b.xy + pxy * b.yy, lower = pyx * b.xx + pyy * b.xy;
  return {pxx * b.xx + pxy * b.xy, 0.5 * (upper + lower), pyx * b.xy + pyy * b.yy};
}

/// 2 (a^-1 + b^-1)^-1 = 2 a (a + b)^-1 b, also where one has no inverse.
Tangent harmonic(const Tangent& a, const Tangent& b) {
  constexpr double rounding = 1e-14;
  const Spectrum sum(a + b);
  if (!(sum.high > 0)) return {};
  const double low = sum.low > rounding * sum.high ? 1 / sum.low : 0;
  return 2 * product(a, sum.with(1 / sum.high, low), b);
}

Tangent maximum(const Tangent& a, const Tangent& b) {
  const Spectrum difference(a + -1.0 * b);
  return 0.5 * (a + b + difference.with(std::abs(difference.high), std::abs(difference.low)));
}

/// M of one surface in x and y.
Tangent surface(double along, double across, const Vec3& axis, const Vec3& x, const Vec3& y) {
  const double ax = dot(axis, x), ay = dot(axis, y), part = ax * ax + ay * ay;
  if (part == 0) return {across, 0, across};
  const double inclined = std::sqrt(across * across + (along * along - across * across) * part);
  const double difference = (inclined - across) / part;
  return {across + difference * ax * ax, difference * ax * ay, across + difference * ay * ay};
}

bool differs(const Material& m) {
  return m.cross_friction && m.cross_friction != m.friction;
}

}  // namespace

bool is_directional(const SceneGeom& a, const SceneGeom& b, const ScenePair* explicit_pair) {
  if (explicit_pair != nullptr) {
    if (explicit_pair->frictionless) return false;
    if (explicit_pair->material.friction) return differs(explicit_pair->material);
  }
  if (a.friction_priority != b.friction_priority) {
    const SceneGeom& first = a.friction_priority > b.friction_priority ? a : b;
    return !first.frictionless && differs(first.material);
  }
  return !(a.frictionless && b.frictionless) && (differs(a.material) || differs(b.material));
}

DirectionalFriction combine_directions(const TurnedSurface& a, const TurnedSurface& b,
                                       const Vec3& n, FrictionRule rule,
                                       const ScenePair* explicit_pair) {
  const Vec3 x = any_perpendicular(n), y = cross(n, x);
  const auto matrix = [&](const Material& m, const TurnedSurface& s) {
    const double mu = m.friction.value_or(default_friction);
    return surface(mu, m.cross_friction.value_or(mu), s.R * s.geom.friction_axis, x, y);
  };
  Tangent both;
  if (explicit_pair != nullptr && explicit_pair->material.friction) {
    both = matrix(explicit_pair->material, a);
  } else if (a.geom.friction_priority != b.geom.friction_priority) {
    const TurnedSurface& first = a.geom.friction_priority > b.geom.friction_priority ? a : b;
    both = matrix(first.geom.material, first);
  } else {
    const Tangent ma = matrix(a.geom.material, a), mb = matrix(b.geom.material, b);
    both = rule == FrictionRule::maximum ? maximum(ma, mb) : harmonic(ma, mb);
  }
  constexpr double rounding = 1e-12;  // of products: none is none, and a circle one
  const Spectrum s(both);
  const double high = std::max(s.high, 0.0), low = s.low > rounding * high ? s.low : 0;
  if (!(high - low > rounding * high)) return {.mean = high, .anisotropy = 0, .axis = {}};
  const Vec3 axis = s.cos * x + s.sin * y;
  return {.mean = 0.5 * (high + low),
          .anisotropy = (high - low) / (high + low),
          .axis = axis / norm(axis)};
}

}  // namespace abut
