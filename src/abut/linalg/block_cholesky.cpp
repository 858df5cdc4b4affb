#include "abut/linalg/block_cholesky.hpp"

#include <algorithm>

#include "abut/core/assert.hpp"
#include "abut/linalg/kernels.hpp"
#include "abut/linalg/shared_factor.hpp"

namespace abut {
namespace {

FrontRange all_fronts(const BlockSymbolic& s) {
  return {0, static_cast<std::int32_t>(s.fronts.size())};
}

}  // namespace

void BlockCholesky::reserve(std::int64_t pivot_strips, std::int64_t strips) {
  values_.reserve(48 * strips + 8 * pivot_strips);
  values_.resize(0);
  used_ = 0;
  inverse_.reserve(48 * pivot_strips);
}

void BlockCholesky::reset(const BlockSymbolic& symbolic, Team* team) {
  symbolic_ = &symbolic;
  if (std::ssize(values_.span()) < symbolic.value_count) {
    values_.resize(symbolic.value_count);
    values_.fill_zero();
  } else if (team != nullptr && symbolic.sharing.pays() && used_ > 0) {
    clear_shared(symbolic, values_.data(), *team);
    const std::int64_t rest = used_ - symbolic.value_count;
    if (rest > 0) std::fill_n(values_.data() + symbolic.value_count, rest, 0.0);
  } else {
    std::fill_n(values_.data(), used_, 0.0);
  }
  used_ = symbolic.value_count;
  inverse_.resize(symbolic.inverse_count);
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
  const BlockSymbolic& s = *symbolic_;
  if (team != nullptr && s.sharing.pays()) {
    return factor_shared(s, values_.data(), inverse_.data(), nullptr, *team);
  }
  return linalg_kernels().factor(view(s), all_fronts(s), values_.data(), inverse_.data(), nullptr) <
         0;
}

bool BlockCholesky::factor_and_solve(std::span<double> x, Team* team, bool is_kept) {
  ABUT_ASSERT(symbolic_ != nullptr);
  const BlockSymbolic& s = *symbolic_;
  ABUT_ASSERT(static_cast<int>(x.size()) >= s.vector_size);
  if (team != nullptr && s.sharing.pays()) {
    // values are cleared by reset(): on the way back it saves nothing (docs/decisions/memory.md)
    if (!factor_shared(s, values_.data(), inverse_.data(), x.data(), *team)) return false;
    if (!is_kept) symbolic_ = nullptr;
    return true;
  }
  const LinalgKernels& kernels = linalg_kernels();
  const BlockFactorView v = view(s);
  const FrontRange all = all_fronts(s);
  if (kernels.factor(v, all, values_.data(), inverse_.data(), x.data()) >= 0) return false;
  if (is_kept) {
    kernels.solve_backward(v, all, values_.data(), inverse_.data(), x.data());
    return true;
  }
  kernels.use_up(v, all, values_.data(), inverse_.data(), x.data());
  used_ = 0;
  symbolic_ = nullptr;
  return true;
}

void BlockCholesky::solve(std::span<double> x, Team* team) {
  ABUT_ASSERT(symbolic_ != nullptr && static_cast<int>(x.size()) >= symbolic_->vector_size);
  if (team != nullptr && symbolic_->sharing.pays()) {
    solve_shared(*symbolic_, values_.data(), inverse_.data(), x.data(), *team);
    return;
  }
  const LinalgKernels& kernels = linalg_kernels();
  const BlockFactorView v = view(*symbolic_);
  const FrontRange all = all_fronts(*symbolic_);
  kernels.solve_forward(v, all, values_.data(), inverse_.data(), x.data());
  kernels.solve_backward(v, all, values_.data(), inverse_.data(), x.data());
}

}  // namespace abut
