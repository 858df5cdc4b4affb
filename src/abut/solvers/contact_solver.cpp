#include "abut/solvers/contact_solver.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <string>

#include "abut/core/error.hpp"
#include "abut/core/grow.hpp"
#include "abut/core/parallel.hpp"
#include "abut/core/stage_clock.hpp"
#include "abut/problem/anchors.hpp"
#include "abut/problem/contact_kinematics.hpp"

namespace abut {
namespace {

/// In the place of `dormant`: of a contact that was, until its island is joined to others.
constexpr char woken = 2;

/// With their squares: a speed whose energy is no number is not finite.
bool are_finite(std::span<const double> velocities, ThreadPool* pool) {
  std::atomic<bool> all = true;
  constexpr int least_per_range = 512;
  for_ranges(pool, static_cast<int>(velocities.size()), least_per_range, [&](int begin, int end) {
    double sum = 0;  // of zeros: the same whatever the ranges
    for (const double v : velocities.subspan(begin, end - begin)) sum += 0 * (v * v);
    if (!std::isfinite(sum)) all = false;
  });
  return all;
}

}  // namespace

std::string_view to_string(SolveStatus status) {
  switch (status) {
    case SolveStatus::converged: return "converged";
    case SolveStatus::iteration_limit: return "iteration_limit";
    case SolveStatus::stalled: return "stalled";
    case SolveStatus::numerical_failure: return "numerical_failure";
  }
  return "";
}

IslandReport join(const IslandReport& a, const IslandReport& b) {
  return {.status = worse(a.status, b.status),
          .at_round_off = a.at_round_off || b.at_round_off,
          .iterations = std::max(a.iterations, b.iterations),
          .factorizations = a.factorizations + b.factorizations,
          .line_evaluations = a.line_evaluations + b.line_evaluations,
          .contacts = a.contacts + b.contacts,
          .lag_rounds = std::max(a.lag_rounds, b.lag_rounds),
          .factor_flops = a.factor_flops + b.factor_flops,
          .momentum_error = std::max(a.momentum_error, b.momentum_error),
          .lag_error = std::max(a.lag_error, b.lag_error)};
}

IslandReport follow(const IslandReport& first, const IslandReport& second) {
  IslandReport r = second;
  r.iterations += first.iterations;
  r.factorizations += first.factorizations;
  r.factor_flops += first.factor_flops;
  r.line_evaluations += first.line_evaluations;
  r.lag_rounds += first.lag_rounds;
  return r;
}

void ContactSolution::clear() {
  for (std::vector<double>* v : {&velocity, &scalar_impulse, &lagged_impulse}) v->clear();
  impulse.clear();
  anchor.clear();
  slid.clear();
  partition.clear();
  islands.clear();
}

SolveReport ContactSolver::solve(const PreparedProblem& prepared, const SolveOptions& options,
                                 ContactSolution& x) {
  const ContactProblem& problem = prepared.problem();
  if (!supports(problem.model)) {
    fail_input(std::string(name()) + " does not solve the model " +
               std::string(to_string(problem.model)));
  }
  if (!prepared.is_prepared()) {
    fail_input("the problem is not prepared: it needs prepare() after edit()");
  }
  require(options.tolerance > 0 && options.tolerance < 1, "tolerance", options.tolerance, "",
          "must lie in (0, 1)");
  if (x.velocity.empty()) {
    x.velocity =
        problem.first_guess.empty() || !takes_guess() ? problem.velocity : problem.first_guess;
  }
  if (x.velocity.size() != problem.velocity.size()) {
    fail_input("the first guess has " + std::to_string(x.velocity.size()) +
               " velocities, the problem " + std::to_string(problem.velocity.size()));
  }
  StageClock clock(options.timed);
  clock.start();
  SolveReport report;
  start(prepared, options.pool, x);
  iterate(prepared, to_solve_, options, x);
  while (wake(prepared, options.pool, x)) {
    iterate(prepared, to_solve_, options, x);
    ++report.rounds;
  }
  x.anchor.clear();
  if (traits(problem.model).is_anchored) {
    hold_anchors(prepared, x.velocity, x.impulse, x.lagged_impulse, x.anchor, x.slid);
  }
  report.seconds = clock.lap();

  report.status = SolveStatus::converged;
  for (const IslandReport& i : x.islands) {
    report.status = worse(report.status, i.status);
    report.at_round_off = report.at_round_off || i.at_round_off;
    report.iterations = std::max(report.iterations, static_cast<int>(i.iterations));
    report.factorizations += i.factorizations;
    report.factor_flops += i.factor_flops;
    report.line_evaluations += i.line_evaluations;
    report.lag_rounds = std::max(report.lag_rounds, static_cast<int>(i.lag_rounds));
    report.weighted_iterations += static_cast<double>(i.iterations) * i.contacts;
  }
  if (problem.contacts.size() > 0) report.weighted_iterations /= problem.contacts.size();
  // the bound on rounding is far above what is seen of it: a tenth is accurate enough
  report.certificate =
      certifier_.certify(prepared, x.answer(), 0.1 * options.tolerance, options.pool);
  report.lagging_islands = report.certificate.lagging_islands;
  // the certificate has the last word: no solver's success stands against it
  const Certificate& c = report.certificate;
  // trees without contact are in no island, and not in the certificate
  if (!c.is_finite() || !are_finite(x.velocity, options.pool)) {
    report.status = SolveStatus::numerical_failure;
  } else if (report.status == SolveStatus::converged) {
    const double error = std::max(c.step_error, c.impulse_error);
    // a solver does not see the rounding of its own velocities
    report.at_round_off =
        report.at_round_off || (error > 10 * options.tolerance && error <= c.rounding);
    const double allowed = report.at_round_off ? largest_round_off : 10 * options.tolerance;
    if (error > allowed) report.status = SolveStatus::stalled;
  }
  return report;
}

/// All islands are to be solved; trees without contact move freely.
void ContactSolver::start(const PreparedProblem& prepared, ThreadPool* pool, ContactSolution& x) {
  const ContactProblem& problem = prepared.problem();
  const Islands& islands = prepared.islands();
  make_room(x.impulse, problem.contacts.gap.capacity());
  resize(x.impulse, problem.contacts.size());
  prepared.shares().for_each(pool, [&](const PatchShares::Range& r) {
    std::fill(x.impulse.begin() + problem.patches[r.begin].begin,
              x.impulse.begin() + problem.patches[r.end - 1].end, Vec3{});
  });
  make_room(x.scalar_impulse, problem.scalars.kind.capacity());
  assign(x.scalar_impulse, problem.scalars.size(), 0);
  make_room(x.lagged_impulse, prepared.contacts().lagged_impulse.capacity());
  assign(x.lagged_impulse, prepared.contacts().lagged_impulse);
  x.partition.copy(islands);
  for (auto* v : {&x.islands, &old_reports_}) make_room(*v, problem.trees.size());
  for (auto* v : {&to_solve_, &old_island_}) make_room(*v, problem.trees.size());
  make_room(changed_, problem.trees.size());
  assign(x.islands, islands.size(), {});
  resize(to_solve_, islands.size());
  std::iota(to_solve_.begin(), to_solve_.end(), 0);
  const auto island_of = islands.island_of_tree();
  for (std::size_t t = 0; t < problem.trees.size(); ++t) {
    if (island_of[t] >= 0) continue;
    const Tree& tree = problem.trees[t];
    std::copy_n(problem.free_velocity.begin() + tree.first_dof, tree.size,
                x.velocity.begin() + tree.first_dof);
  }
}

/// Wakes the dormant contacts that transmit an impulse at x. If there are any, joins the islands
/// they link and makes these the ones to solve.
bool ContactSolver::wake(const PreparedProblem& prepared, ThreadPool* pool, ContactSolution& x) {
  const ContactProblem& problem = prepared.problem();
  std::vector<char>& dormant = x.partition.dormant;
  std::atomic<bool> any = false;
  prepared.shares().for_each(pool, [&](const PatchShares::Range& r) {
    for (int k = r.begin; k < r.end; ++k) {
      const Patch& patch = problem.patches[k];
      const auto first = dormant.begin() + patch.begin, end = dormant.begin() + patch.end;
      if (std::find(first, end, true) == end) continue;
      const PatchMotion motion(problem, patch, x.velocity.data());
      for (int i = patch.begin; i < patch.end; ++i) {
        if (!dormant[i] || !is_active(prepared, i, motion.of(i))) continue;
        dormant[i] = woken;
        any = true;
      }
    }
  });
  if (!any) return false;
  assign(changed_, problem.trees.size(), false);
  for (const Patch& patch : problem.patches) {
    for (int i = patch.begin; i < patch.end; ++i) {
      if (dormant[i] != woken) continue;
      dormant[i] = false;
      changed_[patch.tree_b] = true;
    }
  }
  const auto before = x.partition.island_of_tree();
  assign(old_island_, before);
  assign(old_reports_, x.islands);
  x.partition.find(static_cast<int>(problem.trees.size()), problem.patches, problem.scalars);
  to_solve_.clear();
  resize(x.islands, x.partition.size());
  for (int i = 0; i < x.partition.size(); ++i) {
    IslandReport joined{.status = SolveStatus::converged};
    bool solve = false;
    for (const int t : x.partition.trees_of(i)) {
      solve = solve || changed_[t];
      if (old_island_[t] < 0 || old_reports_[old_island_[t]].contacts < 0) continue;
      joined = join(joined, old_reports_[old_island_[t]]);
      old_reports_[old_island_[t]].contacts = -1;  // joined once
    }
    x.islands[i] = joined;
    if (solve) to_solve_.push_back(i);
  }
  return true;
}

}  // namespace abut
