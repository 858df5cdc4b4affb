#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "abut/problem/certify.hpp"
#include "abut/problem/prepared_problem.hpp"

namespace abut {

class ThreadPool;

/// The largest step or impulse error that rounding excuses: an answer of fewer digits is no
/// success.
constexpr double largest_round_off = 1e-3;

/// How a solve ended. Whatever the status, the solution holds the best iterate found.
enum class SolveStatus : std::uint8_t { converged, iteration_limit, stalled, numerical_failure };

std::string_view to_string(SolveStatus status);

/// The worse of two ends.
inline SolveStatus worse(SolveStatus a, SolveStatus b) {
  return a > b ? a : b;
}

struct SolveOptions {
  double tolerance = 1e-6;  ///< of every island's step error
  /// Islands are solved, and the answer certified, in parallel if given; the same bits. Not to be
  /// shared by two solves at once.
  ThreadPool* pool = nullptr;
  bool timed = true;  ///< SolveReport::seconds is measured, else NaN
};

/// How one island's solve ended.
struct IslandReport {
  SolveStatus status = SolveStatus::numerical_failure;
  bool at_round_off = false;  ///< converged as far as rounding allows, above the tolerance
  std::int32_t iterations = 0;
  std::int32_t factorizations = 0;
  std::int32_t line_evaluations = 0;  ///< of the line search, over all contacts of the island
  std::int32_t contacts = 0;
  /// How often Lagged friction took the normal impulses that came out.
  std::int32_t lag_rounds = 0;
  double factor_flops = 0;    ///< of the factorizations; 0 of solvers that do not count them
  double momentum_error = 0;  ///< as the solver sees it, to compare with the tolerance
  double lag_error = 0;       ///< of Lagged friction, likewise
};

/// Of two islands that were solved apart and are one now.
IslandReport join(const IslandReport& a, const IslandReport& b);
/// Of an island that was solved a second time.
IslandReport follow(const IslandReport& first, const IslandReport& second);

/// What a solver reads and writes besides the problem.
struct ContactSolution {
  std::vector<double> velocity;  ///< v, in: first guess
  std::vector<Vec3> impulse;     ///< gamma of each contact, on B, in the contact's frame [N s]
  std::vector<double> scalar_impulse;  ///< gamma of each scalar constraint [N s or N m s]
  /// Lagged, Anchored: gamma_n0 of each contact as solved with [N s]
  std::vector<double> lagged_impulse;
  /// Anchored: the force on B that the spring of each contact holds when the next step begins [N],
  /// which is to be given its anchor
  std::vector<Vec3> anchor;
  std::vector<std::uint8_t> slid;     ///< Anchored: whether each contact is at its limit
  Islands partition;                  ///< the problem's islands, joined by contacts that woke
  std::vector<IslandReport> islands;  ///< of the partition

  /// Empties all, and keeps the room.
  void clear();
  Answer answer() const { return {velocity, impulse, scalar_impulse, lagged_impulse}; }
};

struct SolveReport {
  SolveStatus status = SolveStatus::numerical_failure;  ///< of the worst island
  bool at_round_off = false;                            ///< in some island
  int iterations = 0;                                   ///< most of any island
  int factorizations = 0;                               ///< of all islands
  double factor_flops = 0;         ///< of these; 0 of solvers that do not count them
  int line_evaluations = 0;        ///< of all islands
  double weighted_iterations = 0;  ///< mean over contacts of their island's iterations
  int rounds = 1;                  ///< solves until no dormant contact was closed
  int lag_rounds = 0;              ///< most of any island
  int lagging_islands = 0;         ///< whose lag error is above the lag tolerance
  double seconds = 0;              ///< wall time, without the certificate; NaN if not timed
  Certificate certificate;         ///< from certify(), never from the solver
};

/// An algorithm for contact problems.
class ContactSolver {
 public:
  virtual ~ContactSolver() = default;
  virtual std::string_view name() const noexcept = 0;  ///< in the CLI and Python: "newton"
  virtual bool supports(ContactModel model) const noexcept = 0;  ///< without approximation

  /// Solves the problem, then certifies the answer. `x.velocity` brings a first guess in; where it
  /// is empty, that of the problem is taken, or v0. Allocates nothing once a problem of this size
  /// was solved; the same bits for any number of threads.
  /// @throws InputError if the problem is not prepared, the guess has another size, the tolerance
  /// is not in (0, 1) or the model is not supported; never for slow convergence.
  SolveReport solve(const PreparedProblem& problem, const SolveOptions& options,
                    ContactSolution& x);

 private:
  /// Whether it goes on from the problem's first guess, else from v0.
  virtual bool takes_guess() const noexcept { return true; }
  /// Solves the given islands of x.partition from x.velocity; writes their velocities, impulses
  /// and reports.
  virtual void iterate(const PreparedProblem& problem, std::span<const std::int32_t> islands,
                       const SolveOptions& options, ContactSolution& x) = 0;
  void start(const PreparedProblem& problem, ThreadPool* pool, ContactSolution& x);
  bool wake(const PreparedProblem& problem, ThreadPool* pool, ContactSolution& x);

  Certifier certifier_;
  std::vector<char> changed_;             ///< by tree: a contact of it woke
  std::vector<std::int32_t> to_solve_;    ///< islands
  std::vector<std::int32_t> old_island_;  ///< by tree
  std::vector<IslandReport> old_reports_;
};

/// A new solver by name. @throws InputError naming the known ones.
std::unique_ptr<ContactSolver> make_solver(std::string_view name);
std::span<const std::string_view> solver_names();
/// The one that a model has if none is asked for.
std::string_view default_solver(ContactModel model);

}  // namespace abut
