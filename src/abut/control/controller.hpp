#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/control/signal.hpp"
#include "abut/sim/world.hpp"

namespace abut {

/// What a controller does with its signal s(t).
enum class ControllerKind : std::uint8_t {
  pd,       ///< joints: f = kp (s - q) + kd (ds/dt - dq/dt), implicit: q, dq/dt and s at the step's
            ///< end, ds/dt over the step
  effort,   ///< joints: f = s at the step's start [N m or N]
  control,  ///< actuators of the scene: u = s at the step's start
};

/// Sets controls as functions of time: a snapshot need not know of it.
struct Controller {
  ControllerKind kind = ControllerKind::pd;
  Signal signal;
  std::vector<ScenePart> joints;  ///< pd, effort: hinges or slides, one channel each
  std::vector<int> actuators;     ///< control: of the scene, one channel each; else: those added
  double kp = 0;                  ///< [N m/rad or N/m]
  double kd = 0;                  ///< [N m s/rad or N s/m]
  double effort_limit = unlimited_force;  ///< |f| of each joint [N m or N]; if it is not given,
                                          ///< what the joint's motor in its file can do
  Origin origin;
};

/// Checks a controller and adds to the scene the actuators by which it acts on its joints.
/// @throws InputError at the first rule broken
void add_controller(Controller& controller, Scene& scene);

/// Sets the controls for the step that comes, of `dt` [s] or the world's time step. `world` must be
/// of the scene with all controllers added. Allocates nothing.
void update_controls(std::span<const Controller> controllers, World& world, double dt);
void update_controls(std::span<const Controller> controllers, World& world);

}  // namespace abut
