// Solves a friction problem by Siconos again and again, and prints the least time of its driver as
// one line of JSON, with the error that our certificate finds:
//     siconos_friction PROBLEM.npz SOLVER STORAGE TOLERANCE [once]
// SOLVER is nsgs or nsn_ac, STORAGE of W dense, blocks or sparse, TOLERANCE Siconos' own.

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include "../bench_main.hpp"
#include "../friction_times.hpp"
#include "abut/io/friction_file.hpp"
#include "support/number_argument.hpp"

namespace {

using namespace abut;

constexpr int normal_first[] = {1, 2, 0};  // where t1, t2, n of ours are in Siconos' contacts

struct Entry {
  int row, column;
  double value;
};

/// Of W in Siconos' order, without what is zero.
std::vector<Entry> entries(const BlockMatrix& w) {
  std::vector<Entry> all;
  for (int i = 0; i < w.rows(); ++i) {
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
          const double value = w.block[k](r, c);
          if (value == 0) continue;
          all.push_back({3 * i + normal_first[r], 3 * w.column[k] + normal_first[c], value});
        }
      }
    }
  }
  return all;
}

NumericsMatrix* make_matrix(const BlockMatrix& w, std::string_view storage) {
  const int n = 3 * w.rows();
  const std::vector<Entry> all = entries(w);
  if (storage == "dense") {
    NumericsMatrix* m = NM_create(NM_DENSE, n, n);
    std::fill_n(m->matrix0, static_cast<std::size_t>(n) * n, 0.0);
    for (const auto& [row, column, value] : all) m->matrix0[row + column * n] = value;
    return m;
  }
  NumericsMatrix* m = NM_create(NM_SPARSE, n, n);
  NM_triplet_alloc(m, std::ssize(all));
  for (const auto& [row, column, value] : all) NM_entry(m, row, column, value);
  if (storage == "sparse") return m;
  if (storage != "blocks") {
    fail_input("storage " + quote(storage) + " must be one of dense, blocks, sparse");
  }
  SparseBlockStructuredMatrix* blocks = SBM_new();
  SBM_from_csparse(3, NM_csc(m), blocks);
  return NM_create_from_data(NM_SPARSE_BLOCK, n, n, blocks);
}

SolverOptions* make_options(std::string_view solver, double tolerance) {
  if (solver != "nsgs" && solver != "nsn_ac") {
    fail_input("solver " + quote(solver) + " must be one of nsgs, nsn_ac");
  }
  SolverOptions* options = solver_options_create(solver == "nsgs" ? SICONOS_FRICTION_3D_NSGS
                                                                  : SICONOS_FRICTION_3D_NSN_AC);
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = solver == "nsgs" ? 10000 : 1000;
  return options;
}

int bench(int argc, char** argv) {
  if (argc != 5 && (argc != 6 || std::string_view(argv[5]) != "once")) {
    std::fprintf(stderr, "usage: siconos_friction PROBLEM.npz SOLVER STORAGE TOLERANCE [once]\n");
    return 2;
  }
  FrictionProblem p = load_friction_file(argv[1]).problem;
  std::vector<double> velocity, reaction(3 * p.friction.size()), result(3 * p.friction.size());
  for (const Vec3& g : p.velocity) velocity.insert(velocity.end(), {g.z, g.x, g.y});
  numerics_set_verbose(0);
  FrictionContactProblem* problem = frictionContactProblem_new_with_data(
      3, p.contacts(), make_matrix(p.delassus, argv[3]), velocity.data(), p.friction.data());
  const double tolerance = number_argument(argv[4]);
  const auto solve = [&] {
    SolverOptions* options = make_options(argv[2], tolerance);
    std::fill(reaction.begin(), reaction.end(), 0.0);
    std::fill(result.begin(), result.end(), 0.0);
    const auto start = std::chrono::steady_clock::now();
    fc3d_driver(problem, reaction.data(), result.data(), options);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    const int iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    solver_options_delete(options);
    return std::pair(time.count(), iterations);
  };
  const auto judge = [&] {
    std::vector<Vec3> impulse;
    for (std::size_t i = 0; i < reaction.size(); i += 3) {
      impulse.push_back({reaction[i + 1], reaction[i + 2], reaction[i]});
    }
    return certify(p, RigidModel::ncp, impulse).natural_error;
  };
  print_times(p.contacts(), time_solves(solve, judge, argc == 6));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return abut::run_bench("siconos_friction", bench, argc, argv);
}
