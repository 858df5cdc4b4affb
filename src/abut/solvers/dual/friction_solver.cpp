#include "abut/solvers/dual/friction_solver.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include "abut/core/error.hpp"
#include "abut/core/text.hpp"
#include "abut/solvers/direct/dantzig.hpp"
#include "abut/solvers/direct/lemke_friction.hpp"
#include "abut/solvers/dual/admm.hpp"
#include "abut/solvers/dual/bisection.hpp"
#include "abut/solvers/dual/conic_interior_point.hpp"
#include "abut/solvers/dual/convex_newton.hpp"
#include "abut/solvers/dual/damped_newton.hpp"
#include "abut/solvers/dual/gauss_seidel.hpp"
#include "abut/solvers/dual/interior_point.hpp"
#include "abut/solvers/dual/least_norm.hpp"
#include "abut/solvers/dual/projected_gauss_seidel.hpp"
#include "abut/solvers/dual/staggered.hpp"

namespace abut {
namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<FrictionSolver> (*make)();
};

/// All solvers: files, the command line, Python and the tests know those listed here. The first
/// that solves a model is its default.
constexpr std::array solvers = {
    Entry{"interior-point",
          [] { return std::unique_ptr<FrictionSolver>(std::make_unique<InteriorPoint>()); }},
    Entry{"conic-interior-point",
          [] { return std::unique_ptr<FrictionSolver>(std::make_unique<ConicInteriorPoint>()); }},
    Entry{"dantzig", [] { return std::unique_ptr<FrictionSolver>(std::make_unique<Dantzig>()); }},
    Entry{"gauss-seidel",
          [] { return std::unique_ptr<FrictionSolver>(std::make_unique<GaussSeidel>()); }},
    Entry{"projected-gauss-seidel",
          [] { return std::unique_ptr<FrictionSolver>(std::make_unique<ProjectedGaussSeidel>()); }},
    Entry{"bisection",
          [] { return std::unique_ptr<FrictionSolver>(std::make_unique<Bisection>()); }},
    Entry{"admm", [] { return std::unique_ptr<FrictionSolver>(std::make_unique<Admm>()); }},
    Entry{"staggered",
          [] { return std::unique_ptr<FrictionSolver>(std::make_unique<Staggered>()); }},
    Entry{"newton-ccp",
          [] { return std::unique_ptr<FrictionSolver>(std::make_unique<ConvexNewton>()); }},
    Entry{"semismooth-newton",
          [] { return std::unique_ptr<FrictionSolver>(std::make_unique<DampedNewton>()); }},
    Entry{"lemke",
          [] { return std::unique_ptr<FrictionSolver>(std::make_unique<LemkeFriction>()); }},
};

constexpr auto names = [] {
  std::array<std::string_view, solvers.size()> all;
  for (std::size_t i = 0; i < solvers.size(); ++i) all[i] = solvers[i].name;
  return all;
}();

}  // namespace

void FrictionSolver::require_support(RigidModel model) const {
  if (supports(model)) return;
  fail_input("solver " + quote(name()) + " does not solve the model " + quote(to_string(model)));
}

/// Numbers the islands and lists the block rows of each, in their order.
int FrictionSolver::find_islands(const FrictionProblem& p) {
  const int n = p.rows();
  Islands& s = islands_;
  s.sets.reset(n);
  for (int i = 0; i < n; ++i) {
    for (std::int64_t k = p.delassus.start[i]; k < p.delassus.start[i + 1]; ++k) {
      s.sets.join(i, p.delassus.column[k]);
    }
  }
  s.island.resize(n);
  s.place.resize(n);
  s.begin.assign(1, 0);  // sizes, behind a zero
  for (int i = 0; i < n; ++i) {
    const int first = s.sets.smallest(i);
    if (first == i) {
      s.island[i] = static_cast<std::int32_t>(s.begin.size()) - 1;
      s.begin.push_back(0);
    } else {
      s.island[i] = s.island[first];
    }
    s.place[i] = s.begin[s.island[i] + 1]++;
  }
  const int count = static_cast<int>(s.begin.size()) - 1;
  for (int k = 0; k < count; ++k) s.begin[k + 1] += s.begin[k];
  s.rows.resize(n);
  for (int i = 0; i < n; ++i) s.rows[s.begin[s.island[i]] + s.place[i]] = i;
  return count;
}

/// An island as a problem of its own.
void FrictionSolver::take_island(const FrictionProblem& p, std::span<const std::int32_t> rows) {
  FrictionProblem& part = islands_.part;
  part.time_step = p.time_step;
  part.velocity.clear();
  part.friction.clear();
  part.bounds.clear();
  part.delassus.start.assign(1, 0);
  part.delassus.column.clear();
  part.delassus.block.clear();
  for (const int i : rows) {
    part.velocity.push_back(p.velocity[i]);
    if (i < p.contacts()) {
      part.friction.push_back(p.friction[i]);
    } else {
      part.bounds.push_back(p.bounds[i - p.contacts()]);
    }
    for (std::int64_t k = p.delassus.start[i]; k < p.delassus.start[i + 1]; ++k) {
      part.delassus.column.push_back(islands_.place[p.delassus.column[k]]);
      part.delassus.block.push_back(p.delassus.block[k]);
    }
    part.delassus.start.push_back(std::ssize(part.delassus.column));
  }
}

void FrictionSolver::solve_islands(const FrictionProblem& p, const FrictionOptions& options,
                                   std::span<Vec3> impulse, FrictionReport& report) {
  report.status = SolveStatus::converged;
  const int count = find_islands(p);
  if (count == 1) return iterate(p, options, impulse, report);
  std::vector<Vec3>& own = islands_.impulse;
  for (int k = 0; k < count; ++k) {
    const std::span rows(islands_.rows.data() + islands_.begin[k],
                         islands_.rows.data() + islands_.begin[k + 1]);
    take_island(p, rows);
    own.clear();
    for (const int i : rows) own.push_back(impulse[i]);
    FrictionReport r;
    iterate(islands_.part, options, own, r);
    report.status = worse(report.status, r.status);
    report.iterations = std::max(report.iterations, r.iterations);
    report.factorizations += r.factorizations;
    report.relaxation = std::max(report.relaxation, r.relaxation);
    for (std::size_t j = 0; j < rows.size(); ++j) impulse[rows[j]] = own[j];
  }
}

FrictionReport FrictionSolver::solve(const FrictionProblem& p, const FrictionOptions& options,
                                     std::vector<Vec3>& impulse) {
  require(options.tolerance > 0 && options.tolerance < 1, "tolerance", options.tolerance, "",
          "must lie in (0, 1)");
  require(options.relaxation > 0 && options.relaxation < 2, "relaxation", options.relaxation, "",
          "must lie in (0, 2)");
  require_support(options.model);
  if (!options.is_warm) impulse.assign(p.velocity.size(), {});
  if (impulse.size() != p.velocity.size()) {
    fail_input("solver " + quote(name()) + ": the guess has " + std::to_string(impulse.size()) +
               " impulses, the problem " + std::to_string(p.velocity.size()) +
               (p.bounds.empty() ? " contacts" : " block rows"));
  }
  FrictionReport report;
  const auto start = std::chrono::steady_clock::now();
  if (options.least_norm && p.rows() > 0) {
    FrictionOptions finer = options;  // what other impulses with the same velocities add in error
    finer.tolerance *= 0.1;
    solve_islands(p, finer, impulse, report);
    LeastNorm().improve(p, options, impulse);
  } else {
    solve_islands(p, options, impulse, report);
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.certificate = certify(p, options.model, impulse);
  const bool is_solved = options.scale > 0
                             ? report.certificate.energy_error <= options.tolerance * options.scale
                             : report.certificate.natural_error <= options.tolerance;
  if (is_solved) {
    report.status = SolveStatus::converged;
  } else if (report.status == SolveStatus::converged) {
    report.status = SolveStatus::stalled;
  }
  return report;
}

std::span<const std::string_view> friction_solver_names() {
  return names;
}

std::unique_ptr<FrictionSolver> make_friction_solver(std::string_view name) {
  for (const Entry& e : solvers) {
    if (e.name == name) return e.make();
  }
  fail_input("solver " + quote(name) + " is not known: must be one of " + list_names(names));
}

}  // namespace abut
