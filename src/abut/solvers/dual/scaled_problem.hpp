#pragma once

#include <span>
#include <vector>

#include "abut/problem/friction_problem.hpp"

namespace abut {

/// A friction problem in units in which every contact has the mobility 1 and the largest velocity
/// is 1: W' = S W S, g' = S g / c, gamma = c S gamma', with S = diag(w_i^(-1/2)).
struct ScaledProblem {
  FrictionProblem scaled;
  std::vector<double> scale;  ///< S, by contact
  double unit = 1;            ///< c

  void set(const FrictionProblem& problem);
  Vec3 to_problem(int contact, const Vec3& gamma) const { return unit * scale[contact] * gamma; }
  Vec3 from_problem(int contact, const Vec3& gamma) const {
    return gamma / (unit * scale[contact]);
  }

  /// The natural error of the original problem [-], as the certificate has it but in plain double
  /// precision, for scaled impulses and the velocities sigma = W' gamma + g' that they give.
  double natural_error(RigidModel model, std::span<const Vec3> gamma,
                       std::span<const Vec3> sigma) const;

 private:
  double given_ = 0;  ///< |g|, original units
};

/// The projection on the friction cone.
Vec3 project_on_cone(const Vec3& x, double mu);

}  // namespace abut
