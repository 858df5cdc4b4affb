#pragma once

#include <span>
#include <vector>

#include "abut/solvers/dual/friction_solver.hpp"
#include "abut/solvers/dual/scaled_problem.hpp"
#include "abut/solvers/dual/splitting.hpp"

namespace abut {

/// Of all impulses that leave the velocities of an answer as they are, those of the least norm
/// [CB II, "internal forces"]:
///
///     min |gamma|^2 / 2 [N s, N m s],   W gamma = W gamma_0,   gamma_i in K_i
///
/// where K_i is what the velocities leave to a contact or constraint: its cone where it sticks, a
/// ray of it where it slides, 0 where it parts; between its bounds, or one of them. By the method
/// of multipliers, gamma_(k+1) = argmin over K of eps |gamma|^2 / 2 + |gamma - gamma_0 +
/// lambda_k|_W^2 / 2, lambda_(k+1) = lambda_k + gamma_(k+1) - gamma_0, each step by Splitting; eps
/// falls where that is slow. An
/// unsymmetric W is taken as its own transpose, which moves the answer by as much as it differs.
class LeastNorm {
 public:
  /// Replaces an answer by a shorter one, unless the error of that is above the tolerance and the
  /// answer's. True if it did.
  bool improve(const FrictionProblem& problem, const FrictionOptions& options,
               std::span<Vec3> impulse);

 private:
  /// What a block row's impulses may be, in scaled units.
  struct Freedom {
    enum class Kind { cone, ray, edge, bounds } kind = Kind::cone;
    Vec3 ray;              ///< of unit length, or 0: nothing is allowed
    int free_axis = 0;     ///< of an edge of the pyramid: the tangent along which it sticks
    ImpulseBounds bounds;  ///< of scalar constraints
  };
  struct Conditions;
  void find_freedom(const FrictionOptions& options, double error);
  void regularize(double eps);
  Freedom freedom_of(const FrictionOptions& options, int row, double still) const;
  double error(const FrictionOptions& options, std::span<const Vec3> gamma);

  ScaledProblem problem_;
  Splitting splitting_;
  BlockMatrix matrix_;  ///< W + eps, eps of impulses in original units
  std::vector<Freedom> freedom_;
  std::vector<Vec3> given_, gamma_, sigma_, lambda_, g_;
};

}  // namespace abut
