#include "abut/sim/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace abut {

void Statistics::add(const StepReport& r, std::uint64_t step) {
  ++steps;
  ++by_status[static_cast<std::size_t>(r.solve.status)];
  if (r.solve.status != SolveStatus::converged && !first_failure) first_failure = step;
  at_round_off += r.solve.at_round_off;
  contacts += r.contacts;
  contacts_max = std::max(contacts_max, r.contacts);
  iterations += r.solve.weighted_iterations * r.contacts;
  iterations_max = std::max(iterations_max, r.solve.iterations);
  factorizations += static_cast<std::uint64_t>(r.solve.factorizations);
  factor_flops += r.solve.factor_flops;
  const double error = r.solve.certificate.step_error;
  if (!(error <= certificate_max) && !std::isnan(certificate_max)) certificate_max = error;
  momentum_error_max = std::max(momentum_error_max, r.solve.certificate.momentum_error);
  lag_rounds += static_cast<std::uint64_t>(r.solve.lag_rounds);
  lag_error_max = std::max(lag_error_max, r.solve.certificate.lag_error);
  lagging_steps += r.solve.lagging_islands > 0;
  lagging_islands_max = std::max(lagging_islands_max, r.solve.lagging_islands);
  ncp_primal_max = std::max(ncp_primal_max, r.solve.certificate.ncp_primal);
  ncp_dual_max = std::max(ncp_dual_max, r.solve.certificate.ncp_dual);
  ncp_complementarity_max =
      std::max(ncp_complementarity_max, r.solve.certificate.ncp_complementarity);
  penetration_max = std::max(penetration_max, r.penetration);
  overlaps_max = std::max(overlaps_max, r.overlaps);
  if (r.equality.size > equality_max.size) equality_max = r.equality;
  if (r.limit.size > limit_max.size) limit_max = r.limit;
  substeps += static_cast<std::uint64_t>(r.error.substeps);
  rejected += static_cast<std::uint64_t>(r.error.rejected);
  substeps_max = std::max(substeps_max, r.error.substeps);
  smallest_substep = steps == 1 ? r.error.smallest : std::min(smallest_substep, r.error.smallest);
  error_max = std::max(error_max, r.error.error);
  inaccurate_steps += !r.error.is_met;
  impacts += static_cast<std::uint64_t>(r.events.impacts);
  rays += static_cast<std::uint64_t>(r.events.rays);
  time += r.time;
}

}  // namespace abut
