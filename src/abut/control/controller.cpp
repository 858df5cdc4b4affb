#include "abut/control/controller.hpp"

#include <cmath>
#include <tuple>
#include <utility>

namespace abut {

namespace {

void check(const Controller& c, const Scene& scene) {
  const bool on_joints = c.kind != ControllerKind::control;
  const std::size_t channels = on_joints ? c.joints.size() : c.actuators.size();
  if (channels == 0) {
    fail_input(on_joints ? "it controls no joint" : "it controls no actuator", c.origin);
  }
  for (const int actuator : c.actuators) {
    require(actuator >= 0 && actuator < std::ssize(scene.actuators), "actuator", actuator, "",
            "must be the index of an actuator", c.origin);
  }
  validate(c.signal, static_cast<int>(channels), c.origin);
  const auto in_range = [](double x) { return x >= 0 && x <= 1e30; };
  const char* rule = "must not be negative, and at most 1e30";
  require(in_range(c.kp), "kp", c.kp, "N m/rad", rule, c.origin);
  require(in_range(c.kd), "kd", c.kd, "N m s/rad", rule, c.origin);
  require(c.kind != ControllerKind::pd || c.kp > 0 || c.kd > 0, "kp", c.kp, "N m/rad",
          "must be positive where kd is 0", c.origin);
  require(c.effort_limit > 0, "effort_limit", c.effort_limit, "N m", "must be positive", c.origin);
}

/// The bounds of the force that a joint's own motor has, if a model's file gives it one.
std::pair<double, double> motor_bounds(const Scene& scene, const ScenePart& joint) {
  for (const SceneActuator& a : scene.actuators) {
    if (a.name.empty() || a.parts.size() != 1) continue;  // controllers' have no name
    const ScenePart& part = a.parts.front();
    const bool is_motor = a.gain[0] == 1 && a.gain[1] == 0 && a.gain[2] == 0 && a.bias[0] == 0 &&
                          a.bias[1] == 0 && a.bias[2] == 0;
    if (part.body == joint.body && part.joint == joint.joint && part.gear == 1 && is_motor) {
      return {a.lower_force, a.upper_force};
    }
  }
  return {-unlimited_force, unlimited_force};
}

}  // namespace

void add_controller(Controller& c, Scene& scene) {
  check(c, scene);
  for (const ScenePart& joint : c.joints) {
    SceneActuator a;
    a.parts = {joint};
    a.lower_force = -c.effort_limit;
    a.upper_force = c.effort_limit;
    if (c.effort_limit == unlimited_force) {
      std::tie(a.lower_force, a.upper_force) = motor_bounds(scene, joint);
    }
    a.origin = c.origin;
    if (c.kind == ControllerKind::pd) a.bias[1] = -c.kp, a.bias[2] = -c.kd;
    c.actuators.push_back(static_cast<int>(scene.actuators.size()));
    scene.actuators.push_back(std::move(a));
  }
}

void update_controls(std::span<const Controller> controllers, World& world) {
  update_controls(controllers, world, world.time_step());
}

void update_controls(std::span<const Controller> controllers, World& world, double dt) {
  const double t = world.time();
  for (const Controller& c : controllers) {
    for (int i = 0; i < std::ssize(c.actuators); ++i) {
      double u = 0;
      if (c.kind == ControllerKind::pd) {
        u = c.kp * value_at(c.signal, i, t + dt) + c.kd * mean_rate(c.signal, i, t, dt);
      } else {
        u = value_at(c.signal, i, t);
      }
      world.set_control(c.actuators[i], u);
    }
  }
}

}  // namespace abut
