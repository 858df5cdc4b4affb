#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "abut/core/text.hpp"
#include "abut/io/mjcf.hpp"
#include "abut/io/model_file.hpp"
#include "abut/io/scene_bytes.hpp"
#include "abut/io/scene_file.hpp"
#include "abut/sim/scene_append.hpp"
#include "module.hpp"
#include "numbers.hpp"
#include "scene_parts.hpp"
#include "unlocked.hpp"

namespace abut::python {
namespace {

using namespace nb::literals;

UrdfOptions urdf_options(const std::string& base, bool self_collision, bool accept_inertia,
                         std::vector<std::string> package_paths, std::optional<std::string> srdf) {
  UrdfOptions o{.self_collision = self_collision,
                .accept_inertia = accept_inertia,
                .package_paths = std::move(package_paths),
                .srdf = std::move(srdf)};
  if (base == "fixed") {
    o.base = RobotBase::fixed;
  } else if (base == "free") {
    o.base = RobotBase::free;
  } else if (base != "automatic") {
    fail_input("base " + quote(base) + " is not known: must be one of automatic, fixed, free");
  }
  return o;
}

SceneOwner make_scene(const SceneFile& file) {
  return std::make_shared<PythonScene>(PythonScene{file});
}

SceneOwner load_text(const std::string& text, const std::string& name) {
  if (name.ends_with(".toml")) return make_scene(load_scene_text(text, name));
  auto file = std::make_shared<PythonScene>();
  file->scene = is_urdf(name) ? load_urdf_text(text, name) : load_mjcf_text(text, name);
  return file;
}

template <class P, class Items>
nb::list parts(const SceneOwner& scene, const Items& items) {
  nb::list list;
  for (std::size_t i = 0; i < items.size(); ++i) list.append(P{scene, i});
  return list;
}

void bind_loading(nb::module_& m) {
  m.def(
      "load_scene_file",
      [](const std::filesystem::path& path, const std::string& base, bool self_collision,
         bool accept_inertia, std::vector<std::string> package_paths,
         std::optional<std::string> srdf, int body_limit) {
        const UrdfOptions urdf = urdf_options(base, self_collision, accept_inertia,
                                              std::move(package_paths), std::move(srdf));
        const Unlocked unlocked;
        return make_scene(abut::load_scene_file(path.string(), urdf, {.body_limit = body_limit}));
      },
      "path"_a, nb::kw_only(), "base"_a = "automatic", "self_collision"_a = true,
      "accept_inertia"_a = false, "package_paths"_a = std::vector<std::string>{},
      "srdf"_a = nb::none(), "body_limit"_a = MjcfOptions{}.body_limit,
      "Loads a scene file (.toml), a URDF (.urdf) or a MJCF file. body_limit: most bodies of a "
      "MJCF "
      "file. The other options are for URDF: base is automatic, fixed or free.\n\nRaises FileError "
      "if a file cannot be read, InputError "
      "\"file:line: element: ...\" for what is wrong in it.");
  m.def(
      "load_scene_text",
      [](const std::string& text, const std::string& name) {
        const Unlocked unlocked;
        return load_text(text, name);
      },
      "text"_a, "name"_a = "scene.xml",
      "The same for text in memory. name stands for the path: its suffix says what it is (.toml, "
      ".urdf, else MJCF), and paths in the text are relative to it.");
}

void bind_settings(nb::module_& m) {
  nb::class_<SimulationSettings>(m, "SimulationSettings",
                                 "How the scene's file wants to be simulated; None: not said.")
      .def_prop_ro("model",
                   [](const SimulationSettings& s) {
                     return s.model ? std::optional(std::string(abut::to_string(*s.model)))
                                    : std::nullopt;
                   })
      .def_prop_ro("law",
                   [](const SimulationSettings& s) {
                     return s.law ? std::optional(std::string(abut::to_string(*s.law)))
                                  : std::nullopt;
                   })
      .def_prop_ro("scheme",
                   [](const SimulationSettings& s) {
                     return s.scheme ? std::optional(std::string(abut::to_string(*s.scheme)))
                                     : std::nullopt;
                   })
      .def_ro("solver", &SimulationSettings::solver)
      .def_ro("tolerance", &SimulationSettings::tolerance)
      .def_ro("accuracy", &SimulationSettings::accuracy)
      .def_ro("duration", &SimulationSettings::duration, "[s]")
      .def_ro("seed", &SimulationSettings::seed, "Of random controllers.")
      .def("__repr__", [](const SimulationSettings& s) {
        std::string said;
        const auto add = [&](const char* name, const std::string& value) {
          said += (said.empty() ? "" : ", ") + std::string(name) + "=" + value;
        };
        if (s.model) add("model", quote(std::string(abut::to_string(*s.model))));
        if (s.law) add("law", quote(std::string(abut::to_string(*s.law))));
        if (s.scheme) add("scheme", quote(std::string(abut::to_string(*s.scheme))));
        if (s.solver) add("solver", quote(*s.solver));
        if (s.tolerance) add("tolerance", format_text("%g", *s.tolerance));
        if (s.accuracy) add("accuracy", format_text("%g", *s.accuracy));
        if (s.duration) add("duration", format_text("%g", *s.duration));
        return "SimulationSettings(" + said + ")";
      });
  nb::class_<Camera>(m, "Camera", "A point of view.")
      .def_ro("name", &Camera::name)
      .def_prop_ro(
          "position", [](const Camera& c) { return to_array(c.position); }, "[m]")
      .def_prop_ro(
          "target", [](const Camera& c) { return to_array(c.target); }, "[m]")
      .def_prop_ro("up", [](const Camera& c) { return to_array(c.up); })
      .def_ro("field_of_view", &Camera::field_of_view, "Vertical [rad].")
      .def("__repr__", [](const Camera& c) {
        return "Camera(" + quote(c.name) + ", position=" + describe(c.position) +
               ", target=" + describe(c.target) + ")";
      });
}

using SceneClass = nb::class_<PythonScene>;

void bind_lists(SceneClass& c) {
  c.def_prop_ro(
      "bodies", [](const SceneOwner& s) { return parts<Body>(s, s->scene.bodies); },
      nb::sig("def bodies(self) -> list[SceneBody]"));
  c.def_prop_ro(
      "geoms", [](const SceneOwner& s) { return parts<Geom>(s, s->scene.geoms); },
      nb::sig("def geoms(self) -> list[SceneGeom]"));
  c.def_prop_ro(
      "actuators", [](const SceneOwner& s) { return parts<ActuatorPart>(s, s->scene.actuators); },
      nb::sig("def actuators(self) -> list[SceneActuator]"));
  c.def_prop_ro(
      "keyframes",
      [](const PythonScene& s) {
        std::vector<std::string> names;
        for (const Keyframe& k : s.scene.keyframes) names.push_back(k.name);
        return names;
      },
      "Names of the keyframes.");
  c.def_ro("cameras", &PythonScene::cameras);
  c.def_prop_ro(
      "controllers", [](const PythonScene& s) { return static_cast<int>(s.controllers.size()); },
      "Number of controllers that the file describes.");
  c.def_prop_ro(
      "notices",
      [](const PythonScene& s) {
        std::vector<std::string> notices;
        for (const Notice& n : s.scene.notices) {
          notices.push_back(describe(n.at) + n.text);
        }
        return notices;
      },
      "What the file says and is not simulated as said.");
  c.def(
      "body",
      [](const SceneOwner& s, const Key& key) {
        const int b = find_part(key, body_names(s->scene), "body");
        return Body{s, static_cast<std::size_t>(b)};
      },
      "name"_a, "The body of a name or index. Raises InputError.");
  c.def(
      "geom",
      [](const SceneOwner& s, const Key& key) {
        const int g = find_part(key, geom_names(s->scene), "geom");
        return Geom{s, static_cast<std::size_t>(g)};
      },
      "name"_a);
  c.def(
      "actuator",
      [](const SceneOwner& s, const Key& key) {
        const int a = find_part(key, actuator_names(s->scene), "actuator");
        return ActuatorPart{s, static_cast<std::size_t>(a)};
      },
      "name"_a);
  c.def(
      "joint",
      [](const SceneOwner& s, const std::string& name) {
        std::vector<std::string> names;
        std::vector<JointPart> joints;
        for (std::size_t b = 0; b < s->scene.bodies.size(); ++b) {
          for (std::size_t j = 0; j < s->scene.bodies[b].joints.size(); ++j) {
            joints.push_back({nullptr, s, b, j});
            names.push_back(joints.back().get().name);
          }
        }
        return joints[find_part(name, names, "joint")];
      },
      "name"_a);
}

}  // namespace

void bind_scene(nb::module_& m) {
  bind_settings(m);
  SceneClass c(m, "Scene",
               "What is simulated: bodies, shapes, materials, actuators, surroundings. Load one, "
               "or build it by the add methods. A World takes a copy: later changes have no "
               "effect on it. It can be pickled, for the same version of abut.");
  c.def(
      "__init__",
      [](PythonScene* self, const nb::args& arguments, const nb::kwargs& options) {
        if (arguments.size() + options.size() > 0) {
          throw nb::type_error(
              "Scene() makes an empty one and takes no arguments: abut.load(path) reads a file, "
              "abut.load_scene_text(text) text");
        }
        new (self) PythonScene;
      },
      nb::sig("def __init__(self) -> None"),
      "An empty scene: gravity -9.81 m/s^2 along z, time step 2 ms.");
  bind_lists(c);
  c.def_prop_rw(
       "gravity", [](const PythonScene& s) { return to_array(s.scene.gravity); },
       [](PythonScene& s, const ArrayLike& x) { s.change().gravity = to_vec3(x, "gravity"); },
       "(3,) [m/s^2]")
      .def_prop_rw(
          "force_table", [](const PythonScene& s) { return to_object(s.scene.force_table); },
          [](PythonScene& s, const std::optional<ArrayLike>& x) {
            s.change().force_table = to_force_table(x);
          },
          nb::for_setter(nb::arg("value").none()),
          nb::for_getter(
              nb::sig("def force_table(self) -> numpy.typing.NDArray[numpy.float64] | None")),
          "(n, 2): depths [m] and forces [N] of pairs neither of whose geoms has any, for the law "
          "tabulated; or None.")
      .def_prop_rw(
          "time_step", [](const PythonScene& s) { return s.scene.time_step; },
          [](PythonScene& s, double h) { s.change().time_step = h; }, "[s]")
      .def_prop_rw(
          "file", [](const PythonScene& s) { return s.scene.file; },
          [](PythonScene& s, const std::string& file) { s.change().file = file; },
          "As the user named it; empty when code built it.")
      .def_prop_rw(
          "friction_rule",
          [](const PythonScene& s) {
            return s.scene.friction_rule == FrictionRule::harmonic ? "harmonic" : "maximum";
          },
          [](PythonScene& s, const std::string& rule) {
            if (rule != "harmonic" && rule != "maximum") {
              fail_input("friction_rule " + quote(rule) +
                         " is not known: must be one of harmonic, maximum");
            }
            s.change().friction_rule =
                rule == "harmonic" ? FrictionRule::harmonic : FrictionRule::maximum;
          },
          "How friction of two surfaces combines: harmonic, 2 a b/(a + b), or maximum.")
      .def_ro("simulation", &PythonScene::simulation)
      .def(
          "validate", [](const PythonScene& s) { s.scene.validate(); },
          "Raises InputError at the first rule broken, as World does.")
      .def(
          "copy", [](const PythonScene& s) { return make_scene(s); },
          "One that can be changed, whatever this one is.")
      .def("__copy__", [](const PythonScene& s) { return make_scene(s); })
      .def("__deepcopy__", [](const PythonScene& s, const nb::dict&) { return make_scene(s); })
      .def("__getstate__",
           [](const PythonScene& s) {
             const std::string bytes = encode(s);
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("__setstate__",
           [](PythonScene& s, const nb::bytes& bytes) {
             new (&s) PythonScene{decode_scene({bytes.c_str(), bytes.size()})};
           })
      .def("__repr__", [](const PythonScene& s) {
        return "Scene(" + (s.scene.file.empty() ? "" : quote(s.scene.file) + ", ") +
               std::to_string(s.scene.bodies.size()) + " bodies, " +
               std::to_string(s.scene.geoms.size()) + " geoms)";
      });
  bind_loading(m);
}

}  // namespace abut::python
