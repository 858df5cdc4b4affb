#pragma once

#include "abut/core/aligned_buffer.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "abut/solvers/primal/island_system.hpp"
#include "abut/solvers/primal/newton_options.hpp"

namespace abut {

/// Newton's method on the convex problem of one island:
///
///     H dv = -grad l,   v += alpha dv,   H = A + J^T G J     [SAP 19, 24]
///
/// Holds one worker's buffers.
class IslandNewton {
 public:
  explicit IslandNewton(const NewtonOptions& options) : options_(options) {}

  /// Solves one island from x.velocity and writes its velocities and impulses there.
  IslandReport solve(const ContactProblem& problem, int island, const SolveOptions& stop,
                     ContactSolution& x);

 private:
  struct Trial {
    double slope, cost;  ///< of the cost along the step
  };
  void start(const ContactProblem& problem, int island, const ContactSolution& x);
  void evaluate_here();
  void predict(const ContactProblem& problem, IslandReport& report);
  bool fill_predictor(const ContactProblem& problem);
  bool factor_and_solve(IslandReport& report);
  bool step(IslandReport& report);
  double search_loose(const StepSums& s, IslandReport& report);
  double search_exact(const StepSums& s, IslandReport& report);
  double search_root(const StepSums& s, double low, double high, double guess, double accept,
                     IslandReport& report);
  double search_armijo(const StepSums& s, IslandReport& report);
  Trial evaluate_at(double alpha, const StepSums& s, IslandReport& report);
  void move(double alpha);
  void update_error();
  double round_off_level(const ContactProblem& problem) const;
  void keep_best();
  void write(ContactSolution& x);
  HessianOptions hessian_options() const {
    return {options_.primal_dual_friction, options_.dual_normal};
  }

  NewtonOptions options_;
  const ModelKernels* model_ = nullptr;
  IslandSystem system_;
  SymbolicAnalysis analysis_;
  BlockSymbolic symbolic_;
  bool analyzed_ = false;
  BlockCholesky cholesky_;
  AlignedBuffer<double> v_, step_, momentum_, gradient_, impulse_, best_, trial_;
  double potential_ = 0;  ///< of the contacts at v
  double trial_potential_ = 0;  ///< where they were evaluated last
  double energy_ = 0;     ///< of v - v*
  double error_ = 0;      ///< relative momentum error at v
  double best_error_ = 0;
  bool at_rest_ = false;  ///< nothing moves and nothing pushes
  double absolute_ = 0;
};

}  // namespace abut
