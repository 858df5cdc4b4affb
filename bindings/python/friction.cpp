// Friction problems in impulses: building, loading, solving, judging.

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "abut/core/text.hpp"
#include "abut/io/friction_file.hpp"
#include "abut/problem/delassus.hpp"
#include "abut/problem/friction_compliance.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "module.hpp"
#include "numbers.hpp"
#include "unlocked.hpp"

namespace abut::python {
namespace {

using namespace nb::literals;

struct FrictionSolution {
  std::vector<Vec3> impulse;
  FrictionReport report;
};

RigidModel parse_rigid_model(const std::string& name) {
  return find_named("model", name, rigid_models);
}

/// Of a dense W; blocks of zeros are left out where both they and their mirror images are.
FrictionProblem make_problem(const ArrayLike& delassus, const ArrayLike& velocity,
                             const ArrayLike& friction, double time_step) {
  FrictionProblem p;
  p.friction = to_numbers(friction, "friction");
  p.time_step = time_step;
  const int count = p.contacts(), n = 3 * count;
  p.velocity = to_vectors(velocity, "velocity", count);
  const std::vector<double> w = to_table(delassus, "delassus", n, n);
  const auto block_at = [&](int i, int j) {
    Mat3 b{};
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) b(r, c) = w[static_cast<std::size_t>(3 * i + r) * n + 3 * j + c];
    }
    return b;
  };
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j) {
      const Mat3 b = block_at(i, j);
      if (i != j && b == Mat3{} && block_at(j, i) == Mat3{}) continue;
      p.delassus.column.push_back(j);
      p.delassus.block.push_back(b);
    }
    p.delassus.start.push_back(std::ssize(p.delassus.column));
  }
  validate(p);
  return p;
}

FrictionProblem make_rigid(ContactProblem problem, double restitution, double baumgarte) {
  problem.rigid = {.restitution = restitution, .baumgarte = baumgarte};
  validate(problem);
  return make_friction_problem(PreparedProblem(std::move(problem)));
}

/// Three numbers of each block row: lower or upper bounds of impulses, infinite those of contacts.
Rows3 bounds_of(const FrictionProblem& p, Vec3 ImpulseBounds::*side, double of_contacts) {
  std::vector<Vec3> rows(p.friction.size(), {of_contacts, of_contacts, of_contacts});
  for (const ImpulseBounds& b : p.bounds) rows.push_back(b.*side);
  return to_rows(rows);
}

Matrix dense_delassus(const FrictionProblem& p) {
  const std::size_t n = 3 * p.velocity.size();
  std::vector<double> w(n * n, 0);
  for (std::size_t i = 0; i < p.velocity.size(); ++i) {
    for (std::int64_t k = p.delassus.start[i]; k < p.delassus.start[i + 1]; ++k) {
      for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t c = 0; c < 3; ++c) {
          w[(3 * i + r) * n + 3 * static_cast<std::size_t>(p.delassus.column[k]) + c] =
              p.delassus.block[k](static_cast<int>(r), static_cast<int>(c));
        }
      }
    }
  }
  return to_array<Matrix>(std::move(w), {n, n});
}

FrictionSolution solve(const FrictionProblem& p, const std::string& solver,
                       const std::string& model, double tolerance, double relaxation,
                       const std::optional<ArrayLike>& guess, bool least_norm) {
  FrictionSolution s;
  if (guess) s.impulse = to_vectors(*guess, "guess", p.rows());
  const FrictionOptions options{.model = parse_rigid_model(model),
                                .tolerance = tolerance,
                                .relaxation = relaxation,
                                .is_warm = guess.has_value(),
                                .least_norm = least_norm};
  const std::unique_ptr<FrictionSolver> method = make_friction_solver(solver);
  const FrictionProblem copy = p;  // others may change it meanwhile
  const Unlocked unlocked;
  s.report = method->solve(copy, options, s.impulse);
  return s;
}

void bind_certificate(nb::module_& m) {
  nb::class_<RigidErrors>(m, "RigidErrors",
                          "How far impulses / h are from a rigid model's conditions, the worst "
                          "contact's [CB 15].")
      .def_ro("primal", &RigidErrors::primal, "Distance to the friction cone [N].")
      .def_ro("dual", &RigidErrors::dual, "Distance to the dual cone [m/s^2].")
      .def_ro("complementarity", &RigidErrors::complementarity, "[N m/s^2]")
      .def("__repr__", [](const RigidErrors& e) {
        return format_text("RigidErrors(primal=%.3g, dual=%.3g, complementarity=%.3g)", e.primal,
                           e.dual, e.complementarity);
      });
  nb::class_<FrictionCertificate>(m, "FrictionCertificate",
                                  "How far impulses are from solving a friction problem.")
      .def_ro("natural_error", &FrictionCertificate::natural_error,
              "The natural map of the model, the worst island's [-]; solvers stop by it.")
      .def_ro("model", &FrictionCertificate::model, "Of the model that was solved.")
      .def_ro("ncp", &FrictionCertificate::ncp, "Of the NCP: one ruler for all models.")
      .def("__repr__", [](const FrictionCertificate& c) {
        return format_text("FrictionCertificate(natural_error=%.3g)", c.natural_error);
      });
}

void bind_solution(nb::module_& m) {
  nb::class_<FrictionSolution>(m, "FrictionSolution",
                               "What FrictionProblem.solve() found: the best impulses, whatever "
                               "the status.")
      .def_prop_ro(
          "impulse", [](const FrictionSolution& s) { return to_rows(s.impulse); },
          "(contacts, 3): along t1, t2, n [N s].")
      .def_prop_ro(
          "status",
          [](const FrictionSolution& s) { return std::string(abut::to_string(s.report.status)); })
      .def_prop_ro(
          "iterations", [](const FrictionSolution& s) { return s.report.iterations; },
          "Most of any island.")
      .def_prop_ro(
          "factorizations", [](const FrictionSolution& s) { return s.report.factorizations; },
          "Of all islands.")
      .def_prop_ro(
          "seconds", [](const FrictionSolution& s) { return s.report.seconds; },
          "Wall time without the certificate.")
      .def_prop_ro("certificate", [](const FrictionSolution& s) { return s.report.certificate; })
      .def("__repr__", [](const FrictionSolution& s) {
        return "FrictionSolution(status='" + std::string(abut::to_string(s.report.status)) +
               format_text("', %d contacts, natural_error=%.3g)",
                           static_cast<int>(s.impulse.size()), s.report.certificate.natural_error);
      });
}

}  // namespace

void bind_friction(nb::module_& m) {
  bind_certificate(m);
  bind_solution(m);
  nb::class_<FrictionProblem>(
      m, "FrictionProblem",
      "The frictional contact problem in impulses: sigma = W gamma + g with the Delassus matrix W; "
      "each contact's vectors are (t1, t2, n). W may be rank-deficient and unsymmetric.")
      .def(
          "__init__",
          [](FrictionProblem* p, const ArrayLike& delassus, const ArrayLike& velocity,
             const ArrayLike& friction, double time_step) {
            new (p) FrictionProblem(make_problem(delassus, velocity, friction, time_step));
          },
          "delassus"_a, "velocity"_a, "friction"_a, nb::kw_only(), "time_step"_a = 1.0,
          "delassus: W (3 contacts, 3 contacts) [1/kg]; velocity: g (contacts, 3) [m/s]; friction: "
          "mu (contacts,); time_step: h [s], by which the criteria are of forces.")
      .def_static("of", &make_rigid, "problem"_a, nb::kw_only(),
                  "restitution"_a = RigidRules{}.restitution,
                  "baumgarte"_a = RigidRules{}.baumgarte,
                  "The rigid problem of a step's contacts, with its gaps, velocities, masses and "
                  "friction, and of its scalar constraints, three in each block row after those of "
                  "the contacts. restitution: 0 to 1; baumgarte: share of an overlap that a step "
                  "lets out, 0 to 1. Raises InputError for sparse trees.")
      .def_prop_ro("contacts", &FrictionProblem::contacts)
      .def_prop_ro("rows", &FrictionProblem::rows,
                   "Block rows: of the contacts, and of three scalar constraints each.")
      .def_prop_ro(
          "lower",
          [](const FrictionProblem& p) { return bounds_of(p, &ImpulseBounds::lower, -HUGE_VAL); },
          "Lower bounds of impulses (rows, 3) [N s]; -inf of contacts, whose cone has its own.")
      .def_prop_ro(
          "upper",
          [](const FrictionProblem& p) { return bounds_of(p, &ImpulseBounds::upper, HUGE_VAL); },
          "Upper bounds, likewise.")
      .def_ro("time_step", &FrictionProblem::time_step, "h [s]")
      .def_prop_ro("delassus", &dense_delassus, "W, dense (3 rows, 3 rows) [1/kg].")
      .def_prop_ro(
          "velocity", [](const FrictionProblem& p) { return to_rows(p.velocity); },
          "g (rows, 3) [m/s]: the velocities without contact impulses.")
      .def_prop_ro(
          "friction", [](const FrictionProblem& p) { return to_array<>(p.friction); },
          "mu (contacts,)")
      .def("solve", &solve, "solver"_a = "interior-point", nb::kw_only(), "model"_a = "ncp",
           "tolerance"_a = 1e-8, "relaxation"_a = 1, "guess"_a = nb::none(), "least_norm"_a = false,
           "Solves and certifies, from a guess of the impulses (contacts, 3) or from none. "
           "Solvers that sweep take the share `relaxation`, in (0, 2), of each change. With "
           "least_norm the impulses are the shortest that have the velocities found, without "
           "internal forces. Never fails for slow convergence: read the status.")
      .def(
          "relative_compliance",
          [](const FrictionProblem& p, double alpha) {
            return to_rows(relative_compliance(p, alpha));
          },
          "alpha"_a, "MuJoCo's rule [CB III-B]: R = alpha diag(W), (rows, 3) [1/kg].")
      .def(
          "sap_compliance",
          [](const FrictionProblem& p, double stiffness, double dissipation_time, double near_rigid,
             double stiction_ratio) {
            return to_rows(
                sap_compliance(p, {stiffness, dissipation_time, near_rigid, stiction_ratio}));
          },
          nb::kw_only(), "stiffness"_a = SapCompliance{}.stiffness,
          "dissipation_time"_a = SapCompliance{}.dissipation_time,
          "near_rigid"_a = SapCompliance{}.near_rigid,
          "stiction_ratio"_a = SapCompliance{}.stiction_ratio,
          "Drake's rule [SAP 29], (rows, 3) [1/kg]: R_n = max(beta^2/(4 pi^2) w, "
          "1/(h (h + tau_d) k)), R_t = sigma w. stiffness: k [N/m]; dissipation_time: tau_d [s]; "
          "near_rigid: beta; stiction_ratio: sigma. Raises InputError at a setting out of range.")
      .def(
          "with_compliance",
          [](const FrictionProblem& p, const ArrayLike& compliance) {
            return with_compliance(p, to_vectors(compliance, "compliance", p.rows()));
          },
          "compliance"_a,
          "The problem with R (rows, 3) [1/kg] added to W's diagonal: contacts that give way [CB "
          "21-22].")
      .def(
          "certify",
          [](const FrictionProblem& p, const ArrayLike& impulse, const std::string& model) {
            return certify(p, parse_rigid_model(model), to_vectors(impulse, "impulse", p.rows()));
          },
          "impulse"_a, "model"_a = "ncp", "The certificate of anybody's impulses (contacts, 3).")
      .def("__repr__", [](const FrictionProblem& p) {
        return "FrictionProblem(" + std::to_string(p.contacts()) + " contacts)";
      });
  m.def(
      "load_friction_problem",
      [](const std::filesystem::path& path) { return load_friction_file(path.string()).problem; },
      "path"_a,
      "A friction problem of another simulator (docs/formats/friction_problem.md). Raises "
      "FileError, InputError.");
}

}  // namespace abut::python
