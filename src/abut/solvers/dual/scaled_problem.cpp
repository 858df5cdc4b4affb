#include "abut/solvers/dual/scaled_problem.hpp"

#include <algorithm>
#include <cmath>

namespace abut {

void ScaledProblem::set(const FrictionProblem& p) {
  scaled = p;
  const int n = p.rows();
  scale.resize(n);
  double largest = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const Vec3 w = p.mobility(i);
    scale[i] = {1 / std::sqrt(w.x), 1 / std::sqrt(w.y), 1 / std::sqrt(w.z)};
    largest = std::max(largest, norm(multiply_each(scale[i], p.velocity[i])));
    squares += squared_norm(p.velocity[i]);
  }
  unit = largest > 0 ? largest : 1;
  given_ = std::sqrt(squares);
  for (int i = 0; i < n; ++i) {
    scaled.velocity[i] = multiply_each(scale[i], p.velocity[i]) / unit;
    for (std::int64_t k = p.delassus.start[i]; k < p.delassus.start[i + 1]; ++k) {
      const Vec3& other = scale[p.delassus.column[k]];
      for (int c = 0; c < 3; ++c) {
        scaled.delassus.block[k].col[c] =
            other[c] * multiply_each(scale[i], p.delassus.block[k].col[c]);
      }
    }
  }
  for (std::size_t k = 0; k < p.bounds.size(); ++k) {
    const int row = p.contacts() + static_cast<int>(k);
    scaled.bounds[k] = {from_problem(row, p.bounds[k].lower), from_problem(row, p.bounds[k].upper)};
  }
}

double ScaledProblem::error(const FrictionOptions& options, std::span<const Vec3> gamma,
                            std::span<const Vec3> sigma) const {
  const bool by_energy = options.scale > 0;
  const BlockMatrix& w = scaled.delassus;
  double squares = 0;
  for (int i = 0; i < scaled.rows(); ++i) {
    const Vec3& s = scale[i];
    // w (gamma - P(gamma - c / w)) is unit / scale times that of the scaled row, of mobility 1
    if (i < scaled.contacts()) {
      const double mu = scaled.friction[i];
      const Vec3 tilt =
          options.model == RigidModel::raisim ? tilt_of(w.block[w.find(i, i)], mu) : Vec3{};
      const double off = squared_natural_map(options.model, mu, tilt, gamma[i], sigma[i]);
      squares += by_energy ? off : off / (s.x * s.x);
    } else {
      const Vec3 off = gamma[i] - project(scaled, i, gamma[i] - sigma[i]);
      squares += squared_norm(by_energy ? off : Vec3{off.x / s.x, off.y / s.y, off.z / s.z});
    }
  }
  return squares > 0 ? unit * std::sqrt(squares) / (by_energy ? options.scale : given_) : 0;
}

Vec3 clamp(const Vec3& x, const ImpulseBounds& b) {
  return {std::clamp(x.x, b.lower.x, b.upper.x), std::clamp(x.y, b.lower.y, b.upper.y),
          std::clamp(x.z, b.lower.z, b.upper.z)};
}

}  // namespace abut
