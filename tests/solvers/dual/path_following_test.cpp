// The central path by arc length: its points, its end, its folds.

#include "abut/solvers/dual/path_following.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "abut/solvers/dual/scaled_problem.hpp"
#include "support/random_friction.hpp"

namespace abut {
namespace {

struct Way {
  int factorizations = 0;
  int rises = 0;  ///< points at which k is larger than before
  double worst_product = 0, error = HUGE_VAL;
};

/// Follows the path of a problem until its impulses are good to 1e-6.
Way follow(const FrictionProblem& p) {
  ScaledProblem scaled;
  scaled.set(p);
  CentralPath path;
  path.set(scaled.scaled);
  Way way;
  double last = HUGE_VAL;
  const auto n = static_cast<std::size_t>(p.contacts());
  std::vector<Vec3> gamma(n), sigma(n);
  PathFollowing following;
  following.start(path, 1, 1000);
  do {
    const CentralPath::Point& x = following.point();
    const double k = path.complementarity(x, x, 0);
    way.rises += k > last;
    last = k;
    for (std::size_t i = 0; i < n; ++i) {
      const auto& [g, s, eta] = x.rows[i];
      const double mu = p.friction[i];
      EXPECT_GT(g.z, 0);
      EXPECT_GT(s.z, 0);
      EXPECT_LE(std::hypot(g.x, g.y), mu * g.z);
      EXPECT_LE(std::hypot(s.x, s.y), eta);
      const double along = mu * g.z * eta + g.x * s.x + g.y * s.y;
      way.worst_product =
          std::max({way.worst_product, std::abs(g.z * s.z / k - 1), std::abs(along / k - 1)});
      gamma[i] = project_on_cone(g, mu);
    }
    scaled.scaled.delassus.multiply(gamma, sigma);
    for (std::size_t i = 0; i < n; ++i) sigma[i] += scaled.scaled.velocity[i];
    way.error = std::min(way.error, scaled.error({}, gamma, sigma));
  } while (way.error >= 1e-6 && following.advance(path));
  way.factorizations = following.factorizations();
  return way;
}

TEST(PathFollowing, StaysOnThePathToTheAnswer) {
  std::mt19937 random(21);
  for (int trial = 0; trial < 50; ++trial) {
    const Way way = follow(make_friction_problem(random, {.most_contacts = 12}));
    EXPECT_LT(way.error, 1e-6) << trial;
    EXPECT_LT(way.worst_product, 1) << "neighbourhood";
    EXPECT_LT(way.factorizations, 400);
  }
}

TEST(PathFollowing, GoesRoundFolds) {
  std::mt19937 random(22);
  int folds = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Way way = follow(make_friction_problem(random, {.mass_spread = 1.5}));
    folds += way.rises > 2 && way.error < 1e-6;
  }
  EXPECT_GT(folds, 0) << "k rose on the way to an answer";
}

}  // namespace
}  // namespace abut
