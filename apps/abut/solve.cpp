#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "abut/core/error.hpp"
#include "abut/core/isa.hpp"
#include "abut/core/text.hpp"
#include "abut/core/version.hpp"
#include "abut/io/atomic_file.hpp"
#include "abut/problem/friction_problem.hpp"
#include "commands.hpp"
#include "progress.hpp"
#include "run_options.hpp"
#include "signals.hpp"
#include "solve_files.hpp"
#include "solve_json.hpp"
#include "solve_measure.hpp"
#include "solve_table.hpp"

namespace abut::cli {
namespace {

struct SolveArguments {
  std::vector<std::string> problems;
  std::string solver, solution, fclib, json, html;
  FrictionArguments friction;
  std::optional<double> tolerance;
  bool impulses = false;
};

/// Outputs replace files: not the problems themselves.
void protect(const std::vector<std::string>& problems, const std::string& output,
             const char* option) {
  std::error_code none;
  for (const std::string& problem : problems) {
    if (output.empty() || !std::filesystem::equivalent(problem, output, none)) continue;
    fail_input(std::string(option) + ": " + quote(output, 1024) +
               " is a problem to be solved: it needs another name");
  }
}

/// Solves problems one after another, prints a table of each and collects what was found.
class Run {
 public:
  explicit Run(const SolveArguments& a) : a_(a), files_(problem_files(a.problems)) {
    is_reported_ = !a.json.empty() || !a.html.empty();
    if (files_.size() > 1) {
      if (!a.solution.empty()) fail_input("--solution holds one answer: name one problem");
      if (!a.fclib.empty()) fail_input("--save-fclib holds one problem: name one");
    }
    protect(files_, a.solution, "--solution");
    protect(files_, a.fclib, "--save-fclib");
    protect(files_, a.json, "--json");
    protect(files_, a.html, "--html");
    report_.repetitions = is_reported_ ? 5 : 1;
    report_.program = std::string("abut ") + version() + ", " + to_string(active_isa());
    if (files_.size() > 1 || is_reported_) watch_signals();  // there is something to finish
  }

  int solve_all() {
    for (std::size_t i = 0; i < files_.size() && stop_signal() == 0; ++i) {
      progress_.begin(i + 1, files_.size());
      if (files_.size() == 1) {
        solve(*load_case(files_[i], a_.friction));
        continue;
      }
      try {
        solve(*load_case(files_[i], a_.friction));
      } catch (const InputError& e) {  // the others may do
        tell(e.what());
      } catch (const FileError& e) {
        tell(e.what());
      }
    }
    progress_.clear();
    const int signal = stop_signal();
    if (signal != 0) report_.interrupted = signal_name(signal);
    if (report_.problems.size() > 1) print_tally(name_width(report_.solvers), report_);
    if (!a_.json.empty()) write_file_atomic(a_.json, solver_report_json(report_));
    if (!a_.html.empty()) write_file_atomic(a_.html, solver_report_page(report_));
    if (signal != 0) {
      std::printf("interrupted by %s\n", signal_name(signal));
      return 128 + signal;
    }
    return code_;
  }

 private:
  void tell(const char* what) {
    progress_.clear();
    std::fflush(stdout);
    std::fprintf(stderr, "abut: %s\n", what);
    code_ = wrong_input;
  }

  std::vector<std::string> solvers_of(const SolveCase& problem) const {
    if (a_.solver == "all") {
      const std::vector<std::string_view> all = problem.all_solvers();
      return {all.begin(), all.end()};
    }
    return {a_.solver.empty() ? std::string(problem.default_solver()) : a_.solver};
  }

  void solve(SolveCase& problem) {
    const std::vector<std::string> solvers = solvers_of(problem);
    for (const std::string& solver : solvers) problem.require_solver(solver);
    for (const std::string& solver : solvers) {
      if (std::ranges::find(report_.solvers, solver) == report_.solvers.end()) {
        report_.solvers.push_back(solver);
      }
    }
    SolvedProblem found{.name = problem.name(),
                        .description = problem.description(),
                        .model = std::string(problem.model()),
                        .rows = {},
                        .stored = problem.stored(),
                        .accuracy = {},
                        .iterations = {}};
    const MeasureOptions options{.tolerance = a_.tolerance.value_or(problem.default_tolerance()),
                                 .repetitions = report_.repetitions,
                                 .has_warm = is_reported_,
                                 .has_curves = !a_.html.empty()};
    found.tolerance = options.tolerance;
    const auto before = [&](const std::string& what) {
      progress_.show(what);
      return stop_signal() == 0;
    };
    if (options.has_warm) problem.start_warm();
    progress_.clear();
    std::printf("%s: %s\n", found.name.c_str(), found.description.c_str());
    const int width = name_width(solvers);
    bool is_first = true;
    for (const std::string& solver : solvers) {
      if (stop_signal() != 0) break;
      SolveRow row;
      try {
        row = measure(problem, solver, options, before, found);
      } catch (const InputError& e) {  // of one solver of several: a problem too large for it
        if (solvers.size() == 1) throw;
        tell((solver + ": " + e.what()).c_str());
        continue;
      }
      progress_.clear();
      if (is_first) print_head(width, row.figures);
      is_first = false;
      print(problem, width, row);
    }
    if (!a_.fclib.empty() && !found.rows.empty()) {
      // of one solver, which was solved cold at last
      problem.save_fclib(a_.fclib, solvers.size() == 1 && found.rows.front().is_converged);
    }
    if (!found.stored.empty()) print_stored(width, found.stored);
    report_.problems.push_back(std::move(found));
  }

  void print(const SolveCase& problem, int width, const SolveRow& row) {
    print_row(width, row);
    if (!row.is_converged && code_ == success) code_ = not_converged;
    if (!a_.solution.empty()) problem.save_solution(a_.solution);
    if (a_.impulses) problem.print_impulses();
    std::fflush(stdout);
  }

  const SolveArguments& a_;
  std::vector<std::string> files_;
  bool is_reported_ = false;
  SolveProgress progress_;
  SolverReport report_;
  int code_ = success;
};

int run(const SolveArguments& a) {
  if (a.tolerance) {
    require(*a.tolerance > 0 && *a.tolerance < 1, "--tolerance", *a.tolerance, "",
            "must lie in (0, 1)");
  }
  require(a.friction.relaxation > 0 && a.friction.relaxation < 2, "--relaxation",
          a.friction.relaxation, "", "must lie in (0, 2)");
  if (!a.solution.empty() && a.solver == "all") {
    fail_input("--solution holds one answer: name one --solver");
  }
  return Run(a).solve_all();
}

}  // namespace

void add_solve(CLI::App& app, int& code) {
  auto a = std::make_shared<SolveArguments>();
  CLI::App* c = app.add_subcommand("solve", "solve saved contact problems and certify the answers");
  c->add_option("problem", a->problems,
                "problems saved by `abut run --save-problem`, friction problems in impulses, or "
                "folders of them")
      ->required()
      ->type_name("PROBLEM");
  c->add_option("--solver", a->solver, "a solver's name, or all")->type_name("NAME");
  c->add_option("--model", a->friction.model,
                "a rigid model, " + list_names(rigid_models) +
                    ": of a friction problem (default ncp), or to solve a saved step by it")
      ->type_name("NAME");
  add_number(*c, "--tolerance", a->tolerance, "X",
             "of each island's step error (default 1e-6); of a friction problem's natural error "
             "(default 1e-8)");
  add_number(*c, "--relaxation", a->friction.relaxation, "X",
             "share of each change that sweeps take, in (0, 2) (default 1)");
  c->add_flag("--least-norm", a->friction.least_norm,
              "of all impulses that give the velocities found, those of the least norm");
  c->add_flag("--impulses", a->impulses, "print the impulse of every contact");
  c->add_option("--solution", a->solution,
                "write velocities, impulses and the certificate to this file for numpy.load; "
                "replaces it")
      ->type_name("FILE.npz");
  c->add_option("--save-fclib", a->fclib,
                "write a friction problem in FCLIB's form to this file, with the answer of a "
                "solver that converged; replaces it")
      ->type_name("FILE.hdf5");
  c->add_option("--json", a->json,
                "write all figures, cold and warm, to this file as JSON; replaces it")
      ->type_name("FILE.json");
  c->add_option("--html", a->html,
                "write a page with tables and time over accuracy to this file, which takes "
                "dozens of solves; replaces it")
      ->type_name("FILE.html");
  c->callback([a, &code] { code = run(*a); });
}

}  // namespace abut::cli
