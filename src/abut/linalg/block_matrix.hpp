#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/linalg/vec3.hpp"

namespace abut {

/// A square matrix of 3 x 3 blocks, block row by block row: columns ascend, each row has its
/// diagonal block, and where (i, j) is stored so is (j, i). Blocks need not be symmetric.
struct BlockMatrix {
  std::vector<std::int64_t> start{0};  ///< by block row, and the end
  std::vector<std::int32_t> column;
  std::vector<Mat3> block;

  int rows() const { return static_cast<int>(start.size()) - 1; }
  /// Place of a block; -1 if it is not stored.
  std::int64_t find(int row, int in_column) const;

  /// y = A x
  void multiply(std::span<const Vec3> x, std::span<Vec3> y) const;
};

}  // namespace abut
