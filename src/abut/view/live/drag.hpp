#pragma once

#include <vector>

#include "abut/sim/world.hpp"

namespace abut {

/// How a body is pulled at a point, for who wants to see it.
struct DragView {
  int body = world_body;  ///< of the scene; world_body: none is dragged
  Vec3 point;             ///< where the spring is fixed to it, world [m]
  Vec3 target;            ///< world [m]
  Vec3 force;             ///< on the body [N]
};

/// A damped spring between a point of a body and a target, as if a hand pulled. With the mobility
/// W of the point (velocity per impulse, 3x3) its force is
///
///     f = L (w^2 e - 2 w v),   L = W (W^2 + (0.02 tr W)^2 1)^-1,
///
/// for the stretch e and the point's velocity v: critically damped in all directions, whatever the
/// body weighs; L is W^-1 but where the point can hardly move, as along a hinge's axis, where it is
/// 0. Also what spins dies out, with the rate w/4: a body that hangs from a point would swing for
/// ever. All of it is explicit, so w is 20 rad/s or, in steps of more than 10 ms, 0.2/h; a stretch
/// counts up to 1 m, and in large steps up to what does not turn the body too far in one.
class DragSpring {
 public:
  /// `point` in the body's frame, `target` in the world [m]. Another body is let go.
  /// @throws InputError for a body that cannot move, points that are not finite; nothing changes
  void start(World& world, int body, const Vec3& point, const Vec3& target);
  void stop(World& world);  ///< takes the load off the body
  bool active() const { return body_ != world_body; }
  int body() const { return body_; }

  /// Sets the body's load for the next step. Allocates nothing after the first call.
  void apply(World& world);

  /// As of the state that the world has.
  DragView view(const World& world);

 private:
  struct Pull {
    Vec3 point, force, moment;
  };
  Pull pull(const World& world);
  Mat3 mobility(const World& world, const Vec3& arm, const Vec3& point, const Mat3& rotation);
  Mat3 joint_mobility(const World& world, const Vec3& point);

  int body_ = world_body;
  Vec3 point_, target_;
  int link_ = 0;  ///< of its tree
  std::vector<double> factor_, jacobian_, work_;
};

}  // namespace abut
