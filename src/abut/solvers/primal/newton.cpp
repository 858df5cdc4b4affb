#include "abut/solvers/primal/newton.hpp"

#include "abut/core/parallel.hpp"

namespace abut {

void Newton::iterate(const ContactProblem& problem, const SolveOptions& options,
                     ContactSolution& x) {
  const int threads = options.pool != nullptr ? options.pool->threads() : 1;
  while (static_cast<int>(workers_.size()) < threads) {
    workers_.push_back(std::make_unique<IslandNewton>(options_));
  }
  const int islands = problem.islands.size();
  const auto solve = [&](int island, int worker) {
    x.islands[island] = workers_[worker]->solve(problem, island, options, x);
  };
  if (threads == 1) {
    for (int i = 0; i < islands; ++i) solve(i, 0);
  } else {
    options.pool->for_each(islands, solve);
  }
}

}  // namespace abut
