#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "abut/sim/world.hpp"

namespace abut {

/// What a run adds up, step by step.
struct Statistics {
  std::uint64_t steps = 0;
  std::array<std::uint64_t, 4> by_status{};  ///< steps, by SolveStatus
  std::uint64_t at_round_off = 0;            ///< steps that converged as far as rounding allows
  double contacts = 0;                       ///< over all steps
  int contacts_max = 0;
  double iterations = 0;  ///< of each contact's island, over all contacts of all steps
  int iterations_max = 0;
  std::uint64_t factorizations = 0;
  double factor_flops = 0;             ///< of these
  double certificate_max = 0;          ///< step error; NaN if one was
  double momentum_error_max = 0;       ///< e_m, the papers' measure of the same
  double lag_error_max = 0;            ///< of Lagged friction
  std::uint64_t lag_rounds = 0;        ///< of the island with most in each step
  std::uint64_t lagging_steps = 0;     ///< with islands whose lag error is above the lag tolerance
  int lagging_islands_max = 0;         ///< most such islands of a step
  double penetration_max = 0;          ///< [m]
  int overlaps_max = 0;                ///< pairs of shapes that began in each other
  Violation equality_max, limit_max;   ///< the largest of any step
  double ncp_primal_max = 0;           ///< [N]
  double ncp_dual_max = 0;             ///< [m/s^2]
  double ncp_complementarity_max = 0;  ///< [N m/s^2]
  std::uint64_t substeps = 0, rejected = 0;  ///< of all steps
  int substeps_max = 0;                      ///< most of a step
  double smallest_substep = 0;               ///< [s]; 0 before the first step
  double error_max = 0;                      ///< estimated, of two substeps [-]
  std::uint64_t inaccurate_steps = 0;        ///< in which it is above the accuracy
  std::uint64_t impacts = 0, rays = 0;       ///< of all steps, see EventReport
  StageTimes time;
  std::optional<std::uint64_t> first_failure;  ///< number of the step, from 1

  void add(const StepReport& report, std::uint64_t step);
  bool all_converged() const { return by_status[0] == steps; }
  double contacts_mean() const { return steps > 0 ? contacts / static_cast<double>(steps) : 0; }
  double iterations_mean() const { return contacts > 0 ? iterations / contacts : 0; }
};

}  // namespace abut
