#include "abut/solvers/primal/island_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut {
namespace {

using F = ContactField;

/// A predictor is worth a factorization only if the warm start is far off.
constexpr double predictor_threshold = 0.05;
/// The loose search stops when the slope along the step is half of what it was.
constexpr double loose_slope = 0.5;

}  // namespace

IslandReport IslandNewton::solve(const ContactProblem& problem, int island,
                                 const SolveOptions& stop, ContactSolution& x) {
  IslandReport report;
  start(problem, island, x);
  report.contacts = system_.contact_count();
  const auto converged = [&] { return at_rest_ || error_ <= stop.tolerance; };
  absolute_ = stop.absolute;
  evaluate_here();
  update_error();
  keep_best();
  if (!converged()) {
    model_->start_duals(system_.contacts());
    if (options_.predictor && error_ > predictor_threshold) predict(problem, report);
  }
  report.status = SolveStatus::converged;
  while (!converged()) {
    if (report.iterations >= options_.max_iterations) {
      report.status = SolveStatus::iteration_limit;
      break;
    }
    const double before = error_;
    if (!step(report)) break;
    update_error();
    if (!std::isfinite(error_)) {
      report.status = SolveStatus::numerical_failure;
      break;
    }
    keep_best();
    if (error_ > 0.5 * before && !converged() && error_ < round_off_level(problem)) {
      report.at_round_off = true;
      break;
    }
  }
  if (!std::isfinite(best_error_)) report.status = SolveStatus::numerical_failure;
  write(x);
  report.momentum_error = best_error_;
  return report;
}

void IslandNewton::start(const ContactProblem& problem, int island, const ContactSolution& x) {
  system_.build(problem, island);
  model_ = &contact_kernels().model(problem.model, problem.law);
  analyzed_ = false;
  const std::size_t n = system_.vector_size();
  for (auto* b : {&v_, &step_, &momentum_, &gradient_, &impulse_, &best_, &trial_}) b->resize(n);
  system_.gather(x.velocity, v_.data());
  step_.fill_zero();
  best_error_ = std::numeric_limits<double>::infinity();
}

/// Contact velocities and impulses at v_.
void IslandNewton::evaluate_here() {
  const ContactArrays& c = system_.contacts();
  system_.velocities(v_.data(), F::velocity_x, true);
  std::fill_n(c[F::direction_x], 3 * c.stride, 0.0);
  potential_ = model_->evaluate(c, 0).potential;
}

void IslandNewton::update_error() {
  system_.impulses(impulse_.data());
  const BodySums s =
      system_.residual(v_.data(), impulse_.data(), momentum_.data(), gradient_.data());
  energy_ = s.energy;
  const double scale = std::sqrt(std::max(s.momentum, s.impulse)), r = std::sqrt(s.error);
  at_rest_ = r < absolute_ && scale < absolute_;
  error_ = at_rest_ ? 0 : r / scale;
}

void IslandNewton::keep_best() {
  if (!(error_ < best_error_)) return;
  best_error_ = error_;
  std::copy_n(v_.data(), v_.size(), best_.data());
}

/// Assembles with the K of the contacts, factors and solves for step_ = -H^-1 gradient.
bool IslandNewton::factor_and_solve(IslandReport& report) {
  if (!analyzed_) {
    analysis_.analyze(system_.pattern(), symbolic_);
    system_.place_blocks(symbolic_);
    analyzed_ = true;
  }
  cholesky_.reset(symbolic_);
  system_.assemble(cholesky_);
  ++report.factorizations;
  ++report.iterations;
  if (!cholesky_.factor()) {
    report.status = SolveStatus::numerical_failure;
    return false;
  }
  for (std::size_t i = 0; i < step_.size(); ++i) step_[i] = -gradient_[i];
  cholesky_.solve(step_.span());
  system_.velocities(step_.data(), F::direction_x, false);
  return true;
}

/// One Newton iteration. False if it cannot go on; the status then says why.
bool IslandNewton::step(IslandReport& report) {
  model_->hessian(system_.contacts(), hessian_options());
  if (!factor_and_solve(report)) return false;
  const StepSums s = system_.step_terms(step_.data(), momentum_.data(), gradient_.data());
  if (!(s.slope < 0)) {
    report.status =
        std::isfinite(s.slope) ? SolveStatus::stalled : SolveStatus::numerical_failure;
    return false;
  }
  double alpha = 0;
  switch (options_.line_search) {
    case LineSearch::loose: alpha = search_loose(s, report); break;
    case LineSearch::exact: alpha = search_exact(s, report); break;
    case LineSearch::armijo: alpha = search_armijo(s, report); break;
  }
  if (!(alpha > 0)) {
    report.status = SolveStatus::stalled;
    return false;
  }
  move(alpha);
  return true;
}

/// v += alpha dv. The impulses must have been evaluated at alpha.
void IslandNewton::move(double alpha) {
  model_->advance(system_.contacts(), alpha, hessian_options());
  for (std::size_t i = 0; i < v_.size(); ++i) v_[i] += alpha * step_[i];
}

/// Slope and cost (up to energy_ of v_) along the step, with the impulses there.
IslandNewton::Trial IslandNewton::evaluate_at(double alpha, const StepSums& s,
                                              IslandReport& report) {
  ++report.line_evaluations;
  const ContactSums c = model_->evaluate(system_.contacts(), alpha);
  trial_potential_ = c.potential;
  return {.slope = s.linear + alpha * s.quadratic - c.impulse_work,
          .cost = alpha * s.linear + 0.5 * alpha * alpha * s.quadratic + c.potential};
}

/// The whole step unless it overshoots: accepted when the slope there is downhill or halved
/// without a rise of the cost.
double IslandNewton::search_loose(const StepSums& s, IslandReport& report) {
  const Trial whole = evaluate_at(1, s, report);
  const double rounding = 1e-13 * (energy_ + potential_);
  const bool halved = whole.slope <= -loose_slope * s.slope && whole.cost <= potential_ + rounding;
  double alpha = 1;
  if (!(whole.slope <= 0 || halved)) {
    if (!std::isfinite(whole.slope)) return 0;
    const double guess = s.slope / (s.slope - whole.slope);  // of the secant
    alpha = search_root(s, 0, 1, guess, loose_slope, report);
    evaluate_at(alpha, s, report);
  }
  potential_ = trial_potential_;
  return alpha;
}

/// The minimum along the step in [0, 1.5].
double IslandNewton::search_exact(const StepSums& s, IslandReport& report) {
  constexpr double longest = 1.5, accept = 1e-12;
  double alpha = 1;
  const Trial whole = evaluate_at(1, s, report);
  if (!std::isfinite(whole.slope)) return 0;
  if (std::abs(whole.slope) > -accept * s.slope) {
    if (whole.slope > 0) {
      alpha = search_root(s, 0, 1, s.slope / (s.slope - whole.slope), accept, report);
    } else {
      const Trial far = evaluate_at(longest, s, report);
      alpha = far.slope <= 0
                  ? longest
                  : search_root(s, 1, longest,
                                1 + (longest - 1) * whole.slope / (whole.slope - far.slope),
                                accept, report);
    }
    evaluate_at(alpha, s, report);
  }
  potential_ = trial_potential_;
  return alpha;
}

/// A point in (low, high) where the slope is at most `accept` of the first one: Newton's method,
/// bisection where it would leave the bracket. The slope is negative at low and positive at high.
double IslandNewton::search_root(const StepSums& s, double low, double high, double guess,
                                 double accept, IslandReport& report) {
  double alpha = guess > low && guess < high ? guess : 0.5 * (low + high);
  for (int i = 0; i < 100; ++i) {
    ++report.line_evaluations;
    const ContactSums c = model_->line(system_.contacts(), alpha);
    const double slope = s.linear + alpha * s.quadratic - c.impulse_work;
    if (std::abs(slope) <= -accept * s.slope) break;
    (slope < 0 ? low : high) = alpha;
    double next = alpha - slope / (s.quadratic + c.curvature);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next == alpha || !(next > low && next < high)) break;  // nothing left between them
    alpha = next;
  }
  return alpha;
}

double IslandNewton::search_armijo(const StepSums& s, IslandReport& report) {
  constexpr double shrink = 0.8, enough = 1e-4;
  double alpha = 1 / shrink;
  for (int i = 0; i < 100; ++i, alpha *= shrink) {
    const Trial t = evaluate_at(alpha, s, report);
    const double rounding = 1e-15 * (energy_ + potential_);
    if (t.cost <= potential_ + enough * alpha * s.slope + rounding) {
      potential_ = trial_potential_;
      return alpha;
    }
  }
  return 0;
}

/// Solves the problem with each contact replaced by a secant of its law, and starts from there if
/// that costs less than v0.
void IslandNewton::predict(const ContactProblem& problem, IslandReport& report) {
  const ContactArrays& c = system_.contacts();
  // the normal and slip velocity that v* would give, in the direction's fields
  system_.velocities(system_.free_velocity(), F::direction_x, true);
  if (!fill_predictor(problem)) return;
  system_.impulses(trial_.data());
  for (std::size_t i = 0; i < gradient_.size(); ++i) gradient_[i] = momentum_[i] - trial_[i];
  if (!factor_and_solve(report)) return;
  const StepSums s = system_.step_terms(step_.data(), momentum_.data(), gradient_.data());
  const double before = potential_;
  const Trial t = evaluate_at(1, s, report);
  if (t.cost < before) {
    potential_ = trial_potential_;
    for (std::size_t i = 0; i < v_.size(); ++i) v_[i] += step_[i];
    model_->advance(c, 1, {});
    model_->start_duals(c);
  } else {
    step_.fill_zero();
    evaluate_here();
  }
  update_error();
  keep_best();
}

/// Writes the secants to K and, as impulses, -G (v_c - v_hat n) at v_. False if there is none.
bool IslandNewton::fill_predictor(const ContactProblem& problem) {
  const ContactArrays& c = system_.contacts();
  const ContactPool& pool = problem.contacts;
  std::fill_n(c[F::k_xx], 6 * c.stride, 0.0);
  std::fill_n(c[F::impulse_x], 3 * c.stride, 0.0);
  const auto vector = [&](F first, int i) {
    const double* x = c[first] + i;
    return Vec3{x[0], x[c.stride], x[2 * c.stride]};
  };
  bool any = false;
  for (int i = 0; i < system_.contact_count(); ++i) {
    const int contact = system_.contact_indices()[i];
    const Vec3 n = vector(F::normal_x, i), u = vector(F::velocity_x, i),
               free = vector(F::direction_x, i);
    const double last = dot(n, pool.previous_impulse[contact]);
    const double v_hat = c[F::v_hat][i], approach = v_hat - dot(n, free);
    if (!(last > 0 || approach > 0)) continue;
    any = true;
    const double w = pool.delassus[contact] / pool.weight[contact], mu = c[F::mu][i];
    const bool sap = problem.model == ContactModel::sap;
    // the law's slope at a penetration as after one step at v*, at most a thousand times 1/w
    const double law = c[F::linear][i] + (sap ? 0 : 2 * c[F::quadratic][i] * std::max(0.0, approach));
    const double gn = std::min(1000 / w, law);
    const double limit = problem.model == ContactModel::lagged
                             ? mu * c[F::lagged][i]
                             : mu * std::max(last, approach / (2 * w));
    const double slip = norm(free - dot(n, free) * n);
    const double soft = sap ? limit / c[F::tangential][i] : c[F::softness][i];
    const double gt = limit > 0 ? limit / std::max(soft, slip) : 0;
    const double k[6] = {gt + (gn - gt) * n.x * n.x, (gn - gt) * n.y * n.x,
                         (gn - gt) * n.z * n.x,      gt + (gn - gt) * n.y * n.y,
                         (gn - gt) * n.z * n.y,      gt + (gn - gt) * n.z * n.z};
    for (int f = 0; f < 6; ++f) c[F::k_xx][f * c.stride + i] = k[f];
    const double un = dot(n, u);
    const Vec3 gamma = -gt * (u - un * n) - gn * (un - v_hat) * n;
    for (int d = 0; d < 3; ++d) c[F::impulse_x][d * c.stride + i] = gamma[d];
  }
  return any;
}

/// The error below which rounding of v in the contacts' impulses decides (docs/solvers/newton.md).
double IslandNewton::round_off_level(const ContactProblem& problem) const {
  const ContactArrays& c = system_.contacts();
  double stiffest = 1;
  for (int i = 0; i < system_.contact_count(); ++i) {
    const double trace = c[F::k_xx][i] + c[F::k_yy][i] + c[F::k_zz][i];
    stiffest = std::max(stiffest,
                        trace * problem.contacts.delassus[system_.contact_indices()[i]]);
  }
  return 50 * std::numeric_limits<double>::epsilon() * stiffest;
}

void IslandNewton::write(ContactSolution& x) {
  if (!(error_ <= best_error_)) {  // also if NaN
    std::copy_n(best_.data(), best_.size(), v_.data());
    evaluate_here();
  }
  system_.scatter(v_.data(), x.velocity);
  const ContactArrays& c = system_.contacts();
  for (int i = 0; i < system_.contact_count(); ++i) {
    const double* gamma = c[F::impulse_x] + i;
    x.impulse[system_.contact_indices()[i]] = {gamma[0], gamma[c.stride], gamma[2 * c.stride]};
  }
}

}  // namespace abut
