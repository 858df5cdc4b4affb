#pragma once

#include <span>
#include <vector>

#include "abut/problem/friction_problem.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "abut/solvers/dual/rigid_cones.hpp"

namespace abut {

/// A friction problem in units in which every contact and scalar constraint has the mobility 1 and
/// the largest velocity is 1: W' = S W S, g' = S g / c, gamma = c S gamma', with S =
/// diag(w_i^(-1/2)).
struct ScaledProblem {
  FrictionProblem scaled;
  std::vector<Vec3> scale;  ///< S, by block row; the same three of a contact
  double unit = 1;          ///< c [J^(1/2)]

  void set(const FrictionProblem& problem);
  Vec3 to_problem(int row, const Vec3& gamma) const {
    return unit * multiply_each(scale[row], gamma);
  }
  Vec3 from_problem(int row, const Vec3& gamma) const {
    const Vec3& s = scale[row];
    return {gamma.x / (unit * s.x), gamma.y / (unit * s.y), gamma.z / (unit * s.z)};
  }

  /// The error by which solvers of the original problem stop [-]: as FrictionOptions says, the
  /// certificate's but in plain double precision, for scaled impulses and the velocities sigma = W'
  /// gamma + g' that they give.
  double error(const FrictionOptions& options, std::span<const Vec3> gamma,
               std::span<const Vec3> sigma) const;

  /// What a miss of the natural map of one row adds to the square of that error.
  double squared_error(const FrictionOptions& options, int row, const Vec3& off) const {
    const Vec3& s = scale[row];
    if (options.scale > 0) return unit * unit * squared_norm(off) / (options.scale * options.scale);
    return unit * unit * squared_norm({off.x / s.x, off.y / s.y, off.z / s.z}) / (given_ * given_);
  }

 private:
  double given_ = 0;  ///< |g|, original units
};

/// Between bounds.
Vec3 clamp(const Vec3& x, const ImpulseBounds& bounds);

/// The projection on what impulses of a block row may be: circular cone or bounds.
inline Vec3 project(const FrictionProblem& p, int row, const Vec3& x) {
  return row < p.contacts() ? project_on_cone(x, p.friction[row])
                            : clamp(x, p.bounds[row - p.contacts()]);
}

/// The same with the model's cone, which is the pyramid of the LCP.
inline Vec3 project(const FrictionProblem& p, RigidModel model, int row, const Vec3& x) {
  const bool is_pyramid = model == RigidModel::lcp && row < p.contacts();
  return is_pyramid ? project_on_pyramid(x, p.friction[row]) : project(p, row, x);
}

}  // namespace abut
