#pragma once

#include <cmath>
#include <utility>

#include "abut/linalg/vec3.hpp"

namespace abut {

/// x with A x = b by elimination with row pivots: A x - b is of rounding size however close to
/// singular A is, which inverse() does not give. Not finite when singular.
inline Vec3 solve3(const Mat3& a, const Vec3& b) {
  double row[3][4];
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) row[r][c] = a(r, c);
    row[r][3] = b[r];
  }
  for (int k = 0; k < 2; ++k) {
    int pivot = k;
    for (int r = k + 1; r < 3; ++r) {
      if (std::abs(row[r][k]) > std::abs(row[pivot][k])) pivot = r;
    }
    std::swap(row[k], row[pivot]);
    for (int r = k + 1; r < 3; ++r) {
      const double factor = row[r][k] / row[k][k];
      for (int c = k + 1; c < 4; ++c) row[r][c] -= factor * row[k][c];
    }
  }
  Vec3 x;
  x.z = row[2][3] / row[2][2];
  x.y = (row[1][3] - row[1][2] * x.z) / row[1][1];
  x.x = (row[0][3] - row[0][1] * x.y - row[0][2] * x.z) / row[0][0];
  return x;
}

}  // namespace abut
