#include "abut/linalg/updatable_qr.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "abut/core/assert.hpp"
#include "abut/linalg/kernels.hpp"

namespace abut {

void UpdatableQr::reset(int capacity) {
  size_ = 0;
  lead_ = (capacity + 7) / 8 * 8;
  slot_.resize(capacity);
  std::iota(slot_.begin(), slot_.end(), 0);
  const std::size_t numbers = slot_.size() * static_cast<std::size_t>(lead_);
  q_.resize(numbers);
  r_.resize(numbers);
  work_.resize(3 * static_cast<std::size_t>(lead_));
}

double UpdatableQr::append(std::span<const double> column, std::span<const double> row) {
  ABUT_ASSERT(size_ < std::ssize(slot_));
  ABUT_ASSERT(std::ssize(column) == size_ + 1 && std::ssize(row) == size_);
  double* c = work_.data();
  std::copy(column.begin(), column.end(), c);
  std::fill(c + column.size(), c + lead_, 0.0);
  ++size_;
  const QrView view{size_, lead_, q_.data(), r_.data(), slot_.data()};
  operations_ += linalg_kernels().append_to_qr(view, c, row.data(), c + lead_);
  double squares = 0;
  for (const double x : column) squares += x * x;
  const double last = std::abs(r_[slot_[size_ - 1] * lead_ + size_ - 1]);
  return squares > 0 ? last / std::sqrt(squares) : 0;
}

void UpdatableQr::remove(int place) {
  ABUT_ASSERT(place >= 0 && place < size_);
  const QrView view{size_, lead_, q_.data(), r_.data(), slot_.data()};
  operations_ += linalg_kernels().remove_from_qr(view, place);
  std::rotate(slot_.begin(), slot_.begin() + 1, slot_.begin() + size_);
  --size_;
}

void UpdatableQr::solve(std::span<const double> b, std::span<double> x) {
  ABUT_ASSERT(std::ssize(b) == size_ && std::ssize(x) == size_);
  double *from = work_.data(), *to = from + lead_;
  std::copy(b.begin(), b.end(), from);
  std::fill(from + size_, from + lead_, 0.0);
  linalg_kernels().solve_qr({size_, lead_, q_.data(), r_.data(), slot_.data()}, from, to);
  std::copy_n(to, size_, x.data());
}

}  // namespace abut
