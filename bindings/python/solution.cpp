// Solutions of contact problems: solving, certifying, the Hessian.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "abut/core/parallel.hpp"
#include "abut/core/text.hpp"
#include "abut/problem/contact_problem.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "abut/solvers/hessian_factor.hpp"
#include "module.hpp"
#include "numbers.hpp"
#include "python_world.hpp"
#include "unlocked.hpp"

namespace abut::python {
namespace {

using namespace nb::literals;
using OptionalArray = std::optional<ArrayLike>;

/// What solve() gives back.
struct Solution {
  ContactSolution x;
  SolveReport report;
};

/// Of a copy: others may change the problem meanwhile.
Solution solve(ContactProblem p, const std::optional<std::string>& name, double tolerance,
               int threads, const OptionalArray& guess) {
  Solution s;
  if (guess) s.x.velocity = to_numbers(*guess, "guess", p.velocity.size());
  require(threads >= 1 && threads <= 1024, "threads", threads, "", "must lie in [1, 1024]");
  const std::unique_ptr<ContactSolver> solver =
      make_solver(name ? std::string_view(*name) : default_solver(p.model));
  const Unlocked unlocked;
  std::unique_ptr<ThreadPool> pool;
  if (threads > 1) pool = std::make_unique<ThreadPool>(threads);
  validate(p);
  const PreparedProblem prepared(std::move(p));
  s.report = solver->solve(prepared, {.tolerance = tolerance, .pool = pool.get()}, s.x);
  return s;
}

Certificate certify_arrays(const ContactProblem& p, const ArrayLike& velocity,
                           const ArrayLike& impulse, const OptionalArray& scalar_impulse,
                           const OptionalArray& lagged_impulse) {
  const std::vector<double> v = to_numbers(velocity, "velocity", p.velocity.size());
  const auto gamma = to_vectors(impulse, "impulse", p.contacts.size());
  if (!scalar_impulse && !p.scalars.kind.empty()) {
    fail_input("the problem has " + std::to_string(p.scalars.kind.size()) +
               " scalar constraints: scalar_impulse is needed too");
  }
  const std::vector<double> scalars =
      scalar_impulse ? to_numbers(*scalar_impulse, "scalar_impulse", p.scalars.kind.size())
                     : std::vector<double>(p.scalars.kind.size(), 0);
  const std::vector<double> lagged =
      lagged_impulse ? to_numbers(*lagged_impulse, "lagged_impulse", p.contacts.gap.size())
                     : std::vector<double>{};
  validate(p);
  return certify(PreparedProblem(p), {v, gamma, scalars, lagged});
}

/// The Hessian of a problem at a solution, with a problem of its own.
class PythonHessian {
 public:
  PythonHessian(ContactProblem problem, const Solution& solution) {
    validate(problem);
    prepared_ = PreparedProblem(std::move(problem));
    if (!factor_.compute(prepared_, solution.x)) {
      fail_input("the Hessian is not positive definite in rounded numbers");
    }
  }

  /// `function` of a copy of u.
  auto apply(const ArrayLike& u, void (HessianFactor::*function)(std::span<double>)) {
    std::vector<double> x = to_numbers(u, "u", prepared_.problem().velocity.size());
    (factor_.*function)(x);
    return to_array<>(x);
  }
  double condition() { return factor_.condition(); }
  int dofs() const { return prepared_.problem().dofs(); }

 private:
  PreparedProblem prepared_;
  HessianFactor factor_;
};

void bind_hessian(nb::module_& m) {
  nb::class_<PythonHessian>(
      m, "HessianFactor",
      "The exact Hessian H = A + J^T G J of a problem's cost at a solution, factored, whatever the "
      "solver did on its way there. Derivatives of the solution come from it: dv/dv* = H^-1 A, and "
      "H^-1 is that by an impulse on the dofs. Lagged friction counts with the gamma_n0 that it "
      "was "
      "solved with.")
      .def(nb::init<ContactProblem, const Solution&>(), "problem"_a, "solution"_a,
           "Raises InputError if the solution is another problem's, or H not positive definite in "
           "rounded numbers.")
      .def(
          "solve",
          [](PythonHessian& h, const ArrayLike& u) { return h.apply(u, &HessianFactor::solve); },
          "u"_a, "H^-1 u, u (dofs,).")
      .def(
          "multiply",
          [](PythonHessian& h, const ArrayLike& u) { return h.apply(u, &HessianFactor::multiply); },
          "u"_a, "H u, u (dofs,).")
      .def("condition", &PythonHessian::condition,
           "The largest eigenvalue of H over the smallest, in the units of the dofs, by Lanczos' "
           "method, to about 1e-5.")
      .def("__repr__", [](const PythonHessian& h) {
        return "HessianFactor(" + std::to_string(h.dofs()) + " dofs)";
      });
}

void bind_solution(nb::module_& m) {
  nb::class_<Solution>(m, "Solution", "What solve() found: the best iterate, whatever the status.")
      .def_prop_ro(
          "velocity", [](const Solution& s) { return to_array<>(s.x.velocity); }, "(dofs,)")
      .def_prop_ro(
          "impulse", [](const Solution& s) { return to_rows(s.x.impulse); },
          "(contacts, 3): of each contact, on b [N s]; in world axes, as points and normals are.")
      .def_prop_ro(
          "scalar_impulse", [](const Solution& s) { return to_array<>(s.x.scalar_impulse); },
          "(scalars,): of each scalar constraint [N s or N m s].")
      .def_prop_ro(
          "lagged_impulse", [](const Solution& s) { return to_array<>(s.x.lagged_impulse); },
          "(contacts,): gamma_n0 that Lagged friction was solved with [N s]; (0,) for sap.")
      .def_prop_ro(
          "anchor", [](const Solution& s) { return to_rows(s.x.anchor); },
          "(contacts, 3): the tangential force on b that each contact of the anchored model holds "
          "for the next step [N]; (0, 3) for other models.")
      .def_ro("report", &Solution::report)
      .def_prop_ro("status",
                   [](const Solution& s) { return std::string(abut::to_string(s.report.status)); })
      .def_prop_ro("certificate", [](const Solution& s) { return s.report.certificate; })
      .def("__repr__", [](const Solution& s) {
        return "Solution(status='" + std::string(abut::to_string(s.report.status)) +
               format_text("', %d dofs, %d contacts, step_error=%.3g)",
                           static_cast<int>(s.x.velocity.size()),
                           static_cast<int>(s.x.impulse.size()), s.report.certificate.step_error);
      });
}

}  // namespace

void bind_solutions(nb::module_& m) {
  bind_solution(m);
  bind_hessian(m);
  m.def("solve", &solve, "problem"_a, "solver"_a = nb::none(), nb::kw_only(), "tolerance"_a = 1e-6,
        "threads"_a = 1, "guess"_a = nb::none(),
        "Solves a problem by its model's solver or the one named, from a guess of the velocities "
        "(dofs,) or the problem's, and certifies "
        "the answer. Never fails for slow convergence: read the status.");
  m.def("certify", &certify_arrays, "problem"_a, "velocity"_a, "impulse"_a,
        "scalar_impulse"_a = nb::none(), "lagged_impulse"_a = nb::none(),
        "The certificate of anybody's answer: velocity (dofs,), impulse on b (contacts, 3) and, "
        "where there are scalar constraints, scalar_impulse (scalars,) [N s or N m s]. "
        "step_error judges the velocities, with the impulses that the laws give there; "
        "impulse_error how far the given impulses are from those; lag_error the gamma_n0 of Lagged "
        "friction: lagged_impulse (contacts,) [N s], or what the problem predicts.");
}

void bind_world_solution(nb::class_<PythonWorld>& c) {
  c.def_prop_ro(
      "solution",
      [](const PythonWorld& w) -> std::optional<Solution> {
        if (!w.has_step()) return std::nullopt;
        return Solution{w.get().solution(), w.get().report().solve};
      },
      "That of the last step; None before the first, and after restore() and set_keyframe().");
}

}  // namespace abut::python
