#include "abut/solvers/dual/interior_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "abut/solvers/dual/gauss_seidel.hpp"

namespace abut {
namespace {

/// Of the longest step to the boundary, where k is large.
constexpr double to_boundary = 0.9;
/// How far a step may go: if the boundary is that far away, Newton's step is made whole.
constexpr double beyond = 1 / to_boundary;

constexpr int factorization_limit = 2000;

/// Impulses and velocities at the start, in units of the scaled problem: impulses of large masses
/// that rest on small ones are 10^6 of them. In the order that solves most, before and after
/// sweeps.
constexpr double first_sizes[] = {1, 1e4}, other_sizes[] = {1e2, 10, 1e6, 0.1};

/// Sweeps where the path jams, and how many are made before one looks.
constexpr int sweep_limit = 3000, sweeps_at_once = 20;

/// Likewise of path following, and the factorizations of each attempt.
constexpr double arc_sizes[] = {1, 1e3, 1e6};
constexpr int arc_limit = 400;

/// k of the point from which a guess of the answer is improved.
constexpr double warm_k = 1e-4;

/// The point of the central path nearest to a contact's impulse and velocity: gamma - sigma keeps
/// its normal part and its direction across.
CentralPath::Row nearest_on_path(double mu, double k, const Vec3& gamma, const Vec3& sigma) {
  const Vec3 d = gamma - sigma;
  const double root = std::sqrt(d.z * d.z + 4 * k);
  const double normal = d.z > 0 ? 0.5 * (d.z + root) : 2 * k / (root - d.z);
  const double load = mu * normal, across = std::hypot(d.x, d.y);
  if (load == 0) return {{0, 0, normal}, {sigma.x, sigma.y, k / normal}, 0};
  // slip t >= 0 and friction load t / eta(t) on the path, which add up to |d_t|
  const auto eta_at = [&](double t) {
    const double half = 0.5 * k / load;
    return half + std::sqrt(half * half + t * t);
  };
  double low = 0, high = across;
  for (int i = 0; i < 50; ++i) {
    const double t = 0.5 * (low + high);
    (t * (load / eta_at(t) + 1) < across ? low : high) = t;
  }
  const double eta = eta_at(low), held = load * low / eta;
  const Vec3 along = across > 0 ? Vec3{d.x / across, d.y / across, 0} : Vec3{};
  CentralPath::Row row{held * along, -low * along, eta};
  row.gamma.z = normal, row.sigma.z = k / normal;
  return row;
}

/// Below this error Newton's method may take the last digits.
constexpr double worth_polishing = 1e-2;
/// Likewise ADMM; and its iterations where sweeps have told that they would converge, slowly.
constexpr double worth_going_on = 0.1;
constexpr int quick_iterations = 100;

/// Where the error stays above this, contacts may be wedged: then impulses grow by at least this
/// factor if their compliance falls to a tenth.
constexpr double worth_relaxing = 1e-5, relaxation = 1e-3, wedging = 5;
/// Compliance falls to this, each time to a tenth or, where that is not solved, to a part below
/// this one.
constexpr double least_compliance = 0.9e-9, largest_part = 0.8;

}  // namespace

void InteriorPoint::iterate(const FrictionProblem& p, const FrictionOptions& options,
                            std::span<Vec3> impulse, FrictionReport& report) {
  const auto n = static_cast<std::size_t>(p.rows());
  problem_.set(p);
  path_.set(problem_.scaled);
  for (auto* v : {&residual_, &trial_, &velocity_, &best_, &earlier_, &relaxed_}) v->resize(n);
  for (auto* d : {&predictor_, &chosen_, &other_}) path_.resize(d->change);
  path_.resize(x_);
  path_.resize(targets_);
  for (std::size_t i = 0; i < n; ++i) {
    x_.rows[i].gamma = problem_.from_problem(static_cast<int>(i), impulse[i]);
  }
  best_error_ = std::numeric_limits<double>::infinity();
  keep_if_best(options);
  const int limit = options.iteration_limit > 0 ? options.iteration_limit : factorization_limit;
  report.status = SolveStatus::stalled;
  if (options.is_warm && best_error_ > options.tolerance) {
    best_error_ = newton_.try_guess(problem_, options, SemismoothNewton::Guess::of_impulses,
                                    path_.lu(), best_, best_error_, report);
    if (best_error_ > options.tolerance) {
      start_warm();
      follow_path(options, report, limit);
      polish(options, report);
    }
  }
  if (best_error_ > options.tolerance) {
    best_error_ = quick_start_.run(problem_, options, path_, newton_, best_, best_error_, report);
    if (quick_start_.converges_slowly()) {
      go_on_by_admm(p, options, std::min(quick_iterations, limit), report);
    }
  }
  try_sizes(first_sizes, options, report, limit);
  try_sizes(other_sizes, options, report, limit);
  if (best_error_ > options.tolerance && report.factorizations < limit) {
    follow_by_arc_length(options, report, limit);
  }
  if (options.iteration_limit == 0 && report.factorizations < limit) {
    try_to_the_end(p, options, report);
  }
  if (best_error_ <= options.tolerance) report.status = SolveStatus::converged;
  for (std::size_t i = 0; i < n; ++i) {
    impulse[i] = problem_.to_problem(static_cast<int>(i), best_[i]);
  }
}

/// What takes thousands of iterations.
void InteriorPoint::try_to_the_end(const FrictionProblem& p, const FrictionOptions& options,
                                   FrictionReport& report) {
  if (best_error_ > options.tolerance) sweep(options, report);
  if (best_error_ <= options.tolerance || is_compliant_) return;
  if (is_wedged(p, options, report)) {
    best_error_ = std::numeric_limits<double>::infinity();
  } else {
    go_on_by_admm(p, options, 0, report);
  }
}

/// Solves the problem with compliant contacts from the impulses given; the largest impulse, scaled,
/// or 0 if it is not solved.
double InteriorPoint::solve_compliant(const FrictionProblem& p, double compliance, bool is_warm,
                                      const FrictionOptions& options, FrictionReport& report) {
  if (compliant_ == nullptr) {
    compliant_ = std::make_unique<InteriorPoint>();
    compliant_->is_compliant_ = true;
  }
  softened_ = p;
  for (int i = 0; i < p.contacts(); ++i) {
    Mat3& block = softened_.delassus.block[p.delassus.find(i, i)];
    block = block + compliance * p.mobility(i).x * Mat3::identity();
  }
  FrictionOptions same = options;
  same.is_warm = is_warm;
  if (!is_warm) compliant_impulse_.assign(p.velocity.size(), {});
  const FrictionReport r = compliant_->solve_island(softened_, same, compliant_impulse_);
  report.factorizations += r.factorizations;
  if (r.status != SolveStatus::converged) return 0;
  double largest = 0;
  for (int i = 0; i < p.rows(); ++i) {
    x_.rows[i].gamma = problem_.from_problem(i, compliant_impulse_[i]);
    if (i < p.contacts()) largest = std::max(largest, norm(x_.rows[i].gamma));
  }
  return largest;
}

/// Lowers the contacts' compliance to nothing. True if impulses grow nearly as much as it falls;
/// `best_` holds those of the compliance of `relaxation` then.
bool InteriorPoint::is_wedged(const FrictionProblem& p, const FrictionOptions& options,
                              FrictionReport& report) {
  const double soft = solve_compliant(p, relaxation, false, options, report);
  if (!(soft > 0)) return false;
  for (std::size_t i = 0; i < trial_.size(); ++i) relaxed_[i] = x_.rows[i].gamma;
  double compliance = 0.1 * relaxation;
  double softer = solve_compliant(p, compliance, false, options, report);
  last_compliant_ = compliant_impulse_;
  if (softer > wedging * soft && best_error_ > worth_relaxing) {
    best_ = relaxed_;
    report.relaxation = relaxation;
    return true;
  }
  for (double part = 0.1;;) {
    if (softer > 0) {
      keep_if_best(options);
      polish(options, report);
      if (best_error_ <= options.tolerance || part * compliance < least_compliance) return false;
      last_compliant_ = compliant_impulse_;
    } else {  // by less, from what was solved last
      compliance /= part;
      part = std::sqrt(part);
      if (part > largest_part) return false;
      compliant_impulse_ = last_compliant_;
    }
    compliance *= part;
    softer = solve_compliant(p, compliance, true, options, report);
  }
}

void InteriorPoint::try_sizes(std::span<const double> sizes, const FrictionOptions& options,
                              FrictionReport& report, int limit) {
  for (const double size : sizes) {
    if (best_error_ <= options.tolerance || report.factorizations >= limit) return;
    begin_attempt();
    path_.start(size, x_);
    follow_path(options, report, limit);
    polish(options, report);
    end_attempt();
  }
}

/// What an attempt finds is polished even if an earlier one, which jammed, came nearer.
void InteriorPoint::begin_attempt() {
  std::swap(best_, earlier_);
  earlier_error_ = best_error_;
  best_error_ = std::numeric_limits<double>::infinity();
}

void InteriorPoint::end_attempt() {
  if (best_error_ < earlier_error_) return;
  std::swap(best_, earlier_);
  best_error_ = earlier_error_;
}

/// From the best impulses, or from none if these are no better than none.
void InteriorPoint::sweep(const FrictionOptions& options, FrictionReport& report) {
  const FrictionProblem& p = problem_.scaled;
  for (std::size_t i = 0; i < x_.rows.size(); ++i) x_.rows[i].gamma = best_[i];
  std::vector<Vec3>& gamma = residual_;
  gamma = best_;
  for (int s = 0; s < sweep_limit && best_error_ > options.tolerance; s += sweeps_at_once) {
    for (int k = 0; k < sweeps_at_once; ++k) sweep_contacts(p, options.model, gamma);
    report.iterations += sweeps_at_once;
    for (std::size_t i = 0; i < x_.rows.size(); ++i) x_.rows[i].gamma = gamma[i];
    const double before = best_error_;
    keep_if_best(options);
    if (s % 400 == 0 && best_error_ < before) polish(options, report);
  }
  polish(options, report);
}

/// From the best impulses: it does not need the rank that Newton's matrices have.
void InteriorPoint::go_on_by_admm(const FrictionProblem& p, const FrictionOptions& options,
                                  int iterations, FrictionReport& report) {
  if (best_error_ <= options.tolerance || best_error_ > worth_going_on) return;
  FrictionOptions rest = options;
  rest.is_warm = true;
  rest.iteration_limit = iterations;
  admm_impulse_.resize(p.velocity.size());
  for (int i = 0; i < p.rows(); ++i) admm_impulse_[i] = problem_.to_problem(i, best_[i]);
  const FrictionReport r = admm_.solve_island(p, rest, admm_impulse_);
  report.iterations += r.iterations;
  report.factorizations += r.factorizations;
  for (int i = 0; i < p.rows(); ++i) {
    x_.rows[i].gamma = problem_.from_problem(i, admm_impulse_[i]);
  }
  keep_if_best(options);
  polish(options, report);
}

void InteriorPoint::polish(const FrictionOptions& options, FrictionReport& report) {
  if (best_error_ <= options.tolerance || best_error_ > worth_polishing) return;
  best_error_ = newton_.improve(problem_, options, path_.lu(), best_, best_error_, report);
}

void InteriorPoint::follow_by_arc_length(const FrictionOptions& options, FrictionReport& report,
                                         int limit) {
  for (const double size : arc_sizes) {
    double polished = 10 * worth_polishing;
    if (best_error_ <= options.tolerance) return;
    begin_attempt();
    path_following_.start(path_, size, std::min(arc_limit, limit - report.factorizations));
    do {
      x_ = path_following_.point();
      keep_if_best(options);
      if (best_error_ < 0.1 * polished) {
        polish(options, report);
        polished = best_error_;
      }
    } while (best_error_ > options.tolerance && path_following_.advance(path_));
    report.iterations += path_following_.factorizations();
    report.factorizations += path_following_.factorizations();
    polish(options, report);
    end_attempt();
  }
}

/// The error of the impulses, projected on their cones.
double InteriorPoint::keep_if_best(const FrictionOptions& options) {
  const FrictionProblem& p = problem_.scaled;
  for (std::size_t i = 0; i < x_.rows.size(); ++i) {
    trial_[i] = project(p, static_cast<int>(i), x_.rows[i].gamma);
  }
  p.delassus.multiply(trial_, velocity_);
  for (std::size_t i = 0; i < x_.rows.size(); ++i) velocity_[i] += p.velocity[i];
  const double error = problem_.error(options, trial_, velocity_);
  if (error < best_error_) {
    best_error_ = error;
    best_ = trial_;
  }
  return error;
}

/// The point of the central path at warm_k that is nearest to the impulses given and their
/// velocities.
void InteriorPoint::start_warm() {
  const FrictionProblem& p = problem_.scaled;
  p.delassus.multiply(best_, velocity_);
  for (int i = 0; i < p.rows(); ++i) {
    const Vec3 sigma = velocity_[i] + p.velocity[i];
    CentralPath::Row& row = x_.rows[i];
    if (i < p.contacts()) {
      row = nearest_on_path(p.friction[i], warm_k, best_[i], sigma);
      continue;
    }
    BoundedRow& b = x_.bounded[i - p.contacts()];
    b = nearest_on_path(p.bounds[i - p.contacts()], warm_k, best_[i] - sigma, row.gamma);
    row.sigma = b.z_lower - b.z_upper;
  }
}

/// Newton's method towards k = 0 until the error is below the tolerance, or it comes to no end.
void InteriorPoint::follow_path(const FrictionOptions& options, FrictionReport& report, int limit) {
  int short_steps = 0, without_progress = 0;
  double last = std::numeric_limits<double>::infinity();
  while (report.factorizations < limit) {
    const double error = keep_if_best(options);
    if (!std::isfinite(error) || error <= options.tolerance) return;
    without_progress = error < 0.9 * last ? 0 : without_progress + 1;
    if (without_progress >= 15) return;
    last = std::min(last, error);
    path_.residuals(x_, residual_);
    const double k = path_.complementarity(x_, x_, 0);
    ++report.iterations;
    ++report.factorizations;
    if (!path_.linearize(x_)) return;
    choose_direction(k);
    const double step = std::min(1.0, std::clamp(1 - k, to_boundary, 1 - 1e-9) * chosen_.step);
    path_.move(x_, chosen_.change, step);
    short_steps = step < 0.02 ? short_steps + 1 : 0;
    if (short_steps >= 3) return;
  }
  report.status = SolveStatus::iteration_limit;
}

/// Mehrotra's, or where it is short the better of two that stay closer to the path.
void InteriorPoint::choose_direction(double k) {
  find_direction(0, nullptr, predictor_);
  const double left = path_.complementarity(x_, predictor_.change, std::min(predictor_.step, 1.0));
  const double ratio = k > 0 ? left / k : 0;
  const double part = predictor_.step < 0.1 ? 0.5 : std::clamp(ratio * ratio * ratio, 1e-6, 1.0);
  find_direction(part * k, predictor_.step > 0.02 ? &predictor_ : nullptr, chosen_);
  if (chosen_.step >= 0.3) return;
  double score = chosen_.step;
  for (const auto& [part_kept, weight] : {std::pair(0.5, 1.0), {0.9, 0.4}}) {
    find_direction(part_kept * k, nullptr, other_);
    if (weight * other_.step <= score) continue;
    score = weight * other_.step;
    std::swap(other_, chosen_);
  }
}

/// Newton's step towards k, with the second-order terms of the predictor if given.
void InteriorPoint::find_direction(double k, const Direction* predictor, Direction& result) {
  path_.missing(x_, k, targets_);
  for (std::size_t i = 0; i < residual_.size(); ++i) targets_.rows[i].residual = residual_[i];
  if (predictor != nullptr) path_.subtract_products(predictor->change, targets_);
  path_.solve(x_, targets_, result.change);
  result.step = path_.longest_step(x_, result.change, beyond);
}

}  // namespace abut
