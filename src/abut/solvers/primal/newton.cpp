#include "abut/solvers/primal/newton.hpp"

#include <algorithm>

#include "abut/core/grow.hpp"
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
    worker->lone.make_room(problem.problem());
  }
  for (auto* v : {&lone_, &others_, &order_}) make_room(*v, problem.problem().trees.size());
  if (islands.empty()) return;
  lone_.clear();
  others_.clear();
  for (const std::int32_t island : islands) {
    (LoneBodies::suits(problem, x.partition, island) ? lone_ : others_).push_back(island);
  }
  const auto others = static_cast<int>(others_.size());
  const auto lone = static_cast<int>(lone_.size());
  const bool is_shared = threads > 1 && options.pool->is_shared();
  // groups for all threads: the same answers whoever is in a group
  const int group = std::clamp(is_shared ? lone / threads : lone, 1, LoneBodies::most);
  const int groups = (lone + group - 1) / group, items = others + groups;
  const auto solve_item = [&](int k, int worker, Team* team) {
    if (k < others) {
      solve_island(*workers_[worker], problem, others_[k], options, x, team);
      return;
    }
    const auto rest = std::span(lone_).subspan(static_cast<std::size_t>(group) * (k - others));
    const auto some = rest.first(std::min<std::size_t>(rest.size(), group));
    solve_lone_bodies(*workers_[worker], problem, some, options, x);
  };
  if (!is_shared) {
    for (int k = 0; k < items; ++k) solve_item(k, 0, nullptr);
    return;
  }
  // the largest island comes first; who finds no other helps with it
  const auto size = [&](std::int32_t island) { return x.partition.patches_of(island).size(); };
  const auto largest = std::ranges::max_element(others_, {}, size);
  if (largest != others_.end()) std::rotate(others_.begin(), largest, largest + 1);
  put_in_order(group);
  const auto solve = [&](int item, int worker, Team* team) {
    solve_item(order_[item], worker, team);
  };
  if (others_.empty() || size(others_.front()) < least_shared) {
    options.pool->for_each(items, [&](int k, int worker) { solve(k, worker, nullptr); });
    return;
  }
  Team team;
  const auto take = [&](int k, int worker) {
    if (k > 0) return solve(k, worker, nullptr);
    const Dismissal dismissal(team);
    solve(0, worker, &team);
  };
  options.pool->for_each(items, take, [&](int) { team.help(); });
}

/// Items by trees, lone bodies by groups behind the others' numbers; the largest island stays
/// first. Threads so begin with those whose contacts they have found (PatchShares).
void Newton::put_in_order(int group) {
  const auto others = static_cast<std::int32_t>(others_.size());
  order_.clear();
  std::int32_t k = 0;
  for (std::int32_t g = 0; g * group < std::ssize(lone_); ++g) {
    while (k < others && (k == 0 || others_[k] < lone_[g * group])) order_.push_back(k++);
    order_.push_back(others + g);
  }
  while (k < others) order_.push_back(k++);
}

void Newton::solve_lone_bodies(Worker& worker, const PreparedProblem& problem,
                               std::span<const std::int32_t> islands, const SolveOptions& options,
                               ContactSolution& x) const {
  for (const int island : worker.lone.test(problem, islands, options.tolerance, x)) {
    solve_island(worker, problem, island, options, x, nullptr);
  }
}

void Newton::solve_island(Worker& worker, const PreparedProblem& problem, int island,
                          const SolveOptions& options, ContactSolution& x, Team* team) const {
  IslandReport& report = x.islands[island];
  if (options_.scalar_systems && ScalarIsland::suits(problem, x.partition, island)) {
    IslandReport direct;
    const bool solved = worker.scalars.solve(problem, island, options.tolerance, x, direct);
    report = follow(report, direct);
    if (solved) return;
  }
  report = follow(report, worker.newton.solve(problem, island, options, x, team));
}

}  // namespace abut
