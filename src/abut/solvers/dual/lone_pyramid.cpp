#include "abut/solvers/dual/lone_pyramid.hpp"

#include <algorithm>
#include <cmath>

#include "abut/linalg/solve3.hpp"

namespace abut {

Vec3 solve_lone_pyramid(const Mat3& w, const Vec3& g, double mu, const Vec3& last) {
  if (g.z >= 0) return {};
  if (mu == 0) return {0, 0, -g.z / w(2, 2)};
  const double mobility = (w(0, 0) + w(1, 1) + w(2, 2)) / 3;
  const Mat3 rows = transpose(w);
  Vec3 best = last;
  double least = INFINITY;
  // along an axis: 0 sticks, sigma = 0; else it slides, gamma = side mu gamma_n
  for (const int x : {0, 1, -1}) {
    for (const int y : {0, 1, -1}) {
      const int side[] = {x, y};
      Mat3 equation = rows;
      Vec3 right = -g;
      for (int k = 0; k < 2; ++k) {
        if (side[k] == 0) continue;
        equation.col[k] = {};
        equation.col[k][k] = 1;
        equation.col[k].z = -side[k] * mu;
        right[k] = 0;
      }
      const Vec3 gamma = solve3(transpose(equation), right);
      const Vec3 sigma = w * gamma + g;
      double broken = -gamma.z;
      for (int k = 0; k < 2; ++k) {
        const double off =
            side[k] == 0 ? std::abs(gamma[k]) - mu * gamma.z : side[k] * sigma[k] / mobility;
        broken = std::max(broken, off);
      }
      broken = std::max(broken, 0.0);
      if (!is_finite(gamma) || !(broken < least)) continue;
      least = broken;
      const double n = std::max(gamma.z, 0.0);
      best = {std::clamp(gamma.x, -mu * n, mu * n), std::clamp(gamma.y, -mu * n, mu * n), n};
      if (broken == 0) return best;
    }
  }
  return best;
}

}  // namespace abut
