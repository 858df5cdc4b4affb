// [[controller]]: signals over time that act on joints or set controls.

#include <cstdio>
#include <utility>

#include "abut/core/text.hpp"
#include "abut/io/scene_file/controllers.hpp"
#include "abut/io/trajectory_csv.hpp"

namespace abut::scene_file {

namespace {

constexpr std::string_view kinds[] = {"pd", "effort", "control"};

class ControllerReader {
 public:
  ControllerReader(Table& table, const Draft& draft, std::uint64_t seed)
      : table_(table), draft_(draft), seed_(seed) {}

  Controller read() {
    c_.origin = table_.origin();
    c_.kind = static_cast<ControllerKind>(table_.need("type", table_.choice("type", kinds)));
    if (const auto model = table_.text("model")) prefix_ = *model + "/";
    if (c_.kind == ControllerKind::pd) {
      c_.kp = table_.need("kp", table_.number("kp", "N m/rad", Sign::not_negative));
      c_.kd = table_.number("kd", "N m s/rad", Sign::not_negative).value_or(0);
    }
    if (c_.kind != ControllerKind::control) {
      c_.effort_limit =
          table_.number("effort_limit", "N m", Sign::positive).value_or(c_.effort_limit);
    }
    read_signal();
    table_.finish();
    return std::move(c_);
  }

 private:
  bool on_joints() const { return c_.kind != ControllerKind::control; }

  void add_channel(const std::string& name, const Origin& at) {
    if (on_joints()) {
      c_.joints.push_back(find_joint(draft_.scene, prefix_ + name, at));
    } else {
      c_.actuators.push_back(find_element(draft_.scene.actuators, "actuator", prefix_ + name, at));
    }
  }

  void add_channels(const std::vector<std::string>& names, const Origin& at) {
    for (const std::string& name : names) add_channel(name, at);
  }

  void read_signal() {
    int signals = 0;
    for (const std::string_view key : {"constant", "sine", "trajectory", "random"}) {
      signals += table_.has(key);
    }
    const auto values = table_.named_numbers("constant", on_joints() ? "rad or m" : "");
    const std::optional<std::string> file = table_.text("trajectory");
    std::optional<Table> sine = table_.table("sine"), random = table_.table("random");
    if (signals != 1) {
      fail_input("it needs one of constant, sine, trajectory, random", table_.origin());
    }
    if (file) read_trajectory(*file);
    if (sine) read_sine(*sine);
    if (random) read_random(*random);
    if (!table_.has("constant")) return;
    ConstantSignal signal;
    for (const auto& [name, value] : values) {
      add_channel(name, table_.origin_of("constant"));
      signal.values.push_back(value);
    }
    c_.signal = std::move(signal);
  }

  void read_trajectory(const std::string& file) {
    const Origin at = table_.origin_of("trajectory");
    Trajectory t = load_trajectory(draft_.resolve(file), at);
    add_channels(t.names, at);
    c_.signal = std::move(t.signal);
  }

  void read_sine(Table& t) {
    SineSignal s;
    const char* unit = on_joints() ? (c_.kind == ControllerKind::pd ? "rad" : "N m") : "";
    s.amplitude = t.need("amplitude", t.number("amplitude", unit));
    s.frequency = t.need("frequency", t.number("frequency", "Hz", Sign::not_negative));
    s.phase = t.number("phase", "rad").value_or(0);
    s.offset = t.number("offset", unit).value_or(0);
    add_channels(t.texts("names"), t.origin_of("names"));
    t.finish();
    c_.signal = s;
  }

  /// The bounds of what a channel may be: a control's, or those of a joint's coordinate.
  std::optional<std::pair<double, double>> range_of(int channel) const {
    if (c_.kind == ControllerKind::control) {
      const SceneActuator& a = draft_.scene.actuators[c_.actuators[channel]];
      if (a.control_limited) return std::pair(a.lower_control, a.upper_control);
    }
    if (c_.kind == ControllerKind::pd) {
      const ScenePart& part = c_.joints[channel];
      const SceneJoint& j = draft_.scene.bodies[part.body].joints[part.joint];
      if (j.limited) return std::pair(j.lower, j.upper);
    }
    return {};
  }

  void read_random(Table& t) {
    RandomSignal s;
    s.seed = seed_;
    const std::optional<double> lower = t.number("lower", ""), upper = t.number("upper", "");
    s.interval = t.number("interval", "s", Sign::positive).value_or(s.interval);
    add_channels(t.texts("names"), t.origin_of("names"));
    if (!on_joints() && !t.has("names")) {
      for (int i = 0; i < std::ssize(draft_.scene.actuators); ++i) {
        const SceneActuator& a = draft_.scene.actuators[i];
        if (a.control_limited && a.name.starts_with(prefix_)) c_.actuators.push_back(i);
      }
    }
    const std::size_t channels = on_joints() ? c_.joints.size() : c_.actuators.size();
    if (channels == 0) {
      fail_input(on_joints() ? "it needs names of joints"
                             : "no actuator has a control range: it needs names, lower and upper",
                 t.origin());
    }
    for (std::size_t i = 0; i < channels; ++i) {
      const auto range = range_of(static_cast<int>(i));
      if (!range && !(lower && upper)) {
        fail_input("it needs lower and upper: not all that it acts on has a range", t.origin());
      }
      s.lower.push_back(lower ? *lower : range->first);
      s.upper.push_back(upper ? *upper : range->second);
    }
    t.finish();
    c_.signal = std::move(s);
  }

  Table& table_;
  const Draft& draft_;
  std::uint64_t seed_;
  std::string prefix_;
  Controller c_;
};

/// A target that its joint cannot reach is pressed against the stop: hardly what was meant.
void note_targets_beyond_limits(const Controller& c, Scene& scene) {
  for (std::size_t i = 0; i < c.joints.size(); ++i) {
    const SceneJoint& joint = scene.bodies[c.joints[i].body].joints[c.joints[i].joint];
    const auto [least, most] = value_range(c.signal, static_cast<int>(i));
    const double slack = 1e-6 * (joint.upper - joint.lower);
    if (!joint.limited || (least >= joint.lower - slack && most <= joint.upper + slack)) continue;
    char text[120];
    std::snprintf(text, sizeof text, " goes from %g to %g, beyond its range, %g to %g", least, most,
                  joint.lower, joint.upper);
    scene.notices.push_back({c.origin, "the target of joint " + quote(joint.name) + text});
  }
}

/// Two cannot set one control.
void check_controls(const std::vector<Controller>& controllers, const Scene& scene) {
  std::vector<bool> taken(scene.actuators.size());
  for (const Controller& c : controllers) {
    for (const int actuator : c.actuators) {
      if (taken[actuator]) {
        fail_input(
            "actuator " + quote(scene.actuators[actuator].name) + " is given a control twice",
            c.origin);
      }
      taken[actuator] = true;
    }
  }
}

}  // namespace

std::vector<Controller> read_controllers(Table& root, Draft& draft, std::uint64_t seed) {
  std::vector<Controller> controllers;
  for (Table& table : root.tables("controller")) {
    // as many seeds apart as no two files of one study will be
    const std::uint64_t own = seed + (std::uint64_t{controllers.size()} << 40);
    controllers.push_back(ControllerReader(table, draft, own).read());
  }
  for (Controller& c : controllers) {
    add_controller(c, draft.scene);
    if (c.kind == ControllerKind::pd) note_targets_beyond_limits(c, draft.scene);
  }
  check_controls(controllers, draft.scene);
  return controllers;
}

}  // namespace abut::scene_file
