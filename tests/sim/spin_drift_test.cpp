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

}  // namespace
}  // namespace abut
