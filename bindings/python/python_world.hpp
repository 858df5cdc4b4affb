#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "abut/control/controller.hpp"
#include "abut/sim/world.hpp"
#include "scene_parts.hpp"

namespace nb = nanobind;

namespace abut::python {

struct PythonRecording;

/// A joint of a world: its body, and where it begins among the body's coordinates and velocities.
struct JointSlot {
  std::string name;
  int body = 0, position = 0, positions = 0, velocity = 0, velocities = 0;
};

/// A world with what steps it from Python: the controllers of its scene's file, and Python's.
/// Python's lock is not held while it steps. Until then it is not to be touched: access from
/// another thread, and a step within a step, are errors.
class PythonWorld {
 public:
  PythonWorld(SceneOwner scene, const WorldOptions& options);

  /// The world. @throws std::runtime_error while it steps
  World& get() {
    require_rest();
    return *world_;
  }
  const World& get() const {
    require_rest();
    return *world_;
  }

  /// Takes steps of dt [s] until `count`, until callback(self) returns True, or one fails
  /// numerically. The world stays as it was after the last whole step if a controller or the
  /// callback fails, or at an interrupt.
  void step(std::int64_t count, double dt, nb::handle self, nb::handle callback,
            PythonRecording* recording);

  /// A callable(world, time) that returns a control for each of the actuators.
  void add_controller(const std::string& name, nb::object function, std::vector<int> actuators);
  void remove_controller(const std::string& name);
  std::vector<std::string> controller_names() const;

  /// Tells by Python's warnings, once for each kind, what the world warns of.
  void warn();

  void restore(const Snapshot& snapshot);
  void set_keyframe(int keyframe);
  std::unique_ptr<PythonWorld> clone() const;

  /// Whether report, contacts and problem are those of the step that led to the present state.
  bool has_step() const { return has_step_; }

  const SceneOwner& scene() const { return scene_; }
  const std::vector<std::string>& bodies() const { return bodies_; }
  const std::vector<std::string>& geoms() const { return geoms_; }
  const std::vector<std::string>& actuators() const { return actuators_; }
  const std::vector<int>& moving() const { return moving_; }  ///< bodies, in the scene's order
  const std::vector<JointSlot>& joints() const { return joints_; }
  const JointSlot& joint(const std::string& name) const;

  int traverse(visitproc visit, void* arg);
  void clear() { const auto gone = std::move(controllers_); }

 private:
  struct PythonController {
    std::string name;
    nb::object function;
    std::vector<int> actuators;
  };
  void require_rest() const;
  bool advance(std::int64_t count, double dt, PythonRecording* recording);
  void ask_controllers(nb::handle self);
  void set_controls(const PythonController& controller, nb::handle self);

  SceneOwner scene_;  ///< not to be changed; clones share it
  std::unique_ptr<World> world_;
  std::vector<PythonController> controllers_;
  std::vector<std::string> bodies_, geoms_, actuators_;
  std::vector<int> moving_;
  std::vector<JointSlot> joints_;
  unsigned warned_ = 0;  ///< bits of the kinds
  bool has_step_ = false;
  std::atomic<bool> stepping_ = false;  ///< in step(), callbacks included
  std::atomic<bool> running_ = false;   ///< without Python's lock
};

void bind_world_state(nb::module_& m, nb::class_<PythonWorld>& c);
void bind_contacts(nb::module_& m, nb::class_<PythonWorld>& c);
void bind_world_problem(nb::class_<PythonWorld>& c);
void bind_world_solution(nb::class_<PythonWorld>& c);

}  // namespace abut::python
