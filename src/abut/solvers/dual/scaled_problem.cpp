#include "abut/solvers/dual/scaled_problem.hpp"

#include <algorithm>
#include <cmath>

namespace abut {

void ScaledProblem::set(const FrictionProblem& p) {
  scaled = p;
  const int n = p.contacts();
  scale.resize(n);
  double largest = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    scale[i] = 1 / std::sqrt(p.mobility(i));
    largest = std::max(largest, scale[i] * norm(p.velocity[i]));
    squares += squared_norm(p.velocity[i]);
  }
  unit = largest > 0 ? largest : 1;
  given_ = std::sqrt(squares);
  for (int i = 0; i < n; ++i) {
    scaled.velocity[i] = scale[i] / unit * p.velocity[i];
    for (std::int64_t k = p.delassus.start[i]; k < p.delassus.start[i + 1]; ++k) {
      scaled.delassus.block[k] = scale[i] * scale[p.delassus.column[k]] * p.delassus.block[k];
    }
  }
}

double ScaledProblem::natural_error(RigidModel model, std::span<const Vec3> gamma,
                                    std::span<const Vec3> sigma) const {
  double squares = 0;
  for (int i = 0; i < scaled.contacts(); ++i) {
    const double mu = scaled.friction[i];
    Vec3 c = sigma[i];
    if (model == RigidModel::ncp) c.z += mu * std::hypot(c.x, c.y);
    // w (gamma - P(gamma - c / w)) is unit / scale times that of the scaled contact, of mobility 1
    squares += squared_norm(gamma[i] - project_on_cone(gamma[i] - c, mu)) / (scale[i] * scale[i]);
  }
  return squares > 0 ? unit * std::sqrt(squares) / given_ : 0;
}

Vec3 project_on_cone(const Vec3& x, double mu) {
  const double t = std::hypot(x.x, x.y);
  if (t <= mu * x.z) return x;
  if (mu * t <= -x.z) return {};
  const double n = (x.z + mu * t) / (1 + mu * mu);
  return {mu * n * x.x / t, mu * n * x.y / t, n};
}

}  // namespace abut
