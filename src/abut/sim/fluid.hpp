#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/sim/scene.hpp"
#include "abut/trees/moving_bodies.hpp"

namespace abut {

/// Drag of a surrounding fluid on boxes that move with the bodies, MJCF's inertia-box model. With
/// density rho, viscosity beta, sides b and their mean d, in the axes of a box, per axis i:
///
///     force_i   -rho/2 b_j b_k |v_i| v_i - 3 pi beta d v_i                        [N]
///     moment_i  -rho/64 b_i (b_j^4 + b_k^4) |w_i| w_i - pi beta d^3 w_i           [N m]
///
/// with the velocity v of the box's center relative to the fluid. Explicit in the step.
class Fluid {
 public:
  /// `moving`: moving body of each body of the scene.
  Fluid(const Scene& scene, const std::vector<std::int32_t>& moving);

  /// Writes the drag on each of the bodies, whose kinematics must be up to date.
  void get_drag(const MovingBodies& bodies, std::span<Load> drag) const;
  bool drags() const { return !boxes_.empty(); }

 private:
  struct Box {
    std::int32_t body = 0;
    Pose pose;  ///< in the body's axes, from its center of mass
    Vec3 sides;
  };
  double density_, viscosity_;
  Vec3 wind_;
  std::vector<Box> boxes_;
};

}  // namespace abut
