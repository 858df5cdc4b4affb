// What a straight step leaves out of the way of a point that turns, against the rotation itself.

#include "abut/sim/spin_drift.hpp"

#include <gtest/gtest.h>

#include "abut/linalg/rotation.hpp"

namespace abut {
namespace {

TEST(SpinDrift, IsTheDifferenceBetweenTurningAndItsTangent) {
  const Vec3 n = Vec3{1, 2, -2} / 3.0, any{0.3, -0.1, 0.7}, r = any - dot(n, any) * n;
  for (const double angle : {0.0, 1e-9, 1e-4, -0.01, 0.3, 2.0}) {
    const Vec3 turned = to_matrix(exp_rotation(angle * n)) * r, way = angle * cross(n, r);
    const Vec3 drift = turned - r - way;
    const double bound = 1e-15 + 1e-13 * norm(drift);
    EXPECT_LT(norm(drift_from_straight(n, r, angle) - drift), bound) << angle;
    EXPECT_LT(norm(drift_from_tangent(n, way, angle) - drift), bound) << angle;
  }
}

// a point that goes round on a body that turns, against both rotations
TEST(SpinDrift, OfASurfaceIsBesideThatOfItsBody) {
  const Vec3 n = Vec3{1, 2, -2} / 3.0, any{0.3, -0.1, 0.7}, other{-0.2, 0.5, 0.4};
  const Vec3 r = any - dot(n, any) * n, axis = other - dot(n, other) * n;
  for (const double own : {0.0, 1e-4, -0.01, 0.3}) {
    for (const double angle : {0.0, 1e-4, 0.02, -0.5}) {
      const Mat3 turn = to_matrix(exp_rotation(angle * n));
      const Vec3 arm = r - axis, way = own * cross(n, arm);  // about the surface's axis
      const Vec3 there = axis + to_matrix(exp_rotation(own * n)) * arm;
      const Vec3 drift = turn * there - r - angle * cross(n, r) - way;
      const Vec3 both = drift_from_straight(n, r, angle) + drift_of_surface(n, way, own, angle);
      EXPECT_LT(norm(both - drift), 1e-15 + 1e-13 * norm(drift)) << own << ", " << angle;
    }
  }
  const Vec3 way = 0.1 * cross(n, r);  // a straight belt
  const Vec3 turned = to_matrix(exp_rotation(0.3 * n)) * way;
  EXPECT_LT(norm(drift_of_surface(n, way, 0, 0.3) - (turned - way)), 1e-15);
}

}  // namespace
}  // namespace abut
