#include "abut/solvers/primal/newton.hpp"

#include "abut/core/parallel.hpp"

namespace abut {
namespace {

/// The place of an island so much larger than the others that its thread would still be at it when
/// they have long been done; -1 if there is none.
int largest_island(const Islands& partition, std::span<const std::int32_t> islands, int threads) {
  std::size_t all = 0, most = 0;
  int largest = -1;
  for (int k = 0; k < std::ssize(islands); ++k) {
    const std::size_t size = partition.patches_of(islands[k]).size();
    all += size;
    if (size > most) most = size, largest = k;
  }
  return 3 * most * threads > 4 * all ? largest : -1;
}

}  // namespace

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
  const auto solve = [&](int k, int worker, const SolveOptions& how) {
    IslandReport& report = x.islands[islands[k]];
    report = follow(report, solve_island(*workers_[worker], problem, islands[k], how, x));
  };
  if (threads == 1) {
    for (int k = 0; k < count; ++k) solve(k, 0, options);
    return;
  }
  const int together = largest_island(x.partition, islands, threads);
  if (together >= 0) solve(together, 0, options);
  SolveOptions alone = options;
  alone.pool = nullptr;
  options.pool->for_each(count, [&](int k, int worker) {
    if (k != together) solve(k, worker, alone);
  });
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
