// Contact forces at one instant by pivoting: building a problem, solving it, judging forces.

#include <nanobind/stl/string.h>

#include <cmath>
#include <limits>

#include "abut/core/error.hpp"
#include "abut/problem/certify_forces.hpp"
#include "abut/solvers/direct/baraff.hpp"
#include "module.hpp"
#include "numbers.hpp"
#include "unlocked.hpp"

namespace abut::python {
namespace {

using namespace nb::literals;

struct ForceSolution {
  std::vector<double> force, acceleration;
  ForceReport report;
};

ForceProblem make_problem(const ArrayLike& matrix, const ArrayLike& bias) {
  ForceProblem p;
  p.bias = to_numbers(bias, "bias");
  p.matrix = to_table(matrix, "matrix", p.rows(), p.rows());
  return p;
}

void add_contact(ForceProblem& p, int normal, const std::vector<double>& tangents, double friction,
                 const std::vector<double>& slip) {
  if (tangents.size() > 2) fail_input("tangents has more than two rows");
  if (!slip.empty() && slip.size() != tangents.size()) {
    fail_input("slip has " + std::to_string(slip.size()) +
               " numbers [m/s]: must have one of each of the " + std::to_string(tangents.size()) +
               " tangents");
  }
  ForceContact c{.normal = normal, .friction = friction};
  for (std::size_t k = 0; k < tangents.size(); ++k) {
    if (tangents[k] != std::floor(tangents[k])) fail_input("tangents are rows: must be integers");
    require(tangents[k] >= 0 && tangents[k] < p.rows(), "tangents", tangents[k], "",
            "must be a row of the matrix");
    c.tangents[k] = static_cast<int>(tangents[k]);
  }
  for (std::size_t k = 0; k < slip.size(); ++k) c.slip[k] = slip[k];
  p.contacts.push_back(c);
}

std::vector<double> accelerations(const ForceProblem& p, const std::vector<double>& force) {
  std::vector<double> a = p.bias;
  for (int i = 0; i < p.rows(); ++i) {
    for (int j = 0; j < p.rows(); ++j) a[i] += p.entry(i, j) * force[j];
  }
  return a;
}

ForceSolution solve(const ForceProblem& p, double tolerance) {
  require(tolerance > 0 && std::isfinite(tolerance), "tolerance", tolerance, "",
          "must be positive");
  const ForceProblem copy = p;  // others may change it meanwhile
  const Unlocked unlocked;
  ForceSolution s;
  BaraffSolver solver;
  s.report = solver.solve(copy, s.force, tolerance);
  s.acceleration = accelerations(copy, s.force);
  return s;
}

void bind_certificate(nb::module_& m) {
  nb::class_<ForceCertificate>(m, "ForceCertificate",
                               "How far forces are from the conditions of a ForceProblem, each the "
                               "worst row's or contact's [BARAFF 15, 16, 21, 24].")
      .def_ro("pull", &ForceCertificate::pull, "Of normal forces: -f_N [N].")
      .def_ro("approach", &ForceCertificate::approach, "Of normal accelerations: -a_N [m/s^2].")
      .def_ro("complementarity", &ForceCertificate::complementarity, "|f_N a_N| [N m/s^2].")
      .def_ro("excess", &ForceCertificate::excess, "Static friction beyond mu f_N [N].")
      .def_ro("drive", &ForceCertificate::drive,
              "Of static friction that speeds slip up: a_F . f_F [N m/s^2].")
      .def_ro("slack", &ForceCertificate::slack,
              "Of contacts that slip below their limit: |a_F| (mu f_N - |f_F|) [N m/s^2].")
      .def_ro("misdirection", &ForceCertificate::misdirection,
              "Dynamic friction: |f_F + mu f_N v_F / |v_F|| [N].")
      .def_ro("bilateral", &ForceCertificate::bilateral, "|a| of bilateral rows [m/s^2].")
      .def_ro("error", &ForceCertificate::error, "The largest of all, relative [-].")
      .def("__repr__", [](const ForceCertificate& c) {
        return format_text("ForceCertificate(error=%.3g)", c.error);
      });
}

void bind_solution(nb::module_& m) {
  nb::class_<ForceSolution>(m, "ForceSolution",
                            "Forces of a ForceProblem, and how they were found.")
      .def_prop_ro(
          "force", [](const ForceSolution& s) { return to_array(s.force); },
          "f (n,) [N; N m]: the last that was found, whatever the status.")
      .def_prop_ro(
          "acceleration", [](const ForceSolution& s) { return to_array(s.acceleration); },
          "A f + b (n,) [m/s^2; rad/s^2].")
      .def_prop_ro(
          "status", [](const ForceSolution& s) { return std::string(to_string(s.report.status)); },
          "solved, unbounded_ray, gave_up or inaccurate.")
      .def_prop_ro(
          "certificate", [](const ForceSolution& s) { return s.report.certificate; },
          "Recomputed from the problem.")
      .def_prop_ro(
          "drives", [](const ForceSolution& s) { return s.report.counts.drives; },
          "Calls of drive-to-zero.")
      .def_prop_ro(
          "pivots", [](const ForceSolution& s) { return s.report.counts.pivots; },
          "Changes of index sets.")
      .def_prop_ro(
          "restarts", [](const ForceSolution& s) { return s.report.counts.restarts; },
          "In another order, after too many pivots.")
      .def_prop_ro(
          "ray", [](const ForceSolution& s) { return to_array(s.report.ray); },
          "Where forces can grow without end (n,); empty if nowhere.")
      .def("__repr__", [](const ForceSolution& s) {
        return format_text("ForceSolution(%s, error=%.3g, pivots=%d)",
                           std::string(to_string(s.report.status)).c_str(),
                           s.report.certificate.error, s.report.counts.pivots);
      });
}

}  // namespace

void bind_forces(nb::module_& m) {
  bind_certificate(m);
  bind_solution(m);
  nb::class_<ForceProblem>(
      m, "ForceProblem",
      "Contact forces at one instant [BARAFF 15 to 24]: a = A f + b, f_N >= 0, a_N >= 0, "
      "f_N a_N = 0, with static or dynamic friction (docs/solvers/baraff.md). Each row is of one "
      "contact or bilateral.")
      .def(
          "__init__",
          [](ForceProblem* p, const ArrayLike& matrix, const ArrayLike& bias) {
            new (p) ForceProblem(make_problem(matrix, bias));
          },
          "matrix"_a, "bias"_a,
          "matrix: A = J M^-1 J^T (n, n) [1/kg; 1/(kg m^2)]; bias: b (n,), accelerations without "
          "these forces [m/s^2; rad/s^2].")
      .def(
          "add_contact",
          [](ForceProblem& p, int normal, const nb::object& tangents, double friction,
             const nb::object& slip) {
            add_contact(p, normal, to_numbers({tangents}, "tangents"), friction,
                        to_numbers({slip}, "slip"));
          },
          "normal"_a, "tangents"_a = nb::tuple(), nb::kw_only(), "friction"_a = 0.0,
          "slip"_a = nb::tuple(),
          nb::sig("def add_contact(self, normal: int, tangents: numpy.typing.ArrayLike = (), *, "
                  "friction: float = 0.0, slip: numpy.typing.ArrayLike = ()) -> None"),
          "A contact of a normal row and none, one (2D) or two (3D) tangent rows. friction: mu "
          "[-]; slip: v_F [m/s], as many as tangents: not zero for dynamic friction.")
      .def(
          "add_bilateral",
          [](ForceProblem& p, int row, double lower, double upper) {
            p.bilaterals.push_back({row, lower, upper});
          },
          "row"_a, "lower"_a = -std::numeric_limits<double>::infinity(),
          "upper"_a = std::numeric_limits<double>::infinity(),
          nb::sig("def add_bilateral(self, row: int, lower: float = float('-inf'), upper: float = "
                  "float('inf')) -> None"),
          "A row whose force may have either sign, within bounds [N; N m].")
      .def("solve", &solve, nb::kw_only(), "tolerance"_a = 1e-9,
           "By Baraff's pivoting; tolerance [-] is of the certificate's error.")
      .def(
          "certify",
          [](const ForceProblem& p, const ArrayLike& force) {
            validate(p);
            return certify(p, to_numbers(force, "force", p.bias.size()));
          },
          "force"_a, "How far forces (n,) [N; N m] are from all conditions.")
      .def("__repr__", [](const ForceProblem& p) {
        return format_text("ForceProblem(%zu rows, %zu contacts, %zu bilateral)", p.bias.size(),
                           p.contacts.size(), p.bilaterals.size());
      });
}

}  // namespace abut::python
