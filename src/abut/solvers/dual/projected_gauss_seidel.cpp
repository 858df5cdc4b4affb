#include "abut/solvers/dual/projected_gauss_seidel.hpp"

#include <algorithm>
#include <cmath>

namespace abut {
namespace {

// of the step beyond which none is safe, 2 / lambda_max; fewest sweeps over random problems
constexpr double longest_step = 0.8;

/// Largest eigenvalue of the symmetric part's leading 2 x 2 block.
double largest_eigenvalue_2(const Mat3& w) {
  const double middle = (w(0, 0) + w(1, 1)) / 2, cross = (w(0, 1) + w(1, 0)) / 2;
  return middle + std::hypot((w(0, 0) - w(1, 1)) / 2, cross);
}

/// Of the symmetric part: the largest root of the characteristic polynomial, by cosines.
double largest_eigenvalue_3(const Mat3& w) {
  const double mean = (w(0, 0) + w(1, 1) + w(2, 2)) / 3;
  const Mat3 off = 0.5 * (w + transpose(w)) - mean * Mat3::identity();
  const double size = std::sqrt(
      (squared_norm(off.col[0]) + squared_norm(off.col[1]) + squared_norm(off.col[2])) / 6);
  if (size == 0) return mean;
  const double cosine = std::clamp(determinant((1 / size) * off) / 2, -1.0, 1.0);
  return mean + 2 * size * std::cos(std::acos(cosine) / 3);
}

Vec3 shortened(const Vec3& x, double most) {
  const double t = std::hypot(x.x, x.y);
  const double share = t > most ? most / t : 1;
  return {share * x.x, share * x.y, x.z};
}

Vec3 clamped(const Vec3& x, double most) {
  return {std::clamp(x.x, -most, most), std::clamp(x.y, -most, most), x.z};
}

}  // namespace

void ProjectedGaussSeidel::prepare(const FrictionProblem& p, const FrictionOptions& options) {
  step_.resize(p.friction.size());
  for (int i = 0; i < p.contacts(); ++i) {
    const Mat3& w = p.delassus.block[p.delassus.find(i, i)];
    const bool is_ccp = options.model == RigidModel::ccp;
    const double largest = is_ccp ? largest_eigenvalue_3(w) : largest_eigenvalue_2(w);
    const double printed =
        is_ccp ? 3 / (w(0, 0) + w(1, 1) + w(2, 2)) : 1 / std::min(w(0, 0), w(1, 1));
    step_[i] = largest > 0 ? std::min(printed, longest_step * 2 / largest) : 0;
  }
}

void ProjectedGaussSeidel::sweep(const FrictionProblem& p, const FrictionOptions& options,
                                 std::span<Vec3> gamma) {
  const RigidModel model = options.model;
  sweep_rows(p, model, options.relaxation, gamma, [&](int i, const Mat3& w, const Vec3& g) {
    const double mu = p.friction[i];
    Vec3 x = gamma[i];
    Vec3 sigma = w * x + g;
    if (model == RigidModel::ccp) return project_on_cone(x - step_[i] * sigma, mu);
    if (w(2, 2) > 0) x.z = std::max(0.0, x.z - sigma.z / w(2, 2));
    sigma = w * x + g;
    x.x -= step_[i] * sigma.x, x.y -= step_[i] * sigma.y;
    return model == RigidModel::lcp ? clamped(x, mu * x.z) : shortened(x, mu * x.z);
  });
}

}  // namespace abut
