#include "abut/solvers/primal/island_iterate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "abut/solvers/contact_solver.hpp"

namespace abut {
namespace {

using F = ContactField;

/// Each part of an island must be this much below the tolerance, so that any union of parts meets
/// it: the certifier may link parts by impulses too small to link them here.
constexpr double part_safety = 0.7;

}  // namespace

void IslandIterate::reserve(std::size_t size) {
  for (auto* b : {&v, &momentum, &gradient, &impulse, &best}) b->reserve(size);
}

void IslandIterate::start(const PreparedProblem& problem, const ModelKernels& model,
                          double tolerance, std::span<const double> velocity) {
  prepared_ = &problem;
  model_ = &model;
  tolerance_ = tolerance;
  for (auto* b : {&v, &momentum, &gradient, &impulse, &best}) b->resize(system_.vector_size());
  system_.gather(velocity, v.data());
  forget_best();
}

void IslandIterate::go_to(const double* velocity) {
  if (velocity != v.data()) std::copy_n(velocity, v.size(), v.data());
  update();
}

void IslandIterate::update() {
  evaluate();
  judge();
}

void IslandIterate::evaluate() {
  const ContactArrays& c = system_.contacts();
  system_.velocities(v.data(), F::velocity_x, true);
  system_.scalars().velocities(v.data(), false);
  system_.scalars().clear_directions();
  potential = model_->evaluate_here(c) + system_.scalars().evaluate(0).potential;
}

void IslandIterate::judge() {
  system_.impulses(impulse.data());
  const BodySums s = system_.residual(v.data(), impulse.data(), momentum.data(), gradient.data());
  energy = s.energy;
  const double most = std::sqrt(std::max(s.momentum, s.impulse)), r = std::sqrt(s.error);
  const double rest = rest_level(most);
  at_rest_ = r < rest && most < rest;
  scale = step_scale(s, system_.free_change());
  residual = r;
  momentum_size_ = std::sqrt(s.momentum);
  error = at_rest_ ? 0 : r / scale;
}

/// What counts as no momentum, as the certificate has it. Only where there is next to none do the
/// impulses that bear each other need a look.
double IslandIterate::rest_level(double most) const {
  return most < 1e-6 ? at_rest * (1 + gross_impulse()) : at_rest;
}

/// sqrt(sum of w |gamma|^2): impulses that bear each other leave their rounding as momentum.
double IslandIterate::gross_impulse() const {
  double sum = system_.scalars().gross();
  for (int i = 0; i < system_.contact_count(); ++i) {
    const double w = prepared_->contacts().mobility[system_.contact_indices()[i]];
    sum += w * squared_norm(system_.impulse(i));
  }
  return std::sqrt(sum);
}

bool IslandIterate::converged() {
  if (at_rest_) return true;
  if (!(error <= tolerance_)) {
    if (scale >= impulse_rounding * most_borne) return false;  // no impulse raises it further
    scale = std::max(scale, impulse_rounding * std::min(gross_impulse(), most_borne));
    error = residual / scale;
    if (!(error <= tolerance_)) return false;
  }
  if (system_.pattern().nodes() == 1) return true;
  const double whole = residual / scale / part_safety;
  if (system_.link_parts() == 1 && whole <= tolerance_) {
    error = whole;
    return true;
  }
  const double gross = gross_impulse();
  error = system_.worst_part_error(impulse.data(), momentum.data(), at_rest * (1 + gross),
                                   impulse_rounding * std::min(gross, most_borne)) /
          part_safety;
  return error <= tolerance_;
}

double IslandIterate::round_off_level() const {
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
  return std::min(largest_round_off, rounding * std::max(1.0, momentum_size_ / scale));
}

void IslandIterate::forget_best() {
  best_error = std::numeric_limits<double>::infinity();
}

void IslandIterate::keep_best() {
  if (!(error < best_error)) return;
  best_error = error;
  std::copy_n(v.data(), v.size(), best.data());
}

void IslandIterate::take_best() {
  const bool is_best = error <= best_error;  // false if NaN
  const bool is_any = best_error < std::numeric_limits<double>::infinity();
  go_to(is_best ? v.data() : is_any ? best.data() : system_.free_velocity());
}

}  // namespace abut
