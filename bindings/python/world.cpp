// World: making one, stepping it, copying it.

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "abut/core/text.hpp"
#include "module.hpp"
#include "numbers.hpp"
#include "options.hpp"
#include "python_recording.hpp"
#include "python_world.hpp"
#include "reports.hpp"
#include "scene_parts.hpp"

namespace abut::python {
namespace {

/// What World() is given, to be a Scene.
struct SceneArgument {
  nb::object value;
};

}  // namespace
}  // namespace abut::python

template <>
struct nanobind::detail::type_caster<abut::python::SceneArgument> {
  NB_TYPE_CASTER(abut::python::SceneArgument, const_name("abut._core.Scene"))

  bool from_python(handle source, std::uint8_t, cleanup_list*) noexcept {
    value.value = borrow(source);
    return true;
  }
};

namespace abut::python {
namespace {

using namespace nb::literals;

using Number = std::optional<double>;
using Text = std::optional<std::string>;

constexpr char constructor_signature[] =
    "def __init__(self, scene: Scene, *, model: str | None = None, law: str | None = None, "
    "scheme: str | None = None, solver: str | None = None, time_step: float | None = None, "
    "tolerance: float | None = None, accuracy: float | None = None, "
    "threads: int = 1, stiffness: float | None = None, dissipation: float | None = None, "
    "relaxation_time: float | None = None, friction: float | None = None, thickness: float | None "
    "= None, margin: float | None = "
    "None, stiction_tolerance: float | None = None, sigma: float | None = None, beta: float | None "
    "= None, lagged_rule: str | None = None, "
    "lag_tolerance: float | None = None, restitution: float | None = None, baumgarte: float | None "
    "= None, contact_limit: int | None = None, timed: bool = False, keyframe: str | "
    "int | None = None) -> None";

/// The scene of a new world, which is nobody else's to change. @throws nb::type_error for what is
/// none
SceneOwner own_scene(const SceneArgument& argument) {
  const nb::object& x = argument.value;
  SceneOwner scene;
  if (nb::try_cast(x, scene)) {
    if (scene->of_world) return scene;
    scene = std::make_shared<PythonScene>(*scene);
    scene->of_world = true;
    return scene;
  }
  const bool is_path = nb::isinstance<nb::str>(x) || nb::hasattr(x, "__fspath__");
  const std::string given = is_path ? nb::repr(nb::str(x)).c_str() : "\"scene.xml\"";
  throw nb::type_error(("World() takes a Scene, not " + std::string(nb::inst_name(x).c_str()) +
                        ": abut.World(abut.load(" + given + "))")
                           .c_str());
}

void construct(PythonWorld* self, const SceneArgument& argument, const Text& model, const Text& law,
               const Text& scheme, const Text& solver, Number time_step, Number tolerance,
               Number accuracy, int threads, Number stiffness, Number dissipation,
               Number relaxation_time, Number friction, Number thickness, Number margin,
               Number stiction_tolerance, Number sigma, Number beta, const Text& lagged_rule,
               Number lag_tolerance, Number restitution, Number baumgarte,
               std::optional<int> contact_limit, bool timed, const std::optional<Key>& keyframe,
               const nb::kwargs& rest) {
  refuse_unknown(rest, "World", constructor_signature);
  const SceneOwner scene = own_scene(argument);
  WorldOptions o = scene->simulation.over({});
  if (model) o.model = parse_model(*model);
  if (law) o.law = parse_law(*law);
  if (scheme) o.scheme = find_named("scheme", *scheme, stepping_schemes);
  if (solver) o.solver = *solver;
  if (tolerance) o.tolerance = *tolerance;
  if (accuracy) o.accuracy = *accuracy;
  if (margin) o.margin = *margin;
  if (stiction_tolerance) o.friction.stiction_tolerance = *stiction_tolerance;
  if (sigma) o.friction.sigma = *sigma;
  if (beta) o.friction.beta = *beta;
  if (lagged_rule) o.friction.lagged_rule = find_named("lagged_rule", *lagged_rule, lagged_rules);
  if (lag_tolerance) o.friction.lag_tolerance = *lag_tolerance;
  if (restitution) o.rigid.restitution = *restitution;
  if (baumgarte) o.rigid.baumgarte = *baumgarte;
  if (contact_limit) o.contact_limit = *contact_limit;
  o.time_step = time_step;
  o.threads = threads;
  o.timed = timed;
  o.pair = {stiffness, dissipation, relaxation_time, friction, thickness};
  std::vector<std::string> names;
  for (const Keyframe& k : scene->scene.keyframes) names.push_back(k.name);
  const int key = keyframe ? find_part(*keyframe, names, "keyframe") : -1;
  new (self) PythonWorld(scene, o);
  if (key >= 0) self->set_keyframe(key);
  try {
    self->warn();
  } catch (...) {  // where warnings are errors
    self->~PythonWorld();
    throw;
  }
}

int traverse_world(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  return nb::inst_ptr<PythonWorld>(self)->traverse(visit, arg);
}

int clear_world(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<PythonWorld>(self)->clear();
  return 0;
}

PyType_Slot world_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_world)},
                             {Py_tp_clear, reinterpret_cast<void*>(clear_world)},
                             {0, nullptr}};

std::optional<NamedReport> report(const PythonWorld& w) {
  return w.has_step() ? std::optional(NamedReport(w.get())) : std::nullopt;
}

/// A warning with what it needs of its world.
struct TextWarning {
  Warning warning;
  Text body, other;
  std::string text;
};

std::vector<TextWarning> warnings(const PythonWorld& w) {
  const World& world = w.get();
  const auto name = [&](int body) {
    return body == world_body ? Text() : display_name(world.scene(), body);
  };
  std::vector<TextWarning> list;
  for (const Warning& x : world.warnings()) {
    list.push_back({x, name(x.body), name(x.other), abut::describe(world.scene(), x)});
  }
  return list;
}

void bind_warning(nb::module_& m) {
  const auto number = [](auto member) {
    return [member](const TextWarning& w) { return w.warning.*member; };
  };
  nb::class_<TextWarning>(m, "WarningRecord", "The first warning of its kind of a world.")
      .def_prop_ro(
          "kind", [](const TextWarning& w) { return std::string(abut::to_string(w.warning.kind)); },
          "size, density, mass_ratio, depth, turn or energy.")
      .def_prop_ro("step", number(&Warning::step), "The first that shows it; 0: the scene does.")
      .def_prop_ro("time", number(&Warning::time), "[s]")
      .def_ro("body", &TextWarning::body, "Its name; None: the world.")
      .def_ro("other", &TextWarning::other, "Of a mass_ratio, and of what is deep in each other.")
      .def_prop_ro("value", number(&Warning::value), "In `unit`.")
      .def_prop_ro("bound", number(&Warning::bound), "Up to which nothing is said.")
      .def_prop_ro("unit",
                   [](const TextWarning& w) { return std::string(unit_of(w.warning.kind)); })
      .def_ro("text", &TextWarning::text, "A sentence.")
      .def("__str__", [](const TextWarning& w) { return w.text; })
      .def("__repr__", [](const TextWarning& w) {
        return "WarningRecord(" + std::string(abut::to_string(w.warning.kind)) + ": " + w.text +
               ")";
      });
}

using WorldClass = nb::class_<PythonWorld>;

void bind_constructor(WorldClass& c) {
  c.def("__init__", &construct, "scene"_a, nb::kw_only(), "model"_a = nb::none(),
        "law"_a = nb::none(), "scheme"_a = nb::none(), "solver"_a = nb::none(),
        "time_step"_a = nb::none(), "tolerance"_a = nb::none(), "accuracy"_a = nb::none(),
        "threads"_a = 1, "stiffness"_a = nb::none(), "dissipation"_a = nb::none(),
        "relaxation_time"_a = nb::none(), "friction"_a = nb::none(), "thickness"_a = nb::none(),
        "margin"_a = nb::none(), "stiction_tolerance"_a = nb::none(), "sigma"_a = nb::none(),
        "beta"_a = nb::none(), "lagged_rule"_a = nb::none(), "lag_tolerance"_a = nb::none(),
        "restitution"_a = nb::none(), "baumgarte"_a = nb::none(), "contact_limit"_a = nb::none(),
        "timed"_a = false, "keyframe"_a = nb::none(), "rest"_a, nb::sig(constructor_signature),
        ("A world in the state that the scene begins with, or that of a keyframe.\n\nmodel: " +
         list_names(contact_models) + "; law, of convex models without their own: " +
         list_names(normal_laws) + "; scheme, of stepping: " + list_names(stepping_schemes) +
         "; solver: " + list_names(solver_names()) +
         ". What is None is as the scene's file says, else the library's "
         "default. time_step [s]; tolerance, of each island's step error; accuracy: error of a "
         "body's place, of its radius, that a substep may make: a step is made in as many as "
         "it takes, in one if None; threads: how many at most, results do "
         "not depend on it. stiffness [N/m], dissipation [s/m], relaxation_time [s], friction "
         "and the thickness [m] of barriers' layers replace those of every pair. margin of "
         "speculative contact [m], None: from the "
         "shapes' sizes; stiction_tolerance "
         "[m/s], sigma, beta, lagged_rule (fixed_point, prediction or state) and lag_tolerance: "
         "docs/laws. restitution, and baumgarte, the share of an overlap that a step lets out: of "
         "rigid models. contact_limit: contacts of a step at which it raises InputError instead. "
         "timed: reports have the time of each stage, else NaN.\n\n"
         "Raises InputError if the scene or a value is wrong.")
            .c_str());
}

void bind_stepping(WorldClass& c) {
  c.def(
      "step",
      [](nb::handle_t<PythonWorld> self, std::int64_t n, const nb::object& callback,
         PythonRecording* recording, std::optional<double> time_step) {
        if (!nb::inst_ready(self)) throw nb::type_error("World.__init__() was not called");
        auto* world = nb::inst_ptr<PythonWorld>(self);
        world->step(n, time_step.value_or(world->get().time_step()), self, callback, recording);
        world->warn();
        return NamedReport(world->get());
      },
      "n"_a = 1, "callback"_a = nb::none(), "recording"_a.none() = nb::none(),
      "time_step"_a = nb::none(),
      nb::sig(
          "def step(self, n: int = 1, callback: collections.abc.Callable[[World], object] | None"
          " = None, recording: RecordingWriter | None = None, time_step: float | None = None)"
          " -> StepReport"),
      "Takes n steps, at least one, and returns the last one's report. time_step [s]: the world's "
      "if None; recordings are of steps of that size.\n\n"
      "Controllers of the scene's file act before each step, then those of add_controller(). "
      "callback(world) is called after each step; True ends the stepping, and so does a step that "
      "fails numerically. recording, of this world, records each step. Never fails for slow "
      "convergence: read the report. An exception of a controller or "
      "callback, and Ctrl-C, leave the world as it was after the last whole step.\n\n"
      "Other Python threads run meanwhile; worlds are independent, but one world is for one thread "
      "at a time: touching it while it steps raises RuntimeError.");
  c.def(
      "add_controller",
      [](PythonWorld& w, nb::callable function, const std::optional<std::vector<Key>>& actuators,
         const Text& name) {
        std::vector<int> indices;
        if (actuators) {
          for (const Key& key : *actuators) {
            indices.push_back(find_part(key, w.actuators(), "actuator"));
          }
        } else {
          for (int a = 0; a < std::ssize(w.actuators()); ++a) indices.push_back(a);
        }
        if (indices.empty()) fail_input("a controller needs an actuator, the scene has none");
        const nb::object label =
            name ? nb::cast(*name) : nb::getattr(function, "__name__", nb::cast("controller"));
        w.add_controller(nb::cast<std::string>(label), std::move(function), std::move(indices));
      },
      "function"_a, "actuators"_a = nb::none(), "name"_a = nb::none(),
      nb::sig("def add_controller(self, function: collections.abc.Callable[[World, float], "
              "numpy.typing.ArrayLike], actuators: collections.abc.Sequence[str | int] | None = "
              "None, name: str | None = None) -> None"),
      "Lets function(world, time) decide before each step: it returns the controls of the "
      "actuators (names or indices; all, in the scene's order, if None). A wrong number of them or "
      "one that is not finite is an InputError that names the controller and the time [s].");
  c.def("remove_controller", &PythonWorld::remove_controller, "name"_a);
  c.def_prop_ro("controllers", &PythonWorld::controller_names,
                "Names of the controllers that add_controller() added.");
  c.def_prop_ro(
      "warnings", &warnings,
      "What is to be known of the scene and of the steps so far: the first of each kind. Each is "
      "also told once by Python's warnings, as a SimulationWarning: docs/warnings.md.");
  c.def_prop_ro("report", &report,
                "The last step's; None before the first, and after restore() and set_keyframe().");
  c.def_prop_ro(
      "violations",
      [](const PythonWorld& w) {
        std::vector<NamedViolation> list;
        if (!w.has_step()) return list;
        for (const Violation& v : w.get().violations()) list.emplace_back(v, w.get().scene());
        return list;
      },
      "Of all equality constraints and limits, at the start of the last step; empty before the "
      "first, and after restore() and set_keyframe().");
}

void bind_copies(WorldClass& c) {
  c.def(
       "snapshot", [](const PythonWorld& w) { return w.get().snapshot(); },
       "All that decides how the world goes on, except the controllers. It can be pickled.")
      .def("restore", &PythonWorld::restore, "snapshot"_a,
           "Goes back to a snapshot of a world of the same scene; the same bits follow.")
      .def("clone", &PythonWorld::clone,
           "An independent world in the same state, with the same controllers.")
      .def("__copy__",
           [](nb::handle_t<PythonWorld> self) {
             if (!self.type().is(nb::type<PythonWorld>())) {
               throw nb::type_error(
                   "a subclass needs its own __copy__: World.clone() "
                   "makes a plain World");
             }
             return nb::cast<PythonWorld&>(self).clone();
           })
      .def("__deepcopy__", [](const PythonWorld& w, nb::dict) { return w.clone(); })
      .def(
          "__reduce__",
          [](const PythonWorld&) -> nb::object {
            throw nb::type_error(
                "a World cannot be pickled: pickle world.snapshot(), and restore it in a World of "
                "the same scene");
          },
          nb::sig("def __reduce__(self) -> str | tuple[typing.Any, ...]"))
      .def("__repr__",
           [](const PythonWorld& w) {
             const World& world = w.get();
             return "World(" + std::to_string(world.moving_bodies()) + " moving bodies, " +
                    std::to_string(world.steps()) + " steps, model " +
                    std::string(abut::to_string(world.options().model)) + ")";
           })
      .def(
          "state_hash", [](const PythonWorld& w) { return w.get().state_hash(); },
          "Of positions and velocities; equal for equal bits.");
}

}  // namespace

void bind_world(nb::module_& m) {
  bind_warning(m);
  WorldClass c(m, "World",
               "The live state of a scene, advanced step by step: symplectic Euler with one convex "
               "contact problem per step. Arrays are copies, and read-only: set a state by the "
               "set_ methods.",
               nb::type_slots(world_slots), nb::is_weak_referenceable());
  bind_constructor(c);
  bind_stepping(c);
  bind_copies(c);
  bind_world_state(m, c);
  bind_contacts(m, c);
  bind_world_problem(c);
  bind_world_solution(c);
}

}  // namespace abut::python
