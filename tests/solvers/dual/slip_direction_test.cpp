// One contact that slides: Coulomb's conditions, and all directions tried one by one.

#include "abut/solvers/dual/slip_direction.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace abut {
namespace {

struct Lone {
  Mat3 w;
  Vec3 g;
  double mu;
};

/// A body's mobility at a point, more or less skew, that moves in.
Lone random_contact(std::mt19937& random, double skewness) {
  std::normal_distribution<double> normal;
  const auto vector = [&] { return Vec3{normal(random), normal(random), normal(random)}; };
  Lone c;
  const Mat3 a{{vector(), vector(), vector()}};
  c.w = transpose_times(a, a) + 0.1 * Mat3::identity() + skewness * Mat3::skew(vector());
  c.g = vector();
  c.g.z = -std::abs(c.g.z) - 0.01;
  c.mu = std::uniform_real_distribution<double>(0.05, 1.5)(random);
  return c;
}

TEST(SlipDirection, SatisfiesCoulombsLaw) {
  std::mt19937 random(41);
  int found = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const auto [w, g, mu] = random_contact(random, trial % 2 == 0 ? 0 : 0.1);
    const std::optional<Vec3> x = sliding_impulse(w, g, mu, trial % 3 == 0 ? Vec3{} : -g);
    if (!x) continue;
    ++found;
    const Vec3 v = w * *x + g;
    const double scale = norm(g), load = mu * x->z;
    EXPECT_GT(x->z, 0);
    EXPECT_NEAR(std::hypot(x->x, x->y), load, 1e-13 * load);
    EXPECT_NEAR(v.z, 0, 1e-10 * scale) << trial;
    EXPECT_NEAR((v.x * x->y - v.y * x->x) / load, 0, 1e-8 * scale) << trial;
    EXPECT_LE(v.x * x->x + v.y * x->y, 1e-12 * load);
  }
  EXPECT_GT(found, 1000);
}

TEST(SlipDirection, WithoutAGuessItIsTheFastest) {
  std::mt19937 random(42);
  constexpr int directions = 20000;
  for (int trial = 0; trial < 100; ++trial) {
    const auto [w, g, mu] = random_contact(random, 0);
    double fastest = 0, last = 0;
    for (int i = 0; i <= directions; ++i) {
      const double angle = 2 * std::numbers::pi * i / directions;
      const Vec3 d{std::cos(angle), std::sin(angle), 0};
      const Vec3 u = w * Vec3{mu * d.x, mu * d.y, 1}, v = -g.z * u + u.z * g;
      const double across = d.x * v.y - d.y * v.x, along = d.x * v.x + d.y * v.y;
      if (i > 0 && (across <= 0) != (last <= 0) && u.z > 0) fastest = std::max(fastest, -along);
      last = across;
    }
    const std::optional<Vec3> x = sliding_impulse(w, g, mu, {});
    if (!x) {
      EXPECT_EQ(fastest, 0) << trial;
      continue;
    }
    const Vec3 v = w * *x + g;
    EXPECT_NEAR(-g.z / x->z * std::hypot(v.x, v.y), fastest, 1e-3 * (norm(g) + fastest)) << trial;
  }
}

}  // namespace
}  // namespace abut
