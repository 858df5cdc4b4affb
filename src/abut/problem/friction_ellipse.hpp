#pragma once

#include <cmath>

#include "abut/constraints/contact_pool.hpp"

namespace abut {

/// A contact whose friction depends on the direction (docs/laws/ellipse.md): mu (1 + delta) along
/// t, mu (1 - delta) across it. With S = 1 + delta (t t^T - s s^T), s = n x t, the laws see the
/// velocity S v_c and friction mu, the same in all directions; their impulse gamma~ is S gamma~ on
/// the bodies. So friction is within an ellipse, and dissipates as much as it can.
class FrictionEllipse {
 public:
  FrictionEllipse(const ContactPool& c, int i)
      : t_(c.friction_axis(i)),
        s_(cross(c.normal[i], t_)),
        delta_(c.anisotropy(i)),
        mu_(c.friction[i]) {}

  bool is_circle() const { return delta_ == 0; }

  /// S v
  Vec3 scaled(const Vec3& v) const {
    if (is_circle()) return v;
    return v + delta_ * (dot(t_, v) * t_ - dot(s_, v) * s_);
  }

  /// gamma~ of gamma = S gamma~; none along s where there is no friction across t.
  Vec3 unscaled(const Vec3& gamma) const {
    if (is_circle()) return gamma;
    const double along = 1 / (1 + delta_), across = delta_ < 1 ? 1 / (1 - delta_) : 0;
    return gamma + (along - 1) * dot(t_, gamma) * t_ + (across - 1) * dot(s_, gamma) * s_;
  }

  /// mu along the friction of an impulse; the mean where there is none [-].
  double coefficient(const Vec3& gamma) const {
    const double along = dot(t_, gamma), across = dot(s_, gamma), size = std::hypot(along, across);
    if (is_circle() || !(size > 0)) return mu_;
    const double x = along / (1 + delta_), y = delta_ < 1 ? across / (1 - delta_) : 0;
    const double needed = std::hypot(x, y);
    return needed > 0 ? mu_ * size / needed : 0;
  }

 private:
  Vec3 t_, s_;
  double delta_, mu_;
};

}  // namespace abut
