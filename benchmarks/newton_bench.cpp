// What each cure of Newton's method is worth: every step's problem of a scene is solved by all
// variants.
//     newton_bench SCENE.xml MODEL DT DURATION

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "abut/io/mjcf.hpp"
#include "abut/sim/world.hpp"
#include "abut/solvers/primal/newton.hpp"
#include "bench_main.hpp"
#include "support/number_argument.hpp"

namespace {

using namespace abut;

struct Variant {
  const char* name;
  NewtonOptions options;
};

std::vector<Variant> variants() {
  const NewtonOptions all, paper = NewtonOptions::paper();
  std::vector<Variant> list = {{"default", all},
                               {"paper, exact search", paper},
                               {"paper, Armijo", NewtonOptions::paper(LineSearch::armijo)}};
  NewtonOptions o = all;
  o.first_guess = false;
  list.push_back({"without first guess", o});
  o = all;
  o.primal_dual_friction = false;
  list.push_back({"without primal-dual friction", o});
  o = all;
  o.dual_normal = false;
  list.push_back({"without dual normal", o});
  o = all;
  o.predictor_sweeps = 0;
  list.push_back({"without predictor", o});
  o = all;
  o.chord_steps = false;
  list.push_back({"without chord steps", o});
  o = all;
  o.scalar_systems = false;
  list.push_back({"without scalar systems", o});
  o = all;
  o.line_search = LineSearch::exact;
  list.push_back({"with exact search", o});
  o = all;
  o.patience = o.max_iterations;
  list.push_back({"without patience", o});
  o = paper;
  o.primal_dual_friction = true;
  o.line_search = LineSearch::loose;
  list.push_back({"paper + primal-dual, loose", o});
  o = paper;
  o.predictor_sweeps = all.predictor_sweeps;
  list.push_back({"paper + predictor", o});
  return list;
}

struct Sums {
  double iterations = 0, contacts = 0, seconds = 0;
  long factorizations = 0, line_evaluations = 0, failed = 0;
  int most = 0;
};

int bench(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: newton_bench SCENE.xml MODEL DT DURATION\n");
    return 2;
  }
  WorldOptions options;
  options.model = model_argument(argv[2]);
  options.time_step = number_argument(argv[3]);
  options.pair.stiffness = 1e7;
  World world(load_mjcf(argv[1]), options);
  const int steps = static_cast<int>(number_argument(argv[4]) / *options.time_step + 0.5);

  const std::vector<Variant> list = variants();
  std::vector<Sums> sums(list.size());
  std::vector<std::unique_ptr<Newton>> solvers;
  for (const Variant& v : list) solvers.push_back(std::make_unique<Newton>("variant", v.options));
  ContactSolution x;
  for (int i = 0; i < steps; ++i) {
    world.step();
    const PreparedProblem& prepared = world.prepared();
    for (std::size_t k = 0; k < list.size(); ++k) {
      x.velocity.clear();
      const SolveReport r = solvers[k]->solve(prepared, {}, x);
      Sums& s = sums[k];
      s.iterations += r.weighted_iterations * world.report().contacts;
      s.contacts += world.report().contacts;
      s.factorizations += r.factorizations;
      s.line_evaluations += r.line_evaluations;
      s.failed += r.status != SolveStatus::converged;
      s.most = std::max(s.most, r.iterations);
      s.seconds += r.seconds;
    }
  }
  std::printf("%-30s %10s %5s %12s %12s %10s %7s\n", "", "iterations", "max", "factors/step",
              "line/step", "us/step", "failed");
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Sums& s = sums[k];
    std::printf("%-30s %10.2f %5d %12.1f %12.1f %10.1f %7ld\n", list[k].name,
                s.contacts > 0 ? s.iterations / s.contacts : 0, s.most,
                static_cast<double>(s.factorizations) / steps,
                static_cast<double>(s.line_evaluations) / steps, 1e6 * s.seconds / steps, s.failed);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return abut::run_bench("newton_bench", bench, argc, argv);
}
