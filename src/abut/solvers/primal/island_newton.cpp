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

/// Sweeps end when one changes all impulses by no more than this share of one contact's: the more
/// contacts, the more does a factorization cost beside a sweep.
constexpr double settled_sweep = 0.2;
constexpr double lag_settled = 0.003;  ///< no more than this where gamma_n0 comes from them

/// The error below which Newton's method converges by itself, fastest with the exact Hessian.
constexpr double cured_above = 0.02;

/// Operations of a factorization per contact or scalar constraint beyond which that many chord
/// steps cost less than another factorization (docs/solvers/newton.md). A cheap factor is rather
/// made anew: a chord leaves an error just below the tolerance, a Newton step one far below.
constexpr double dear_factor = 2000;
constexpr int most_chords = 2;

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
  here_.reserve(whole);
  for (auto* b : {&step_, &before_, &closest_}) b->reserve(whole);
  const auto trees = static_cast<int>(p.trees.size());
  SymbolicCache::PivotStrips pivots{.all = trees};
  std::int64_t strips = std::int64_t{SymbolicCache::typical_strips} * trees;
  for (const Tree& t : p.trees) {  // a mechanism is one node, with a full triangle
    if (t.kind != TreeKind::dense) continue;
    const int more = (t.size - 1) / 6;
    pivots.all += more;
    pivots.widest = std::max(pivots.widest, more + 1);
    strips += std::int64_t{t.size} * round_up_8(t.size) / 48;
  }
  symbolic_cache_.reserve(trees, static_cast<int>(p.patches.capacity()), pivots);
  cholesky_.reserve(pivots.all, strips);
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
  here_.update();
  if (!std::isfinite(here_.error)) here_.go_to(system_.free_velocity());  // a guess led nowhere
  End end = traits(problem.model).lags_friction ? follow_lag(report)
                                                : minimize(report, false, options_.max_iterations);
  if (end != End::converged) {
    if (options_.restarts) end = start_again(end, report);
    here_.take_best();
    // no descent can be seen in rounded numbers
    if (end == End::stopped && here_.best_error < here_.round_off_level()) {
      end = End::round_off;
      report.status = SolveStatus::converged;
    }
    if (traits(problem.model).lags_friction) measure_lag(report);
  }
  if (is_analyzed_ && !is_placed_) team_->wait();  // no iteration was allowed
  report.at_round_off = end == End::round_off;
  if (!std::isfinite(here_.best_error)) report.status = SolveStatus::numerical_failure;
  write(x, report);
  return report;
}

/// Newton's iterations from here on, to the tolerance; `loosely` also until what is left is less
/// than 0.7 of the lag of friction. Keeps the best iterate.
IslandNewton::End IslandNewton::minimize(IslandReport& report, bool loosely, int iterations) {
  constexpr int most_at_round_off = 3, few_contacts = 8;
  const int limit = report.iterations + iterations;
  const int patience = report.iterations + options_.patience;
  int at_round_off = 0;
  report.status = SolveStatus::converged;
  chords_left_ = 0;
  here_.forget_best();
  bool done = here_.converged();
  here_.keep_best();  // by the same measure as later ones: the stopping test's
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
    const double best = here_.best_error;
    is_judged_ = false;
    bool advanced = is_predicted_ ? linearize_at_prediction(report) : iterate(report);
    is_predicted_ = false;
    if (!is_judged_) chords_left_ = 0;  // the step was cut short
    const bool is_exact = is_judged_ || system_.contact_count() <= few_contacts;
    if (advanced) {
      // velocities of contacts that a search summed up are judged at v itself in the end: of few
      // contacts at once
      if (!is_judged_) {
        if (is_exact) here_.evaluate();
        here_.judge();
      }
      advanced = std::isfinite(here_.error);
      if (!advanced) report.status = SolveStatus::numerical_failure;
    }
    if (!advanced) {
      if (!fall_back(report)) return End::stopped;
      continue;
    }
    done = here_.converged();
    const bool halved = here_.error <= 0.5 * best;
    if (!is_exact && (done || (!halved && here_.error < here_.round_off_level()))) {
      here_.update();
      done = here_.converged();
    }
    here_.keep_best();
    // another iteration needs the duals, and so does another round of the lag
    if (is_judged_ && (!done || follows_lag())) advance_duals();
    if (!done && !halved && here_.best_error < here_.round_off_level()) {
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
  return here_.residual <= 0.7 * lag_.size();
}

void IslandNewton::measure_lag(IslandReport& report) {
  lag_.measure(system_.contacts());
  report.lag_error = lag_.size() > negligible_lag * here_.scale ? lag_.error() : 0;
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
    if (end > End::loose) here_.take_best();
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
      std::copy_n(here_.v.data(), here_.v.size(), closest_.data());
    }
    loosely = report.lag_rounds < options_.lag_rounds && end <= End::loose;
    if (loosely) {
      ++report.lag_rounds;
      lag_.advance(system_.contacts());
      here_.update();
    } else {
      if (!(least < infinity)) return end;  // no number
      is_last = true;
      lag_.recall(system_.contacts());
      here_.go_to(closest_.data());
    }
    be_cured();
  }
}

/// Continuation in the stiffness, to a tenth of it: by tens, each from the answer before.
void IslandNewton::continue_in_stiffness(IslandReport& report) {
  for (const double share : {1e-5, 1e-4, 1e-3, 1e-2, 1e-1}) {
    system_.soften(share);
    here_.update();
    minimize(report, false, options_.max_iterations);
    here_.take_best();
    is_predicted_ = false;
    be_cured();
  }
  system_.soften(1);
  here_.go_to(std::isfinite(here_.error) ? here_.v.data() : system_.free_velocity());
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
  double least = here_.best_error;
  std::copy_n(here_.best.data(), here_.best.size(), closest_.data());
  for (const Attempt& attempt : attempts) {
    be_cured();
    if (attempt.is_plain) be_plain(attempt.line);
    is_new_ = !attempt.is_plain;
    system_.gather(problem_->velocity, here_.v.data());
    here_.go_to(attempt.from_free ? system_.free_velocity() : here_.v.data());
    if (attempt.continues) continue_in_stiffness(report);
    const End next =
        minimize(report, false,
                 attempt.is_plain ? NewtonOptions::paper_iterations : options_.max_iterations);
    is_predicted_ = false;
    if (here_.best_error < least) {
      least = here_.best_error;
      end = next;
      status = report.status;
      std::copy_n(here_.best.data(), here_.best.size(), closest_.data());
    }
    if (next == End::converged) break;
  }
  report.status = status;
  std::copy_n(closest_.data(), closest_.size(), here_.best.data());
  here_.best_error = least;
  return end;
}

void IslandNewton::start(int island, const ContactSolution& x) {
  system_.build(*prepared_, x.partition, island);
  model_ = &contact_kernels().model(problem_->model, system_.laws());
  symbolic_ = nullptr;
  is_placed_ = is_analyzed_ = false;
  solution_ = &x;
  island_ = island;
  is_new_ = true;
  is_predicted_ = is_restart_ = false;
  be_cured();
  if (traits(problem_->model).lags_friction) {
    lag_.start(*prepared_, system_.contact_indices(), x.lagged_impulse, system_.contacts());
  }
  here_.start(*prepared_, *model_, stop_.tolerance, x.velocity);
  for (auto* b : {&step_, &before_, &closest_}) b->resize(system_.vector_size());
  step_.fill_zero();
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

/// Where a cure has failed: plain Newton goes on from the best iterate. False if it did already.
bool IslandNewton::fall_back(IslandReport& report) {
  if (plain_ || options_.patience >= options_.max_iterations || !std::isfinite(here_.best_error)) {
    return false;
  }
  be_plain(LineSearch::exact);
  report.status = SolveStatus::converged;
  here_.go_to(here_.best.data());
  return true;
}

/// Leaves their answer in the contacts. False if they found none.
bool IslandNewton::run_sweeps() {
  const Islands& islands = solution_->partition;
  // gamma_n0 that is right from the start saves rounds of its fixed point
  const bool follows = follows_lag();
  const double settled =
      std::min(follows ? lag_settled : 1.0, settled_sweep / system_.contact_count());
  const SweepOptions sweeping{
      .most = options_.predictor_sweeps, .settled = settled, .own_limit = follows};
  analyze_meanwhile();
  const bool found = sweeps_.run(*prepared_, islands.trees_of(island_), *model_, system_, sweeping);
  if (!found) {
    here_.evaluate();
  } else if (follows) {
    lag_.take(system_.contacts());
  }
  return found;
}

/// Dual variables from the last step's impulses, or, far from the solution, from a few sweeps.
void IslandNewton::start_duals() {
  // sweeps end in the same place whatever v is: no start for a second time
  const bool sweeps = options_.predictor_sweeps > 0 && here_.error > prediction_threshold &&
                      system_.contact_count() > 0 && !is_restart_ && run_sweeps();
  is_predicted_ = sweeps;
  if (!options_.primal_dual_friction && !options_.dual_normal) return;
  const ContactArrays& c = system_.contacts();
  if (sweeps) {
    std::copy_n(c[F::impulse_x], 3 * c.stride, c[F::dual_x]);
  } else {
    for (int i = 0; i < system_.contact_count(); ++i) {
      const int contact = system_.contact_indices()[i];
      set_vector(c, F::dual_x, i,
                 system_.unscaled(i, problem_->contacts.previous_impulse[contact]));
    }
  }
  contact_kernels().start_duals(c);
}

/// The first iteration from a poor start: each contact is linearized where the sweeps left it,
/// gamma(v) = gamma_i - K_i (v - v_i), which has most contacts in their right state. Goes there if
/// that lowers the cost, else searches along the way.
bool IslandNewton::linearize_at_prediction(IslandReport& report) {
  const ContactArrays& c = system_.contacts();
  // velocities of the sweeps in the place of v_c, whose distance to them is the direction
  contact_kernels().change_places(c);
  model_->evaluate_here(c);
  model_->hessian(c, hessian_options());
  contact_kernels().extend_linearly(c);
  system_.impulses(step_.data());
  // the true gradient, for later
  std::copy_n(here_.gradient.data(), here_.gradient.size(), here_.impulse.data());
  for (std::size_t i = 0; i < step_.size(); ++i) here_.gradient[i] = here_.momentum[i] - step_[i];
  const bool solved = factor_and_solve(report);
  std::copy_n(here_.impulse.data(), here_.gradient.size(), here_.gradient.data());
  if (!solved) return false;
  set_directions();
  const StepSums s = system_.step_terms(step_.data(), here_.momentum.data(), here_.gradient.data());
  CostAlongStep cost(*model_, c, system_.scalars(), s, here_.potential, here_.energy);
  const bool is_lower = cost.evaluate(1).cost < here_.potential;
  if (!is_lower && s.slope < 0) return move_by(cost.search(search_), cost, report);
  ++report.line_evaluations;
  if (!is_lower) {
    here_.evaluate();
    return iterate(report);
  }
  here_.potential = cost.potential();
  model_->advance(c, 1, {});  // the duals are those of the sweeps
  system_.scalars().advance(1);
  for (std::size_t i = 0; i < here_.v.size(); ++i) here_.v[i] += step_[i];
  return true;
}

/// One Newton iteration. False if it cannot go on; the status then says why.
bool IslandNewton::iterate(IslandReport& report) {
  if (chords_will_do()) {
    solve_again(report);
    return move(report);
  }
  const bool is_near = here_.error < cured_above;
  model_->hessian(system_.contacts(), is_near ? HessianOptions{} : hessian_options());
  return factor_and_solve(report) && move(report);
}

void IslandNewton::Analysis::operator()() noexcept {
  try {
    newton.symbolic_ = &newton.symbolic_cache_.get(newton.system_.pattern());
  } catch (...) {  // no room: need_symbolic() will say so
    newton.symbolic_ = nullptr;
  }
}

/// A helper, if there is one, analyzes the pattern while sweeps go on.
void IslandNewton::analyze_meanwhile() {
  if (team_ == nullptr || is_placed_ || is_analyzed_) return;
  is_analyzed_ = team_->delegate(analysis_);
}

/// The symbolic factor of the pattern.
void IslandNewton::need_symbolic() {
  if (is_analyzed_) team_->wait();
  if (symbolic_ == nullptr) symbolic_ = &symbolic_cache_.get(system_.pattern());
  system_.place_blocks(*symbolic_);
  is_placed_ = true;
  if (team_ != nullptr && !symbolic_->sharing.pays()) team_->dismiss();
}

/// Assembles with the K of the contacts, factors and solves for step_ = -H^-1 gradient.
bool IslandNewton::factor_and_solve(IslandReport& report) {
  if (!is_placed_) need_symbolic();
  cholesky_.reset(*symbolic_, team_);
  system_.assemble(cholesky_);
  ++report.factorizations;
  ++report.iterations;
  report.factor_flops += symbolic_->flops;
  for (std::size_t i = 0; i < step_.size(); ++i) step_[i] = -here_.gradient[i];
  const int rows = std::max(1, system_.contact_count() + system_.scalars().size());
  const bool is_kept = options_.chord_steps && search_ == LineSearch::loose &&
                       symbolic_->flops > dear_factor * rows && here_.error < cured_above;
  chords_left_ = is_kept ? most_chords : 0;
  last_error_ = here_.error;
  if (cholesky_.factor_and_solve(step_.span(), team_, is_kept)) return true;
  report.status = SolveStatus::numerical_failure;
  return false;
}

/// Whether the steps that the factor at hand may still serve for meet the tolerance. A Newton step
/// takes an error e to C e^2 = e', the next one with its factor that to 2 C e e', as what the
/// factor is off by counts in full there; others go as the last one did.
bool IslandNewton::chords_will_do() const {
  constexpr double safety = 0.5;
  if (plain_ || chords_left_ == 0) return false;
  const double doubled = chords_left_ == most_chords ? 2 : 1;
  const double success = doubled * here_.error / last_error_;
  double left = here_.error;
  for (int i = 0; i < chords_left_; ++i) left *= success;
  return left <= safety * stop_.tolerance;
}

/// Solves for the step with the factor of the iteration before.
void IslandNewton::solve_again(IslandReport& report) {
  ++report.iterations;
  for (std::size_t i = 0; i < step_.size(); ++i) step_[i] = -here_.gradient[i];
  cholesky_.solve(step_.span(), team_);
  last_error_ = here_.error;
  --chords_left_;
}

/// v += alpha dv, with impulses there.
bool IslandNewton::move(IslandReport& report) {
  StepSums sums = system_.slopes(step_.data(), here_.momentum.data(), here_.gradient.data());
  const auto set_quadratic = [&] {
    sums.quadratic =
        system_.step_terms(step_.data(), here_.momentum.data(), here_.gradient.data()).quadratic;
  };
  if (search_ != LineSearch::loose || !(sums.slope < 0)) {
    set_directions();
    set_quadratic();
    CostAlongStep cost(*model_, system_.contacts(), system_.scalars(), sums, here_.potential,
                       here_.energy);
    return move_by(sums.slope < 0 ? cost.search(search_) : 0, cost, report);
  }
  const double energy = here_.energy, potential = here_.potential;
  go_whole_way();
  ++report.line_evaluations;
  const StepSums there = system_.slopes(step_.data(), here_.momentum.data(), here_.gradient.data());
  const CostAlongStep::Trial whole{.slope = there.slope,
                                   .cost = 0.5 * (sums.linear + there.linear) + here_.potential};
  is_judged_ = CostAlongStep::is_short_enough(whole, sums.slope, potential, energy) ||
               (here_.error <= stop_.tolerance && here_.converged());
  if (is_judged_) return true;
  set_quadratic();
  step_back();
  here_.energy = energy, here_.potential = potential;
  CostAlongStep cost(*model_, system_.contacts(), system_.scalars(), sums, here_.potential,
                     here_.energy);
  return move_by(cost.search_nearer(whole.slope), cost, report);
}

/// Goes to v + dv and judges it, with contact velocities computed from v + dv. Keeps v in before_
/// and the contact velocities there in the fields of their directions.
void IslandNewton::go_whole_way() {
  const ContactArrays& c = system_.contacts();
  std::swap(here_.v, before_);
  std::copy_n(c[F::velocity_x], 3 * c.stride, c[F::direction_x]);
  for (std::size_t i = 0; i < step_.size(); ++i) here_.v[i] = before_[i] + step_[i];
  system_.velocities(here_.v.data(), F::velocity_x, true);
  system_.scalars().velocities(here_.v.data(), false);
  here_.potential = model_->evaluate_here(c) + system_.scalars().evaluate(0).potential;
  here_.judge();
}

/// Back to where go_whole_way() began, with J dv as direction.
void IslandNewton::step_back() {
  const ContactArrays& c = system_.contacts();
  std::swap(here_.v, before_);
  std::copy_n(c[F::direction_x], 3 * c.stride, c[F::velocity_x]);
  system_.scalars().velocities(here_.v.data(), false);
  set_directions();
}

/// After go_whole_way(), where another iteration follows: the duals take the change of contact
/// velocities, which are rounded once more.
void IslandNewton::advance_duals() {
  const HessianOptions options = hessian_options();
  if (!options.primal_dual_friction && !options.dual_normal) return;
  const ContactArrays& c = system_.contacts();
  contact_kernels().change_places(c);
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
  here_.potential = cost.potential();
  model_->advance(system_.contacts(), alpha, hessian_options());
  system_.scalars().advance(alpha);
  for (std::size_t i = 0; i < here_.v.size(); ++i) here_.v[i] += alpha * step_[i];
  return true;
}

void IslandNewton::write(ContactSolution& x, IslandReport& report) {
  report.momentum_error = here_.error;
  system_.scatter(here_.v.data(), x.velocity);
  for (int i = 0; i < system_.contact_count(); ++i) {
    x.impulse[system_.contact_indices()[i]] = system_.impulse(i);
  }
  system_.scalars().write_impulses(x.scalar_impulse);
  if (traits(problem_->model).lags_friction) lag_.write(system_.contacts(), x.lagged_impulse);
}

}  // namespace abut
