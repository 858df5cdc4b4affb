// Impulses of rows with compliance: optimality, derivatives, closed forms.

#include "abut/solvers/dual/compliant_row.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace abut {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

// gamma in K, R gamma + sigma in K*, perpendicular: what no other gamma can satisfy
TEST(CompliantContact, IsTheMinimumInTheCone) {
  std::mt19937 random(61);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> decades(-4, 4);
  int slid = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const Vec3 sigma{normal(random), normal(random), normal(random)};
    const double rt = std::pow(10, decades(random));
    const Vec3 r{rt, trial % 3 == 0 ? rt : rt * std::pow(10, 0.25 * decades(random)),
                 std::pow(10, decades(random))};
    const double mu = trial % 10 == 0 ? 0 : std::pow(10, 0.25 * decades(random));
    const Vec3 g = compliant_contact(sigma, r, mu).gamma, c = multiply_each(r, g) + sigma;
    const double gt = std::hypot(g.x, g.y), ct = std::hypot(c.x, c.y);
    ASSERT_LE(gt, mu * g.z + 1e-12 * norm(g));
    if (mu > 0) {
      ASSERT_LE(mu * ct, c.z + 1e-9 * (1 + mu) * norm(sigma)) << trial;
    }
    ASSERT_LE(std::abs(dot(g, c)), 1e-9 * norm(g) * norm(sigma)) << trial;
    slid += g.z > 0 && ct > 1e-6;
  }
  EXPECT_GT(slid, 3000);
}

TEST(CompliantContact, FallIsItsDerivative) {
  std::mt19937 random(62);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> size(0.3, 3);
  int compared = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Vec3 sigma{normal(random), normal(random), normal(random)};
    const Vec3 r{size(random), size(random), size(random)};
    const double mu = size(random), h = 1e-6;
    const Mat3 fall = compliant_contact(sigma, r, mu).fall;
    for (int k = 0; k < 3; ++k) {
      Vec3 less = sigma, more = sigma;
      less[k] -= h, more[k] += h;
      const CompliantAnswer low = compliant_contact(less, r, mu),
                            high = compliant_contact(more, r, mu);
      const Vec3 off = (low.gamma - high.gamma) / (2 * h) - fall.col[k];
      if (norm(low.fall.col[k] - high.fall.col[k]) > 1e-3) continue;  // across a kink
      EXPECT_LT(norm(off), 1e-6) << trial;
      ++compared;
    }
  }
  EXPECT_GT(compared, 5000);
}

// on a slope by hand: mu = 1, R = 1, sigma = (2, 0, 0): y = (-2, 0, 0) is nearest to (-1, 0, 1)
TEST(CompliantContact, ByHand) {
  const CompliantAnswer slides = compliant_contact({2, 0, 0}, {1, 1, 1}, 1);
  EXPECT_LT(norm(slides.gamma - Vec3{-1, 0, 1}), 1e-15);
  const CompliantAnswer sticks = compliant_contact({0.5, 0, -2}, {1, 2, 4}, 2);
  EXPECT_EQ(sticks.gamma, (Vec3{-0.5, 0, 0.5}));
  EXPECT_EQ(compliant_contact({1, 0, 1.5}, {1, 1, 1}, 1).gamma, Vec3{});
}

TEST(CompliantConstraints, StopAtTheirBounds) {
  const ImpulseBounds bounds{{-1, 0, -inf}, {1, inf, inf}};
  const CompliantAnswer a = compliant_constraints({4, 4, 4}, {2, 2, 2}, bounds);
  EXPECT_EQ(a.gamma, (Vec3{-1, 0, -2}));
  EXPECT_EQ(a.fall, Mat3::diagonal({0, 0, 0.5}));
  const CompliantAnswer b = compliant_constraints({-1, -4, 0}, {2, 2, 2}, bounds);
  EXPECT_EQ(b.gamma, (Vec3{0.5, 2, 0}));
  EXPECT_EQ(b.fall, Mat3::diagonal({0.5, 0.5, 0.5}));
}

}  // namespace
}  // namespace abut
