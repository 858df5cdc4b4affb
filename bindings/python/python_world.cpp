#include "python_world.hpp"

#include <chrono>
#include <cstdio>
#include <stdexcept>

#include "abut/core/text.hpp"
#include "numbers.hpp"
#include "scene_parts.hpp"

namespace abut::python {
namespace {

constexpr std::chrono::milliseconds signal_interval{50};

/// Sets a flag for a scope.
class Raise {
 public:
  explicit Raise(std::atomic<bool>& flag) : flag_(flag) { flag_ = true; }
  ~Raise() { flag_ = false; }
  Raise(const Raise&) = delete;
  Raise& operator=(const Raise&) = delete;

 private:
  std::atomic<bool>& flag_;
};

/// "controller 'x' at t = 1.5 s"
std::string place(const std::string& name, double time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", time);
  return "controller " + quote(name) + " at t = " + text + " s";
}

}  // namespace

PythonWorld::PythonWorld(std::shared_ptr<const SceneFile> file, const WorldOptions& options)
    : file_(std::move(file)), world_(std::make_unique<World>(file_->scene, options)) {
  const Scene& scene = world_->scene();
  bodies_ = body_names(scene);
  geoms_ = geom_names(scene);
  actuators_ = actuator_names(scene);
  for (int b = 0; b < std::ssize(scene.bodies); ++b) {
    if (scene.bodies[b].kind != BodyKind::fixed) moving_.push_back(b);
    JointSlot slot{.name = {}, .body = b};
    for (const SceneJoint& j : scene.bodies[b].joints) {
      slot.name = j.name;
      slot.positions = position_count(j.kind);
      slot.velocities = velocity_count(j.kind);
      joints_.push_back(slot);
      slot.position += slot.positions;
      slot.velocity += slot.velocities;
    }
  }
}

void PythonWorld::require_rest() const {
  if (running_) throw std::runtime_error("the world is stepping in another thread");
}

const JointSlot& PythonWorld::joint(const std::string& name) const {
  std::vector<std::string> names;
  for (const JointSlot& j : joints_) names.push_back(j.name);
  return joints_[find_part(name, names, "joint")];
}

void PythonWorld::add_controller(const std::string& name, nb::object function,
                                 std::vector<int> actuators) {
  for (const PythonController& c : controllers_) {
    if (c.name == name) fail_input("the world has a controller " + quote(name) + " already");
  }
  controllers_.push_back({name, std::move(function), std::move(actuators)});
}

void PythonWorld::remove_controller(const std::string& name) {
  const int i = find_part(name, controller_names(), "controller");
  controllers_.erase(controllers_.begin() + i);
}

std::vector<std::string> PythonWorld::controller_names() const {
  std::vector<std::string> names;
  for (const PythonController& c : controllers_) names.push_back(c.name);
  return names;
}

void PythonWorld::set_controls(const PythonController& c, nb::handle self) {
  const double time = world_->time();
  nb::object result;
  try {
    result = c.function(self, time);
  } catch (nb::python_error& e) {
    nb::getattr(e.value(), "add_note")("abut: in " + place(c.name, time));
    throw;
  }
  const std::string origin = place(c.name, time) + ": what it returns";
  if (result.is_none()) fail_input(origin + " is None, must be its actuators' controls");
  const std::vector<double> u = to_numbers({result}, origin, c.actuators.size());
  for (std::size_t i = 0; i < u.size(); ++i) world_->set_control(c.actuators[i], u[i]);
}

void PythonWorld::ask_controllers(nb::handle self) {
  const std::vector<PythonController> present = controllers_;  // one may remove itself
  for (const PythonController& c : present) set_controls(c, self);
}

/// Steps without Python's lock, which is taken now and then to see whether the user wants to stop.
void PythonWorld::advance(std::int64_t count, RecordingWriter* recording) {
  using Clock = std::chrono::steady_clock;
  const nb::gil_scoped_release release;
  const Raise running(running_);
  Clock::time_point next_look;
  if (count > 1) next_look = Clock::now() + signal_interval;
  for (std::int64_t i = 0; i < count; ++i) {
    update_controls(file_->controllers, *world_);
    world_->step();
    has_step_ = true;
    if (recording != nullptr) recording->record(*world_);
    if (i + 1 == count || Clock::now() < next_look) continue;
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    next_look = Clock::now() + signal_interval;
  }
}

void PythonWorld::step(std::int64_t count, nb::handle self, nb::handle callback,
                       RecordingWriter* recording) {
  if (stepping_) {
    throw std::runtime_error(
        "World.step() within World.step(): a callback or controller, or "
        "another thread, steps the same world");
  }
  require(count >= 0, "n", static_cast<double>(count), "steps", "must not be negative");
  const Raise stepping(stepping_);
  if (controllers_.empty() && callback.is_none()) return advance(count, recording);
  for (std::int64_t i = 0; i < count; ++i) {
    ask_controllers(self);
    advance(1, recording);
    if (callback.is_none()) continue;
    const nb::object stop = callback(self);
    if (stop.ptr() == Py_True) return;
  }
}

void PythonWorld::restore(const Snapshot& snapshot) {
  get().restore(snapshot);
  has_step_ = false;
}

void PythonWorld::set_keyframe(int keyframe) {
  get().set_keyframe(keyframe);
  has_step_ = false;
}

std::unique_ptr<PythonWorld> PythonWorld::clone() const {
  const World& world = get();
  auto copy = std::make_unique<PythonWorld>(file_, world.options());
  copy->world_->restore(world.snapshot());
  copy->controllers_ = controllers_;
  return copy;
}

int PythonWorld::traverse(visitproc visit, void* arg) {
  for (const PythonController& c : controllers_) Py_VISIT(c.function.ptr());
  return 0;
}

}  // namespace abut::python
