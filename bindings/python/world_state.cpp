// World: where things are, and setting it.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "abut/core/text.hpp"
#include "numbers.hpp"
#include "python_world.hpp"
#include "scene_parts.hpp"

namespace abut::python {
namespace {

using namespace nb::literals;
using WorldClass = nb::class_<PythonWorld>;
using Change = std::optional<ArrayLike>;

int find_body(const PythonWorld& w, const Key& key) {
  return find_part(key, w.bodies(), "body");
}

/// One member of the states of all moving bodies.
template <class Array, class Member>
Array rows_of(const PythonWorld& w, Member BodyState::*member) {
  constexpr std::size_t width = sizeof(Member) / sizeof(double);
  std::vector<double> values;
  values.reserve(width * w.moving().size());
  for (const int b : w.moving()) {
    const BodyState s = w.get().body_state(b);
    const Member& x = s.*member;
    const auto* first = reinterpret_cast<const double*>(&x);
    values.insert(values.end(), first, first + width);
  }
  return to_array<Array>(std::move(values), {w.moving().size(), width});
}

void bind_bodies(WorldClass& c) {
  c.def_prop_ro(
      "positions",
      [](const PythonWorld& w) { return rows_of<FixedRows3>(w, &BodyState::position); },
      "(moving, 3): origins of the moving bodies' frames, in the scene's order [m].");
  c.def_prop_ro(
      "orientations",
      [](const PythonWorld& w) { return rows_of<FixedRows4>(w, &BodyState::orientation); },
      "(moving, 4): unit quaternions w, x, y, z.");
  c.def_prop_ro(
      "linear_velocities",
      [](const PythonWorld& w) { return rows_of<FixedRows3>(w, &BodyState::linear_velocity); },
      "(moving, 3): of the centers of mass, world axes [m/s].");
  c.def_prop_ro(
      "angular_velocities",
      [](const PythonWorld& w) { return rows_of<FixedRows3>(w, &BodyState::angular_velocity); },
      "(moving, 3): world axes [rad/s].");
  c.def_prop_ro("moving", &PythonWorld::moving,
                "Indices in Scene.bodies of the bodies that move, in the order of the arrays.");
  c.def_prop_ro("bodies", &PythonWorld::bodies, "Names of all bodies; bodyN where there is none.");
  c.def(
      "body_state",
      [](const PythonWorld& w, const Key& body) { return w.get().body_state(find_body(w, body)); },
      "body"_a, "Of a body, by name or index.");
  c.def(
      "set_body_state",
      [](PythonWorld& w, const Key& body, const Change& position, const Change& orientation,
         const Change& linear_velocity, const Change& angular_velocity) {
        const int b = find_body(w, body);
        BodyState s = w.get().body_state(b);
        if (position) s.position = to_vec3(*position, "position");
        if (orientation) s.orientation = to_quaternion(*orientation, "orientation");
        if (linear_velocity) s.linear_velocity = to_vec3(*linear_velocity, "linear_velocity");
        if (angular_velocity) s.angular_velocity = to_vec3(*angular_velocity, "angular_velocity");
        w.get().set_body_state(b, s);
      },
      "body"_a, nb::kw_only(), "position"_a = nb::none(), "orientation"_a = nb::none(),
      "linear_velocity"_a = nb::none(), "angular_velocity"_a = nb::none(),
      "Of a free body; what is None stays. Raises InputError for others.");
  c.def(
      "set_load",
      [](PythonWorld& w, const Key& body, const ArrayLike& force, const ArrayLike& moment) {
        w.get().set_load(find_body(w, body), to_vec3(force, "force"), to_vec3(moment, "moment"));
      },
      "body"_a, "force"_a, "moment"_a = nb::make_tuple(0, 0, 0),
      "A force [N] at the body's center of mass and a moment [N m], world axes, from the next step "
      "on, until changed.");
}

nb::object values_of(const std::vector<double>& all, int first, int count) {
  if (count == 1) return nb::float_(all[first]);
  return nb::cast(to_array<FixedNumbers>(
      std::vector<double>(all.begin() + first, all.begin() + first + count)));
}

/// A joint's part of the state of its body.
template <bool position>
nb::object joint_value(const PythonWorld& w, const std::string& name) {
  const JointSlot& j = w.joint(name);
  const JointState s = w.get().joint_state(j.body);
  return position ? values_of(s.positions, j.position, j.positions)
                  : values_of(s.velocities, j.velocity, j.velocities);
}

template <bool position>
void set_joint_value(PythonWorld& w, const std::string& name, const ArrayLike& value) {
  const JointSlot& j = w.joint(name);
  JointState s = w.get().joint_state(j.body);
  const std::vector<double> x =
      to_numbers(value, "joint " + quote(name),
                 static_cast<std::size_t>(position ? j.positions : j.velocities));
  std::copy(x.begin(), x.end(),
            position ? s.positions.begin() + j.position : s.velocities.begin() + j.velocity);
  w.get().set_joint_state(j.body, s);
}

void bind_joints(WorldClass& c) {
  c.def_prop_ro(
      "joints",
      [](const PythonWorld& w) {
        std::vector<std::string> names;
        for (const JointSlot& j : w.joints()) names.push_back(j.name);
        return names;
      },
      "Names of the joints, in the scene's order.");
  c.def(
      "joint_position", &joint_value<true>, "name"_a,
      nb::sig("def joint_position(self, name: str) -> float | numpy.typing.NDArray[numpy.float64]"),
      "Of a hinge [rad] or slide [m]; of a ball joint its quaternion, of a free joint position and "
      "quaternion.");
  c.def(
      "joint_velocity", &joint_value<false>, "name"_a,
      nb::sig("def joint_velocity(self, name: str) -> float | numpy.typing.NDArray[numpy.float64]"),
      "[rad/s or m/s]; of a ball joint its angular velocity in the body's axes, of a free joint "
      "the frame's velocity in the parent's axes before it.");
  c.def("set_joint_position", &set_joint_value<true>, "name"_a, "value"_a);
  c.def("set_joint_velocity", &set_joint_value<false>, "name"_a, "value"_a);
}

/// Coordinates and velocities of all moving bodies, in the scene's order.
struct State {
  std::vector<double> coordinates, velocities;
};

State state_of(const World& world, const std::vector<int>& moving) {
  State s;
  const auto add = [](std::vector<double>& to, const auto& x) {
    const auto* first = reinterpret_cast<const double*>(&x);
    to.insert(to.end(), first, first + sizeof(x) / sizeof(double));
  };
  for (const int b : moving) {
    if (world.scene().bodies[b].kind == BodyKind::free) {
      const BodyState body = world.body_state(b);
      add(s.coordinates, body.position), add(s.coordinates, body.orientation);
      add(s.velocities, body.linear_velocity), add(s.velocities, body.angular_velocity);
    } else {
      const JointState joints = world.joint_state(b);
      s.coordinates.insert(s.coordinates.end(), joints.positions.begin(), joints.positions.end());
      s.velocities.insert(s.velocities.end(), joints.velocities.begin(), joints.velocities.end());
    }
  }
  return s;
}

void write_state(World& world, const std::vector<int>& moving, const State& s) {
  const double *q = s.coordinates.data(), *v = s.velocities.data();
  for (const int b : moving) {
    const SceneBody& body = world.scene().bodies[b];
    if (body.kind == BodyKind::free) {
      world.set_body_state(b, {.position = {q[0], q[1], q[2]},
                               .orientation = {q[3], q[4], q[5], q[6]},
                               .linear_velocity = {v[0], v[1], v[2]},
                               .angular_velocity = {v[3], v[4], v[5]}});
      q += 7, v += 6;
    } else {
      const int positions = joint_positions(body), velocity_count = joint_velocities(body);
      world.set_joint_state(b, {{q, q + positions}, {v, v + velocity_count}});
      q += positions, v += velocity_count;
    }
  }
}

void set_state(PythonWorld& w, const Change& coordinates, const Change& velocities) {
  World& world = w.get();
  State s = state_of(world, w.moving());
  if (coordinates) s.coordinates = to_numbers(*coordinates, "coordinates", s.coordinates.size());
  if (velocities) s.velocities = to_numbers(*velocities, "velocities", s.velocities.size());
  const Snapshot before = world.snapshot();
  try {
    write_state(world, w.moving(), s);
  } catch (...) {
    world.restore(before);  // not half of it
    throw;
  }
}

void bind_coordinates(WorldClass& c) {
  c.def_prop_ro(
      "coordinates",
      [](const PythonWorld& w) {
        return to_array<FixedNumbers>(state_of(w.get(), w.moving()).coordinates);
      },
      "Of all moving bodies, in the scene's order: of a free body position [m] and "
      "quaternion, of a linked one those of its joints [rad, m].");
  c.def_prop_ro(
      "velocities",
      [](const PythonWorld& w) {
        return to_array<FixedNumbers>(state_of(w.get(), w.moving()).velocities);
      },
      "(dofs,): of a free body linear [m/s] and angular velocity [rad/s] in world axes, of "
      "a linked one those of its joints.");
  c.def("set_state", &set_state, "coordinates"_a = nb::none(), "velocities"_a = nb::none(),
        "Sets all of them; None: they stay. Contacts and actuators keep what they remember; "
        "set_keyframe() and restore() do not.");
  c.def(
      "set_keyframe",
      [](PythonWorld& w, const Key& keyframe) {
        std::vector<std::string> names;
        for (const Keyframe& k : w.get().scene().keyframes) names.push_back(k.name);
        w.set_keyframe(find_part(keyframe, names, "keyframe"));
      },
      "keyframe"_a, "Puts all bodies where a keyframe has them, at its time; contacts start anew.");
}

void bind_actuators(WorldClass& c) {
  c.def_prop_ro("actuators", &PythonWorld::actuators, "Names of the actuators.");
  c.def_prop_rw(
      "controls", [](const PythonWorld& w) { return to_array<FixedNumbers>(w.get().controls()); },
      [](PythonWorld& w, const ArrayLike& x) {
        const std::vector<double> u = to_numbers(x, "controls", w.actuators().size());
        for (int a = 0; a < std::ssize(u); ++a) w.get().set_control(a, u[a]);
      },
      "(actuators,): from the next step on, until changed; 0 at first.");
  c.def(
      "set_control",
      [](PythonWorld& w, const Key& actuator, double u) {
        w.get().set_control(find_part(actuator, w.actuators(), "actuator"), u);
      },
      "actuator"_a, "u"_a);
  c.def(
      "actuator_state",
      [](const PythonWorld& w, const Key& actuator) {
        return w.get().actuator_state(find_part(actuator, w.actuators(), "actuator"));
      },
      "actuator"_a, "Of the last step.");
}

void bind_states(nb::module_& m) {
  nb::class_<BodyState>(m, "BodyState", "Where one body is, and how fast.")
      .def_prop_ro(
          "position", [](const BodyState& s) { return to_array(s.position); },
          "Origin of the body's frame [m].")
      .def_prop_ro(
          "orientation", [](const BodyState& s) { return to_array(s.orientation); },
          "Unit quaternion w, x, y, z.")
      .def_prop_ro(
          "linear_velocity", [](const BodyState& s) { return to_array(s.linear_velocity); },
          "Of the center of mass, world axes [m/s].")
      .def_prop_ro(
          "angular_velocity", [](const BodyState& s) { return to_array(s.angular_velocity); },
          "World axes [rad/s].")
      .def("__repr__", [](const BodyState& s) {
        return "BodyState(position=" + describe(s.position) +
               ", orientation=" + describe(s.orientation) +
               ", linear_velocity=" + describe(s.linear_velocity) +
               ", angular_velocity=" + describe(s.angular_velocity) + ")";
      });
  nb::class_<ActuatorState>(m, "ActuatorState", "What an actuator did in the last step.")
      .def_ro("length", &ActuatorState::length, "At its start [m or rad].")
      .def_ro("velocity", &ActuatorState::velocity, "Of the length, at its end [m/s or rad/s].")
      .def_ro("force", &ActuatorState::force, "[N or N m]")
      .def_ro("activation", &ActuatorState::activation, "At its end.")
      .def("__repr__", [](const ActuatorState& s) {
        return format_text("ActuatorState(length=%.6g, velocity=%.6g, force=%.6g, activation=%.6g)",
                           s.length, s.velocity, s.force, s.activation);
      });
}

}  // namespace

void bind_world_state(nb::module_& m, WorldClass& c) {
  bind_states(m);
  c.def_prop_ro(
      "time", [](const PythonWorld& w) { return w.get().time(); }, "[s]");
  c.def_prop_ro(
      "time_step", [](const PythonWorld& w) { return w.get().time_step(); }, "[s]");
  c.def_prop_ro("steps", [](const PythonWorld& w) { return w.get().steps(); });
  c.def_prop_ro("dofs", [](const PythonWorld& w) { return w.get().dofs(); });
  c.def_prop_ro(
      "kinetic_energy", [](const PythonWorld& w) { return w.get().kinetic_energy(); }, "[J]");
  c.def_prop_ro(
      "potential_energy", [](const PythonWorld& w) { return w.get().potential_energy(); }, "[J]");
  c.def_prop_ro("scene", &PythonWorld::scene,
                "What it was made of: a copy of its own, which cannot be changed. Scene.copy() "
                "makes one that "
                "can, for another World.");
  c.def_prop_ro("model", [](const PythonWorld& w) {
    return std::string(abut::to_string(w.get().options().model));
  });
  c.def_prop_ro("law", [](const PythonWorld& w) {
    return std::string(abut::to_string(w.get().options().law));
  });
  c.def_prop_ro("scheme", [](const PythonWorld& w) {
    return std::string(abut::to_string(w.get().options().scheme));
  });
  c.def_prop_ro("solver", [](const PythonWorld& w) { return w.get().options().solver; });
  c.def_prop_ro("tolerance", [](const PythonWorld& w) { return w.get().options().tolerance; });
  c.def_prop_ro(
      "accuracy", [](const PythonWorld& w) { return w.get().options().accuracy; },
      "Of substeps, of a body's radius; None: a step is one.");
  bind_bodies(c);
  bind_joints(c);
  bind_coordinates(c);
  bind_actuators(c);
}

}  // namespace abut::python
