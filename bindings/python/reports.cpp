// What a step says: certificate, times, contacts, constraints that are off.

#include "reports.hpp"

#include "abut/core/text.hpp"
#include "module.hpp"
#include "numbers.hpp"

namespace abut::python {
namespace {

std::string describe(const SolveReport& r) {
  return "status='" + std::string(abut::to_string(r.status)) +
         format_text("', iterations=%d, step_error=%.3g", r.iterations, r.certificate.step_error);
}

void bind_solve_report(nb::module_& m) {
  nb::class_<Certificate>(m, "Certificate",
                          "How far velocities and impulses are from solving the step's problem, "
                          "recomputed by code that no solver uses.")
      .def_ro("step_error", &Certificate::step_error,
              "What is left of the momentum balance, relative to what the step does to momentum: "
              "the worst island's [-]. What the tolerance is of.")
      .def_ro("momentum_error", &Certificate::momentum_error,
              "e_m, relative to the whole momentum, as in the papers [-].")
      .def_ro("impulse_error", &Certificate::impulse_error,
              "Impulses against the laws at the velocities [-].")
      .def_ro("lag_error", &Certificate::lag_error,
              "Lagged: friction's normal impulse against the one that came out [-].")
      .def_ro("complementarity_error", &Certificate::complementarity_error, "SAP only [-].")
      .def_ro("ncp_primal", &Certificate::ncp_primal, "Outside Coulomb's cone [N].")
      .def_ro("ncp_dual", &Certificate::ncp_dual, "[m/s^2]")
      .def_ro("ncp_complementarity", &Certificate::ncp_complementarity, "[N m/s^2]")
      .def_ro("worst_tree", &Certificate::worst_tree, "Of step_error; -1: none.")
      .def("__repr__", [](const Certificate& c) {
        return format_text("Certificate(step_error=%.3g, impulse_error=%.3g)", c.step_error,
                           c.impulse_error);
      });
  nb::class_<StageTimes>(m, "StageTimes",
                         "Wall time of a step's stages [s]; NaN unless the world is timed.")
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
      .def_ro("factor_flops", &SolveReport::factor_flops,
              "Floating-point operations of these; 0 of solvers that do not count them.")
      .def_ro("line_evaluations", &SolveReport::line_evaluations)
      .def_ro("rounds", &SolveReport::rounds, "Solves until no dormant contact was closed.")
      .def_ro("lag_rounds", &SolveReport::lag_rounds,
              "Most times that an island's friction took the normal impulses that came out.")
      .def_ro("lagging_islands", &SolveReport::lagging_islands,
              "Whose lag error is above the lag tolerance.")
      .def_ro("seconds", &SolveReport::seconds,
              "Wall time, without the certificate [s]; NaN if it is not measured.")
      .def_ro("certificate", &SolveReport::certificate)
      .def("__repr__", [](const SolveReport& r) { return "SolveReport(" + describe(r) + ")"; });
}

const char* to_string(ConstraintKind kind) {
  switch (kind) {
    case ConstraintKind::equality: return "equality";
    case ConstraintKind::joint_limit: return "joint_limit";
    case ConstraintKind::tendon_limit: return "tendon_limit";
  }
  return "";
}

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
      .def_prop_ro(
          "substeps", [](const R& r) { return r.step.error.substeps; },
          "That the step was made in; more than one only if the world has an accuracy.")
      .def_prop_ro(
          "rejected", [](const R& r) { return r.step.error.rejected; },
          "Substeps that were not taken, as they erred too much.")
      .def_prop_ro(
          "smallest_substep", [](const R& r) { return r.step.error.smallest; }, "[s]")
      .def_prop_ro(
          "error", [](const R& r) { return r.step.error.error; },
          "Estimated, of a body's place: the largest of two substeps, of its radius.")
      .def_prop_ro(
          "impacts", [](const R& r) { return r.step.events.impacts; },
          "Times within the step at which something met, under the scheme accelerations.")
      .def_prop_ro(
          "rays", [](const R& r) { return r.step.events.rays; },
          "Impulses where no forces exist [BARAFF 6], likewise.")
      .def_prop_ro("time", [](const R& r) { return r.step.time; })
      .def("__repr__", [](const R& r) {
        return "StepReport(" + describe(r.step.solve) +
               format_text(", contacts=%d, penetration=%.3g)", r.step.contacts, r.step.penetration);
      });
}

}  // namespace

std::string name_of(const Scene& scene, const Violation& v) {
  if (v.index < 0) return "";
  switch (v.kind) {
    case ConstraintKind::equality: return scene.equalities[v.index].name;
    case ConstraintKind::joint_limit: return scene.bodies[v.index].joints[v.joint].name;
    case ConstraintKind::tendon_limit: return scene.tendons[v.index].name;
  }
  return "";
}

void bind_reports(nb::module_& m) {
  bind_solve_report(m);
  bind_violation(m);
  bind_step_report(m);
}

}  // namespace abut::python
