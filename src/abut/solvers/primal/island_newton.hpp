#pragma once

#include <array>

#include "abut/core/aligned_buffer.hpp"
#include "abut/linalg/symbolic_cache.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "abut/solvers/primal/friction_lag.hpp"
#include "abut/solvers/primal/island_iterate.hpp"
#include "abut/solvers/primal/island_system.hpp"
#include "abut/solvers/primal/line_search.hpp"
#include "abut/solvers/primal/newton_options.hpp"
#include "abut/solvers/primal/sweeps.hpp"

namespace abut {

class Team;

/// Newton's method on the convex problem of one island:
///
///     H dv = -grad l,   v += alpha dv,   H = A + J^T G J     [SAP 19, 24]
///
/// Holds one worker's buffers.
class IslandNewton {
 public:
  explicit IslandNewton(const NewtonOptions& options) : options_(options) {}

  /// Room for the whole problem as one island, so that islands that join, or come to another
  /// worker, allocate nothing.
  void make_room(const PreparedProblem& problem);

  /// Solves one island of x.partition from x.velocity, if there is a team with its help; writes its
  /// velocities and impulses there.
  IslandReport solve(const PreparedProblem& problem, int island, const SolveOptions& stop,
                     ContactSolution& x, Team* team = nullptr);

 private:
  /// How a minimization ended; of those up to `loose` more can be made.
  enum class End : std::uint8_t { converged, loose, round_off, stopped };

  void start(int island, const ContactSolution& x);
  End minimize(IslandReport& report, bool loosely, int iterations);
  bool follows_lag() const;
  bool lag_dominates();
  void measure_lag(IslandReport& report);
  End follow_lag(IslandReport& report);
  End start_again(End end, IslandReport& report);
  void continue_in_stiffness(IslandReport& report);
  bool run_sweeps();
  void start_duals();
  void advance_duals();
  bool linearize_at_prediction(IslandReport& report);
  bool iterate(IslandReport& report);
  void analyze_meanwhile();
  void need_symbolic();
  bool factor_and_solve(IslandReport& report);
  bool chords_will_do() const;
  void solve_again(IslandReport& report);
  bool move(IslandReport& report);
  void go_whole_way();
  void step_back();
  void set_directions();
  bool move_by(double alpha, const CostAlongStep& cost, IslandReport& report);
  void be_plain(LineSearch search);
  void be_cured();
  bool fall_back(IslandReport& report);
  void write(ContactSolution& x, IslandReport& report);
  HessianOptions hessian_options() const {
    return {options_.primal_dual_friction && !plain_, options_.dual_normal && !plain_};
  }

  using Sizes = std::array<std::size_t, 10>;

  NewtonOptions options_;
  Sizes sizes_{};  ///< of the problem that there is room for
  SolveOptions stop_;
  Team* team_ = nullptr;
  const PreparedProblem* prepared_ = nullptr;
  const ContactProblem* problem_ = nullptr;  ///< of prepared_
  const ContactSolution* solution_ = nullptr;
  int island_ = 0;  ///< of the solution's partition
  const ModelKernels* model_ = nullptr;
  IslandSystem system_;
  IslandIterate here_{system_};
  Sweeps sweeps_;
  FrictionLag lag_;
  SymbolicCache symbolic_cache_;
  const BlockSymbolic* symbolic_ = nullptr;  ///< null before it is looked up
  /// Looks it up in the place of need_symbolic(); leaves null where that fails.
  struct Analysis {
    IslandNewton& newton;
    void operator()() noexcept;
  } analysis_{*this};
  bool is_analyzed_ = false;  ///< by a helper, who may be at it
  bool is_placed_ = false;    ///< the system knows where its blocks are
  BlockCholesky cholesky_;
  int chords_left_ = 0;    ///< steps that its factor may still serve for
  double last_error_ = 0;  ///< before the last step that it gave
  AlignedBuffer<double> step_, closest_;
  AlignedBuffer<double> before_;  ///< v where go_whole_way() began
  bool is_restart_ = false;
  bool is_new_ = true;  ///< nothing was tried yet
  LineSearch search_ = LineSearch::loose;
  bool plain_ = false;         ///< patience is over
  bool is_predicted_ = false;  ///< the sweeps' answer waits to be linearized about
  bool is_judged_ = false;     ///< go_whole_way() ended the iteration: duals are one behind
};

}  // namespace abut
