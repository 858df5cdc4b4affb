#include "solve_friction.hpp"

#include <cstdio>
#include <vector>

#include "abut/core/error.hpp"
#include "abut/core/text.hpp"
#include "abut/io/npz.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "commands.hpp"

namespace abut::cli {
namespace {

void print_row(std::string_view name, std::string_view status, const std::string& counts,
               const FrictionCertificate& c) {
  std::printf("%-22s %-17s %s  %.2e  %.2e  %.2e  %.2e  %.2e  %.2e  %.2e\n",
              std::string(name).c_str(), std::string(status).c_str(), counts.c_str(),
              c.natural_error, c.model.primal, c.model.dual, c.model.complementarity, c.ncp.primal,
              c.ncp.dual, c.ncp.complementarity);
}

void save_impulses(const std::string& path, const std::vector<Vec3>& impulse) {
  std::vector<double> numbers;
  for (const Vec3& g : impulse) numbers.insert(numbers.end(), {g.x, g.y, g.z});
  NpzWriter file;
  file.add("impulse", std::span<const double>(numbers), {impulse.size(), 3});
  file.write(path);
}

bool solve(const FrictionProblem& p, std::string_view name, const FrictionArguments& a,
           const FrictionOptions& options) {
  std::vector<Vec3> impulse;
  const FrictionReport r = make_friction_solver(name)->solve(p, options, impulse);
  char counts[64];
  std::snprintf(counts, sizeof counts, "%5d %5d %10.1f", r.iterations, r.factorizations,
                1e6 * r.seconds);
  print_row(name, to_string(r.status), counts, r.certificate);
  if (!a.solution.empty()) save_impulses(a.solution, impulse);
  if (a.impulses) {
    std::puts("contact  impulse along t1, t2, n [N s]");
    for (std::size_t i = 0; i < impulse.size(); ++i) {
      const Vec3& g = impulse[i];
      std::printf("%7zu  %.17g %.17g %.17g\n", i, g.x, g.y, g.z);
    }
  }
  return r.status == SolveStatus::converged;
}

}  // namespace

int solve_friction(const std::string& problem_name, const FrictionProblem& p,
                   std::span<const Vec3> stored, const FrictionArguments& a) {
  const FrictionOptions options{.model = find_named("--model", a.model, rigid_models),
                                .tolerance = a.tolerance.value_or(FrictionOptions{}.tolerance)};
  const bool all = a.solver == "all";
  const std::string_view named = a.solver.empty() ? friction_solver_names().front() : a.solver;
  if (!all) make_friction_solver(named)->require_support(options.model);  // before anything else
  std::printf("%s: friction problem, model %s, %d contacts, %zu blocks of W\n",
              problem_name.c_str(), a.model.c_str(), p.contacts(), p.delassus.block.size());
  std::printf("%-22s %-17s %5s %5s %10s  %-8s  %-8s  %-8s  %-8s  %-8s  %-8s  %-8s\n", "solver",
              "status", "its", "fact", "us", "error", "eps_p", "eps_d", "eps_c", "ncp_p", "ncp_d",
              "ncp_c");
  bool converged = true;
  if (all) {
    for (const std::string_view name : friction_solver_names()) {
      if (!make_friction_solver(name)->supports(options.model)) continue;
      converged = solve(p, name, a, options) && converged;
    }
  } else {
    converged = solve(p, named, a, options);
  }
  if (!stored.empty()) {
    print_row("in the file", "", std::string(22, ' '), certify(p, options.model, stored));
  }
  return converged ? success : not_converged;
}

}  // namespace abut::cli
