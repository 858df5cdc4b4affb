#include "abut/solvers/primal/island_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "abut/core/team.hpp"

namespace abut {
namespace {

using F = ContactField;

/// Sweeps and a linearization elsewhere pay only if the warm start is this far off.
constexpr double prediction_threshold = 0.05;

/// Each part of an island must be this much below the tolerance, so that any union of parts meets
/// it: the certifier may link parts by impulses too small to link them here.
constexpr double part_safety = 0.7;

Vec3 vector(const ContactArrays& c, F first, int i) {
  const double* x = c[first] + i;
  return {x[0], x[c.stride], x[2 * c.stride]};
}

void set_vector(const ContactArrays& c, F first, int i, const Vec3& v) {
  double* x = c[first] + i;
  x[0] = v.x, x[c.stride] = v.y, x[2 * c.stride] = v.z;
}

}  // namespace

void IslandNewton::make_room(const PreparedProblem& prepared) {
  const ContactProblem& p = prepared.problem();
  const Sizes sizes{p.trees.size(),
                    p.velocity.size(),
                    prepared.masses().work_size(),
                    p.patches.capacity(),
                    p.contacts.gap.capacity(),
                    p.bodies.capacity(),
                    p.jacobians.capacity(),
                    p.scalars.kind.capacity(),
                    p.scalars.entries.capacity(),
                    IslandScalars::most_edges(p.scalars)};
  if (sizes == sizes_) return;
  sizes_ = sizes;
  const std::size_t whole = p.velocity.size() + 8 * p.trees.size();
  for (auto* b : {&v_, &step_, &momentum_, &gradient_, &impulse_, &before_, &best_, &closest_}) {
    b->reserve(whole);
  }
  const auto trees = static_cast<int>(p.trees.size());
  symbolic_cache_.reserve(trees, static_cast<int>(p.patches.capacity()));
  cholesky_.reserve(trees, SymbolicCache::typical_strips * trees);
  system_.make_room(p);
  sweeps_.make_room(prepared);
  lag_.make_room(p.contacts.gap.capacity());
}

IslandReport IslandNewton::solve(const PreparedProblem& prepared, int island,
                                 const SolveOptions& stop, ContactSolution& x, Team* team) {
  const ContactProblem& problem = prepared.problem();
  prepared_ = &prepared;
  problem_ = &problem;
  stop_ = stop;
  team_ = team;
  IslandReport report;
  start(island, x);
  report.contacts = system_.contact_count();
  go_to(v_.data());
  if (!std::isfinite(error_)) go_to(system_.free_velocity());  // a guess that leads nowhere
  End end = traits(problem.model).lags_friction ? follow_lag(report)
                                                : minimize(report, false, options_.max_iterations);
  if (end != End::converged) {
    if (options_.restarts) end = start_again(end, report);
    take_best();
    if (end == End::stopped &&
        best_error_ < round_off_level()) {  // no descent can be seen in rounded numbers
      end = End::round_off;
      report.status = SolveStatus::converged;
    }
    if (traits(problem.model).lags_friction) measure_lag(report);
  }
  report.at_round_off = end == End::round_off;
  if (!std::isfinite(best_error_)) report.status = SolveStatus::numerical_failure;
  write(x, report);
  return report;
}

/// Newton's iterations from v_ on, to the tolerance; `loosely` also until what is left is less than
/// 0.7 of the lag of friction. Leaves the best iterate in best_.
IslandNewton::End IslandNewton::minimize(IslandReport& report, bool loosely, int iterations) {
  constexpr int most_at_round_off = 3, few_contacts = 8;
  const int limit = report.iterations + iterations;
  const int patience = report.iterations + options_.patience;
  int at_round_off = 0;
  report.status = SolveStatus::converged;
  best_error_ = std::numeric_limits<double>::infinity();
  bool done = converged();
  keep_best();  // by the same measure as later ones: the stopping test's
  if (!done && is_new_) {
    start_duals();
    is_new_ = false;
  }
  while (!done) {
    if (report.iterations >= limit) {
      report.status = SolveStatus::iteration_limit;
      return End::stopped;
    }
    if (report.iterations >= patience) be_plain(LineSearch::exact);
    const double best = best_error_;
    is_judged_ = false;
    bool advanced = is_predicted_ ? linearize_at_prediction(report) : iterate(report);
    is_predicted_ = false;
    const bool is_exact = is_judged_ || system_.contact_count() <= few_contacts;
    if (advanced) {
      // velocities of contacts that a search summed up are judged at v itself in the end: of few
      // contacts at once
      if (!is_judged_) {
        if (is_exact) evaluate_here();
        update_error();
      }
      advanced = std::isfinite(error_);
      if (!advanced) report.status = SolveStatus::numerical_failure;
    }
    if (!advanced) {
      if (!fall_back(report)) return End::stopped;
      continue;
    }
    done = converged();
    const bool halved = error_ <= 0.5 * best;
    if (!is_exact && (done || (!halved && error_ < round_off_level()))) {
      evaluate_here();
      update_error();
      done = converged();
    }
    keep_best();
    // another iteration needs the duals, and so does another round of the lag
    if (is_judged_ && (!done || follows_lag())) advance_duals();
    if (!done && !halved && best_error_ < round_off_level()) {
      if (++at_round_off > most_at_round_off) return End::round_off;
      if (at_round_off > 1) be_plain(LineSearch::exact);
    }
    if (!done && loosely && lag_dominates()) return End::loose;
  }
  return End::converged;
}

bool IslandNewton::follows_lag() const {
  return traits(problem_->model).lags_friction &&
         problem_->friction.lagged_rule == LaggedRule::fixed_point && options_.lag_rounds > 0;
}

bool IslandNewton::lag_dominates() {
  lag_.measure(system_.contacts());
  return residual_ <= 0.7 * lag_.size();
}

void IslandNewton::measure_lag(IslandReport& report) {
  lag_.measure(system_.contacts());
  report.lag_error = lag_.size() > negligible_lag * scale_ ? lag_.error() : 0;
}

/// Lagged friction: solves for its gamma_n0, then, if they are to be the step's own, for those that
/// came out, and so on. If the two do not meet, it is left at those that came closest.
IslandNewton::End IslandNewton::follow_lag(IslandReport& report) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double tolerance = problem_->friction.lag_tolerance;
  bool loosely = follows_lag(), is_last = !loosely;
  double least = infinity;
  for (;;) {
    const End end = minimize(report, loosely, options_.max_iterations);
    if (end > End::loose) take_best();
    measure_lag(report);
    if (is_last) return end;
    if (report.lag_error <= tolerance) {
      if (end != End::loose) return end;
      loosely = false;
      continue;
    }
    if (report.lag_error < least) {
      least = report.lag_error;
      lag_.keep(system_.contacts());
      std::copy_n(v_.data(), v_.size(), closest_.data());
    }
    loosely = report.lag_rounds < options_.lag_rounds && end <= End::loose;
    if (loosely) {
      ++report.lag_rounds;
      lag_.advance(system_.contacts());
      go_to(v_.data());
    } else {
      if (!(least < infinity)) return end;  // no number
      is_last = true;
      lag_.recall(system_.contacts());
      go_to(closest_.data());
    }
    be_cured();
  }
}

/// Continuation in the stiffness, to a tenth of it: by tens, each from the answer before.
void IslandNewton::continue_in_stiffness(IslandReport& report) {
  for (const double share : {1e-5, 1e-4, 1e-3, 1e-2, 1e-1}) {
    system_.soften(share);
    go_to(v_.data());
    minimize(report, false, options_.max_iterations);
    take_best();
    is_predicted_ = false;
    be_cured();
  }
  system_.soften(1);
  go_to(std::isfinite(error_) ? v_.data() : system_.free_velocity());
}

/// Where Newton's method came to no end with all its cures, or to one by rounding: by continuation
/// in the stiffness, then from other starts, once more with the cures and then plainly. Goes on
/// from the best answer of all.
IslandNewton::End IslandNewton::start_again(End end, IslandReport& report) {
  struct Attempt {
    bool from_free, is_plain;
    LineSearch line;
    bool continues = false;
  };
  constexpr Attempt attempts[] = {{false, false, LineSearch::loose, true},
                                  {true, false, LineSearch::loose},
                                  {false, true, LineSearch::exact},
                                  {true, true, LineSearch::exact},
                                  {false, true, LineSearch::armijo}};
  is_restart_ = true;  // of the same problem: gamma_n0 stays
  SolveStatus status = report.status;
  double least = best_error_;
  std::copy_n(best_.data(), best_.size(), closest_.data());
  for (const Attempt& attempt : attempts) {
    be_cured();
    if (attempt.is_plain) be_plain(attempt.line);
    is_new_ = !attempt.is_plain;
    system_.gather(problem_->velocity, v_.data());
    go_to(attempt.from_free ? system_.free_velocity() : v_.data());
    if (attempt.continues) continue_in_stiffness(report);
    const End next =
        minimize(report, false,
                 attempt.is_plain ? NewtonOptions::paper_iterations : options_.max_iterations);
    is_predicted_ = false;
    if (best_error_ < least) {
      least = best_error_;
      end = next;
      status = report.status;
      std::copy_n(best_.data(), best_.size(), closest_.data());
    }
    if (next == End::converged) break;
  }
  report.status = status;
  std::copy_n(closest_.data(), closest_.size(), best_.data());
  best_error_ = least;
  return end;
}

/// v_ = v, with all that follows from it.
void IslandNewton::go_to(const double* v) {
  if (v != v_.data()) std::copy_n(v, v_.size(), v_.data());
  evaluate_here();
  update_error();
}

/// The best iterate, with the impulses at it: a search that failed leaves those of its last trial.
void IslandNewton::take_best() {
  const bool is_best = error_ <= best_error_;  // false if NaN
  go_to(is_best ? v_.data() : best_.data());
}

void IslandNewton::start(int island, const ContactSolution& x) {
  system_.build(*prepared_, x.partition, island);
  model_ = &contact_kernels().model(problem_->model, system_.laws());
  symbolic_ = nullptr;
  solution_ = &x;
  island_ = island;
  is_new_ = true;
  is_predicted_ = is_restart_ = false;
  be_cured();
  if (traits(problem_->model).lags_friction) {
    lag_.start(*prepared_, system_.contact_indices(), x.lagged_impulse, system_.contacts());
  }
  const std::size_t n = system_.vector_size();
  for (auto* b : {&v_, &step_, &momentum_, &gradient_, &impulse_, &before_, &best_, &closest_}) {
    b->resize(n);
  }
  system_.gather(x.velocity, v_.data());
  step_.fill_zero();
  std::copy_n(v_.data(), n, best_.data());
  best_error_ = std::numeric_limits<double>::infinity();
}

/// Contact velocities and impulses at v_.
void IslandNewton::evaluate_here() {
  const ContactArrays& c = system_.contacts();
  system_.velocities(v_.data(), F::velocity_x, true);
  std::fill_n(c[F::direction_x], 3 * c.stride, 0.0);
  system_.scalars().velocities(v_.data(), false);
  system_.scalars().clear_directions();
  potential_ = model_->evaluate(c, 0).potential + system_.scalars().evaluate(0).potential;
}

void IslandNewton::update_error() {
  system_.impulses(impulse_.data());
  const BodySums s =
      system_.residual(v_.data(), impulse_.data(), momentum_.data(), gradient_.data());
  energy_ = s.energy;
  const double most = std::sqrt(std::max(s.momentum, s.impulse)), r = std::sqrt(s.error);
  const double rest = rest_level(most);
  at_rest_ = r < rest && most < rest;
  scale_ = step_scale(s, system_.free_change());
  residual_ = r;
  momentum_size_ = std::sqrt(s.momentum);
  error_ = at_rest_ ? 0 : r / scale_;
}

/// What counts as no momentum, as the certificate has it. Only where there is next to none do the
/// impulses that bear each other need a look.
double IslandNewton::rest_level(double scale) const {
  return scale < 1e-6 ? at_rest * (1 + gross_impulse()) : at_rest;
}

/// sqrt(sum of w |gamma|^2): impulses that bear each other leave their rounding as momentum.
double IslandNewton::gross_impulse() const {
  double sum = system_.scalars().gross();
  for (int i = 0; i < system_.contact_count(); ++i) {
    const double w = prepared_->contacts().mobility[system_.contact_indices()[i]];
    sum += w * squared_norm(system_.impulse(i));
  }
  return std::sqrt(sum);
}

/// Plain Newton from here on, with this line search.
void IslandNewton::be_plain(LineSearch search) {
  if (plain_) return;
  plain_ = true;
  search_ = search;
}

/// With all cures of the options.
void IslandNewton::be_cured() {
  plain_ = false;
  search_ = options_.line_search;
}

/// The stopping test; also part by part, so that none hides behind the momentum of others that it
/// does not touch.
bool IslandNewton::converged() {
  if (at_rest_) return true;
  if (!(error_ <= stop_.tolerance)) {
    scale_ = std::max(scale_, impulse_rounding * std::min(gross_impulse(), most_borne));
    error_ = residual_ / scale_;
    if (!(error_ <= stop_.tolerance)) return false;
  }
  if (system_.pattern().nodes() == 1) return true;
  const double gross = gross_impulse();
  error_ = system_.worst_part_error(impulse_.data(), momentum_.data(), at_rest * (1 + gross),
                                    impulse_rounding * std::min(gross, most_borne)) /
           part_safety;
  return error_ <= stop_.tolerance;
}

/// Where a cure has failed: plain Newton goes on from the best iterate. False if it did already.
bool IslandNewton::fall_back(IslandReport& report) {
  if (plain_ || options_.patience >= options_.max_iterations || !std::isfinite(best_error_)) {
    return false;
  }
  be_plain(LineSearch::exact);
  report.status = SolveStatus::converged;
  go_to(best_.data());
  return true;
}

void IslandNewton::keep_best() {
  if (!(error_ < best_error_)) return;
  best_error_ = error_;
  std::copy_n(v_.data(), v_.size(), best_.data());
}

/// Leaves their answer in the contacts. False if they found none.
bool IslandNewton::run_sweeps() {
  const Islands& islands = solution_->partition;
  // gamma_n0 that is right from the start saves rounds of its fixed point
  const bool follows = follows_lag();
  const SweepOptions sweeping{.most = (follows ? 3 : 1) * options_.predictor_sweeps,
                              .settled = follows ? 0.003 : 0.01,
                              .own_limit = follows};
  const bool found = sweeps_.run(*prepared_, islands.trees_of(island_), *model_, system_, sweeping);
  if (!found) {
    evaluate_here();
  } else if (follows) {
    lag_.take(system_.contacts());
  }
  return found;
}

/// Dual variables from the last step's impulses, or, far from the solution, from a few sweeps.
void IslandNewton::start_duals() {
  // sweeps end in the same place whatever v is: no start for a second time
  const bool sweeps = options_.predictor_sweeps > 0 && error_ > prediction_threshold &&
                      system_.contact_count() > 0 && !is_restart_ && run_sweeps();
  is_predicted_ = sweeps;
  if (!options_.primal_dual_friction && !options_.dual_normal) return;
  model_->start_duals(system_.contacts());
  for (int i = 0; i < system_.contact_count(); ++i) {
    const int contact = system_.contact_indices()[i];
    const Vec3& last = problem_->contacts.previous_impulse[contact];
    if (sweeps) {
      set_dual(i, vector(system_.contacts(), F::impulse_x, i));
    } else if (!(last == Vec3{})) {
      set_dual(i, system_.unscaled(i, last));
    }
  }
}

/// w = -gamma_t / (mu gamma_n), at most 1 long.
void IslandNewton::set_dual(int i, const Vec3& impulse) {
  const ContactArrays& c = system_.contacts();
  const Vec3 n = vector(c, F::normal_x, i);
  const double normal = dot(n, impulse), limit = c[F::mu][i] * normal;
  Vec3 w{};
  if (limit > 0) {
    w = (-1 / limit) * (impulse - normal * n);
    const double length = norm(w);
    if (length > 1) w = w / length;
  }
  set_vector(c, F::dual_x, i, w);
  c[F::dual_normal][i] = std::max(0.0, normal);
}

/// The first iteration from a poor start: each contact is linearized where the sweeps left it,
/// gamma(v) = gamma_i - K_i (v - v_i), which has most contacts in their right state. Goes there if
/// that lowers the cost, else searches along the way.
bool IslandNewton::linearize_at_prediction(IslandReport& report) {
  const ContactArrays& c = system_.contacts();
  // velocities of the sweeps in the place of v_c, whose distance to them is the direction
  for (int i = 0; i < system_.contact_count(); ++i) {
    const Vec3 there = vector(c, F::direction_x, i);
    set_vector(c, F::direction_x, i, vector(c, F::velocity_x, i) - there);
    set_vector(c, F::velocity_x, i, there);
  }
  model_->evaluate(c, 0);
  model_->hessian(c, hessian_options());
  for (int i = 0; i < system_.contact_count(); ++i) {
    const Vec3 d = vector(c, F::direction_x, i);
    const double* k = c[F::k_xx] + i;
    const std::int64_t s = c.stride;
    const Vec3 change{k[0] * d.x + k[s] * d.y + k[2 * s] * d.z,
                      k[s] * d.x + k[3 * s] * d.y + k[4 * s] * d.z,
                      k[2 * s] * d.x + k[4 * s] * d.y + k[5 * s] * d.z};
    set_vector(c, F::impulse_x, i, vector(c, F::impulse_x, i) - change);
    set_vector(c, F::velocity_x, i, vector(c, F::velocity_x, i) + d);
  }
  system_.impulses(step_.data());
  std::copy_n(gradient_.data(), gradient_.size(), impulse_.data());  // the true one, for later
  for (std::size_t i = 0; i < step_.size(); ++i) gradient_[i] = momentum_[i] - step_[i];
  const bool solved = factor_and_solve(report);
  std::copy_n(impulse_.data(), gradient_.size(), gradient_.data());
  if (!solved) return false;
  set_directions();
  const StepSums s = system_.step_terms(step_.data(), momentum_.data(), gradient_.data());
  CostAlongStep cost(*model_, c, system_.scalars(), s, potential_, energy_);
  const bool is_lower = cost.evaluate(1).cost < potential_;
  if (!is_lower && s.slope < 0) return move_by(cost.search(search_), cost, report);
  ++report.line_evaluations;
  if (!is_lower) {
    evaluate_here();
    return iterate(report);
  }
  potential_ = cost.potential();
  model_->advance(c, 1, {});  // the duals are those of the sweeps
  system_.scalars().advance(1);
  for (std::size_t i = 0; i < v_.size(); ++i) v_[i] += step_[i];
  return true;
}

/// One Newton iteration. False if it cannot go on; the status then says why.
bool IslandNewton::iterate(IslandReport& report) {
  model_->hessian(system_.contacts(), hessian_options());
  return factor_and_solve(report) && move(report);
}

/// Assembles with the K of the contacts, factors and solves for step_ = -H^-1 gradient.
bool IslandNewton::factor_and_solve(IslandReport& report) {
  if (symbolic_ == nullptr) {
    symbolic_ = &symbolic_cache_.get(system_.pattern());
    system_.place_blocks(*symbolic_);
    if (team_ != nullptr && !symbolic_->sharing.pays()) team_->dismiss();
  }
  cholesky_.reset(*symbolic_);
  system_.assemble(cholesky_);
  ++report.factorizations;
  ++report.iterations;
  report.factor_flops += symbolic_->flops;
  if (!cholesky_.factor(team_)) {
    report.status = SolveStatus::numerical_failure;
    return false;
  }
  for (std::size_t i = 0; i < step_.size(); ++i) step_[i] = -gradient_[i];
  cholesky_.solve(step_.span());
  return true;
}

/// v += alpha dv, with impulses there.
bool IslandNewton::move(IslandReport& report) {
  StepSums sums = system_.slopes(step_.data(), momentum_.data(), gradient_.data());
  const auto set_quadratic = [&] {
    sums.quadratic = system_.step_terms(step_.data(), momentum_.data(), gradient_.data()).quadratic;
  };
  if (search_ != LineSearch::loose || !(sums.slope < 0)) {
    set_directions();
    set_quadratic();
    CostAlongStep cost(*model_, system_.contacts(), system_.scalars(), sums, potential_, energy_);
    return move_by(sums.slope < 0 ? cost.search(search_) : 0, cost, report);
  }
  const double energy = energy_, potential = potential_;
  go_whole_way();
  ++report.line_evaluations;
  const StepSums there = system_.slopes(step_.data(), momentum_.data(), gradient_.data());
  const CostAlongStep::Trial whole{.slope = there.slope,
                                   .cost = 0.5 * (sums.linear + there.linear) + potential_};
  is_judged_ = CostAlongStep::is_short_enough(whole, sums.slope, potential, energy) ||
               (error_ <= stop_.tolerance && converged());
  if (is_judged_) return true;
  set_quadratic();
  step_back();
  energy_ = energy, potential_ = potential;
  CostAlongStep cost(*model_, system_.contacts(), system_.scalars(), sums, potential_, energy_);
  return move_by(cost.search_nearer(whole.slope), cost, report);
}

/// Goes to v + dv and judges it, with contact velocities computed from v + dv. Keeps v in before_
/// and the contact velocities there in the fields of their directions.
void IslandNewton::go_whole_way() {
  const ContactArrays& c = system_.contacts();
  std::copy_n(v_.data(), v_.size(), before_.data());
  std::copy_n(c[F::velocity_x], 3 * c.stride, c[F::direction_x]);
  for (std::size_t i = 0; i < v_.size(); ++i) v_[i] += step_[i];
  system_.velocities(v_.data(), F::velocity_x, true);
  system_.scalars().velocities(v_.data(), false);
  potential_ = model_->evaluate(c, 0).potential + system_.scalars().evaluate(0).potential;
  update_error();
}

/// Back to where go_whole_way() began, with J dv as direction.
void IslandNewton::step_back() {
  const ContactArrays& c = system_.contacts();
  std::swap(v_, before_);
  std::copy_n(c[F::direction_x], 3 * c.stride, c[F::velocity_x]);
  system_.scalars().velocities(v_.data(), false);
  set_directions();
}

/// After go_whole_way(), where another iteration follows: the duals take the change of contact
/// velocities, which are rounded once more.
void IslandNewton::advance_duals() {
  const HessianOptions options = hessian_options();
  if (!options.primal_dual_friction && !options.dual_normal) return;
  const ContactArrays& c = system_.contacts();
  double *velocity = c[F::velocity_x], *direction = c[F::direction_x];
  for (std::int64_t i = 0; i < 3 * c.stride; ++i) {
    const double there = velocity[i];
    velocity[i] = direction[i];
    direction[i] = there - direction[i];
  }
  model_->advance(c, 1, options);
}

/// J dv, for a search.
void IslandNewton::set_directions() {
  system_.velocities(step_.data(), F::direction_x, false);
  system_.scalars().velocities(step_.data(), true);
}

/// v += alpha dv with impulses and duals there; alpha was evaluated last, 0 if there is none.
bool IslandNewton::move_by(double alpha, const CostAlongStep& cost, IslandReport& report) {
  report.line_evaluations += cost.evaluations();
  if (!(alpha > 0)) {
    report.status =
        std::isfinite(cost.slope()) ? SolveStatus::stalled : SolveStatus::numerical_failure;
    return false;
  }
  potential_ = cost.potential();
  model_->advance(system_.contacts(), alpha, hessian_options());
  system_.scalars().advance(alpha);
  for (std::size_t i = 0; i < v_.size(); ++i) v_[i] += alpha * step_[i];
  return true;
}

/// The error below which the rounding of v in the contacts' impulses decides: about
/// eps_machine h^2 k w (docs/solvers/newton.md), with the stiffness at the velocities at hand.
double IslandNewton::round_off_level() const {
  const ContactArrays& c = system_.contacts();
  model_->hessian(c, {});
  double stiffest = std::max(1.0, system_.scalars().stiffest());
  for (int i = 0; i < system_.contact_count(); ++i) {
    const double trace = c[F::k_xx][i] + c[F::k_yy][i] + c[F::k_zz][i];
    stiffest =
        std::max(stiffest, trace * prepared_->contacts().mobility[system_.contact_indices()[i]]);
  }
  // of velocities that may be large beside what the step does to them
  const double rounding = 50 * std::numeric_limits<double>::epsilon() * stiffest;
  return std::min(largest_round_off, rounding * std::max(1.0, momentum_size_ / scale_));
}

void IslandNewton::write(ContactSolution& x, IslandReport& report) {
  report.momentum_error = error_;
  system_.scatter(v_.data(), x.velocity);
  for (int i = 0; i < system_.contact_count(); ++i) {
    x.impulse[system_.contact_indices()[i]] = system_.impulse(i);
  }
  system_.scalars().write_impulses(x.scalar_impulse);
  if (traits(problem_->model).lags_friction) lag_.write(system_.contacts(), x.lagged_impulse);
}

}  // namespace abut
