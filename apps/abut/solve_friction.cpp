#include "solve_friction.hpp"

#include <cstdio>
#include <map>
#include <random>

#include "abut/core/error.hpp"
#include "abut/core/text.hpp"
#include "abut/io/fclib_file.hpp"
#include "abut/io/npz.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "format.hpp"

namespace abut::cli {
namespace {

std::vector<SolveFigure> figures_of(const FrictionCertificate& c) {
  return {{"error", "natural_error", "", c.natural_error},
          {"eps_p", "model_primal", "N", c.model.primal},
          {"eps_d", "model_dual", "m/s²", c.model.dual},
          {"eps_c", "model_complementarity", "N m/s²", c.model.complementarity},
          {"ncp_p", "ncp_primal", "N", c.ncp.primal},
          {"ncp_d", "ncp_dual", "m/s²", c.ncp.dual},
          {"ncp_c", "ncp_complementarity", "N m/s²", c.ncp.complementarity},
          {"energy", "energy_error", "√J", c.energy_error}};
}

/// The problem with its velocities and friction changed by up to 1 %.
FrictionProblem changed(FrictionProblem p) {
  std::mt19937 random(1);
  const auto part = [&] { return 0.01 * (static_cast<double>(random()) / 0x1p31 - 1); };
  for (int i = 0; i < p.rows(); ++i) {
    Vec3& g = p.velocity[i];
    const double size = norm(g);
    for (int k = 0; k < 3; ++k) g[k] += part() * (i < p.contacts() ? size : g[k]);
  }
  for (double& mu : p.friction) mu *= 1 + part();
  return p;
}

class FrictionCase final : public SolveCase {
 public:
  FrictionCase(std::string name, FrictionFile file, const FrictionArguments& arguments)
      : name_(std::move(name)),
        file_(std::move(file)),
        model_(arguments.model.empty() ? RigidModel::ncp
                                       : find_named("--model", arguments.model, rigid_models)),
        relaxation_(arguments.relaxation),
        least_norm_(arguments.least_norm) {}

  std::string name() const override { return name_; }
  std::string description() const override {
    const FrictionProblem& p = file_.problem;
    const std::string scalars =
        p.bounds.empty() ? "" : format(", %zu rows of scalar constraints", p.bounds.size());
    return format("friction problem, model %s, %d contacts%s, %zu blocks of W",
                  std::string(to_string(model_)).c_str(), p.contacts(), scalars.c_str(),
                  p.delassus.block.size());
  }
  std::string_view model() const override { return to_string(model_); }
  std::vector<std::string_view> all_solvers() const override {
    std::vector<std::string_view> names;
    for (const std::string_view solver : friction_solver_names()) {
      if (make_friction_solver(solver)->supports(model_)) names.push_back(solver);
    }
    return names;
  }
  std::string_view default_solver() const override { return all_solvers().front(); }
  void require_solver(std::string_view solver) const override {
    make_friction_solver(solver)->require_support(model_);
  }
  double default_tolerance() const override { return FrictionOptions{}.tolerance; }
  bool limits_iterations() const override { return true; }

  SolveRow solve(std::string_view solver, const CaseOptions& options) override {
    impulse_ = options.is_warm ? guess_ : std::vector<Vec3>();
    const FrictionReport r = solver_of(solver).solve(file_.problem,
                                                     {.model = model_,
                                                      .tolerance = options.tolerance,
                                                      .relaxation = relaxation_,
                                                      .iteration_limit = options.iteration_limit,
                                                      .is_warm = options.is_warm,
                                                      .least_norm = least_norm_},
                                                     impulse_);
    return {.solver = std::string(solver),
            .status = std::string(to_string(r.status)),
            .is_converged = r.status == SolveStatus::converged,
            .is_warm = options.is_warm,
            .iterations = r.iterations,
            .factorizations = r.factorizations,
            .seconds = r.seconds,
            .figures = figures_of(r.certificate),
            .remark = ""};
  }

  void start_warm() override {
    const FrictionProblem problem = changed(file_.problem);
    double least = HUGE_VAL;
    std::vector<Vec3> impulse;
    for (const std::string_view solver : all_solvers()) {  // the best answer is everyone's guess
      const FrictionReport r = solver_of(solver).solve(problem, {.model = model_}, impulse);
      if (!(r.certificate.natural_error < least)) continue;
      least = r.certificate.natural_error;
      guess_ = impulse;
      if (r.status == SolveStatus::converged) return;
    }
  }

  void print_impulses() const override {
    std::puts("contact  impulse along t1, t2, n [N s]");
    for (std::size_t i = 0; i < impulse_.size(); ++i) {
      const Vec3& g = impulse_[i];
      if (static_cast<int>(i) == file_.problem.contacts()) {
        std::puts("row      impulses of three scalar constraints [N s or N m s]");
      }
      std::printf("%7zu  %.17g %.17g %.17g\n", i, g.x, g.y, g.z);
    }
  }
  void save_solution(const std::string& path) const override {
    std::vector<double> numbers;
    for (const Vec3& g : impulse_) numbers.insert(numbers.end(), {g.x, g.y, g.z});
    NpzWriter file;
    file.add("impulse", std::span<const double>(numbers), {impulse_.size(), 3});
    file.write(path);
  }
  void save_fclib(const std::string& path, bool has_answer) const override {
    abut::save_fclib(path, file_.problem, has_answer ? impulse_ : std::vector<Vec3>());
  }
  std::vector<SolveFigure> stored() const override {
    if (file_.stored_impulse.empty()) return {};
    return figures_of(certify(file_.problem, model_, file_.stored_impulse));
  }

 private:
  /// Kept, so that a second solve finds its buffers.
  FrictionSolver& solver_of(std::string_view name) {
    std::unique_ptr<FrictionSolver>& solver = solvers_[std::string(name)];
    if (!solver) solver = make_friction_solver(name);
    return *solver;
  }

  std::string name_;
  FrictionFile file_;
  RigidModel model_;
  double relaxation_;
  bool least_norm_;
  std::map<std::string, std::unique_ptr<FrictionSolver>> solvers_;
  std::vector<Vec3> impulse_, guess_;
};

}  // namespace

std::unique_ptr<SolveCase> make_friction_case(std::string name, FrictionFile file,
                                              const FrictionArguments& arguments) {
  return std::make_unique<FrictionCase>(std::move(name), std::move(file), arguments);
}

}  // namespace abut::cli
