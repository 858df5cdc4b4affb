// Pivoting: directions in which f is driven, and how far.

#include <algorithm>
#include <cmath>

#include "abut/core/assert.hpp"
#include "abut/linalg/kernels.hpp"
#include "abut/solvers/direct/pivoting.hpp"

namespace abut {
namespace {

/// Changes smaller than this part of the largest are rounding.
constexpr double round_off = 1e-12;

}  // namespace

/// a = A f + b
void Pivoting::find_accelerations() {
  list_.clear();
  factor_.clear();
  for (int j = 0; j < size_; ++j) {
    if (f_[j] != 0) list_.push_back(j), factor_.push_back(f_[j]);
  }
  std::copy_n(b_.data(), lead_, a_.data());
  linalg_kernels().add_columns(static_cast<int>(lead_), static_cast<int>(list_.size()),
                               list_.data(), factor_.data(), matrix_.data(), lead_, a_.data());
}

/// Delta f with Delta f_d = +-1 and Delta a = 0 of the clamped rows, and Delta a. False if the
/// factors are of no use, which they should never be.
bool Pivoting::find_direction(const Aim& aim) {
  if (find_changes(aim)) return true;
  refresh();
  return find_changes(aim);
}

bool Pivoting::find_changes(const Aim& aim) {
  const std::size_t k = clamped_.size();
  x_.resize(k);
  for (std::size_t p = 0; p < k; ++p) x_[p] = -aim.sign * folded_entry(clamped_[p], aim.row);
  if (k > 0) qr_.solve(x_, x_);
  list_.assign(clamped_.begin(), clamped_.end());
  factor_.assign(x_.begin(), x_.end());
  list_.push_back(aim.row);
  factor_.push_back(aim.sign);
  for (std::size_t p = 0; p <= k; ++p) {  // friction at its limit follows the normal force
    const int normal = list_[p];
    for (int q = friction_begin_[normal]; q < friction_begin_[normal + 1]; ++q) {
      const int t = friction_rows_[q];
      if (is_at_limit(t)) list_.push_back(t), factor_.push_back(fold(t) * factor_[p]);
    }
  }
  df_.fill_zero();
  da_.fill_zero();
  double largest = 1;
  for (std::size_t p = 0; p < list_.size(); ++p) {
    df_[list_[p]] = factor_[p];
    largest = std::max(largest, std::abs(factor_[p]));
  }
  linalg_kernels().add_columns(static_cast<int>(lead_), static_cast<int>(list_.size()),
                               list_.data(), factor_.data(), matrix_.data(), lead_, da_.data());
  for (const int i : clamped_) {
    if (!(std::abs(da_[i]) <= 1e-8 * largest)) return false;  // also NaN
    da_[i] = 0;
  }
  return true;
}

/// The first that ends this direction; ties go to the driven row.
Pivoting::Event Pivoting::find_step(const Aim& aim) const {
  double largest = 1;
  for (int i = 0; i < size_; ++i) largest = std::max(largest, std::abs(df_[i]));
  const double least = round_off * largest;
  Event first;
  limit_driven(aim, least, first);
  const auto offer = [&](double step, Turn turn, int row) {
    step = std::max(step, 0.0);
    if (step < first.step) first = {step, turn, row};
  };
  for (int i = 0; i < size_; ++i) {
    const PivotRow& r = rows_[i];
    switch (sets_[i]) {
      case Set::idle: break;
      case Set::clamped:
        if (r.limit == RowLimit::fixed) {
          if (df_[i] < -least) offer((f_[i] - r.lower) / -df_[i], Turn::lower, i);
          if (df_[i] > least) offer((r.upper - f_[i]) / df_[i], Turn::upper, i);
        } else if (r.limit == RowLimit::coupled) {
          limit_coupled(i, first);
        } else if (is_first_[i] && driven_ != other_[i]) {
          offer(step_to_cone(i), Turn::cone, i);
        }
        break;
      case Set::lower:
        if (da_[i] < -least && r.dynamic == 0) offer(a_[i] / -da_[i], Turn::release, i);
        break;
      case Set::upper:
        if (da_[i] > least && r.dynamic == 0) offer(-a_[i] / da_[i], Turn::release, i);
        break;
    }
  }
  return first;
}

void Pivoting::limit_driven(const Aim& aim, double least, Event& first) const {
  const int d = aim.row;
  const PivotRow& r = rows_[d];
  const double f = f_[d], a = a_[d], da = da_[d];
  const auto offer = [&](double step, Turn turn) {
    step = std::max(step, 0.0);
    if (step < first.step) first = {step, turn, d};
  };
  if (aim.to_zero) return offer(-f / aim.sign, Turn::zero);
  if (aim.from_outside) {
    // sign (limit - f) falls to zero where f comes to its limit
    const bool is_coupled = r.limit == RowLimit::coupled;
    const bool is_upper = aim.sign < 0;
    const double most = is_coupled ? (is_upper ? limit(d) : -limit(d))
                        : is_upper ? r.upper
                                   : r.lower;
    const double rate = is_coupled ? -aim.sign * r.friction * df_[r.normal] : 0;
    const double closing = 1 - aim.sign * rate;
    if (closing > 0) offer(aim.sign * (most - f) / closing, is_upper ? Turn::upper : Turn::lower);
    return;
  }
  if (aim.sign * da > least) offer(-a / da, Turn::zero);
  switch (r.limit) {
    case RowLimit::fixed:
      if (aim.sign > 0 && r.upper < PivotRow::inf) offer(r.upper - f, Turn::upper);
      if (aim.sign < 0 && r.lower > -PivotRow::inf) offer(f - r.lower, Turn::lower);
      break;
    case RowLimit::coupled: limit_coupled(d, first); break;
    case RowLimit::cone: offer(step_to_cone(is_first_[d] ? d : other_[d]), Turn::cone); break;
  }
}

/// |f| <= mu f_N
void Pivoting::limit_coupled(int i, Event& first) const {
  const double rate = rows_[i].friction * df_[rows_[i].normal], most = limit(i);
  const double fall_upper = df_[i] - rate, fall_lower = -df_[i] - rate;
  const auto offer = [&](double room, double fall, Turn turn) {
    if (fall <= round_off * std::max(1.0, std::abs(df_[i]))) return;
    const double step = std::max(room / fall, 0.0);
    if (step < first.step) first = {step, turn, i};
  };
  offer(most - f_[i], fall_upper, Turn::upper);
  offer(most + f_[i], fall_lower, Turn::lower);
}

/// The least step with |(f_x, f_y)| = mu f_N that leads out of the cone [BARAFF 23].
double Pivoting::step_to_cone(int x) const {
  const int y = other_[x], n = rows_[x].normal;
  const double mu = rows_[x].friction, most = mu * f_[n], rate = mu * df_[n];
  // c0 + 2 c1 s + c2 s^2 >= 0 inside
  const double c0 = std::max(most * most - f_[x] * f_[x] - f_[y] * f_[y], 0.0),
               c1 = most * rate - f_[x] * df_[x] - f_[y] * df_[y],
               c2 = rate * rate - df_[x] * df_[x] - df_[y] * df_[y];
  const double size = rate * rate + df_[x] * df_[x] + df_[y] * df_[y];
  const double reach = std::sqrt(size) * (most + std::hypot(f_[x], f_[y]));
  if (c1 < -round_off * reach) {
    const double root = c1 * c1 - c2 * c0;
    return root < 0 ? PivotRow::inf : c0 / (-c1 + std::sqrt(root));
  }
  if (c2 >= -round_off * size) return PivotRow::inf;
  return (std::max(c1, 0.0) + std::sqrt(std::max(c1 * c1 - c2 * c0, 0.0))) / -c2;
}

void Pivoting::advance(double step) {
  double change = 0, largest = 1;
  for (int i = 0; i < size_; ++i) {
    change = std::max(change, std::abs(step * df_[i]));
    f_[i] += step * df_[i];
    a_[i] += step * da_[i];
    largest = std::max(largest, std::abs(f_[i]));
  }
  for (int i = 0; i < size_; ++i) {
    if (rows_[i].normal >= 0 && is_at_limit(i)) f_[i] = fold(i) * f_[rows_[i].normal];
  }
  was_zero_step_ = change <= 1e-13 * largest;
  if (was_zero_step_) {
    ++counts_.zero_steps;
  } else {
    ++progress_;
  }
}

/// What the theorems say of problems without friction, to be read from the counts.
void Pivoting::check_theorems(const Aim& aim) {
  const std::uint64_t hash = hash_;
  for (const Seen& s : seen_) {
    if (s.hash == hash && s.progress != progress_) ++counts_.repeated_sets;
  }
  seen_.push_back({hash, progress_});
  ABUT_ASSERT(!is_plain_ || counts_.repeated_sets == 0);  // theorem 3, whatever A is
  if (!is_plain_) return;
  double largest = 1;
  for (const double x : factor_) largest = std::max(largest, std::abs(x));
  const auto lower = [&](double& least, double x) { least = std::min(least, x / largest); };
  lower(counts_.least_gain, aim.sign * da_[aim.row]);
  if (last_moved_ < 0 || was_zero_step_) return;
  if (sets_[last_moved_] == Set::lower) lower(counts_.least_return, da_[last_moved_]);
  if (sets_[last_moved_] == Set::clamped) lower(counts_.least_return, df_[last_moved_]);
}

}  // namespace abut
