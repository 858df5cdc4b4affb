#include <cstdio>
#include <memory>
#include <optional>

#include "abut/core/error.hpp"
#include "abut/core/text.hpp"
#include "abut/io/friction_file.hpp"
#include "abut/io/npz.hpp"
#include "abut/io/problem_file.hpp"
#include "abut/problem/delassus.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "commands.hpp"
#include "recording_argument.hpp"
#include "run_options.hpp"
#include "solve_friction.hpp"

namespace abut::cli {
namespace {

struct SolveArguments {
  std::string problem, solver, model, solution;
  std::optional<double> tolerance;
  bool impulses = false;
};

/// The answer and its certificate in full precision, for other programs.
void save_solution(const std::string& path, const ContactSolution& x, const Certificate& c) {
  std::vector<double> impulse;
  for (const Vec3& g : x.impulse) impulse.insert(impulse.end(), {g.x, g.y, g.z});
  NpzWriter file;
  file.add("velocity", std::span<const double>(x.velocity), {x.velocity.size()});
  file.add("impulse", std::span<const double>(impulse), {x.impulse.size(), 3});
  const std::span<const double> lagged = x.lagged_impulse;  // empty for SAP
  if (!lagged.empty()) file.add("lagged_impulse", lagged, {lagged.size()});
  const std::pair<const char*, double> numbers[] = {
      {"step_error", c.step_error},
      {"lag_error", c.lag_error},
      {"momentum_error", c.momentum_error},
      {"impulse_error", c.impulse_error},
      {"complementarity_error", c.complementarity_error},
      {"ncp_primal", c.ncp_primal},
      {"ncp_dual", c.ncp_dual},
      {"ncp_complementarity", c.ncp_complementarity}};
  for (const auto& [name, value] : numbers) {
    file.add(name, std::span<const double>(&value, 1), {});
  }
  file.write(path);
}

bool solve(const PreparedProblem& q, std::string_view name, const SolveArguments& a) {
  ContactSolution x;
  const SolveReport r = make_solver(name)->solve(q, {.tolerance = a.tolerance.value_or(1e-6)}, x);
  const Certificate& c = r.certificate;
  std::printf("%-14s %-17s %4d %5d %9.1f  %.2e  %.2e  %.2e  %.2e  %.2e  %.2e  %.2e  %.2e%s\n",
              std::string(name).c_str(), std::string(to_string(r.status)).c_str(), r.iterations,
              r.factorizations, 1e6 * r.seconds, c.step_error, c.momentum_error, c.impulse_error,
              c.lag_error, c.complementarity_error, c.ncp_primal, c.ncp_dual, c.ncp_complementarity,
              r.at_round_off ? "  at round-off" : "");
  if (!a.solution.empty()) save_solution(a.solution, x, c);
  if (a.impulses) {
    std::puts("contact  tree_a  tree_b  impulse on b [N s]");
    for (const Patch& patch : q.problem().patches) {
      for (int i = patch.begin; i < patch.end; ++i) {
        const Vec3& g = x.impulse[i];
        std::printf("%7d  %6d  %6d  %.17g %.17g %.17g\n", i, patch.tree_a, patch.tree_b, g.x, g.y,
                    g.z);
      }
    }
  }
  return r.status == SolveStatus::converged;
}

/// A saved step as a rigid model sees it.
int solve_as_rigid(const std::string& path, const FrictionArguments& friction) {
  const PreparedProblem q(load_problem(path));
  try {
    return solve_friction(path, make_friction_problem(q), {}, friction);
  } catch (const InputError& e) {
    fail_input(e.what(), {.file = path, .line = 0, .element = {}});
  }
}

int run(const SolveArguments& a) {
  if (a.tolerance) {
    require(*a.tolerance > 0 && *a.tolerance < 1, "--tolerance", *a.tolerance, "",
            "must lie in (0, 1)");
  }
  if (!a.solution.empty() && a.solver == "all") {
    fail_input("--solution holds one answer: name one --solver");
  }
  refuse_recording(a.problem, "a problem");
  const FrictionArguments friction{.solver = a.solver,
                                   .model = a.model.empty() ? "ncp" : a.model,
                                   .solution = a.solution,
                                   .tolerance = a.tolerance,
                                   .impulses = a.impulses};
  if (is_friction_file(a.problem)) {
    const FrictionFile file = load_friction_file(a.problem);
    return solve_friction(a.problem, file.problem, file.stored_impulse, friction);
  }
  if (!a.model.empty()) return solve_as_rigid(a.problem, friction);
  const std::string solver = a.solver.empty() ? "newton" : a.solver;
  if (solver != "all") parse_solver(solver);
  const PreparedProblem q(load_problem(a.problem));
  const ContactProblem& p = q.problem();
  std::printf("%s: model %s, %zu trees, %d dofs, %d contacts, %d islands, h = %g s\n",
              a.problem.c_str(), std::string(to_string(p.model)).c_str(), p.trees.size(), p.dofs(),
              p.contacts.size(), q.islands().size(), p.time_step);
  std::printf("%-14s %-17s %4s %5s %9s  %-8s  %-8s  %-8s  %-8s  %-8s  %-8s  %-8s  %-8s\n", "solver",
              "status", "its", "fact", "us", "step", "e_m", "impulse", "lag", "e_c", "eps_p",
              "eps_d", "eps_c");
  bool all = true;
  if (solver == "all") {
    for (const std::string_view name : solver_names()) {
      if (make_solver(name)->supports(p.model)) all = solve(q, name, a) && all;
    }
  } else {
    all = solve(q, solver, a);
  }
  return all ? success : not_converged;
}

}  // namespace

void add_solve(CLI::App& app, int& code) {
  auto a = std::make_shared<SolveArguments>();
  CLI::App* c = app.add_subcommand("solve", "solve a saved contact problem and certify the answer");
  c->add_option("problem", a->problem,
                "a problem saved by `abut run --save-problem`, or a friction problem in impulses")
      ->required()
      ->type_name("PROBLEM.npz");
  c->add_option("--solver", a->solver, "a solver's name, or all")->type_name("NAME");
  c->add_option("--model", a->model,
                "a rigid model, " + list_names(rigid_models) +
                    ": of a friction problem (default ncp), or to solve a saved step by it")
      ->type_name("NAME");
  add_number(*c, "--tolerance", a->tolerance, "X",
             "of each island's step error (default 1e-6); of a friction problem's natural error "
             "(default 1e-8)");
  c->add_flag("--impulses", a->impulses, "print the impulse of every contact");
  c->add_option("--solution", a->solution,
                "write velocities, impulses and the certificate to this file for numpy.load; "
                "replaces it")
      ->type_name("FILE.npz");
  c->callback([a, &code] { code = run(*a); });
}

}  // namespace abut::cli
