#pragma once

#include <span>
#include <vector>

#include "abut/linalg/block_lu.hpp"
#include "abut/solvers/dual/bounded_rows.hpp"
#include "abut/solvers/dual/convex_newton.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "abut/solvers/dual/proximal_newton.hpp"
#include "abut/solvers/dual/scaled_problem.hpp"
#include "abut/solvers/dual/second_order_cone.hpp"

namespace abut {

/// The primal-dual interior point method of second-order cone programs for the CCP, by predictor
/// and corrector as Mehrotra's. With x = (gamma_t, mu gamma_n) and s = (sigma_t, sigma_n / mu),
/// both in the cone |x_t| <= x_n, its central path is
///
///     x o s = k e,   sigma = W gamma + g,   k -> 0
///
/// (second_order_cone.hpp) of contacts, that of BoundedRow of scalar constraints and of contacts
/// without friction, which have the bounds 0 <= gamma_n and 0 across. Newton's step linearizes
/// these equations as they are (Alizadeh, Haeberly and Overton 1998): (A + B W) d_gamma = ..., 3 x
/// 3 blocks A and B, in W's pattern. The last digits, where neither impulse nor velocity is left at
/// a contact, are ProximalNewton's. Where the path jams, as it may where W has not full rank,
/// ConvexNewton goes on, and only then other starts are tried.
class ConicInteriorPoint final : public FrictionSolver {
 public:
  std::string_view name() const noexcept override { return "conic-interior-point"; }
  bool supports(RigidModel model) const noexcept override { return model == RigidModel::ccp; }

 private:
  /// A block row: gamma and sigma, and of rows with bounds what these add.
  struct Row {
    Vec3 gamma, sigma;
    BoundedRow bounded;
  };
  void iterate(const FrictionProblem& problem, const FrictionOptions& options,
               std::span<Vec3> impulse, FrictionReport& report) override;
  void start(double size);
  void start_warm(std::span<const Vec3> impulse);
  void follow_path(const FrictionOptions& options, int limit, FrictionReport& report);
  void polish(const FrictionOptions& options, FrictionReport& report);
  void go_on_by_newton(const FrictionProblem& original, const FrictionOptions& options, int limit,
                       FrictionReport& report);
  bool linearize();
  void find_direction(double k, bool has_predictor);
  double longest_step() const;
  double complementarity(double step) const;
  double keep();

  bool is_cone(int row) const {
    return row < problem_.scaled.contacts() && problem_.scaled.friction[row] > 0;
  }
  Vec3 to_cone(int row, const Vec3& gamma) const;       ///< x of gamma
  Vec3 dual_to_cone(int row, const Vec3& sigma) const;  ///< s of sigma

  ScaledProblem problem_;
  BlockLu lu_;
  BlockMatrix matrix_;
  std::vector<ImpulseBounds> bounds_;  ///< by block row, of those that are no cones
  std::vector<Row> x_, change_, chosen_;
  std::vector<Mat3> to_sigma_;  ///< B
  std::vector<BoundedTarget> targets_;
  std::vector<Vec3> residual_, rhs_, trial_, guess_, row_scale_;
  int products_ = 0;  ///< how many equal k
  ProximalNewton newton_;
  ConvexNewton convex_newton_;
};

}  // namespace abut
