#pragma once

#include <cstdint>

#include "abut/linalg/vec3.hpp"

namespace abut {

/// What a joint lets a body do relative to its parent.
enum class JointKind : std::uint8_t {
  free,   ///< everything: 7 coordinates (position of B, quaternion w x y z), 6 velocities (of B's
          ///< origin in the parent's axes, angular velocity in B's)
  ball,   ///< turn: quaternion w x y z, angular velocity in B's axes
  slide,  ///< move along an axis [m, m/s]
  hinge,  ///< turn about an axis [rad, rad/s]
};

constexpr const char* to_string(JointKind kind) {
  switch (kind) {
    case JointKind::free: return "free";
    case JointKind::ball: return "ball";
    case JointKind::slide: return "slide";
    case JointKind::hinge: return "hinge";
  }
  return "";
}

constexpr int position_count(JointKind kind) {
  return kind == JointKind::free ? 7 : kind == JointKind::ball ? 4 : 1;
}
constexpr int velocity_count(JointKind kind) {
  return kind == JointKind::free ? 6 : kind == JointKind::ball ? 3 : 1;
}

/// A joint between a body and its parent, in the body's frame B. Where a body has several they
/// act one after the other, each moved by those before it.
struct Joint {
  JointKind kind = JointKind::hinge;
  Vec3 axis{0, 0, 1};    ///< hinge, slide: unit vector
  Vec3 anchor;           ///< hinge, ball: the point that stays [m]
  double reference = 0;  ///< hinge, slide: coordinate at which B has its pose [rad or m]

  double armature = 0;          ///< inertia of its rotor, added to the diagonal of M [kg m^2 or kg]
  double damping = 0;           ///< [N m s/rad or N s/m], implicit
  double stiffness = 0;         ///< hinge, slide: [N m/rad or N/m], implicit
  double spring_reference = 0;  ///< coordinate at which the spring is at rest
  double dry_friction = 0;      ///< largest force that resists motion [N m or N]

  bool limited = false;  ///< hinge, slide: the coordinate stays in [lower, upper]
  double lower = 0, upper = 0;
  double limit_stiffness = 1e7;  ///< of the stops [N m/rad or N/m]; softer where a step asks for it
};

}  // namespace abut
