// Scalar constraints on the central path: their points, and Newton's step against differences.

#include "abut/solvers/dual/bounded_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace abut {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

/// Of all kinds, from very narrow to very wide.
std::vector<ImpulseBounds> all_bounds() {
  return {{{0, -inf, -inf}, {inf, 0, inf}},
          {{-1e-6, -1e6, -1}, {1e-6, 1e6, 2}},
          {{0.3, 3, -2}, {0.3, 1e5, -1}}};
}

bool has(double bound) {
  return std::isfinite(bound);
}

/// That distances are those of gamma, and all products k.
void expect_on_path(const ImpulseBounds& b, const BoundedRow& x, const Vec3& gamma, double k) {
  for (int r = 0; r < 3; ++r) {
    const double size = std::abs(gamma[r]) + 1e-30;
    if (is_fixed(b, r)) {
      EXPECT_EQ(gamma[r], b.lower[r]);
      EXPECT_EQ(x.z_lower[r], 0);
      EXPECT_EQ(x.z_upper[r], 0);
      continue;
    }
    EXPECT_EQ(x.z_lower[r] > 0, has(b.lower[r]));
    EXPECT_EQ(x.z_upper[r] > 0, has(b.upper[r]));
    if (has(b.lower[r])) {
      EXPECT_GT(x.from_lower[r], 0);
      EXPECT_NEAR(x.from_lower[r], gamma[r] - b.lower[r], 1e-15 * (size + std::abs(b.lower[r])));
      EXPECT_NEAR(x.from_lower[r] * x.z_lower[r], k, 1e-14 * k);
    }
    if (has(b.upper[r])) {
      EXPECT_GT(x.to_upper[r], 0);
      EXPECT_NEAR(x.to_upper[r], b.upper[r] - gamma[r], 1e-15 * (size + std::abs(b.upper[r])));
      EXPECT_NEAR(x.to_upper[r] * x.z_upper[r], k, 1e-14 * k);
    }
  }
}

TEST(BoundedRows, StartOnThePath) {
  for (const double size : {0.1, 1.0, 1e4}) {
    for (const ImpulseBounds& b : all_bounds()) {
      Vec3 gamma;
      const BoundedRow x = start_bounded(b, size, gamma);
      expect_on_path(b, x, gamma, size * size);
    }
  }
}

TEST(BoundedRows, NearestPointKeepsImpulseLessVelocity) {
  for (const double k : {1e-10, 1e-4, 1.0}) {
    for (const double d : {-1e4, -1.0, -1e-7, 0.0, 0.3, 1.5, 40.0}) {
      for (const ImpulseBounds& b : all_bounds()) {
        Vec3 gamma;
        const BoundedRow x = nearest_on_path(b, k, {d, d, d}, gamma);
        expect_on_path(b, x, gamma, k);
        for (int r = 0; r < 3; ++r) {
          if (is_fixed(b, r)) continue;
          const double sigma = x.z_lower[r] - x.z_upper[r];
          // sigma is the difference of two that may be far larger
          const double size = std::abs(d) + std::abs(gamma[r]) + x.z_lower[r] + x.z_upper[r];
          const double widest = has(b.upper[r]) ? b.upper[r] : 0;
          EXPECT_NEAR(gamma[r] - sigma, d, 2e-3 * std::abs(sigma) + 1e-9 * size + 1e-15 * widest)
              << k << " " << d << " " << r;
        }
      }
    }
  }
}

// products at x + d are those aimed at, but for the product of the changes
TEST(BoundedRows, NewtonsStepMeetsItsTargetsToFirstOrder) {
  for (const ImpulseBounds& b : all_bounds()) {
    Vec3 gamma;
    BoundedRow x = start_bounded(b, 0.7, gamma);
    const BoundedTarget t = missing(x, 0.1);
    const Vec3 d_gamma{2e-7, -0.01, 0.02};
    const BoundedRow d = change_of(x, t, d_gamma);
    const Vec3 d_sigma = d.z_lower - d.z_upper;
    const Vec3 should_be = pull(x, t), a = stiffness(x);
    for (int r = 0; r < 3; ++r) {
      EXPECT_NEAR(a[r] * d_gamma[r] + d_sigma[r], should_be[r], 1e-12 * (1 + x.z_lower[r] * a[r]));
    }
    const double first = products(x, d, 0), whole = products(x, d, 1);
    double count = 0, second = 0;
    for (int r = 0; r < 3; ++r) {
      count += (x.z_lower[r] > 0) + (x.z_upper[r] > 0);
      second += d.from_lower[r] * d.z_lower[r] + d.to_upper[r] * d.z_upper[r];
    }
    EXPECT_NEAR(first, 0.49 * count, 1e-12);
    EXPECT_NEAR(whole, 0.1 * count + second, 1e-10 * (1 + std::abs(second)));
  }
}

TEST(BoundedRows, StepsEndAtTheFirstBound) {
  const ImpulseBounds b{{-1, 0, -inf}, {1, inf, inf}};
  Vec3 gamma;
  const BoundedRow x = start_bounded(b, 0.5, gamma);  // 0.5 or more from each bound
  BoundedRow d{};
  d.from_lower = {-4, 0, 0}, d.to_upper = {4, 0, 0};
  EXPECT_EQ(longest_step(x, d, 1), 0.25);
  d.from_lower.y = -5;
  EXPECT_EQ(longest_step(x, d, 1), 0.1);
  d.z_upper.x = -100 * x.z_upper.x;
  EXPECT_EQ(longest_step(x, d, 1), 0.01);
  EXPECT_EQ(longest_step(x, d, 0.005), 0.005);
}

}  // namespace
}  // namespace abut
