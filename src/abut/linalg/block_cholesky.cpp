#include "abut/linalg/block_cholesky.hpp"

#include "abut/core/assert.hpp"
#include "abut/linalg/kernels.hpp"
#include "abut/linalg/shared_factor.hpp"

namespace abut {

void BlockCholesky::reserve(std::int64_t pivot_strips, std::int64_t strips) {
  values_.reserve(48 * strips + 8 * pivot_strips);
  inverse_.reserve(48 * pivot_strips);
}

void BlockCholesky::reset(const BlockSymbolic& symbolic) {
  symbolic_ = &symbolic;
  values_.resize(symbolic.value_count);
  values_.fill_zero();
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
  const BlockSymbolic& s = *symbolic_;
  if (team != nullptr && s.sharing.pays()) {
    return factor_shared(s, values_.data(), inverse_.data(), *team);
  }
  const FrontRange all{0, static_cast<std::int32_t>(s.fronts.size())};
  return linalg_kernels().factor(view(s), all, values_.data(), inverse_.data()) < 0;
}

void BlockCholesky::solve(std::span<double> x) {
  ABUT_ASSERT(static_cast<int>(x.size()) >= symbolic_->vector_size);
  linalg_kernels().solve(view(*symbolic_), values_.data(), inverse_.data(), x.data());
}

}  // namespace abut
