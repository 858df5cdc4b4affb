#pragma once

#include <algorithm>
#include <numbers>

namespace abut {

// What limits of joints and tendons and equality constraints have in common. docs/constants.md says
// why the numbers are these.

/// The speed at which a constraint that is not met in the beginning comes back [rad/s or m/s]; its
/// spring would do it at once (docs/decisions/overlap.md).
inline constexpr double return_speed = 0.1;

inline constexpr double near_angle = 0.05;  ///< of a hinge's limit [rad]
inline constexpr double near_share = 0.05;  ///< of a slide's or a tendon's range

/// tau_d [s] of a near-rigid spring that does not bounce in steps of `dt` [s] [SAP].
inline double rigid_relaxation_time(double dt) {
  return dt / std::numbers::pi;
}

/// What of its violation [m or rad], not positive where it is met, a constraint may keep without
/// force in this step: what it begins with, and later no more than was left when it was least. In
/// each step it is asked to return at return_speed, and resists with its whole spring what pushes
/// it back. `allowed` is that of the step before, infinite before the first one, and then this
/// one's.
inline double keep_violation(double violation, double dt, double& allowed) {
  const double left = violation - (dt + rigid_relaxation_time(dt)) * return_speed;
  allowed = std::min(allowed, left > 0 ? left : 0);
  return allowed;
}

/// Whether a limit at `gap` [m or rad] may matter in this step, at the speed of the gap and at the
/// one that it has without impulses [m/s or rad/s]: what is farther away than `near` cannot, but
/// for an impact within the step, and the next one sees that.
inline bool is_near_limit(double gap, double speed, double free_speed, double dt, double near) {
  return !(gap + 2 * dt * std::min({0.0, speed, free_speed}) > near);
}

}  // namespace abut
