#include "abut/sim/step_report.hpp"

#include <algorithm>
#include <cmath>

namespace abut {
namespace {

SolveReport follow(const SolveReport& a, const SolveReport& b, int contacts_a, int contacts_b) {
  SolveReport sum;
  sum.status = worse(a.status, b.status);
  sum.at_round_off = a.at_round_off || b.at_round_off;
  sum.iterations = std::max(a.iterations, b.iterations);
  sum.factorizations = a.factorizations + b.factorizations;
  sum.factor_flops = a.factor_flops + b.factor_flops;
  sum.line_evaluations = a.line_evaluations + b.line_evaluations;
  const double contacts = contacts_a + contacts_b;
  if (contacts > 0) {
    sum.weighted_iterations =
        (a.weighted_iterations * contacts_a + b.weighted_iterations * contacts_b) / contacts;
  }
  sum.rounds = std::max(a.rounds, b.rounds);
  sum.lag_rounds = std::max(a.lag_rounds, b.lag_rounds);
  sum.lagging_islands = std::max(a.lagging_islands, b.lagging_islands);
  sum.seconds = a.seconds + b.seconds;
  sum.certificate = worse(a.certificate, b.certificate);
  return sum;
}

}  // namespace

StageTimes& StageTimes::operator+=(const StageTimes& other) {
  contact_query += other.contact_query;
  problem += other.problem;
  solve += other.solve;
  rest += other.rest;
  return *this;
}

StepReport follow(const StepReport& first, const StepReport& second) {
  StepReport sum = second;
  sum.solve = follow(first.solve, second.solve, first.contacts, second.contacts);
  sum.free_motion.take_worse(first.free_motion);
  sum.penetration = std::max(first.penetration, second.penetration);
  if (first.equality.size > second.equality.size) sum.equality = first.equality;
  if (first.limit.size > second.limit.size) sum.limit = first.limit;
  sum.time += first.time;
  const ErrorReport &a = first.error, &b = second.error;
  sum.error = a.error > b.error ? a : b;
  sum.error.substeps = a.substeps + b.substeps;
  sum.error.smallest = std::min(a.smallest, b.smallest);
  sum.events.impacts = first.events.impacts + second.events.impacts;
  sum.events.rays = first.events.rays + second.events.rays;
  return sum;
}

}  // namespace abut
