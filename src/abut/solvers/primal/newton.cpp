#include "abut/solvers/primal/newton.hpp"

#include <algorithm>

#include "abut/core/parallel.hpp"
#include "abut/core/team.hpp"

namespace abut {
namespace {

/// Patches of an island below which its factorizations are too small to be shared.
constexpr std::size_t least_shared = 100;

}  // namespace

void Newton::iterate(const PreparedProblem& problem, std::span<const std::int32_t> islands,
                     const SolveOptions& options, ContactSolution& x) {
  // where there may be contacts later, room for them is made at once
  const std::size_t room = problem.problem().contacts.gap.capacity();
  if (islands.empty() && room == room_) return;
  room_ = room;
  const int threads = options.pool != nullptr ? options.pool->threads() : 1;
  while (static_cast<int>(workers_.size()) < threads) {
    workers_.push_back(std::make_unique<Worker>(options_));
  }
  for (const auto& worker : workers_) {
    worker->newton.make_room(problem);
    worker->scalars.make_room(problem.problem());
  }
  if (islands.empty()) return;
  const auto count = static_cast<int>(islands.size());
  const auto solve = [&](int k, int worker, Team* team) {
    IslandReport& report = x.islands[islands[k]];
    report = follow(report, solve_island(*workers_[worker], problem, islands[k], options, x, team));
  };
  if (threads == 1 || !options.pool->is_shared()) {
    for (int k = 0; k < count; ++k) solve(k, 0, nullptr);
    return;
  }
  // the largest island comes first; who finds no other helps with it
  const auto size = [&](std::int32_t island) { return x.partition.patches_of(island).size(); };
  const auto largest = std::ranges::max_element(islands, {}, size);
  const auto place = static_cast<int>(largest - islands.begin());
  const auto in_order = [&](int k) { return k == 0 ? place : k == place ? 0 : k; };
  if (size(*largest) < least_shared) {
    options.pool->for_each(count, [&](int k, int worker) { solve(in_order(k), worker, nullptr); });
    return;
  }
  Team team;
  const auto take = [&](int k, int worker) {
    if (k > 0) return solve(in_order(k), worker, nullptr);
    const Dismissal dismissal(team);
    solve(place, worker, &team);
  };
  options.pool->for_each(count, take, [&](int) { team.help(); });
}

IslandReport Newton::solve_island(Worker& worker, const PreparedProblem& problem, int island,
                                  const SolveOptions& options, ContactSolution& x,
                                  Team* team) const {
  if (!options_.scalar_systems || !ScalarIsland::suits(problem, x.partition, island)) {
    return worker.newton.solve(problem, island, options, x, team);
  }
  IslandReport direct;
  if (worker.scalars.solve(problem, island, options.tolerance, x, direct)) return direct;
  return follow(direct, worker.newton.solve(problem, island, options, x, team));
}

}  // namespace abut
