#include "abut/io/friction_blocks.hpp"

namespace abut {

FrictionBlocks::FrictionBlocks(std::size_t contacts, const ContactAxes& axes)
    : axes_(axes), rows_(contacts) {
  for (std::size_t i = 0; i < contacts; ++i) rows_[i][static_cast<std::int32_t>(i)] = {};
}

void FrictionBlocks::add(std::size_t row, std::size_t column, double value) {
  const auto i = static_cast<std::int32_t>(row / 3), j = static_cast<std::int32_t>(column / 3);
  rows_[i][j](axes_[row % 3], axes_[column % 3]) += value;
  rows_[j].try_emplace(i);
}

BlockMatrix FrictionBlocks::matrix() const {
  BlockMatrix w;
  for (const auto& row : rows_) {
    for (const auto& [column, block] : row) {
      w.column.push_back(column);
      w.block.push_back(block);
    }
    w.start.push_back(std::ssize(w.column));
  }
  return w;
}

std::vector<Vec3> FrictionBlocks::vectors(std::span<const double> numbers) const {
  std::vector<Vec3> v(numbers.size() / 3);
  for (std::size_t k = 0; k < numbers.size(); ++k) v[k / 3][axes_[k % 3]] = numbers[k];
  return v;
}

}  // namespace abut
