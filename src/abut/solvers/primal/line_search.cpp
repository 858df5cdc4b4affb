#include "abut/solvers/primal/line_search.hpp"

#include <cmath>

namespace abut {
namespace {

/// The loose search stops when the slope along the step is half of what it was.
constexpr double loose_slope = 0.5;

/// Of the cost: rises below this share of it are rounding.
constexpr double cost_rounding = 1e-13;

}  // namespace

CostAlongStep::Trial CostAlongStep::trial(double alpha, const ContactSums& c) const {
  return {.slope = sums_.linear + alpha * sums_.quadratic - c.impulse_work,
          .cost = alpha * sums_.linear + 0.5 * alpha * alpha * sums_.quadratic + c.potential};
}

CostAlongStep::Trial CostAlongStep::evaluate(double alpha) {
  ++evaluations_;
  const ContactSums c = model_.evaluate(contacts_, alpha) + scalars_.evaluate(alpha);
  trial_potential_ = c.potential;
  return trial(alpha, c);
}

double CostAlongStep::search(LineSearch method) {
  switch (method) {
    case LineSearch::loose: return search_loose();
    case LineSearch::exact: return search_exact();
    case LineSearch::armijo: return search_armijo();
  }
  return 0;
}

/// The whole step unless it overshoots: accepted when the slope there is downhill, or halved
/// without a rise of the cost.
double CostAlongStep::search_loose() {
  const Trial whole = evaluate(1);
  if (is_short_enough(whole, sums_.slope, potential_, energy_)) return 1;
  return search_nearer(whole.slope);
}

bool CostAlongStep::is_short_enough(const Trial& whole, double slope, double potential,
                                    double energy) {
  const double rounding = cost_rounding * (energy + potential);
  return whole.slope <= 0 ||
         (whole.slope <= -loose_slope * slope && whole.cost <= potential + rounding);
}

double CostAlongStep::search_nearer(double whole_slope) {
  if (!std::isfinite(whole_slope)) return 0;
  const double secant = sums_.slope / (sums_.slope - whole_slope);
  return search_root(0, 1, secant, loose_slope);
}

/// The minimum along the step in [0, 1.5].
double CostAlongStep::search_exact() {
  constexpr double longest = 1.5, accept = 1e-12;
  const Trial whole = evaluate(1);
  if (!std::isfinite(whole.slope)) return 0;
  if (std::abs(whole.slope) <= -accept * sums_.slope) return 1;
  if (whole.slope > 0) {
    return search_root(0, 1, sums_.slope / (sums_.slope - whole.slope), accept);
  }
  const Trial far = evaluate(longest);
  if (far.slope <= 0) return longest;
  const double secant = 1 + (longest - 1) * whole.slope / (whole.slope - far.slope);
  return search_root(1, longest, secant, accept);
}

double CostAlongStep::search_armijo() {
  constexpr double factor = 0.8, enough = 1e-4;
  const double rounding = 1e-15 * (energy_ + potential_);
  double alpha = 1 / factor;
  for (int i = 0; i < 100; ++i, alpha *= factor) {
    const Trial t = evaluate(alpha);
    if (t.cost <= potential_ + enough * alpha * sums_.slope + rounding) return alpha;
  }
  return 0;
}

/// A point in (low, high) where the slope is at most `accept` of the first one, and the cost no
/// higher where it rises: Newton's method, bisection where it would leave the bracket, and every
/// other time where it takes long: it comes down an exponential in steps of its length. The slope
/// is negative at low and positive at high.
double CostAlongStep::search_root(double low, double high, double guess, double accept) {
  constexpr int long_taken = 20;
  const double highest = potential_ + cost_rounding * (energy_ + potential_);
  double alpha = guess > low && guess < high ? guess : 0.5 * (low + high);
  for (int i = 0; i < 100; ++i) {
    ++evaluations_;
    const ContactSums c = model_.line(contacts_, alpha) + scalars_.line(alpha);
    const Trial t = trial(alpha, c);
    if (std::abs(t.slope) <= -accept * sums_.slope && (t.slope <= 0 || t.cost <= highest)) break;
    (t.slope < 0 ? low : high) = alpha;
    double next = alpha - t.slope / (sums_.quadratic + c.curvature);
    const bool bisects = i >= long_taken && i % 2 == 0;
    if (bisects || !(next > low && next < high)) next = 0.5 * (low + high);
    if (!(next > low && next < high)) break;  // no number is left between them
    alpha = next;
  }
  evaluate(alpha);
  return alpha;
}

}  // namespace abut
