#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "abut/linalg/block_lu.hpp"
#include "abut/linalg/block_matrix.hpp"
#include "abut/solvers/dual/anderson.hpp"

namespace abut {

/// The alternating direction method of multipliers for W gamma + g + lift(z) n = z with gamma in K
/// perpendicular to z in K* [CB algorithm 3], all rows of W having mobility 1. Of a point v, with
/// y = P_K(v) and z = rho (y - v), an iteration is
///
///     (W + rho) x = rho y + z - g - lift(z) n,    v <- v + x - y,
///
/// y being the impulses and z their velocities: v = y - z/rho holds both. Anderson's acceleration
/// proposes the next v, which is taken back, for the plain one, if |x - y| grows there. W + rho is
/// factored by LU as W is, symmetric or not. rho > 0 makes it regular where W is not and W's
/// symmetric part, but for rounding, is not negative.
///
/// rho goes up or down by kappa^0.05 where the primal residual |x - y| exceeds ten times the dual
/// one rho |y - y_last| or the reverse, both of a plain step; kappa = 10^6 is the spread of W's
/// eigenvalues that counts. After 500 iterations they count by the sizes of y and z, which then are
/// far apart. One looks at it more and more rarely, which bounds the number of factorizations.
///
/// `Conditions` says what K is: project(row, x), lift(row, z) [CB 14], and error(y), which stops.
class Splitting {
 public:
  struct Result {
    int iterations = 0, factorizations = 0;
    double error = std::numeric_limits<double>::infinity();  ///< of the best impulses
    bool is_finite = true;
  };

  /// Sets the matrix, which must outlive its use, and analyzes its pattern. rho starts anew.
  void set(const BlockMatrix& matrix);

  /// From the impulses given, by their velocities; leaves the best ones there.
  template <class Conditions>
  Result run(std::span<const Vec3> g, Conditions&& conditions, double tolerance, int limit,
             std::span<Vec3> impulse);

  double rho() const { return rho_; }
  /// Keeps rho as it is from now on, unless it is 0.
  void fix_rho(double rho);

 private:
  static constexpr double first_rho = 0.2, step = 1.9952623149688795;  // (10^6)^0.05
  static constexpr double balance = 10, least_rho = 1e-10, largest_rho = 1e8;
  static constexpr int looks_apart = 10, slow = 500, most_changes = 30;

  bool factor();
  template <class Conditions>
  double multiply(std::span<const Vec3> g, Conditions& conditions);
  template <class Conditions>
  double change_of_rho(Conditions& conditions, bool by_size) const;
  template <class Conditions>
  bool rescale(double factor, Conditions& conditions);
  static std::span<double> flat(std::vector<Vec3>& v) { return {&v[0].x, 3 * v.size()}; }

  const BlockMatrix* matrix_ = nullptr;
  BlockMatrix shifted_;
  std::vector<std::int64_t> diagonal_;
  BlockLu lu_;
  Anderson anderson_;
  double rho_ = first_rho;
  int changes_ = 0;  ///< of rho, since set()
  bool is_fixed_ = false, is_factored_ = false;
  std::vector<Vec3> v_, y_, z_, f_, plain_;
};

/// y, z and f = x - y at v; the squared length of f.
template <class Conditions>
double Splitting::multiply(std::span<const Vec3> g, Conditions& conditions) {
  const int n = static_cast<int>(g.size());
  for (int i = 0; i < n; ++i) {
    y_[i] = conditions.project(i, v_[i]);
    z_[i] = rho_ * (y_[i] - v_[i]);
    f_[i] = rho_ * y_[i] + z_[i] - g[i];
    f_[i].z -= conditions.lift(i, z_[i]);
  }
  lu_.solve(f_);
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    f_[i] -= y_[i];
    sum += squared_norm(f_[i]);
  }
  return sum;
}

/// The factor by which rho is to change, of the plain step to plain_.
template <class Conditions>
double Splitting::change_of_rho(Conditions& conditions, bool by_size) const {
  double primal = 0, dual = 0;
  for (int i = 0; i < static_cast<int>(v_.size()); ++i) {
    const Vec3 d = conditions.project(i, plain_[i]) - y_[i];
    primal += squared_norm(f_[i] - d);
    dual += squared_norm(d);
  }
  dual *= rho_ * rho_;
  if (by_size) {
    double impulses = 0, velocities = 0;
    for (std::size_t i = 0; i < v_.size(); ++i) {
      impulses += squared_norm(y_[i]), velocities += squared_norm(z_[i]);
    }
    if (impulses > 0 && velocities > 0) primal /= impulses, dual /= velocities;
  }
  if (primal > balance * balance * dual) return rho_ < largest_rho ? step : 1;
  if (dual > balance * balance * primal) return rho_ > least_rho ? 1 / step : 1;
  return 1;
}

/// Another rho, at the plain step's impulses and velocities.
template <class Conditions>
bool Splitting::rescale(double change, Conditions& conditions) {
  for (int i = 0; i < static_cast<int>(v_.size()); ++i) {
    const Vec3 y = conditions.project(i, plain_[i]);
    v_[i] = y + (1 / change) * (plain_[i] - y);
  }
  rho_ *= change;
  return factor();
}

template <class Conditions>
Splitting::Result Splitting::run(std::span<const Vec3> g, Conditions&& conditions, double tolerance,
                                 int limit, std::span<Vec3> impulse) {
  Result result;
  const int n = static_cast<int>(g.size());
  const auto fail = [&] {
    result.is_finite = false;
    return result;
  };
  result.error = conditions.error(impulse);
  if (result.error <= tolerance) return result;
  if (!is_factored_ && (++result.factorizations, !factor())) return fail();
  std::copy(impulse.begin(), impulse.end(), y_.begin());
  matrix_->multiply(y_, z_);
  for (int i = 0; i < n; ++i) {
    z_[i] += g[i];
    z_[i].z += conditions.lift(i, z_[i]);
    v_[i] = y_[i] - z_[i] / rho_;
  }
  anderson_.reset(3 * v_.size());
  double last = std::numeric_limits<double>::infinity(), error_per_residual = 0;
  bool is_proposed = false;
  int next_look = 0, next_balance = looks_apart;
  for (;; ++result.iterations) {
    const double squares = multiply(g, conditions);
    if (is_proposed && !(squares <= last)) {  // back to the plain step
      v_ = plain_;
      is_proposed = false;
      anderson_.reset(3 * v_.size());
      if (result.iterations < limit) continue;
    }
    if (!std::isfinite(squares)) return fail();
    last = squares;
    const double residual = std::sqrt(squares);
    const bool is_over = result.iterations >= limit;
    if (result.iterations >= next_look || is_over ||
        error_per_residual * residual <= 2 * tolerance) {
      next_look = result.iterations + looks_apart;
      const double error = conditions.error(y_);
      error_per_residual = error / residual;
      if (error < result.error) {
        result.error = error;
        std::copy(y_.begin(), y_.end(), impulse.begin());
      }
      if (error <= tolerance || is_over) return result;
    }
    for (int i = 0; i < n; ++i) plain_[i] = v_[i] + f_[i];
    if (!is_fixed_ && changes_ < most_changes && result.iterations >= next_balance) {
      next_balance = result.iterations + looks_apart + result.iterations / 10;
      const double change = change_of_rho(conditions, result.iterations > slow);
      if (change != 1) {
        ++result.factorizations;
        ++changes_;
        if (!rescale(change, conditions)) return fail();
        anderson_.reset(3 * v_.size());
        last = std::numeric_limits<double>::infinity();
        is_proposed = false;
        continue;
      }
    }
    anderson_.propose(flat(v_), flat(f_), flat(v_));
    is_proposed = true;
  }
}

}  // namespace abut
