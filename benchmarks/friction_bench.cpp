// Solves a friction problem again and again and prints the least time as one line of JSON:
//     friction_bench PROBLEM.npz SOLVER TOLERANCE [once]

#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include "abut/io/friction_file.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "bench_main.hpp"
#include "friction_times.hpp"
#include "support/number_argument.hpp"

namespace {

using namespace abut;

int bench(int argc, char** argv) {
  if (argc != 4 && (argc != 5 || std::string_view(argv[4]) != "once")) {
    std::fprintf(stderr, "usage: friction_bench PROBLEM.npz SOLVER TOLERANCE [once]\n");
    return 2;
  }
  const FrictionProblem problem = load_friction_file(argv[1]).problem;
  const auto solver = make_friction_solver(argv[2]);
  const FrictionOptions options{.tolerance = number_argument(argv[3])};
  std::vector<Vec3> impulse;
  double error = 0;
  const auto solve = [&] {
    const FrictionReport report = solver->solve(problem, options, impulse);
    error = report.certificate.natural_error;
    return std::pair(report.seconds, report.iterations);
  };
  print_times(problem.contacts(), time_solves(
                                      solve, [&] { return error; }, argc == 5));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return abut::run_bench("friction_bench", bench, argc, argv);
}
