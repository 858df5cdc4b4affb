#include "abut/solvers/primal/newton.hpp"

#include "abut/core/parallel.hpp"

namespace abut {

void Newton::iterate(const PreparedProblem& problem, std::span<const std::int32_t> islands,
                     const SolveOptions& options, ContactSolution& x) {
  const int threads = options.pool != nullptr ? options.pool->threads() : 1;
  while (static_cast<int>(workers_.size()) < threads) {
    workers_.push_back(std::make_unique<Worker>(options_));
  }
  if (islands.empty()) return;
  for (const auto& worker : workers_) {
    worker->newton.make_room(problem);
    worker->scalars.make_room(problem.problem());
  }
  const auto count = static_cast<int>(islands.size());
  const auto solve = [&](int k, int worker) {
    IslandReport& report = x.islands[islands[k]];
    report = follow(report, solve_island(*workers_[worker], problem, islands[k], options, x));
  };
  if (threads == 1) {
    for (int k = 0; k < count; ++k) solve(k, 0);
  } else {
    options.pool->for_each(count, solve);
  }
}

IslandReport Newton::solve_island(Worker& worker, const PreparedProblem& problem, int island,
                                  const SolveOptions& options, ContactSolution& x) const {
  if (!options_.scalar_systems || !ScalarIsland::suits(problem, x.partition, island)) {
    return worker.newton.solve(problem, island, options, x);
  }
  IslandReport direct;
  if (worker.scalars.solve(problem, island, options.tolerance, x, direct)) return direct;
  return follow(direct, worker.newton.solve(problem, island, options, x));
}

}  // namespace abut
