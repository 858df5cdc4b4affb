#include "module.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "abut/core/error.hpp"
#include "abut/core/isa.hpp"
#include "abut/core/text.hpp"
#include "abut/core/version.hpp"
#include "abut/laws/law_kind.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "abut/trees/stepping_scheme.hpp"
#include "unlocked.hpp"

namespace abut::python {
namespace {

using namespace nb::literals;

template <class Values>
std::vector<std::string> names_of(const Values& values) {
  std::vector<std::string> names;
  for (const auto value : values) names.emplace_back(to_string(value));
  return names;
}

void bind_names(nb::module_& m) {
  m.def("version", &version, "abut's version, as in the recordings' heads.");
  m.def(
      "contact_models", [] { return names_of(contact_models); }, "Names of the contact models.");
  m.def(
      "normal_laws", [] { return names_of(normal_laws); }, "Names of the normal laws.");
  m.def(
      "stepping_schemes", [] { return names_of(stepping_schemes); },
      "Names of the stepping schemes.");
  m.def(
      "velocity_schemes", [] { return names_of(velocity_schemes); },
      "Those of them that find velocities at a step's end, under any contact model.");
  m.def(
      "convex_models", [] { return names_of(convex_models); },
      "Names of those models whose steps are convex problems: of compliant contact.");
  m.def(
      "solver_names",
      [](const std::optional<std::string>& model) {
        std::vector<std::string> names;
        for (const std::string_view name : solver_names()) {
          if (model && !make_solver(name)->supports(find_named("model", *model, contact_models))) {
            continue;
          }
          names.emplace_back(name);
        }
        return names;
      },
      "model"_a = nb::none(),
      "Names of the solvers, or of those that solve a model: its default first.");
  m.def(
      "rigid_models", [] { return names_of(rigid_models); },
      "Names of the models of rigid contact, of friction problems.");
  m.def(
      "friction_solver_names",
      [] {
        const auto names = friction_solver_names();
        return std::vector<std::string>(names.begin(), names.end());
      },
      "Names of the solvers of friction problems.");
  m.def(
      "active_isa", [] { return std::string(to_string(active_isa())); },
      "The instruction set whose kernels are used: baseline, avx2 or avx512.");
}

}  // namespace
}  // namespace abut::python

NB_MODULE(_core, m) {
  using namespace abut::python;
  m.doc() = "The compiled part of abut: import abut instead.";
  nb::exception<abut::InputError>(m, "InputError", PyExc_ValueError).attr("__doc__") =
      "Wrong input from a caller or a file: the message names place, value, unit and rule.";
  nb::exception<abut::FileError>(m, "FileError", PyExc_OSError).attr("__doc__") =
      "A file that cannot be read or written: the message names it and the system's reason.";
  m.attr("SimulationWarning") = nb::steal(PyErr_NewExceptionWithDoc(
      "abut._core.SimulationWarning",
      "Numbers of a simulation that are computed as asked and may not mean what they seem to: "
      "sizes "
      "and masses out of all proportion, deep overlap, large turns in a step, energy from nowhere.",
      PyExc_UserWarning, nullptr));
  bind_names(m);
  bind_scene_parts(m);
  bind_scene(m);
  bind_scene_build(m);
  bind_laws(m);
  bind_problem(m);
  bind_snapshot(m);
  bind_reports(m);
  bind_solutions(m);
  bind_forces(m);
  bind_friction(m);
  bind_world(m);
  bind_recording(m);
  watch_exit();
}
