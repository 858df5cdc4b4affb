// World: making one, stepping it, what a step says.

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdio>

#include "abut/core/text.hpp"
#include "module.hpp"
#include "numbers.hpp"
#include "options.hpp"
#include "python_recording.hpp"
#include "python_world.hpp"
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

LaggedRule parse_rule(const std::string& name) {
  if (name == "sweep") return LaggedRule::sweep;
  if (name == "state") return LaggedRule::state;
  fail_input("lagged_rule " + quote(name) + " is not known; there are sweep, state");
}

constexpr char constructor_signature[] =
    "def __init__(self, scene: Scene, *, model: str | None = None, law: str | None = None, "
    "solver: str | None = None, time_step: float | None = None, tolerance: float | None = None, "
    "threads: int = 1, stiffness: float | None = None, dissipation: float | None = None, "
    "relaxation_time: float | None = None, friction: float | None = None, margin: float | None = "
    "None, stiction_tolerance: float | None = None, sigma: float | None = None, beta: float | None "
    "= None, lagged_rule: str | None = None, keyframe: str | int | None = None) -> None";

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
               const Text& solver, Number time_step, Number tolerance, int threads,
               Number stiffness, Number dissipation, Number relaxation_time, Number friction,
               Number margin, Number stiction_tolerance, Number sigma, Number beta,
               const Text& lagged_rule, const std::optional<Key>& keyframe,
               const nb::kwargs& rest) {
  refuse_unknown(rest, "World", constructor_signature);
  const SceneOwner scene = own_scene(argument);
  WorldOptions o = scene->simulation.over({});
  if (model) o.model = parse_model(*model);
  if (law) o.law = parse_law(*law);
  if (solver) o.solver = *solver;
  if (tolerance) o.tolerance = *tolerance;
  if (margin) o.margin = *margin;
  if (stiction_tolerance) o.friction.stiction_tolerance = *stiction_tolerance;
  if (sigma) o.friction.sigma = *sigma;
  if (beta) o.friction.beta = *beta;
  if (lagged_rule) o.friction.lagged_rule = parse_rule(*lagged_rule);
  o.time_step = time_step;
  o.threads = threads;
  o.pair = {stiffness, dissipation, relaxation_time, friction};
  std::vector<std::string> names;
  for (const Keyframe& k : scene->scene.keyframes) names.push_back(k.name);
  const int key = keyframe ? find_part(*keyframe, names, "keyframe") : -1;
  new (self) PythonWorld(scene, o);
  if (key >= 0) self->set_keyframe(key);
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

std::string describe(const SolveReport& r) {
  return "status='" + std::string(abut::to_string(r.status)) +
         format_text("', iterations=%d, momentum_error=%.3g", r.iterations,
                     r.certificate.momentum_error);
}

void bind_reports(nb::module_& m) {
  nb::class_<Certificate>(m, "Certificate",
                          "How far velocities and impulses are from solving the step's problem, "
                          "recomputed by code that no solver uses.")
      .def_ro("momentum_error", &Certificate::momentum_error, "e_m, the worst island's [-].")
      .def_ro("impulse_error", &Certificate::impulse_error,
              "Impulses against the laws at the velocities [-].")
      .def_ro("complementarity_error", &Certificate::complementarity_error, "SAP only [-].")
      .def_ro("ncp_primal", &Certificate::ncp_primal, "Outside Coulomb's cone [N].")
      .def_ro("ncp_dual", &Certificate::ncp_dual, "[m/s^2]")
      .def_ro("ncp_complementarity", &Certificate::ncp_complementarity, "[N m/s^2]")
      .def_ro("worst_tree", &Certificate::worst_tree, "Of momentum_error; -1: none.")
      .def("__repr__", [](const Certificate& c) {
        return format_text("Certificate(momentum_error=%.3g, impulse_error=%.3g)", c.momentum_error,
                           c.impulse_error);
      });
  nb::class_<StageTimes>(m, "StageTimes", "Wall time of a step's stages [s].")
      .def_ro("contact_query", &StageTimes::contact_query)
      .def_ro("problem", &StageTimes::problem)
      .def_ro("solve", &StageTimes::solve)
      .def_ro("rest", &StageTimes::rest)
      .def_prop_ro("total", &StageTimes::total)
      .def("__repr__", [](const StageTimes& t) {
        return format_text("StageTimes(contact_query=%.3g, problem=%.3g, solve=%.3g, rest=%.3g)",
                           t.contact_query, t.problem, t.solve, t.rest);
      });
  nb::class_<SolveReport>(m, "SolveReport", "How a solve ended.")
      .def_prop_ro(
          "status", [](const SolveReport& r) { return std::string(abut::to_string(r.status)); },
          "converged, iteration_limit, stalled or numerical_failure: the worst island's.")
      .def_prop_ro("converged",
                   [](const SolveReport& r) { return r.status == SolveStatus::converged; })
      .def_ro("at_round_off", &SolveReport::at_round_off,
              "Converged as far as rounding allows, above the tolerance.")
      .def_ro("iterations", &SolveReport::iterations, "Most of any island.")
      .def_ro("factorizations", &SolveReport::factorizations, "Of all islands.")
      .def_ro("line_evaluations", &SolveReport::line_evaluations)
      .def_ro("rounds", &SolveReport::rounds, "Solves until no dormant patch was closed.")
      .def_ro("seconds", &SolveReport::seconds, "Wall time, without the certificate [s].")
      .def_ro("certificate", &SolveReport::certificate)
      .def("__repr__", [](const SolveReport& r) { return "SolveReport(" + describe(r) + ")"; });
}

std::string name_of(const Scene& scene, const Violation& v) {
  if (v.index < 0) return "";
  switch (v.kind) {
    case ConstraintKind::equality: return scene.equalities[v.index].name;
    case ConstraintKind::joint_limit: return scene.bodies[v.index].joints[v.joint].name;
    case ConstraintKind::tendon_limit: return scene.tendons[v.index].name;
  }
  return "";
}

const char* to_string(ConstraintKind kind) {
  switch (kind) {
    case ConstraintKind::equality: return "equality";
    case ConstraintKind::joint_limit: return "joint_limit";
    case ConstraintKind::tendon_limit: return "tendon_limit";
  }
  return "";
}

/// One with its constraint's name.
struct NamedViolation : Violation {
  std::string name;

  NamedViolation(const Violation& v, const Scene& scene) : Violation(v), name(name_of(scene, v)) {}
};

/// A step's report with the names of the constraints that it tells of.
struct NamedReport {
  StepReport step;
  NamedViolation equality, limit;

  explicit NamedReport(const World& w)
      : step(w.report()), equality(step.equality, w.scene()), limit(step.limit, w.scene()) {}
};

void bind_violation(nb::module_& m) {
  nb::class_<NamedViolation>(m, "Violation",
                             "How far a constraint of the scene is from being met, at the step's "
                             "start: docs/constraints.md.")
      .def_prop_ro(
          "kind", [](const NamedViolation& v) { return to_string(v.kind); },
          "equality, joint_limit or tendon_limit.")
      .def_ro("name", &NamedViolation::name,
              "Of the equality constraint, joint or tendon; empty if it has none.")
      .def_ro("index", &NamedViolation::index,
              "In the scene, of the equality constraint, the tendon or the joint's body; -1: of "
              "none, as nothing is off.")
      .def_ro("size", &NamedViolation::size, "[m], of an angle [rad].")
      .def_ro("is_angle", &NamedViolation::is_angle)
      .def_ro("persists", &NamedViolation::persists,
              "For how long it is off by more than its tolerance without coming closer [s].")
      .def_ro("tolerance", &NamedViolation::tolerance, "[m or rad]")
      .def_prop_ro("is_unmet", &NamedViolation::is_unmet,
                   "It is not going to be met: it contradicts others, or something holds it off.")
      .def("__repr__", [](const NamedViolation& v) {
        const std::string what = v.index < 0 ? "none" : to_string(v.kind) + (" " + quote(v.name));
        return "Violation(" + what +
               format_text(", size=%.3g %s", v.size, v.is_angle ? "rad" : "m") +
               (v.is_unmet() ? ", unmet)" : ")");
      });
}

void bind_step_report(nb::module_& m) {
  using R = NamedReport;
  nb::class_<R>(m, "StepReport", "How a step went.")
      .def_prop_ro("solve", [](const R& r) { return r.step.solve; })
      .def_prop_ro(
          "status", [](const R& r) { return std::string(abut::to_string(r.step.solve.status)); },
          "That of solve.")
      .def_prop_ro(
          "certificate", [](const R& r) { return r.step.solve.certificate; }, "That of solve.")
      .def_prop_ro("contacts", [](const R& r) { return r.step.contacts; })
      .def_prop_ro(
          "penetration", [](const R& r) { return r.step.penetration; },
          "Deepest, at the step's start [m].")
      .def_prop_ro(
          "overlaps", [](const R& r) { return r.step.overlaps; },
          "Pairs of shapes that began in each other.")
      .def_ro(
          "equality", &R::equality,
          "The equality constraint that is most off, at the step's start; of size 0 if none is.")
      .def_ro("limit", &R::limit, "The limit of a joint or tendon that is most exceeded, likewise.")
      .def_prop_ro("time", [](const R& r) { return r.step.time; })
      .def("__repr__", [](const R& r) {
        return "StepReport(" + describe(r.step.solve) +
               format_text(", contacts=%d, penetration=%.3g)", r.step.contacts, r.step.penetration);
      });
}

std::optional<NamedReport> report(const PythonWorld& w) {
  return w.has_step() ? std::optional(NamedReport(w.get())) : std::nullopt;
}

using WorldClass = nb::class_<PythonWorld>;

void bind_constructor(WorldClass& c) {
  c.def("__init__", &construct, "scene"_a, nb::kw_only(), "model"_a = nb::none(),
        "law"_a = nb::none(), "solver"_a = nb::none(), "time_step"_a = nb::none(),
        "tolerance"_a = nb::none(), "threads"_a = 1, "stiffness"_a = nb::none(),
        "dissipation"_a = nb::none(), "relaxation_time"_a = nb::none(), "friction"_a = nb::none(),
        "margin"_a = nb::none(), "stiction_tolerance"_a = nb::none(), "sigma"_a = nb::none(),
        "beta"_a = nb::none(), "lagged_rule"_a = nb::none(), "keyframe"_a = nb::none(), "rest"_a,
        nb::sig(constructor_signature),
        "A world in the state that the scene begins with, or that of a keyframe.\n\n"
        "model: sap, lagged or similar; law, of lagged and similar: kelvin-voigt, hunt-crossley, "
        "hertz; solver: newton, ... What is None is as the scene's file says, else the library's "
        "default. time_step [s]; tolerance, of each island's momentum error; threads: results do "
        "not depend on it. stiffness [N/m], dissipation [s/m], relaxation_time [s] and friction "
        "replace those of every pair. margin of speculative contact [m]; stiction_tolerance "
        "[m/s], sigma, beta and lagged_rule (sweep or state): docs/laws.\n\n"
        "Raises InputError if the scene or a value is wrong.");
}

void bind_stepping(WorldClass& c) {
  c.def(
      "step",
      [](nb::handle_t<PythonWorld> self, std::int64_t n, const nb::object& callback,
         PythonRecording* recording) {
        if (!nb::inst_ready(self)) throw nb::type_error("World.__init__() was not called");
        auto* world = nb::inst_ptr<PythonWorld>(self);
        world->step(n, self, callback, recording);
        return NamedReport(world->get());
      },
      "n"_a = 1, "callback"_a = nb::none(), "recording"_a.none() = nb::none(),
      nb::sig(
          "def step(self, n: int = 1, callback: collections.abc.Callable[[World], object] | None"
          " = None, recording: RecordingWriter | None = None) -> StepReport"),
      "Takes n steps, at least one, and returns the last one's report.\n\n"
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
                   "a class of its own needs its own __copy__: World.clone() "
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
  bind_reports(m);
  bind_violation(m);
  bind_step_report(m);
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
}

}  // namespace abut::python
