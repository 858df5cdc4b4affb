#pragma once

#include <span>
#include <vector>

#include "abut/linalg/block_lu.hpp"
#include "abut/problem/friction_problem.hpp"
#include "abut/solvers/dual/bounded_rows.hpp"

namespace abut {

/// The equations of Coulomb's law on its central path, without De Saxce's term: with one more
/// unknown eta per contact, which goes to |sigma_t| as k goes to 0,
///
///     gamma_n sigma_n = k,   mu gamma_n eta + gamma_t . sigma_t = k,
///     mu gamma_n sigma_t + eta gamma_t = 0,   sigma = W gamma + g + residual,
///
/// inside |gamma_t| < mu gamma_n and |sigma_t| < eta, and those of BoundedRow for scalar
/// constraints. Newton's linear systems at a point, without all but d_gamma: (A + B W) d_gamma =
/// ..., 3 x 3 blocks A and B, in the pattern of W.
class CentralPath {
 public:
  /// The unknowns of a block row; eta is of contacts alone.
  struct Row {
    Vec3 gamma, sigma;
    double eta = 0;
  };
  /// All unknowns, or a change of them.
  struct Point {
    std::vector<Row> rows;
    std::vector<BoundedRow> bounded;  ///< of the rows that follow the contacts
  };
  /// What the linearized equations of a block row are to equal, in their order. Of scalar
  /// constraints only the residual counts, the rest is in BoundedTarget.
  struct Target {
    double normal = 0, along = 0;
    Vec3 across, residual;  ///< `across` has no normal part
  };
  struct Targets {
    std::vector<Target> rows;
    std::vector<BoundedTarget> bounded;
  };

  /// Sets the (scaled) problem, which must outlive its use.
  void set(const FrictionProblem& problem);
  void resize(Point& x) const;
  void resize(Targets& t) const;

  /// Impulses and velocities of this size in the middle of their cones; eta is `size`, too.
  void start(double size, Point& x) const;

  /// Factors the equations linearized at x; false if that is not possible.
  bool linearize(const Point& x);

  /// The change at that point for given right-hand sides.
  void solve(const Point& x, const Targets& targets, Point& change);

  /// The right-hand sides of Newton's step towards k, but for `residual`.
  void missing(const Point& x, double k, Targets& targets) const;

  /// Subtracts what a change dx would add to them in second order.
  void subtract_products(const Point& dx, Targets& targets) const;

  /// W gamma + g - sigma, by block row.
  void residuals(const Point& x, std::span<Vec3> result);

  /// Mean of what is to equal k, at x + step dx; 0 if there is nothing of the kind.
  double complementarity(const Point& x, const Point& dx, double step) const;

  /// To the boundary of the first cone, at most `most`.
  double longest_step(const Point& x, const Point& dx, double most = 1) const;

  /// x += step dx
  void move(Point& x, const Point& dx, double step) const;

  const FrictionProblem& problem() const { return *problem_; }
  /// Analyzed for the problem's W.
  BlockLu& lu();

 private:
  bool is_fixed(int row, int r) const {
    return row >= problem_->contacts() &&
           abut::is_fixed(problem_->bounds[row - problem_->contacts()], r);
  }
  void linearize_contact(const Row& x, double mu, Mat3& a, Mat3& b) const;

  const FrictionProblem* problem_ = nullptr;
  int products_ = 0;  ///< how many equal k
  BlockLu lu_;
  bool is_analyzed_ = false;
  std::vector<Mat3> matrix_;               ///< A + B W, rows scaled: blocks in the pattern of W
  std::vector<Mat3> to_gamma_, to_sigma_;  ///< A and B
  std::vector<Vec3> row_scale_, rhs_, velocity_;
};

}  // namespace abut
