// World: making one, stepping it, what a step says.

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdio>

#include "abut/core/text.hpp"
#include "module.hpp"
#include "numbers.hpp"
#include "python_recording.hpp"
#include "python_world.hpp"
#include "scene_parts.hpp"

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

void construct(PythonWorld* self, const SceneFile& file, const Text& model, const Text& law,
               const Text& solver, Number time_step, Number tolerance, int threads,
               Number stiffness, Number dissipation, Number relaxation_time, Number friction,
               Number margin, Number stiction_tolerance, Number sigma, Number beta,
               const Text& lagged_rule, std::optional<int> contact_limit,
               const std::optional<Key>& keyframe) {
  WorldOptions o = file.simulation.over({});
  if (model) o.model = parse_model(*model);
  if (law) o.law = parse_law(*law);
  if (solver) o.solver = *solver;
  if (tolerance) o.tolerance = *tolerance;
  if (margin) o.margin = *margin;
  if (stiction_tolerance) o.friction.stiction_tolerance = *stiction_tolerance;
  if (sigma) o.friction.sigma = *sigma;
  if (beta) o.friction.beta = *beta;
  if (lagged_rule) o.friction.lagged_rule = parse_rule(*lagged_rule);
  if (contact_limit) o.contact_limit = *contact_limit;
  o.time_step = time_step;
  o.threads = threads;
  o.pair = {stiffness, dissipation, relaxation_time, friction};
  std::vector<std::string> names;
  for (const Keyframe& k : file.scene.keyframes) names.push_back(k.name);
  const int key = keyframe ? find_part(*keyframe, names, "keyframe") : -1;
  new (self) PythonWorld(std::make_shared<const SceneFile>(file), o);
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

/// Of printf's format.
template <class... Numbers>
std::string text(const char* format, Numbers... numbers) {
  char buffer[192];
  std::snprintf(buffer, sizeof buffer, format, numbers...);
  return buffer;
}

std::string describe(const SolveReport& r) {
  return "status='" + std::string(abut::to_string(r.status)) +
         text("', iterations=%d, momentum_error=%.3g", r.iterations, r.certificate.momentum_error);
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
        return text("Certificate(momentum_error=%.3g, impulse_error=%.3g)", c.momentum_error,
                    c.impulse_error);
      });
  nb::class_<StageTimes>(m, "StageTimes", "Wall time of a step's stages [s].")
      .def_ro("contact_query", &StageTimes::contact_query)
      .def_ro("problem", &StageTimes::problem)
      .def_ro("solve", &StageTimes::solve)
      .def_ro("rest", &StageTimes::rest)
      .def_prop_ro("total", &StageTimes::total);
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
  nb::class_<StepReport>(m, "StepReport", "How a step went.")
      .def_ro("solve", &StepReport::solve)
      .def_prop_ro(
          "status",
          [](const StepReport& r) { return std::string(abut::to_string(r.solve.status)); },
          "That of solve.")
      .def_prop_ro(
          "certificate", [](const StepReport& r) { return r.solve.certificate; }, "That of solve.")
      .def_ro("contacts", &StepReport::contacts)
      .def_ro("penetration", &StepReport::penetration, "Deepest, at the step's start [m].")
      .def_ro("overlaps", &StepReport::overlaps, "Pairs of shapes that began in each other.")
      .def_ro("time", &StepReport::time)
      .def("__repr__", [](const StepReport& r) {
        return "StepReport(" + describe(r.solve) +
               text(", contacts=%d, penetration=%.3g)", r.contacts, r.penetration);
      });
}

std::optional<StepReport> report(const PythonWorld& w) {
  return w.has_step() ? std::optional(w.get().report()) : std::nullopt;
}

using WorldClass = nb::class_<PythonWorld>;

void bind_constructor(WorldClass& c) {
  c.def("__init__", &construct, "scene"_a, nb::kw_only(), "model"_a = nb::none(),
        "law"_a = nb::none(), "solver"_a = nb::none(), "time_step"_a = nb::none(),
        "tolerance"_a = nb::none(), "threads"_a = 1, "stiffness"_a = nb::none(),
        "dissipation"_a = nb::none(), "relaxation_time"_a = nb::none(), "friction"_a = nb::none(),
        "margin"_a = nb::none(), "stiction_tolerance"_a = nb::none(), "sigma"_a = nb::none(),
        "beta"_a = nb::none(), "lagged_rule"_a = nb::none(), "contact_limit"_a = nb::none(),
        "keyframe"_a = nb::none(),
        "A world in the state that the scene begins with, or that of a keyframe.\n\n"
        "model: sap, lagged or similar; law, of lagged and similar: kelvin-voigt, hunt-crossley, "
        "hertz; solver: newton, ... What is None is as the scene's file says, else the library's "
        "default. time_step [s]; tolerance, of each island's momentum error; threads: results do "
        "not depend on it. stiffness [N/m], dissipation [s/m], relaxation_time [s] and friction "
        "replace those of every pair. margin of speculative contact [m]; stiction_tolerance "
        "[m/s], sigma, beta and lagged_rule (sweep or state): docs/laws. contact_limit: contacts of a "
        "step at which it raises InputError instead.\n\n"
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
        return report(*world);
      },
      "n"_a = 1, "callback"_a = nb::none(), "recording"_a.none() = nb::none(),
      nb::sig(
          "def step(self, n: int = 1, callback: collections.abc.Callable[[World], object] | None"
          " = None, recording: RecordingWriter | None = None) -> StepReport | None"),
      "Takes n steps and returns the last one's report.\n\n"
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
      .def("__reduce__",
           [](const PythonWorld&) -> nb::object {
             throw nb::type_error(
                 "a World cannot be pickled: pickle world.snapshot(), and restore it in a World of "
                 "the same scene");
           })
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
