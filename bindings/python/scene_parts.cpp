#include "scene_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "abut/core/text.hpp"
#include "abut/io/mesh_file.hpp"
#include "abut/sim/mass_properties.hpp"
#include "abut/sim/scene_checks.hpp"
#include "module.hpp"
#include "numbers.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/vector.h>

namespace abut::python {
namespace {

using namespace nb::literals;

constexpr std::array joint_kinds = {JointKind::free, JointKind::ball, JointKind::slide,
                                    JointKind::hinge};

/// Properties of a handle that give and take members of what it stands for.
template <class Handle>
struct Members {
  nb::class_<Handle>& c;

  template <class Owner, class Value>
  Members& value(const char* name, Value Owner::*member, const char* doc) {
    c.def_prop_rw(
        name, [member](const Handle& h) { return h.get().*member; },
        [member](const Handle& h, const Value& x) { h.change().*member = x; }, doc);
    return *this;
  }
  template <class Owner>
  Members& value(const char* name, Vec3 Owner::*member, const char* doc) {
    c.def_prop_rw(
        name, [member](const Handle& h) { return to_array(h.get().*member); },
        [member, name](const Handle& h, const ArrayLike& x) {
          h.change().*member = to_vec3(x, name);
        },
        doc);
    return *this;
  }
  template <class Owner>
  Members& value(const char* name, Quaternion Owner::*member, const char* doc) {
    c.def_prop_rw(
        name, [member](const Handle& h) { return to_array(h.get().*member); },
        [member, name](const Handle& h, const ArrayLike& x) {
          h.change().*member = to_quaternion(x, name);
        },
        doc);
    return *this;
  }
};

/// "Shape(capsule, radius=0.1, half_length=0.3)"
std::string describe_shape(const Shape& s) {
  std::string size;
  switch (s.kind) {
    case ShapeKind::sphere: size = format_text(", radius=%g", s.radius()); break;
    case ShapeKind::capsule:
    case ShapeKind::cylinder:
      size = format_text(", radius=%g, half_length=%g", s.radius(), s.half_length());
      break;
    case ShapeKind::box: size = ", half_extents=" + describe(s.size); break;
    case ShapeKind::ellipsoid: size = ", radii=" + describe(s.size); break;
    case ShapeKind::hull:
      if (s.hull) size = format_text(", %d vertices", static_cast<int>(s.hull->vertices.size()));
      break;
    default: break;
  }
  return std::string("Shape(") + abut::to_string(s.kind) + size + ")";
}

void bind_shape(nb::module_& m) {
  nb::class_<Shape>(m, "Shape",
                    "A solid in its own frame, made by one of the static methods. Lengths in m.")
      .def_static("plane", &Shape::plane, "The half-space z <= 0.")
      .def_static("sphere", &Shape::sphere, "radius"_a)
      .def_static("capsule", &Shape::capsule, "radius"_a, "half_length"_a,
                  "Points within radius of the segment from z = -half_length to +half_length.")
      .def_static("cylinder", &Shape::cylinder, "radius"_a, "half_length"_a, "Its axis is z.")
      .def_static(
          "box", [](const ArrayLike& x) { return Shape::box(to_vec3(x, "half_extents")); },
          "half_extents"_a)
      .def_static(
          "ellipsoid", [](const ArrayLike& x) { return Shape::ellipsoid(to_vec3(x, "radii")); },
          "radii"_a)
      .def_static(
          "hull",
          [](const ArrayLike& points) {
            return Shape::convex(make_convex_hull(to_vectors(points, "points")));
          },
          "points"_a, "The convex hull of points, (n, 3).")
      .def_static(
          "mesh",
          [](const std::filesystem::path& path) {
            const std::string name = path.string();
            return Shape::convex(make_convex_hull(read_mesh_points(name), {name, 0, {}}));
          },
          "path"_a, "The convex hull of a mesh file: .stl, .obj, .dae.")
      .def_prop_ro("kind", [](const Shape& s) { return abut::to_string(s.kind); })
      .def_prop_ro(
          "size", [](const Shape& s) { return to_array(s.size); },
          "Sphere: radius; capsule, cylinder: radius, half_length; box: half extents; ellipsoid: "
          "radii; else 0 [m].")
      .def(
          "mass_properties",
          [](const Shape& s, double density) {
            s.validate();
            require(density > 0 && std::isfinite(density), "density", density, "kg/m^3",
                    "must be positive and finite");
            const MassProperties p = abut::mass_properties(s, density);
            return nb::make_tuple(p.mass, to_array(p.center_of_mass), to_array(p.inertia));
          },
          "density"_a,
          "Mass [kg], center of mass [m] and inertia about it [kg m^2] at a density [kg/m^3].")
      .def("__repr__", &describe_shape);
}

void bind_joint(nb::module_& m) {
  nb::class_<JointPart> c(m, "SceneJoint", "A joint between a body and its parent.");
  c.def(
      "__init__",
      [](JointPart* self, const std::string& kind, const std::string& name, const ArrayLike& axis,
         const ArrayLike& anchor, const std::optional<ArrayLike>& range) {
        auto joint = std::make_shared<SceneJoint>();
        joint->kind = parse_joint(kind);
        joint->name = name;
        joint->axis = to_vec3(axis, "axis");
        const double length = norm(joint->axis);
        require(length > 0, "length of axis", length, "", "must be positive");
        joint->axis = joint->axis / length;
        joint->anchor = to_vec3(anchor, "anchor");
        if (range) {
          const std::vector<double> ends = to_numbers(*range, "range", 2);
          joint->limited = true;
          joint->lower = ends[0];
          joint->upper = ends[1];
        }
        new (self) JointPart{std::move(joint), {}};
      },
      "kind"_a = "hinge", "name"_a = "", "axis"_a = nb::make_tuple(0, 0, 1),
      "anchor"_a = nb::make_tuple(0, 0, 0), "range"_a = nb::none(),
      "kind: hinge, slide, ball or free; axis and anchor in the body's frame [m]; range: the "
      "coordinate's limits [rad or m].");
  c.def_prop_ro(
      "kind", [](const JointPart& j) { return to_string(j.get().kind); },
      "free, ball, slide or hinge.");
  Members<JointPart>{c}
      .value("name", &SceneJoint::name, "")
      .value("axis", &Joint::axis, "Of a hinge or slide, unit, in the body's frame.")
      .value("anchor", &Joint::anchor, "The point that stays [m].")
      .value("reference", &Joint::reference, "Coordinate at which the body has its pose.")
      .value("armature", &Joint::armature, "Inertia of its rotor [kg m^2 or kg].")
      .value("damping", &Joint::damping, "[N m s/rad or N s/m]")
      .value("stiffness", &Joint::stiffness, "[N m/rad or N/m]")
      .value("spring_reference", &Joint::spring_reference, "Where the spring is at rest.")
      .value("dry_friction", &Joint::dry_friction, "Largest force [N m or N].")
      .value("limited", &Joint::limited, "Whether the coordinate stays in [lower, upper].")
      .value("lower", &Joint::lower, "[rad or m]")
      .value("upper", &Joint::upper, "[rad or m]")
      .value("limit_stiffness", &Joint::limit_stiffness, "[N m/rad or N/m]");
  c.def("__repr__", [](const JointPart& j) {
    return std::string("SceneJoint(") + to_string(j.get().kind) + " " + quote(j.get().name) + ")";
  });
}

void bind_body(nb::module_& m) {
  nb::class_<Body> c(m, "SceneBody", "A body of a scene. Its arrays are read-only: assign anew.");
  c.def_ro("index", &Body::index, "In Scene.bodies.");
  c.def_prop_ro(
      "kind", [](const Body& b) { return to_string(b.get().kind); }, "fixed, free or linked.");
  c.def_prop_ro(
      "parent",
      [](const Body& b) {
        return b.get().parent == world_body ? "world"
                                            : display_name(b.scene->scene, b.get().parent);
      },
      "Of a linked body: the name of the body its joints join it to.");
  c.def_prop_ro(
      "joints",
      [](const Body& b) {
        nb::list joints;
        for (std::size_t i = 0; i < b.get().joints.size(); ++i) {
          joints.append(JointPart{nullptr, b.scene, b.index, i});
        }
        return joints;
      },
      nb::sig("def joints(self) -> list[SceneJoint]"), "Of a linked body.");
  c.def_prop_rw(
      "inertia", [](const Body& b) { return to_array(b.get().inertia); },
      [](const Body& b, const ArrayLike& x) { b.change().inertia = to_mat3(x, "inertia"); },
      "(3, 3), about the center of mass, axes of the body [kg m^2].");
  Members<Body>{c}
      .value("name", &SceneBody::name, "Empty if the description gives none.")
      .value("position", &SceneBody::position, "Of the body's frame in the parent [m].")
      .value("orientation", &SceneBody::orientation, "Unit quaternion w, x, y, z.")
      .value("linear_velocity", &SceneBody::linear_velocity,
             "Of the center of mass, world axes [m/s].")
      .value("angular_velocity", &SceneBody::angular_velocity, "World axes [rad/s].")
      .value("mass", &SceneBody::mass, "[kg]")
      .value("center_of_mass", &SceneBody::center_of_mass, "In the body's frame [m].");
  c.def("__repr__", [](const Body& b) {
    return std::string("SceneBody(") + to_string(b.get().kind) + " " +
           quote(display_name(b.scene->scene, static_cast<int>(b.index))) + ")";
  });
}

using Optional = std::optional<double>;

void bind_geom(nb::module_& m) {
  nb::class_<Geom> c(m, "SceneGeom",
                     "A collision shape on a body or on the world. What of its material is None "
                     "has the library's default.");
  c.def_ro("index", &Geom::index, "In Scene.geoms.");
  c.def_prop_ro(
      "body",
      [](const Geom& g) {
        return g.get().body == world_body ? "world" : display_name(g.scene->scene, g.get().body);
      },
      "Its body's name, or \"world\".");
  c.def_prop_rw(
      "shape", [](const Geom& g) { return g.get().shape; },
      [](const Geom& g, const Shape& shape) { g.change().shape = shape; });
  c.def_prop_rw(
      "position", [](const Geom& g) { return to_array(g.get().pose.p); },
      [](const Geom& g, const ArrayLike& x) { g.change().pose.p = to_vec3(x, "position"); },
      "In the body's frame [m].");
  c.def_prop_rw(
      "orientation", [](const Geom& g) { return to_array(abut::to_quaternion(g.get().pose.R)); },
      [](const Geom& g, const ArrayLike& x) {
        g.change().pose.R = to_matrix(to_quaternion(x, "orientation"));
      },
      "Unit quaternion w, x, y, z.");
  const auto material = [&](const char* name, Optional Material::*member, const char* doc) {
    c.def_prop_rw(
        name, [member](const Geom& g) { return g.get().material.*member; },
        [member](const Geom& g, Optional x) { g.change().material.*member = x; },
        nb::for_setter(nb::arg("value").none()), doc);
  };
  material("stiffness", &Material::stiffness, "k of one contact point [N/m].");
  material("dissipation", &Material::dissipation, "d [s/m], Hunt & Crossley.");
  material("relaxation_time", &Material::relaxation_time, "tau_d [s], Kelvin-Voigt.");
  material("friction", &Material::friction, "mu [-], along friction_axis.");
  material("cross_friction", &Material::cross_friction,
           "mu across friction_axis [-]; None: the same in all directions.");
  material("static_friction", &Material::static_friction,
           "mu of what holds [-], under anchored, at least friction; None: the same.");
  material("thickness", &Material::thickness, "Of its layer [m], barriers.");
  c.def_prop_rw(
      "force_table", [](const Geom& g) { return to_object(g.get().material.table); },
      [](const Geom& g, const std::optional<ArrayLike>& x) {
        g.change().material.table = to_force_table(x);
      },
      nb::for_setter(nb::arg("value").none()),
      nb::for_getter(
          nb::sig("def force_table(self) -> numpy.typing.NDArray[numpy.float64] | None")),
      "(n, 2): depths [m] and forces [N] of its surface, for the law tabulated; None: a line of "
      "its stiffness.");
  const auto surface = [&](const char* name, Vec3 SceneGeom::*member, const char* doc) {
    c.def_prop_rw(
        name, [member](const Geom& g) { return to_array(g.get().*member); },
        [name, member](const Geom& g, const ArrayLike& x) {
          g.change().*member = to_vec3(x, name);
        },
        doc);
  };
  surface("friction_axis", &SceneGeom::friction_axis,
          "Along it friction is `friction`, across it cross_friction; unit, in its frame.");
  surface("surface_velocity", &SceneGeom::surface_velocity,
          "How its surface moves over it, as that of a belt does, in its frame [m/s].");
  surface("surface_angular_velocity", &SceneGeom::surface_angular_velocity,
          "The same of a turntable, about the frame's origin [rad/s].");
  Members<Geom>{c}
      .value("name", &SceneGeom::name, "")
      .value("frictionless", &SceneGeom::frictionless, "");
  c.def("__repr__", [](const Geom& g) {
    return std::string("SceneGeom(") + abut::to_string(g.get().shape.kind) + " " +
           quote(g.get().name) + ")";
  });
}

void bind_actuator(nb::module_& m) {
  nb::class_<ActuatorPart> c(m, "SceneActuator",
                             "A motor or servo: force (gain[0] + gain[1] L + gain[2] dL/dt) u + "
                             "bias[0] + bias[1] L + bias[2] dL/dt, L the sum of gear times "
                             "coordinate.");
  c.def_ro("index", &ActuatorPart::index, "In Scene.actuators, and of its control.");
  const auto coefficients = [&](const char* name, double(SceneActuator::*member)[3]) {
    c.def_prop_rw(
        name,
        [member](const ActuatorPart& a) {
          const double* x = a.get().*member;
          return to_array(Vec3{x[0], x[1], x[2]});
        },
        [member, name](const ActuatorPart& a, const ArrayLike& values) {
          const Vec3 x = to_vec3(values, name);
          for (int i = 0; i < 3; ++i) (a.change().*member)[i] = x[i];
        },
        "(3,)");
  };
  coefficients("gain", &SceneActuator::gain);
  coefficients("bias", &SceneActuator::bias);
  Members<ActuatorPart>{c}
      .value("name", &SceneActuator::name, "")
      .value("lower_force", &SceneActuator::lower_force, "[N or N m]")
      .value("upper_force", &SceneActuator::upper_force, "[N or N m]")
      .value("velocity_limit", &SceneActuator::velocity_limit,
             "Of a motor, which drives no faster [m/s or rad/s]; inf: any. A servo has none.")
      .value("control_limited", &SceneActuator::control_limited,
             "Whether the control is clamped to [lower_control, upper_control].")
      .value("lower_control", &SceneActuator::lower_control, "")
      .value("upper_control", &SceneActuator::upper_control, "");
  c.def("__repr__",
        [](const ActuatorPart& a) { return "SceneActuator(" + quote(a.get().name) + ")"; });
}

template <class Items>
std::vector<std::string> names_of(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

}  // namespace

Scene& PythonScene::change() {
  if (of_world) {
    throw nb::attribute_error(
        "the scene of a World cannot be changed, as the World would not follow: change a copy of "
        "it, scene = world.scene.copy(), and make a World of that");
  }
  return scene;
}

constexpr int most_names = 10;  // in a message

int find_part(const Key& key, const std::vector<std::string>& names, const char* kind) {
  const int count = static_cast<int>(names.size());
  if (const int* index = std::get_if<int>(&key)) {
    if (*index >= 0 && *index < count) return *index;
    fail_index(kind, *index, names.size());
  }
  const std::string& name = std::get<std::string>(key);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  std::string text = "no " + std::string(kind) + " " + quote(name) + " in the scene";
  if (const std::string_view nearest = nearest_word(name, names); !nearest.empty()) {
    fail_input(text + ", did you mean " + quote(nearest) + "?");
  }
  std::string known;
  int shown = 0;
  for (const std::string& n : names) {
    if (n.empty()) continue;
    if (++shown > most_names) break;
    known += (known.empty() ? ": must be one of " : ", ") + n;
  }
  fail_input(text + known + (shown > most_names ? ", ..." : ""));
}

std::vector<std::string> body_names(const Scene& scene) {
  std::vector<std::string> names;
  for (int b = 0; b < std::ssize(scene.bodies); ++b) names.push_back(display_name(scene, b));
  return names;
}
std::vector<std::string> geom_names(const Scene& scene) {
  return names_of(scene.geoms);
}
std::vector<std::string> actuator_names(const Scene& scene) {
  return names_of(scene.actuators);
}

ContactModel parse_model(const std::string& name) {
  return find_named("model", name, contact_models);
}
NormalLawKind parse_law(const std::string& name) {
  return find_named("law", name, normal_laws);
}
JointKind parse_joint(const std::string& kind) {
  return find_named("kind of joint", kind, joint_kinds);
}

void bind_scene_parts(nb::module_& m) {
  bind_shape(m);
  bind_joint(m);
  bind_body(m);
  bind_geom(m);
  bind_actuator(m);
}

}  // namespace abut::python
