#include "abut/solvers/direct/lemke.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "abut/linalg/kernels.hpp"

namespace abut {
namespace {

/// Of a problem with numbers near 1: smaller ones are rounding.
constexpr double round_off = 1e-10;
/// Ratios closer than this are ties.
constexpr double tie = 1e-11;
/// Another covering vector leads by another path, past what rounding made a ray.
constexpr int covers_tried = 4;
constexpr int pivots_between_checks = 20;
constexpr double residual_allowed = 1e-10;

}  // namespace

void Lemke::reset(int n) {
  size_ = n;
  lead_ = (n + 7) / 8 * 8;
  const std::size_t numbers = static_cast<std::size_t>(n) * static_cast<std::size_t>(lead_);
  matrix_.resize(numbers);
  matrix_.fill_zero();
  inverse_.resize(numbers);
  for (AlignedBuffer<double>* v : {&q_, &value_, &change_, &work_}) {
    v->resize(static_cast<std::size_t>(lead_));
    v->fill_zero();
  }
  z_.assign(n, 0);
}

/// The column of a variable in w - M z - e z_0 = q.
void Lemke::fill_column(int variable, double* to) const {
  std::fill_n(to, lead_, 0.0);
  if (variable < size_) {
    to[variable] = 1;
  } else if (variable == 2 * size_) {
    for (int i = 0; i < size_; ++i) to[i] = -cover_[i];
  } else {
    const double* from = matrix_.data() + (variable - size_) * lead_;
    for (int i = 0; i < size_; ++i) to[i] = -from[i];
  }
}

/// The row from which z_0 comes in: the least of q, the last one of ties, as (q, I) is the least
/// there lexicographically.
int Lemke::first_row() const {
  int least = 0;
  for (int i = 1; i < size_; ++i) {
    if (q_[i] / cover_[i] <= q_[least] / cover_[least] + tie) least = i;
  }
  return least;
}

/// Whether (value, B^-1) of a row over its change comes before another's, lexicographically.
bool Lemke::is_before(int row, int other) const {
  const double a = 1 / change_[row], b = 1 / change_[other];
  for (int j = 0; j < size_; ++j) {
    const double* column = inverse_.data() + j * lead_;
    const double difference = column[row] * a - column[other] * b;
    if (std::abs(difference) > tie) return difference < 0;
  }
  return false;
}

/// The basic variable that first comes to zero, z_0 before all others; -1 if none does.
int Lemke::leaving_row() const {
  double least = std::numeric_limits<double>::infinity();
  double largest = 1;
  for (int i = 0; i < size_; ++i) largest = std::max(largest, std::abs(change_[i]));
  const double positive = round_off * largest;
  for (int i = 0; i < size_; ++i) {
    if (change_[i] > positive) least = std::min(least, std::max(value_[i], 0.0) / change_[i]);
  }
  int leaves = -1;
  for (int i = 0; i < size_; ++i) {
    if (!(change_[i] > positive)) continue;
    if (std::max(value_[i], 0.0) / change_[i] > least + tie * (1 + least)) continue;
    if (basis_[i] == 2 * size_) return i;
    if (leaves < 0 || is_before(i, leaves)) leaves = i;
  }
  return leaves;
}

/// The entering variable takes the place of the one in `row`; `change_` is B^-1 times its column.
void Lemke::exchange(int row, int entering) {
  const double pivot = 1 / change_[row];
  const double step = value_[row] * pivot;
  for (int i = 0; i < size_; ++i) value_[i] -= step * change_[i];
  value_[row] = step;
  for (int j = 0; j < size_; ++j) {
    double* column = inverse(j);
    const double share = column[row] * pivot;
    if (share == 0) continue;
    for (int i = 0; i < size_; ++i) column[i] -= share * change_[i];
    column[row] = share;
  }
  basis_[row] = entering;
}

/// Largest of |q - B x|, which is left in `work_`.
double Lemke::residual() {
  std::copy_n(q_.data(), lead_, work_.data());
  list_.clear();
  factor_.clear();
  for (int i = 0; i < size_; ++i) {
    const int v = basis_[i];
    if (v < size_) {
      work_[v] -= value_[i];
    } else if (v < 2 * size_) {
      list_.push_back(v - size_), factor_.push_back(value_[i]);
    } else {
      for (int k = 0; k < size_; ++k) work_[k] += cover_[k] * value_[i];
    }
  }
  linalg_kernels().add_columns(static_cast<int>(lead_), static_cast<int>(list_.size()),
                               list_.data(), factor_.data(), matrix_.data(), lead_, work_.data());
  double most = 0, size = 1;
  for (int i = 0; i < size_; ++i) {
    most = std::max(most, std::abs(work_[i]));
    size = std::max(size, std::abs(value_[i]));
  }
  return most / size;
}

/// x += B^-1 (q - B x)
void Lemke::refine() {
  for (int round = 0; round < 3 && residual() > 0; ++round) {
    list_.resize(size_);
    for (int j = 0; j < size_; ++j) list_[j] = j;
    linalg_kernels().add_columns(static_cast<int>(lead_), size_, list_.data(), work_.data(),
                                 inverse_.data(), lead_, value_.data());
  }
}

/// B^-1 from the basis itself.
void Lemke::refresh() {
  ++refreshes_;
  qr_.reset(size_);
  // B by columns, into the place of its inverse
  for (int j = 0; j < size_; ++j) fill_column(basis_[j], inverse(j));
  for (int k = 0; k < size_; ++k) {
    column_.resize(k + 1);
    row_.resize(k);
    for (int i = 0; i <= k; ++i) column_[i] = inverse(k)[i];
    for (int j = 0; j < k; ++j) row_[j] = inverse(j)[k];
    qr_.append(column_, row_);
  }
  for (int j = 0; j < size_; ++j) {
    column_.assign(size_, 0);
    column_[j] = 1;
    qr_.solve(column_, {inverse(j), static_cast<std::size_t>(size_)});
  }
  value_.fill_zero();
  refine();
}

/// Of the basic variables, over the largest of them.
double Lemke::least_value() const {
  double least = 0, size = 1;
  for (int i = 0; i < size_; ++i) {
    least = std::min(least, value_[i]);
    size = std::max(size, std::abs(value_[i]));
  }
  return least / size;
}

void Lemke::read_answer() {
  std::fill(z_.begin(), z_.end(), 0.0);
  for (int i = 0; i < size_; ++i) {
    if (basis_[i] >= size_ && basis_[i] < 2 * size_) {
      z_[basis_[i] - size_] = std::max(value_[i], 0.0);
    }
  }
}

LemkeEnd Lemke::solve(int most) {
  pivots_ = refreshes_ = 0;
  cover_.assign(size_, 1);
  const auto next = [&] {
    const int own = pivots_ + 50 * size_ + 100;
    return follow(most > 0 ? std::min(own, most) : own);
  };
  LemkeEnd end = next();
  std::uint64_t random = 1;
  for (int k = 1; k < covers_tried && end != LemkeEnd::solved; ++k) {
    for (double& c : cover_) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      c = 0.5 + static_cast<double>(random >> 11) * 0x1p-53;
    }
    if (most > 0 && pivots_ >= most) return LemkeEnd::cut;
    end = next();
  }
  return most > 0 && pivots_ >= most && end == LemkeEnd::lost ? LemkeEnd::cut : end;
}

/// From q + z_0 (covering vector) >= 0 until z_0 leaves.
LemkeEnd Lemke::follow(int pivot_limit) {
  basis_.resize(size_);
  inverse_.fill_zero();
  for (int i = 0; i < size_; ++i) {
    basis_[i] = i;
    inverse(i)[i] = 1;
    value_[i] = q_[i];
  }
  std::fill(z_.begin(), z_.end(), 0.0);
  int row = size_ > 0 ? first_row() : 0;
  if (size_ == 0 || q_[row] >= 0) return LemkeEnd::solved;
  int entering = 2 * size_;
  fill_column(entering, change_.data());
  while (pivots_ < pivot_limit) {
    ++pivots_;
    const int leaving = basis_[row];
    exchange(row, entering);
    const bool is_last = leaving == 2 * size_;
    if ((is_last || pivots_ % pivots_between_checks == 0) && residual() > residual_allowed) {
      refresh();
    }
    if (is_last) {
      refine();
      const bool is_solved = residual() <= residual_allowed && least_value() >= -residual_allowed;
      read_answer();
      return is_solved ? LemkeEnd::solved : LemkeEnd::lost;
    }
    entering = leaving < size_ ? leaving + size_ : leaving - size_;
    fill_column(entering, work_.data());
    list_.clear();
    factor_.clear();
    for (int i = 0; i < size_; ++i) {
      if (work_[i] != 0) list_.push_back(i), factor_.push_back(work_[i]);
    }
    change_.fill_zero();
    linalg_kernels().add_columns(static_cast<int>(lead_), static_cast<int>(list_.size()),
                                 list_.data(), factor_.data(), inverse_.data(), lead_,
                                 change_.data());
    row = leaving_row();
    if (row < 0) {
      read_answer();
      return LemkeEnd::ray;
    }
  }
  read_answer();
  return LemkeEnd::lost;
}

}  // namespace abut
