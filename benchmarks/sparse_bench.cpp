// What a step of an elastic block with boxes on it costs, as a sparse tree and as a dense one.

#include <chrono>
#include <cmath>
#include <cstdio>

#include "abut/solvers/contact_solver.hpp"
#include "support/soft_block.hpp"

namespace {

using namespace abut;

struct Cost {
  double prepare = HUGE_VAL, solve = HUGE_VAL;  ///< least of some [s]
  int iterations = 0;
  ContactSolution answer;
};

Cost measure(const SoftBlock& block, int repetitions) {
  using Clock = std::chrono::steady_clock;
  const ContactProblem p = make_problem(block);
  const auto solver = make_solver("newton");
  Cost cost;
  PreparedProblem q;
  for (int k = 0; k < repetitions; ++k) {
    q.edit() = p;
    const auto begin = Clock::now();
    q.prepare();
    const std::chrono::duration<double> seconds = Clock::now() - begin;
    cost.answer = {};
    const SolveReport r = solver->solve(q, {}, cost.answer);
    if (r.status != SolveStatus::converged) std::printf("did not converge\n");
    cost.prepare = std::min(cost.prepare, seconds.count());
    cost.solve = std::min(cost.solve, r.seconds);
    cost.iterations = r.iterations;
  }
  return cost;
}

void print(const char* name, int nodes, const Cost& c) {
  const int dofs = 3 * nodes * nodes * nodes;
  std::printf("%-6s %6d dofs  prepare %9.2f ms  solve %9.2f ms, %2d iterations, %7.2f us a dof\n",
              name, dofs, 1e3 * c.prepare, 1e3 * c.solve, c.iterations, 1e6 * c.solve / dofs);
}

}  // namespace

int main() {
  for (const int nodes : {4, 6, 8, 10, 14, 18}) {
    SoftBlock block{.nodes_per_side = nodes, .push = 0.5};
    const Cost sparse = measure(block, 5);
    print("sparse", nodes, sparse);
    if (nodes > 10) continue;  // a dense matrix of 8232 dofs fills 540 MB
    block.as_dense = true;
    const Cost dense = measure(block, nodes > 6 ? 1 : 5);
    print("dense", nodes, dense);
    double apart = 0;
    for (std::size_t k = 0; k < dense.answer.velocity.size(); ++k) {
      apart = std::max(apart, std::abs(dense.answer.velocity[k] - sparse.answer.velocity[k]));
    }
    std::printf("       dense / sparse: %.0f times; answers are %.1e m/s apart\n",
                (dense.prepare + dense.solve) / (sparse.prepare + sparse.solve), apart);
  }
}
