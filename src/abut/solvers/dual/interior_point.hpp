#pragma once

#include <memory>
#include <vector>

#include "abut/solvers/dual/admm.hpp"
#include "abut/solvers/dual/central_path.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "abut/solvers/dual/path_following.hpp"
#include "abut/solvers/dual/quick_start.hpp"
#include "abut/solvers/dual/scaled_problem.hpp"
#include "abut/solvers/dual/semismooth_newton.hpp"

namespace abut {

/// The primal-dual interior point method for Coulomb's law itself (CentralPath), by predictor and
/// corrector (Mehrotra 1992); then a semi-smooth Newton method takes the last digits
/// (SemismoothNewton). Where it jams, it starts again from other sizes of the impulses, then by arc
/// length (PathFollowing). Without a limit of iterations contacts are then swept one by one
/// (Gauss-Seidel), then compliant, less and less; at last ADMM goes on.
class InteriorPoint final : public FrictionSolver {
 public:
  std::string_view name() const noexcept override { return "interior-point"; }
  bool supports(RigidModel model) const noexcept override { return model == RigidModel::ncp; }

 private:
  struct Direction {
    CentralPath::Point change;
    double step = 0;  ///< the longest
  };
  void iterate(const FrictionProblem& problem, const FrictionOptions& options,
               std::span<Vec3> impulse, FrictionReport& report) override;
  void try_sizes(std::span<const double> sizes, const FrictionOptions& options,
                 FrictionReport& report, int limit);
  void try_to_the_end(const FrictionProblem& problem, const FrictionOptions& options,
                      FrictionReport& report);
  void sweep(const FrictionOptions& options, FrictionReport& report);
  void go_on_by_admm(const FrictionProblem& problem, const FrictionOptions& options, int iterations,
                     FrictionReport& report);
  void start_warm();
  double solve_compliant(const FrictionProblem& problem, double compliance, bool is_warm,
                         const FrictionOptions& options, FrictionReport& report);
  bool is_wedged(const FrictionProblem& problem, const FrictionOptions& options,
                 FrictionReport& report);
  void begin_attempt();
  void end_attempt();
  void follow_path(const FrictionOptions& options, FrictionReport& report, int limit);
  void find_direction(double k, const Direction* predictor, Direction& result);
  void choose_direction(double k);
  void polish(const FrictionOptions& options, FrictionReport& report);
  void follow_by_arc_length(const FrictionOptions& options, FrictionReport& report, int limit);
  double keep_if_best(const FrictionOptions& options);

  ScaledProblem problem_;
  CentralPath path_;
  CentralPath::Point x_;
  CentralPath::Targets targets_;
  std::vector<Vec3> residual_, trial_, velocity_, best_;
  double best_error_ = 0;
  std::vector<Vec3> earlier_;  ///< the best before an attempt, which has its own
  double earlier_error_ = 0;
  Direction predictor_, chosen_, other_;
  SemismoothNewton newton_;
  QuickStart quick_start_;
  PathFollowing path_following_;
  Admm admm_;
  std::vector<Vec3> admm_impulse_;

  // compliant contacts
  std::unique_ptr<InteriorPoint> compliant_;  ///< solves the problems with compliance
  bool is_compliant_ = false;
  FrictionProblem softened_;
  std::vector<Vec3> compliant_impulse_, last_compliant_, relaxed_;
};

}  // namespace abut
