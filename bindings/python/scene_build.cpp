// Scenes in code: Scene's add methods.

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "abut/core/text.hpp"
#include "abut/sim/mass_properties.hpp"
#include "abut/sim/scene_append.hpp"
#include "module.hpp"
#include "numbers.hpp"
#include "options.hpp"
#include "scene_parts.hpp"

namespace abut::python {
namespace {

using namespace nb::literals;

constexpr double default_density = 1000;  // [kg/m^3], as in scene files

using Number = std::optional<double>;
using Numbers3 = std::optional<ArrayLike>;

/// Mass as in scene files: given whole, or the shapes' at one density or of one mass.
void set_mass(SceneBody& body, const std::vector<Shape>& shapes, Number density, Number mass,
              const Numbers3& inertia, const Numbers3& center) {
  const Origin at{.file = {}, .line = 0, .element = "body " + quote(body.name)};
  if (mass && density) fail_input("it has both mass and density, must have one of them", at);
  if (density) require(*density > 0, "density", *density, "kg/m^3", "must be positive", at);
  if (mass) require(*mass > 0, "mass", *mass, "kg", "must be positive", at);
  if (inertia) {
    if (!mass) fail_input("inertia needs mass", at);
    body.mass = *mass;
    body.center_of_mass = center ? to_vec3(*center, "center_of_mass") : Vec3{};
    body.inertia = to_inertia(*inertia, "inertia");
    return;
  }
  if (center) {
    fail_input("center_of_mass needs inertia too: it is that of the shapes otherwise", at);
  }
  MassProperties whole;
  for (const Shape& s : shapes) {
    s.validate(at);
    const MassProperties part = mass_properties(s, density.value_or(default_density));
    whole = whole.mass > 0 ? combined(whole, part) : part;
  }
  if (whole.mass == 0) {
    if (body.kind == BodyKind::fixed) return;
    fail_input("it has no shape with a volume: give mass and inertia", at);
  }
  const double scale = mass.value_or(whole.mass) / whole.mass;
  body.mass = scale * whole.mass;
  body.center_of_mass = whole.center_of_mass;
  body.inertia = scale * whole.inertia;
}

struct Surface {
  Number stiffness, dissipation, relaxation_time, friction;
  std::shared_ptr<const ForceTable> table{};
  Number thickness{};
};

Geom add_geom(const SceneOwner& s, const Shape& shape, int body, const std::string& name,
              const Pose& pose, const Surface& surface) {
  SceneGeom g;
  g.name = name;
  g.body = body;
  g.shape = shape;
  g.pose = pose;
  g.material = {.stiffness = surface.stiffness,
                .dissipation = surface.dissipation,
                .relaxation_time = surface.relaxation_time,
                .friction = surface.friction,
                .cross_friction = {},
                .static_friction = {},
                .table = surface.table,
                .thickness = surface.thickness};
  s->change().geoms.push_back(std::move(g));
  return {s, s->scene.geoms.size() - 1};
}

/// Two bodies of a name, or one called "world", are not found before a World is made: too late to
/// see where.
void require_new_name(const Scene& scene, const std::string& name) {
  if (name.empty()) return;
  for (const SceneBody& b : scene.bodies) {
    if (b.name == name) fail_input("body " + quote(name) + " is in the scene already");
  }
}

constexpr char add_body_signature[] =
    "def add_body(self, name: str = '', shape: Shape | collections.abc.Sequence[Shape] | None = "
    "None, "
    "*, position: numpy.typing.ArrayLike = (0, 0, 0), orientation: numpy.typing.ArrayLike = (1, 0, "
    "0, "
    "0), linear_velocity: numpy.typing.ArrayLike = (0, 0, 0), angular_velocity: "
    "numpy.typing.ArrayLike = (0, 0, 0), density: float | None = None, mass: float | None = None, "
    "inertia: numpy.typing.ArrayLike | None = None, center_of_mass: numpy.typing.ArrayLike | None "
    "= "
    "None, fixed: bool = False, parent: str | int | None = None, joints: "
    "collections.abc.Sequence[SceneJoint] = [], stiffness: float | None = None, dissipation: float "
    "| "
    "None = None, relaxation_time: float | None = None, friction: float | None = None) -> "
    "SceneBody";

void bind_add_body(nb::class_<PythonScene>& c) {
  c.def(
      "add_body",
      [](const SceneOwner& s, const std::string& name, const nb::object& shape,
         const ArrayLike& position, const ArrayLike& orientation, const ArrayLike& linear_velocity,
         const ArrayLike& angular_velocity, Number density, Number mass, const Numbers3& inertia,
         const Numbers3& center_of_mass, bool fixed, const std::optional<Key>& parent,
         const std::vector<JointPart>& joints, Number stiffness, Number dissipation,
         Number relaxation_time, Number friction, const nb::kwargs& rest) {
        refuse_unknown(rest, "add_body", add_body_signature);
        std::vector<Shape> shapes;
        if (nb::isinstance<Shape>(shape)) {
          shapes.push_back(nb::cast<Shape>(shape));
        } else if (!shape.is_none() && !nb::try_cast(shape, shapes)) {
          throw nb::type_error("shape must be a Shape, a list of Shapes, or None");
        }
        require_new_name(s->scene, name);
        SceneBody body;
        body.name = name;
        body.kind = fixed                       ? BodyKind::fixed
                    : joints.empty() && !parent ? BodyKind::free
                                                : BodyKind::linked;
        if (fixed && (parent || !joints.empty()))
          fail_input("a fixed body has no parent or joints");
        if (parent && joints.empty()) fail_input("a body with a parent needs joints");
        if (parent && *parent != Key("world")) {
          body.parent = find_part(*parent, body_names(s->scene), "body");
        }
        for (const JointPart& j : joints) body.joints.push_back(j.get());
        body.position = to_vec3(position, "position");
        body.orientation = to_quaternion(orientation, "orientation");
        body.linear_velocity = to_vec3(linear_velocity, "linear_velocity");
        body.angular_velocity = to_vec3(angular_velocity, "angular_velocity");
        set_mass(body, shapes, density, mass, inertia, center_of_mass);
        const int index = static_cast<int>(s->scene.bodies.size());
        s->change().bodies.push_back(std::move(body));
        for (const Shape& x : shapes) {
          add_geom(s, x, index, "", {}, {stiffness, dissipation, relaxation_time, friction});
        }
        return Body{s, static_cast<std::size_t>(index)};
      },
      "name"_a = "", "shape"_a = nb::none(), nb::kw_only(), "position"_a = nb::make_tuple(0, 0, 0),
      "orientation"_a = nb::make_tuple(1, 0, 0, 0), "linear_velocity"_a = nb::make_tuple(0, 0, 0),
      "angular_velocity"_a = nb::make_tuple(0, 0, 0), "density"_a = nb::none(),
      "mass"_a = nb::none(), "inertia"_a = nb::none(), "center_of_mass"_a = nb::none(),
      "fixed"_a = false, "parent"_a = nb::none(), "joints"_a = std::vector<JointPart>{},
      "stiffness"_a = nb::none(), "dissipation"_a = nb::none(), "relaxation_time"_a = nb::none(),
      "friction"_a = nb::none(), "rest"_a, nb::sig(add_body_signature),
      "Adds a body and its shapes (one Shape or a list), which lie in the body's frame.\n\n"
      "position [m], orientation w, x, y, z, linear_velocity [m/s] of the center of mass and "
      "angular_velocity [rad/s] in world axes. A body with joints is linked to its parent (a name; "
      "the world if none), in whose frame its position is; else it is free, or fixed. Mass: "
      "density [kg/m^3] of the shapes (1000), or mass [kg] spread over them, or mass, inertia "
      "about the center of mass [kg m^2] ((3,) or (3, 3)) and center_of_mass [m]. The shapes' "
      "material: stiffness [N/m], dissipation [s/m], relaxation_time [s], friction; None: the "
      "library's defaults.");
}

void bind_add_geom(nb::class_<PythonScene>& c) {
  c.def(
      "add_geom",
      [](const SceneOwner& s, const Shape& shape, const Key& body, const std::string& name,
         const ArrayLike& position, const ArrayLike& orientation, Number stiffness,
         Number dissipation, Number relaxation_time, Number friction,
         const std::optional<ArrayLike>& force_table, Number thickness) {
        const int b =
            body == Key("world") ? world_body : find_part(body, body_names(s->scene), "body");
        const Pose pose{to_vec3(position, "position"),
                        to_matrix(to_quaternion(orientation, "orientation"))};
        return add_geom(s, shape, b, name, pose,
                        {stiffness, dissipation, relaxation_time, friction,
                         to_force_table(force_table), thickness});
      },
      "shape"_a, "body"_a = "world", nb::kw_only(), "name"_a = "",
      "position"_a = nb::make_tuple(0, 0, 0), "orientation"_a = nb::make_tuple(1, 0, 0, 0),
      "stiffness"_a = nb::none(), "dissipation"_a = nb::none(), "relaxation_time"_a = nb::none(),
      "friction"_a = nb::none(), "force_table"_a = nb::none(), "thickness"_a = nb::none(),
      "Adds a shape to a body or the world, without changing the body's mass.");
  c.def(
      "add_ground",
      [](const SceneOwner& s, Number stiffness, Number dissipation, Number relaxation_time,
         Number friction) {
        return add_geom(s, Shape::plane(), world_body, "ground", {},
                        {stiffness, dissipation, relaxation_time, friction});
      },
      nb::kw_only(), "stiffness"_a = nb::none(), "dissipation"_a = nb::none(),
      "relaxation_time"_a = nb::none(), "friction"_a = nb::none(),
      "Adds the plane z = 0, a geom called ground.");
}

void bind_add_actuator(nb::class_<PythonScene>& c) {
  c.def(
      "add_actuator",
      [](const SceneOwner& s, const std::string& name, const std::string& joint, double gear,
         const ArrayLike& gain, const ArrayLike& bias, const Numbers3& control_range,
         const Numbers3& force_range) {
        SceneActuator a;
        a.name = name;
        const auto& bodies = s->scene.bodies;
        for (int b = 0; b < std::ssize(bodies); ++b) {
          for (int j = 0; j < std::ssize(bodies[b].joints); ++j) {
            if (bodies[b].joints[j].name == joint) a.parts.push_back({b, j, gear});
          }
        }
        if (a.parts.size() != 1) {
          fail_input((a.parts.empty() ? "no joint " : "more than one joint ") + quote(joint) +
                     " in the scene");
        }
        const Vec3 g = to_vec3(gain, "gain"), b = to_vec3(bias, "bias");
        for (int i = 0; i < 3; ++i) a.gain[i] = g[i], a.bias[i] = b[i];
        if (control_range) {
          const auto range = to_numbers(*control_range, "control_range", 2);
          a.control_limited = true;
          a.lower_control = range[0], a.upper_control = range[1];
        }
        if (force_range) {
          const auto range = to_numbers(*force_range, "force_range", 2);
          a.lower_force = range[0], a.upper_force = range[1];
        }
        s->change().actuators.push_back(std::move(a));
        return ActuatorPart{s, s->scene.actuators.size() - 1};
      },
      "name"_a, "joint"_a, nb::kw_only(), "gear"_a = 1.0, "gain"_a = nb::make_tuple(1, 0, 0),
      "bias"_a = nb::make_tuple(0, 0, 0), "control_range"_a = nb::none(),
      "force_range"_a = nb::none(),
      "Adds a motor or servo on a hinge or slide, a SceneActuator. A servo with gain kp and "
      "damping "
      "kd: gain=(kp, 0, 0), bias=(0, -kp, -kd).");
}

}  // namespace

void bind_scene_build(nb::module_& m) {
  auto c = nb::borrow<nb::class_<PythonScene>>(m.attr("Scene"));
  bind_add_body(c);
  bind_add_geom(c);
  bind_add_actuator(c);
  c.def(
      "exclude",
      [](PythonScene& s, const Key& a, const Key& b) {
        const auto names = body_names(s.scene);
        s.change().excluded_bodies.emplace_back(find_part(a, names, "body"),
                                                find_part(b, names, "body"));
      },
      "body_a"_a, "body_b"_a, "Lets two bodies not touch each other.");
  c.def(
      "append",
      [](PythonScene& s, const PythonScene& part, const std::string& prefix,
         const ArrayLike& position, const ArrayLike& orientation) {
        if (!part.controllers.empty()) fail_input("a scene with controllers cannot be appended");
        append_scene(
            s.change(), part.scene, prefix,
            {to_vec3(position, "position"), to_matrix(to_quaternion(orientation, "orientation"))});
      },
      "part"_a, "prefix"_a = "", "position"_a = nb::make_tuple(0, 0, 0),
      "orientation"_a = nb::make_tuple(1, 0, 0, 0),
      "Adds all of another scene, moved, its names with a prefix in front.");
}

}  // namespace abut::python
