// Semi-smooth Newton: last digits in a few steps, which wrong derivatives would not give.

#include "abut/solvers/dual/damped_newton.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "support/random_friction.hpp"

namespace abut {
namespace {

TEST(DampedNewton, TakesTheLastDigitsInAFewSteps) {
  std::mt19937 random(81);
  DampedNewton newton;
  for (const RigidModel model : {RigidModel::ncp, RigidModel::ccp, RigidModel::lcp}) {
    const auto rough = make_friction_solver("admm");
    std::vector<int> steps;
    for (int trial = 0; trial < 60; ++trial) {
      const FrictionProblem p = make_friction_problem(
          random, {.most_bodies = 4, .most_contacts = 8, .most_scalars = trial % 2 * 6});
      std::vector<Vec3> x;
      if (rough->solve(p, {.model = model, .tolerance = 1e-5}, x).status !=
          SolveStatus::converged) {
        continue;
      }
      const FrictionReport r =
          newton.solve(p, {.model = model, .tolerance = 1e-12, .is_warm = true}, x);
      steps.push_back(r.status == SolveStatus::converged ? r.factorizations : 1000);
    }
    ASSERT_GE(steps.size(), 55U);
    std::ranges::sort(steps);
    EXPECT_LE(steps[steps.size() / 2], 12) << to_string(model);
    EXPECT_LE(steps[steps.size() * 8 / 10], 60) << to_string(model);
  }
}

TEST(DampedNewton, SolvesNineOfTenRandomProblems) {
  std::mt19937 random(82);
  DampedNewton newton;
  int solved = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const FrictionProblem p = make_friction_problem(
        random, {.most_bodies = 6, .most_contacts = 16, .mass_spread = trial % 2 * 1.5});
    std::vector<Vec3> x;
    solved += newton.solve(p, {.tolerance = 1e-11}, x).status == SolveStatus::converged;
  }
  EXPECT_GE(solved, 54);
}

}  // namespace
}  // namespace abut
