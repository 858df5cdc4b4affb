#include "abut/solvers/primal/friction_lag.hpp"

#include <algorithm>
#include <cmath>

#include "abut/core/grow.hpp"

namespace abut {
namespace {

using F = ContactField;

double normal_impulse(const ContactArrays& c, int i) {
  const double *n = c[F::normal_x] + i, *gamma = c[F::impulse_x] + i;
  const std::int64_t s = c.stride;
  return n[0] * gamma[0] + n[s] * gamma[s] + n[2 * s] * gamma[2 * s];
}

}  // namespace

void FrictionLag::make_room(std::size_t contacts) {
  for (auto* v : {&residual_, &previous_residual_, &kept_}) abut::make_room(*v, contacts);
}

void FrictionLag::start(const PreparedProblem& problem, std::span<const std::int32_t> contacts,
                        const std::vector<double>& lagged, const ContactArrays& c) {
  problem_ = &problem;
  contacts_ = contacts;
  for (auto* v : {&residual_, &previous_residual_, &kept_}) v->resize(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    set(c, static_cast<int>(i), lagged[contacts[i]]);
  }
  omega_ = 1;
  is_first_ = true;
}

void FrictionLag::set(const ContactArrays& c, int i, double lagged_impulse) {
  c[F::lagged][i] = lagged_impulse;
  c[F::slip_tolerance][i] = slip_tolerance(*problem_, contacts_[i], lagged_impulse);
  const ContactProblem& p = problem_->problem();
  if (!traits(p.model).is_anchored) return;
  const double h = p.time_step;
  c[F::tangential][i] = h * h * tangential_stiffness(p, contacts_[i], lagged_impulse);
}

void FrictionLag::take(const ContactArrays& c) {
  for (int i = 0; i < std::ssize(contacts_); ++i) set(c, i, c[F::dual_normal][i]);
}

void FrictionLag::measure(const ContactArrays& c) {
  double worst = 0, most = 0, squares = 0;
  for (int i = 0; i < std::ssize(contacts_); ++i) {
    const double mu = c[F::mu][i], before = c[F::lagged][i], now = normal_impulse(c, i);
    residual_[i] = now - before;
    const double r = mu * std::abs(residual_[i]);
    worst = std::max(worst, r);
    most = std::max(most, mu * std::max(before, now));
    squares += problem_->contacts().mobility[contacts_[i]] * r * r;
  }
  error_ = worst > 0 ? worst / most : 0;
  size_ = std::sqrt(squares);
}

void FrictionLag::advance(const ContactArrays& c) {
  if (!is_first_) {
    double along = 0, turn = 0;
    for (int i = 0; i < std::ssize(contacts_); ++i) {
      const double mu = c[F::mu][i], weight = problem_->contacts().mobility[contacts_[i]] * mu * mu;
      const double change = residual_[i] - previous_residual_[i];
      along += weight * previous_residual_[i] * change;
      turn += weight * change * change;
    }
    if (turn > 0) omega_ = std::clamp(-omega_ * along / turn, 0.1, 3.0);
  }
  is_first_ = false;
  for (int i = 0; i < std::ssize(contacts_); ++i) {
    set(c, i, std::max(0.0, c[F::lagged][i] + omega_ * residual_[i]));
  }
  std::swap(residual_, previous_residual_);
}

void FrictionLag::keep(const ContactArrays& c) {
  std::copy_n(c[F::lagged], kept_.size(), kept_.begin());
}

void FrictionLag::recall(const ContactArrays& c) {
  for (std::size_t i = 0; i < kept_.size(); ++i) set(c, static_cast<int>(i), kept_[i]);
}

void FrictionLag::write(const ContactArrays& c, std::vector<double>& lagged) const {
  for (std::size_t i = 0; i < contacts_.size(); ++i) lagged[contacts_[i]] = c[F::lagged][i];
}

}  // namespace abut
