// check_solves [--seed FIRST] [--count N] [--tolerance EPS] [--list]: random problems at the limits
// (wild_problem.hpp), each solved by `newton` and judged in quadruple precision (exact_judge.hpp).
// Prints tables in Markdown: how solves end and how wrong their answers are; what other presets and
// starts make of the problems that are flagged or fail; what certify() sees of the error. --list
// prints those problems one by one.
//
// Exits with 1 if an answer that counts as solved is none: its true error above ten tolerances, or,
// flagged at round-off, above what that excuses or ten times the certified error.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "abut/solvers/primal/newton.hpp"
#include "peers/exact_judge.hpp"
#include "peers/wild_problem.hpp"
#include "support/trial_options.hpp"

namespace {

using namespace abut;

enum class End { converged, at_round_off, failed };
constexpr const char* end_names[] = {"converged", "at round-off", "failed"};

struct Result {
  End end = End::failed;
  SolveStatus status = SolveStatus::numerical_failure;
  ExactErrors exact;
  double certified = 0, certified_impulse = 0, floor = 0;
  double error() const { return std::max(exact.step, exact.impulse); }
  /// The largest true error with which it may count as solved.
  double allowed(double tolerance) const {
    if (end != End::at_round_off) return 10 * tolerance;
    const double seen = 10 * std::max(certified, certified_impulse);
    return std::min(largest_round_off, std::max(seen, 10 * tolerance));
  }
};

Result solve(const PreparedProblem& q, const ExactJudge& judge, ContactSolver& solver,
             const std::vector<double>& start, double tolerance) {
  ContactSolution x;
  x.velocity = start;
  const SolveReport report = solver.solve(q, {.tolerance = tolerance}, x);
  Result r;
  r.status = report.status;
  if (report.status == SolveStatus::converged) {
    r.end = report.at_round_off ? End::at_round_off : End::converged;
  }
  r.exact = judge.judge(x.answer());
  r.certified = report.certificate.step_error;
  r.certified_impulse = report.certificate.impulse_error;
  if (r.end != End::converged) r.floor = judge.rounding_floor(x.answer());
  return r;
}

/// The best that other presets and starts reach on the problem.
struct Rescue {
  double error = INFINITY;
  const char* by = "";
};

Rescue rescue(const PreparedProblem& q, const ExactJudge& judge, double tolerance) {
  const ContactProblem& p = q.problem();
  NewtonOptions exact;
  exact.line_search = LineSearch::exact;
  NewtonOptions patient;
  patient.patience = patient.max_iterations;
  const std::vector<double>& v0 = p.velocity;
  struct Try {
    const char* name;
    NewtonOptions options;
    std::vector<double> start;
  };
  const Try tries[] = {{"paper", NewtonOptions::paper(), v0},
                       {"armijo", NewtonOptions::paper(LineSearch::armijo), v0},
                       {"exact search", exact, v0},
                       {"from v*", {}, p.free_velocity},
                       {"from rest", {}, std::vector<double>(v0.size(), 0.0)},
                       {"paper from v*", NewtonOptions::paper(), p.free_velocity}};
  Rescue best;
  for (const Try& t : tries) {
    Newton solver("try", t.options);
    const double error = solve(q, judge, solver, t.start, tolerance).error();
    if (error < best.error) best = {error, t.name};
  }
  return best;
}

/// Counts by powers of ten of the error, up to 1e-8, ..., 1e-2, and more.
struct Histogram {
  static constexpr int first = -8, columns = 8;
  int count[columns] = {};
  double worst = 0;
  int total = 0;
  void add(double error) {
    int k = 0;
    while (k < columns - 1 && !(error <= std::pow(10, first + k))) ++k;
    ++count[k], ++total;
    worst = std::isnan(error) ? INFINITY : std::max(worst, error);
  }
};

/// Other figures of the answers that count as solved.
struct Solved {
  int count = 0;
  double balance = 0, momentum = 0;
  std::vector<double> lag;  ///< where friction acts
  void add(const ExactErrors& e, double tolerance) {
    ++count;
    balance = std::max(balance, e.balance);
    momentum = std::max(momentum, e.momentum);
    if (e.lag > 0 && e.lag_momentum > tolerance) lag.push_back(e.lag);
  }
};

struct Tables {
  std::map<std::string, Histogram[3]> ends;  ///< by model
  Histogram all[3];
  std::vector<double> understated[11];  ///< true over certified error, by decade of k
  int rescued[3] = {}, halved[3] = {}, above_floor[3] = {};
  std::map<std::string, int> by;
  std::map<std::string, Solved> solved;
};

void print_row(const std::string& name, const Histogram& h) {
  std::printf("| %s | %d |", name.c_str(), h.total);
  for (const int n : h.count) n == 0 ? std::printf(" |") : std::printf(" %d |", n);
  std::printf(" %.1e |\n", h.worst);
}

void print(const Tables& t) {
  std::printf("True error, the larger of the step's and the impulses':\n\n| | solves |");
  for (int k = Histogram::first; k < Histogram::first + Histogram::columns - 1; ++k) {
    std::printf(" <= 1e%d |", k);
  }
  std::printf(" more | worst |\n|---|---|");
  for (int k = 0; k < Histogram::columns; ++k) std::printf("---|");
  std::printf("---|\n");
  for (int e = 0; e < 3; ++e) {
    print_row(end_names[e], t.all[e]);
    for (const auto& [model, histograms] : t.ends) {
      if (histograms[e].total > 0) print_row("- " + model, histograms[e]);
    }
  }
  std::printf(
      "\n| not plainly converged | solves | another preset or start ends within the "
      "tolerance | ... halves the error | error above 10 times the rounding of v |\n"
      "|---|---|---|---|---|\n");
  for (int e = 1; e < 3; ++e) {
    std::printf("| %s | %d | %d | %d | %d |\n", end_names[e], t.all[e].total, t.rescued[e],
                t.halved[e], t.above_floor[e]);
  }
  for (const auto& [name, count] : t.by) std::printf("\nbest by %s: %d", name.c_str(), count);
  std::printf(
      "\n\nWhere solved: the worst momentum left by the impulses as they are returned, the worst "
      "e_m, and the lag error where friction's lag matters\n\n"
      "| | solves | balance | e_m | lag above 0.1 | median | worst |\n"
      "|---|---|---|---|---|---|---|\n");
  for (const auto& [model, s] : t.solved) {
    std::vector<double> lag = s.lag;
    std::sort(lag.begin(), lag.end());
    std::printf("| %s | %d | %.1e | %.1e |", model.c_str(), s.count, s.balance, s.momentum);
    if (lag.empty()) {
      std::printf(" | | |\n");
      continue;
    }
    const auto above = std::count_if(lag.begin(), lag.end(), [](double e) { return e > 0.1; });
    std::printf(" %td | %.1e | %.1e |\n", above, lag[lag.size() / 2], lag.back());
  }
  std::printf(
      "\nTrue step error over certify()'s, where the true one is above 1e-9:\n\n"
      "| largest k [N/m] | solves | least | median | most |\n|---|---|---|---|---|\n");
  for (int k = 0; k < static_cast<int>(std::size(t.understated)); ++k) {
    std::vector<double> ratios = t.understated[k];
    if (ratios.empty()) continue;
    std::sort(ratios.begin(), ratios.end());
    std::printf("| 1e%d to 1e%d | %zu | %.3g | %.3g | %.3g |\n", k + 3, k + 4, ratios.size(),
                ratios.front(), ratios[ratios.size() / 2], ratios.back());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const TrialOptions o =
      read_trial_options(argc, argv, "check_solves", {.count = 1000, .tolerance = 1e-6});
  Tables tables;
  int false_successes = 0;
  Newton newton;
  for (std::uint32_t seed = o.seed; seed < o.seed + o.count; ++seed) {
    const ContactProblem p = make_wild_problem(seed);
    const PreparedProblem q(p);
    const ExactJudge judge(p);
    const Result r = solve(q, judge, newton, p.velocity, o.tolerance);
    const int end = static_cast<int>(r.end);
    tables.all[end].add(r.error());
    tables.ends[model_name(p)][end].add(r.error());
    if (r.end == End::converged) tables.solved[model_name(p)].add(r.exact, o.tolerance);
    const double k = largest_stiffness(p);
    if (k > 0 && r.exact.step > 1e-9) {
      const double ratio = r.exact.step / r.certified;
      if (o.list && r.exact.step > 1e-7 && !(ratio > 0.9 && ratio < 1.1)) {
        std::printf("seed %u, %s, k %.1e, h %.1e, %s: true step error %.2e, certified %.2e\n", seed,
                    model_name(p).c_str(), k, p.time_step, end_names[end], r.exact.step,
                    r.certified);
      }
      const int decade = std::clamp(static_cast<int>(std::floor(std::log10(k))) - 3, 0, 10);
      tables.understated[decade].push_back(r.exact.step / r.certified);
    }
    const bool wrong = r.end != End::failed && !(r.error() <= r.allowed(o.tolerance));
    false_successes += wrong;
    if (wrong || r.end != End::converged) {
      const Rescue other = rescue(q, judge, o.tolerance);
      tables.rescued[end] += other.error <= o.tolerance;
      tables.halved[end] += other.error <= 0.5 * r.error();
      tables.above_floor[end] += r.error() > 10 * r.floor;
      if (other.error <= 0.5 * r.error()) ++tables.by[other.by];
      if (o.list) {
        std::printf(
            "%sseed %u, %s, k %.1e, h %.1e: %s, %s; true error %.1e, impulses %.1e, "
            "certified %.1e, rounding of v %.1e; best of others %.1e by %s\n",
            wrong ? "FALSE SUCCESS: " : "", seed, model_name(p).c_str(), k, p.time_step,
            std::string(to_string(r.status)).c_str(), end_names[end], r.exact.step, r.exact.impulse,
            r.certified, r.floor, other.error, other.by);
      }
    }
  }
  print(tables);
  std::printf("\n%u problems, seeds %u to %u, tolerance %g: %d false successes\n", o.count, o.seed,
              o.seed + o.count - 1, o.tolerance, false_successes);
  return false_successes > 0;
}
