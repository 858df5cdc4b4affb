#include "abut/linalg/block_matrix.hpp"

#include <algorithm>

namespace abut {

std::int64_t BlockMatrix::find(int row, int in_column) const {
  const auto first = column.begin() + start[row], last = column.begin() + start[row + 1];
  const auto at = std::lower_bound(first, last, in_column);
  return at == last || *at != in_column ? -1 : at - column.begin();
}

void BlockMatrix::multiply(std::span<const Vec3> x, std::span<Vec3> y) const {
  for (int i = 0; i < rows(); ++i) {
    Vec3 sum;
    for (std::int64_t k = start[i]; k < start[i + 1]; ++k) sum += block[k] * x[column[k]];
    y[i] = sum;
  }
}

}  // namespace abut
