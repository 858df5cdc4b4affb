#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "abut/core/disjoint_sets.hpp"
#include "abut/problem/certify_friction.hpp"
#include "abut/problem/friction_problem.hpp"
#include "abut/solvers/contact_solver.hpp"

namespace abut {

struct FrictionOptions {
  RigidModel model = RigidModel::ncp;
  double tolerance = 1e-8;  ///< of the certificate's natural error, in (0, 1)
  /// If positive, the tolerance is of the energy error over this scale [J^(1/2)] instead.
  double scale = 0;
  double relaxation = 1;    ///< share of each change that sweeps take, in (0, 2) [CB 25]
  int iteration_limit = 0;  ///< 0: the solver's own
  bool is_warm = false;     ///< the impulses given are a guess
  /// Of all impulses with the velocities found, those of the least norm are returned (LeastNorm),
  /// if they are an answer, too.
  bool least_norm = false;
};

/// How a solve ended. `converged` is what the certificate says.
struct FrictionReport {
  SolveStatus status = SolveStatus::numerical_failure;  ///< of the worst island
  int iterations = 0;                                   ///< most of any island
  int factorizations = 0;                               ///< of all islands
  /// If positive, impulses of some islands would grow without bound: theirs are those of contacts
  /// of this compliance, in units of their mobility. 0: nothing is relaxed.
  double relaxation = 0;
  double seconds = 0;               ///< wall time, without the certificate
  FrictionCertificate certificate;  ///< from certify(), never from the solver
};

/// An algorithm for frictional contact problems.
class FrictionSolver {
 public:
  virtual ~FrictionSolver() = default;
  virtual std::string_view name() const noexcept = 0;
  virtual bool supports(RigidModel model) const noexcept = 0;
  /// @throws InputError naming both if it does not solve the model
  void require_support(RigidModel model) const;

  /// Solves island by island, then certifies. Whatever the status, `impulse` holds the best answer
  /// found, by block row, in the contacts' axes [N s].
  /// @throws InputError if an option makes no sense or the model is not supported; never for slow
  /// convergence. The problem must be one that validate() accepts.
  FrictionReport solve(const FrictionProblem& problem, const FrictionOptions& options,
                       std::vector<Vec3>& impulse);

  /// Solves a problem of one island, without a certificate: for who judges the answer themselves.
  FrictionReport solve_island(const FrictionProblem& problem, const FrictionOptions& options,
                              std::span<Vec3> impulse) {
    FrictionReport report;
    iterate(problem, options, impulse, report);
    return report;
  }

 private:
  void solve_islands(const FrictionProblem& problem, const FrictionOptions& options,
                     std::span<Vec3> impulse, FrictionReport& report);

  int find_islands(const FrictionProblem& problem);
  void take_island(const FrictionProblem& problem, std::span<const std::int32_t> rows);

  /// Improves the impulses of one island; the report's certificate and seconds are not its to
  /// write.
  virtual void iterate(const FrictionProblem& problem, const FrictionOptions& options,
                       std::span<Vec3> impulse, FrictionReport& report) = 0;

  /// Kept from problem to problem.
  struct Islands {
    DisjointSets sets;
    std::vector<std::int32_t> island, place;  ///< by block row: which one, and where in it
    std::vector<std::int32_t> begin, rows;    ///< block rows, island by island
    FrictionProblem part;
    std::vector<Vec3> impulse;
  };
  Islands islands_;
};

/// A new solver by name. @throws InputError naming the known ones.
std::unique_ptr<FrictionSolver> make_friction_solver(std::string_view name);
std::span<const std::string_view> friction_solver_names();

}  // namespace abut
