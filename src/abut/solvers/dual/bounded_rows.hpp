#pragma once

#include "abut/problem/friction_problem.hpp"

namespace abut {

/// Three scalar constraints lower <= gamma <= upper on the central path, each bound with a
/// multiplier z >= 0:
///
///     (gamma - lower) z_lower = k,   (upper - gamma) z_upper = k,   sigma = z_lower - z_upper.
///
/// An infinite bound has z = 0, for which its distance is 1; so have both bounds of a constraint
/// whose impulse is fixed, lower = upper, which leaves sigma free. Distances are unknowns of their
/// own: next to a bound of many times their size a difference would leave no digit of them.
struct BoundedRow {
  Vec3 from_lower, to_upper;  ///< gamma - lower, upper - gamma
  Vec3 z_lower, z_upper;
};

/// What z d_distance + distance d_z of either bound is to equal.
struct BoundedTarget {
  Vec3 lower, upper;
};

/// True if the bounds leave nothing to choose, in units in which velocities are about 1.
inline bool is_fixed(const ImpulseBounds& b, int r) {
  return b.upper[r] - b.lower[r] <= 1e-15;
}

/// The point nearest to gamma = 0 whose distances are `size` where the bounds leave room for it,
/// with z such that k = size^2.
BoundedRow start_bounded(const ImpulseBounds& bounds, double size, Vec3& gamma);

/// The point at k > 0 with the gamma - sigma given: the nearest to a guess of both.
BoundedRow nearest_on_path(const ImpulseBounds& bounds, double k, const Vec3& gamma_less_sigma,
                           Vec3& gamma);

/// The right-hand sides of Newton's step towards k.
BoundedTarget missing(const BoundedRow& x, double k);

/// Newton's step is stiffness d_gamma + d_sigma = pull; of fixed impulses d_gamma = 0 instead.
Vec3 stiffness(const BoundedRow& x);
Vec3 pull(const BoundedRow& x, const BoundedTarget& target);

/// The changes of all that d_gamma brings about.
BoundedRow change_of(const BoundedRow& x, const BoundedTarget& target, const Vec3& d_gamma);

/// The sum of distance times z over all bounds at x + step dx.
double products(const BoundedRow& x, const BoundedRow& dx, double step);

/// The largest step <= most to where a distance or a z is 0.
double longest_step(const BoundedRow& x, const BoundedRow& dx, double most);

}  // namespace abut
