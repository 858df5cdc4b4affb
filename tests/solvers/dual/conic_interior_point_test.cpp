// The conic interior point method: how many factorizations it needs, and warm starts.

#include "abut/solvers/dual/conic_interior_point.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/random_friction.hpp"

namespace abut {
namespace {

TEST(ConicInteriorPoint, SolvesRandomProblemsInFewFactorizations) {
  std::mt19937 random(95);
  ConicInteriorPoint solver;
  for (const double spread : {0.0, 1.5}) {
    int solved = 0;
    for (int trial = 0; trial < 100; ++trial) {
      const FrictionProblem p = make_friction_problem(random, {.most_bodies = 6,
                                                               .most_contacts = 16,
                                                               .mass_spread = spread,
                                                               .rests = trial % 2 == 0,
                                                               .most_scalars = trial % 3 * 4});
      std::vector<Vec3> x;
      const FrictionReport r =
          solver.solve(p, {.model = RigidModel::ccp, .iteration_limit = 40}, x);
      solved += r.status == SolveStatus::converged;
    }
    EXPECT_GE(solved, 98) << spread;
  }
}

TEST(ConicInteriorPoint, WarmStartsNeedTwoThirdsOfTheWork) {
  std::mt19937 random(96);
  ConicInteriorPoint solver;
  int cold = 0, warm = 0;
  for (int trial = 0; trial < 50; ++trial) {
    FrictionProblem p = make_friction_problem(random, {.most_bodies = 6, .most_contacts = 12});
    FrictionOptions options{.model = RigidModel::ccp};
    std::vector<Vec3> x, afresh;
    solver.solve(p, options, x);
    for (Vec3& g : p.velocity) g *= 1.001;
    for (double& mu : p.friction) mu *= 0.999;
    cold += solver.solve(p, options, afresh).factorizations;
    options.is_warm = true;
    const FrictionReport r = solver.solve(p, options, x);
    EXPECT_EQ(r.status, SolveStatus::converged);
    warm += r.factorizations;
  }
  EXPECT_LT(warm, 0.67 * cold);
}

}  // namespace
}  // namespace abut
