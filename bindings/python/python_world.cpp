#include "python_world.hpp"

#include <chrono>
#include <cstdio>
#include <stdexcept>

#include "abut/core/text.hpp"
#include "numbers.hpp"
#include "python_recording.hpp"
#include "unlocked.hpp"

namespace abut::python {
namespace {

constexpr std::chrono::milliseconds signal_interval{50};

/// "controller 'x' at t = 1.5 s"
std::string place(const std::string& name, double time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", time);
  return "controller " + quote(name) + " at t = " + text + " s";
}

/// Whether a callback asks for the end. @throws nb::type_error for anything but a truth or None
bool is_stop(nb::handle answer) {
  if (answer.is_none() || answer.ptr() == Py_False) return false;
  if (answer.ptr() == Py_True) return true;
  if (answer.type().is(nb::object(nb::module_::import_("numpy").attr("bool_")))) {
    return nb::cast<bool>(answer.attr("item")());
  }
  const std::string type = nb::inst_name(answer).c_str();
  throw nb::type_error(
      ("the callback returned " + type + ": must be True (to stop), False or None").c_str());
}

}  // namespace

PythonWorld::PythonWorld(SceneOwner owner, const WorldOptions& options)
    : scene_(std::move(owner)), world_(std::make_unique<World>(scene_->scene, options)) {
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
  if (running_) {
    throw std::runtime_error(
        "the world is stepping in another thread, or in this one if a signal's handler asks");
  }
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
  const PythonController gone = std::move(controllers_[i]);  // its end may ask for the others
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
  const std::vector<double> before = world_->controls();
  try {
    for (const PythonController& c : present) set_controls(c, self);
  } catch (...) {
    for (int a = 0; a < std::ssize(before); ++a) world_->set_control(a, before[a]);
    throw;
  }
}

/// Steps without Python's lock, which is taken now and then to see whether the user wants to stop.
/// False if the last step failed numerically.
bool PythonWorld::advance(std::int64_t count, double dt, PythonRecording* recording) {
  using Clock = std::chrono::steady_clock;
  const Unlocked unlocked;
  const Raise running(running_);
  Clock::time_point next_look;
  if (count > 1) next_look = Clock::now() + signal_interval;
  for (std::int64_t i = 0; i < count; ++i) {
    update_controls(scene_->controllers, *world_, dt);
    const bool failed = world_->step(dt).solve.status == SolveStatus::numerical_failure;
    has_step_ = true;
    if (recording != nullptr) recording->writer.record(*world_);
    if (failed) return false;
    Working::stop_at_exit();
    if (i + 1 == count || Clock::now() < next_look) continue;
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    next_look = Clock::now() + signal_interval;
  }
  return true;
}

void PythonWorld::step(std::int64_t count, double dt, nb::handle self, nb::handle callback,
                       PythonRecording* recording) {
  if (stepping_) {
    throw std::runtime_error(
        "World.step() within World.step(): a callback or controller, or "
        "another thread, steps the same world");
  }
  require(count >= 1, "n", static_cast<double>(count), "steps", "must be at least 1");
  if (!callback.is_none() && PyCallable_Check(callback.ptr()) == 0) {
    throw nb::type_error("callback must be a function of the world, or None");
  }
  const Working working;
  const Raise stepping(stepping_);
  std::optional<Raise> recorded;
  if (recording != nullptr) {
    recording->require_use(this);
    recorded.emplace(recording->busy);
  }
  if (controllers_.empty() && callback.is_none()) {
    advance(count, dt, recording);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    ask_controllers(self);
    const bool good = advance(1, dt, recording);
    if (!callback.is_none() && is_stop(callback(self))) return;
    if (!good) return;
  }
}

void PythonWorld::warn() {
  const World& world = get();
  for (const Warning& w : world.warnings()) {
    const unsigned bit = 1u << static_cast<unsigned>(w.kind);
    if ((warned_ & bit) != 0) continue;
    warned_ |= bit;
    const nb::object category = nb::module_::import_("abut._core").attr("SimulationWarning");
    const std::string text = abut::describe(world.scene(), w);
    if (PyErr_WarnEx(category.ptr(), text.c_str(), 1) != 0) throw nb::python_error();
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
  auto copy = std::make_unique<PythonWorld>(scene_, world.options());
  copy->world_->restore(world.snapshot());
  copy->controllers_ = controllers_;
  copy->warned_ = warned_;
  return copy;
}

int PythonWorld::traverse(visitproc visit, void* arg) {
  for (const PythonController& c : controllers_) Py_VISIT(c.function.ptr());
  return 0;
}

}  // namespace abut::python
