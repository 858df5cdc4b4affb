#include "abut/linalg/block_cholesky.hpp"

#include <algorithm>
#include <ranges>

#include "abut/core/assert.hpp"
#include "abut/linalg/kernels.hpp"
#include "abut/linalg/shared_factor.hpp"

namespace abut {
namespace {

/// Room for at least so many numbers; new ones are zero.
void make_room(AlignedBuffer<double>& buffer, std::int64_t size) {
  if (std::ssize(buffer.span()) >= size) return;
  buffer.resize(size);
  buffer.fill_zero();
}

}  // namespace

void BlockCholesky::reserve(std::int64_t pivot_strips, std::int64_t strips) {
  values_.reserve(48 * strips + 8 * pivot_strips);
  values_.resize(0);
  used_ = 0;
  inverse_.reserve(48 * pivot_strips);
  apart_.reserve(24 * strips);  // the fronts above two subtrees: seldom half of all
  x_apart_.reserve(8 * pivot_strips);
  apart_.resize(0);
  x_apart_.resize(0);
}

void BlockCholesky::reset(const BlockSymbolic& symbolic, Team* team) {
  symbolic_ = &symbolic;
  if (std::ssize(values_.span()) < symbolic.value_count) {
    values_.resize(symbolic.value_count);
    values_.fill_zero();
  } else if (is_shared(team) && used_ > 0) {
    shared(*team).clear();
    const std::int64_t rest = used_ - symbolic.value_count;
    if (rest > 0) std::fill_n(values_.data() + symbolic.value_count, rest, 0.0);
  } else {
    std::fill_n(values_.data(), used_, 0.0);
  }
  used_ = symbolic.value_count;
  inverse_.resize(symbolic.inverse_count);
  if (symbolic.sharing.apart_count == 0) return;
  make_room(apart_, symbolic.sharing.apart_count);
  make_room(x_apart_, symbolic.vector_size);
}

bool BlockCholesky::is_shared(const Team* team) const {
  return team != nullptr && symbolic_->sharing.pays();
}

SharedFactor BlockCholesky::shared(Team& team) {
  return {*symbolic_, values_.data(), inverse_.data(), apart(), team};
}

void BlockCholesky::add_diagonal(int node, int size, std::span<const double> block) {
  ABUT_ASSERT(block.size() == static_cast<std::size_t>(size) * size);
  const BlockSlot& slot = symbolic_->diagonal[node];
  double* to = values_.data() + slot.offset;
  for (int r = 0; r < size; ++r) {
    for (int c = 0; c <= r; ++c) to[r + c * slot.leading] += block[r * size + c];
  }
}

void BlockCholesky::add_off_diagonal(int edge, int rows, int columns,
                                     std::span<const double> block) {
  ABUT_ASSERT(block.size() == static_cast<std::size_t>(rows) * columns);
  const BlockSlot& slot = symbolic_->off_diagonal[edge];
  double* to = values_.data() + slot.offset;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      to[slot.transposed ? c + r * slot.leading : r + c * slot.leading] += block[r * columns + c];
    }
  }
}

bool BlockCholesky::factor(Team* team) {
  ABUT_ASSERT(symbolic_ != nullptr);
  return factor(nullptr, team, true);
}

bool BlockCholesky::factor_and_solve(std::span<double> x, Team* team, bool is_kept) {
  ABUT_ASSERT(symbolic_ != nullptr && static_cast<int>(x.size()) >= symbolic_->vector_size);
  if (!factor(x.data(), team, is_kept)) return false;
  if (!is_shared(team)) go_back(x.data(), is_kept);
  if (!is_kept) {
    used_ = 0;
    symbolic_ = nullptr;
  }
  return true;
}

/// Unless x is null, solves for it, too; one thread forward alone.
bool BlockCholesky::factor(double* x, Team* team, bool is_kept) {
  const BlockSymbolic& s = *symbolic_;
  if (is_shared(team)) {
    if (shared(*team).factor(x, is_kept)) return true;
  } else if (std::ranges::all_of(s.sharing.order, [&](FrontRange r) {
               return linalg_kernels().factor(view(s), r, values_.data(), inverse_.data(), x,
                                              apart()) < 0;
             })) {
    return true;
  }
  if (s.sharing.apart_count > 0) {
    apart_.fill_zero();
    x_apart_.fill_zero();
  }
  return false;
}

void BlockCholesky::solve(std::span<double> x, Team* team) {
  ABUT_ASSERT(symbolic_ != nullptr && static_cast<int>(x.size()) >= symbolic_->vector_size);
  if (is_shared(team)) return shared(*team).solve(x.data());
  for (const FrontRange r : symbolic_->sharing.order) {
    linalg_kernels().solve_forward(view(*symbolic_), r, values_.data(), inverse_.data(), x.data(),
                                   x_apart_.data());
  }
  go_back(x.data(), true);
}

/// x := L^-T x by one thread; clears the values unless they are kept.
void BlockCholesky::go_back(double* x, bool is_kept) {
  const LinalgKernels& kernels = linalg_kernels();
  for (const FrontRange r : std::views::reverse(symbolic_->sharing.order)) {
    if (is_kept) {
      kernels.solve_backward(view(*symbolic_), r, values_.data(), inverse_.data(), x);
    } else {
      kernels.use_up(view(*symbolic_), r, values_.data(), inverse_.data(), x);
    }
  }
}

}  // namespace abut
