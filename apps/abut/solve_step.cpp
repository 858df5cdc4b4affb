#include "solve_step.hpp"

#include <cstdio>
#include <map>
#include <random>

#include "abut/core/error.hpp"
#include "abut/core/text.hpp"
#include "abut/io/npz.hpp"
#include "abut/problem/prepared_problem.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "format.hpp"
#include "run_options.hpp"

namespace abut::cli {
namespace {

std::vector<SolveFigure> figures_of(const Certificate& c) {
  return {{"step", "step_error", "", c.step_error},
          {"e_m", "momentum_error", "", c.momentum_error},
          {"impulse", "impulse_error", "", c.impulse_error},
          {"lag", "lag_error", "", c.lag_error},
          {"e_c", "complementarity_error", "", c.complementarity_error},
          {"eps_p", "ncp_primal", "N", c.ncp_primal},
          {"eps_d", "ncp_dual", "m/s²", c.ncp_dual},
          {"eps_c", "ncp_complementarity", "N m/s²", c.ncp_complementarity}};
}

/// The problem with its velocities changed by up to 1 %.
ContactProblem changed(ContactProblem p) {
  std::mt19937 random(1);
  const auto part = [&] { return 0.01 * (static_cast<double>(random()) / 0x1p31 - 1); };
  for (double& v : p.velocity) v *= 1 + part();
  for (double& v : p.free_velocity) v *= 1 + part();
  return p;
}

class StepCase final : public SolveCase {
 public:
  StepCase(std::string name, ContactProblem problem)
      : name_(std::move(name)), prepared_(std::move(problem)) {}

  std::string name() const override { return name_; }
  std::string description() const override {
    const ContactProblem& p = prepared_.problem();
    return format("model %s, %zu trees, %d dofs, %d contacts, %d islands, h = %g s",
                  std::string(to_string(p.model)).c_str(), p.trees.size(), p.dofs(),
                  p.contacts.size(), prepared_.islands().size(), p.time_step);
  }
  std::string_view model() const override { return to_string(prepared_.problem().model); }
  std::vector<std::string_view> all_solvers() const override {
    std::vector<std::string_view> names;
    for (const std::string_view solver : solver_names()) {
      if (make_solver(solver)->supports(prepared_.problem().model)) names.push_back(solver);
    }
    return names;
  }
  std::string_view default_solver() const override {
    return abut::default_solver(prepared_.problem().model);
  }
  void require_solver(std::string_view solver) const override {
    if (make_solver(parse_solver(std::string(solver)))->supports(prepared_.problem().model)) return;
    fail_input("solver " + quote(solver) + " does not solve the model " + quote(model()));
  }
  double default_tolerance() const override { return SolveOptions{}.tolerance; }
  bool limits_iterations() const override { return false; }

  SolveRow solve(std::string_view solver, const CaseOptions& options) override {
    answer_.velocity = options.is_warm ? guess_ : std::vector<double>();
    const SolveReport r =
        solver_of(solver).solve(prepared_, {.tolerance = options.tolerance}, answer_);
    certificate_ = r.certificate;
    return {.solver = std::string(solver),
            .status = std::string(to_string(r.status)),
            .is_converged = r.status == SolveStatus::converged,
            .is_warm = options.is_warm,
            .iterations = r.iterations,
            .factorizations = r.factorizations,
            .seconds = r.seconds,
            .figures = figures_of(r.certificate),
            .remark = r.at_round_off ? "at round-off" : ""};
  }

  void start_warm() override {
    const PreparedProblem problem(changed(prepared_.problem()));
    ContactSolution x;
    solver_of(default_solver()).solve(problem, {}, x);
    guess_ = x.velocity;
  }

  void print_impulses() const override {
    std::puts("contact  tree_a  tree_b  impulse on b [N s]");
    for (const Patch& patch : prepared_.problem().patches) {
      for (int i = patch.begin; i < patch.end; ++i) {
        const Vec3& g = answer_.impulse[i];
        std::printf("%7d  %6d  %6d  %.17g %.17g %.17g\n", i, patch.tree_a, patch.tree_b, g.x, g.y,
                    g.z);
      }
    }
  }
  void save_solution(const std::string& path) const override {
    std::vector<double> impulse;
    for (const Vec3& g : answer_.impulse) impulse.insert(impulse.end(), {g.x, g.y, g.z});
    NpzWriter file;
    file.add("velocity", std::span<const double>(answer_.velocity), {answer_.velocity.size()});
    file.add("impulse", std::span<const double>(impulse), {answer_.impulse.size(), 3});
    const std::span<const double> lagged = answer_.lagged_impulse;  // empty for SAP
    if (!lagged.empty()) file.add("lagged_impulse", lagged, {lagged.size()});
    for (const SolveFigure& f : figures_of(certificate_)) {
      file.add(f.key, std::span<const double>(&f.value, 1), {});
    }
    file.write(path);
  }

  void save_fclib(const std::string&, bool) const override {
    fail_input("--save-fclib holds friction problems: --model makes one of a saved step");
  }

 private:
  ContactSolver& solver_of(std::string_view name) {
    std::unique_ptr<ContactSolver>& solver = solvers_[std::string(name)];
    if (!solver) solver = make_solver(name);
    return *solver;
  }

  std::string name_;
  PreparedProblem prepared_;
  std::map<std::string, std::unique_ptr<ContactSolver>> solvers_;
  ContactSolution answer_;
  Certificate certificate_;
  std::vector<double> guess_;
};

}  // namespace

std::unique_ptr<SolveCase> make_step_case(std::string name, ContactProblem problem) {
  return std::make_unique<StepCase>(std::move(name), std::move(problem));
}

}  // namespace abut::cli
