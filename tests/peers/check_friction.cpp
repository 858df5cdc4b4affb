// check_friction [--seed FIRST] [--count N] [--tolerance EPS]: random friction problems (masses of
// 0 to 6 decades, at rest and moving, half of them with scalar constraints), each under one of the
// rigid models by turns, solved by every solver of that model and judged in quadruple precision
// (friction_judge.hpp). Prints how solves end and the worst error of those that count as solved.
//
// Exits with 1 if an answer that counts as solved has an error above the tolerance.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "abut/solvers/dual/friction_solver.hpp"
#include "peers/friction_judge.hpp"
#include "support/random_friction.hpp"
#include "support/trial_options.hpp"

namespace {

using namespace abut;

struct Tally {
  int solves = 0, solved = 0, wrong = 0;
  double worst = 0;  ///< true error of what counts as solved
};

RandomFriction kind_of_problem(std::uint32_t seed) {
  RandomFriction what;
  what.most_bodies = 1 + static_cast<int>(seed / 4 % 8);
  what.most_contacts = 3 * what.most_bodies;
  what.mass_spread = seed / 32 % 7;
  what.rests = seed / 8 % 2 == 0;
  what.most_scalars = seed / 16 % 2 == 0 ? 0 : what.most_bodies;
  what.compliance = seed / 64 % 2 == 0 ? 0 : 1e-3;
  return what;
}

}  // namespace

int main(int argc, char** argv) {
  const TrialOptions o =
      read_trial_options(argc, argv, "check_friction", {.count = 10000, .tolerance = 1e-8});
  std::vector<std::unique_ptr<FrictionSolver>> solvers;
  for (const std::string_view name : friction_solver_names()) {
    solvers.push_back(make_friction_solver(name));
  }
  std::map<std::pair<std::string, std::string>, Tally> tallies;
  int wrong = 0;
  std::vector<Vec3> impulse;
  for (std::uint32_t seed = o.seed; seed < o.seed + o.count; ++seed) {
    std::mt19937 random(seed);
    const FrictionProblem problem = make_friction_problem(random, kind_of_problem(seed));
    const RigidModel model = rigid_models[seed % rigid_models.size()];
    for (const auto& solver : solvers) {
      if (!solver->supports(model)) continue;
      Tally& t = tallies[{std::string(to_string(model)), std::string(solver->name())}];
      ++t.solves;
      const FrictionReport report =
          solver->solve(problem, {.model = model, .tolerance = o.tolerance}, impulse);
      if (report.status != SolveStatus::converged) continue;
      ++t.solved;
      const double error = exact_natural_error(problem, model, impulse);
      t.worst = std::max(t.worst, error);
      if (error <= o.tolerance) continue;
      ++t.wrong, ++wrong;
      std::printf("FALSE SUCCESS: seed %u, %s by %s: %.17g\n", seed,
                  std::string(to_string(model)).c_str(), std::string(solver->name()).c_str(),
                  error);
    }
  }
  std::printf(
      "| model | solver | solves | solved | worst error of these | above %g |\n"
      "|---|---|---|---|---|---|\n",
      o.tolerance);
  for (const auto& [key, t] : tallies) {
    std::printf("| %s | %s | %d | %d | %.2e | %d |\n", key.first.c_str(), key.second.c_str(),
                t.solves, t.solved, t.worst, t.wrong);
  }
  std::printf("\n%u problems, seeds %u to %u: %d false successes\n", o.count, o.seed,
              o.seed + o.count - 1, wrong);
  return wrong > 0;
}
