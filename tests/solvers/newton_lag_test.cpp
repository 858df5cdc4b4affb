// The rounds of Lagged friction in the Newton solver.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "abut/solvers/contact_solver.hpp"
#include "support/newton_problems.hpp"

namespace abut {
namespace {

/// Random problems of small friction, whose lag has a fixed point close by.
ContactProblem slippery(std::mt19937& random, const ModelCase& c, int trial) {
  RandomProblem w = problem_of(c, 1 + trial, trial % 4);
  w.lagged_rule = LaggedRule::fixed_point;
  ContactProblem p = make_problem(random, w);
  for (double& mu : p.contacts.friction) mu *= 0.3;
  p.friction.lag_tolerance = 1e-4;
  return p;
}

// Coulomb: friction of Lagged is at most mu times the normal impulse of the same step, up to the
// lag tolerance and to a lag that is negligible in the step
TEST(Newton, LaggedFrictionIsGivenTheNormalImpulseThatComesOut) {
  std::mt19937 random(31);
  int met = 0, moved = 0;
  for (const ModelCase& c : model_cases) {
    if (!traits(c.model).lags_friction) continue;
    for (int trial = 0; trial < 20; ++trial) {
      SCOPED_TRACE(testing::Message() << name(c) << ", trial " << trial);
      ContactProblem p = slippery(random, c, trial);
      const PreparedProblem q(p);
      ContactSolution x;
      const SolveReport r = make_solver("newton")->solve(q, {.tolerance = 1e-9}, x);
      EXPECT_EQ(r.status, SolveStatus::converged);
      EXPECT_EQ(r.lagging_islands > 0, r.certificate.lag_error > p.friction.lag_tolerance)
          << r.certificate.lag_error;
      moved += r.lag_rounds > 0;
      if (r.lagging_islands > 0) continue;
      ++met;
      double most = 0, step = 0;
      for (int i = 0; i < p.contacts.size(); ++i) {
        most = std::max(most, p.contacts.friction[i] * norm(x.impulse[i]));
        step += q.contacts().mobility[i] * squared_norm(x.impulse[i]);
      }
      for (int i = 0; i < p.contacts.size(); ++i) {
        const Vec3& n = p.contacts.normal[i];
        const double normal = dot(n, x.impulse[i]), mu = p.contacts.friction[i];
        const double negligible = 1e-6 * std::sqrt(step / q.contacts().mobility[i]);
        EXPECT_LE(norm(x.impulse[i] - normal * n),
                  mu * normal + 2e-4 * most + negligible + 1e-14 * normal)
            << "contact " << i;
      }
    }
  }
  EXPECT_GE(met, 50) << "of 60";
  EXPECT_GE(moved, 30) << "the case was met";
}

// rounds of lag that follow a guess without an iteration begin with the problem's own duals, not
// with what the solver's buffers have of another problem
TEST(Newton, RoundsAfterAGoodGuessDoNotDependOnWhatWasSolvedBefore) {
  std::mt19937 random(33);
  int met = 0;
  for (const ModelCase& c : model_cases) {
    if (!traits(c.model).lags_friction) continue;
    for (int trial = 0; trial < 10; ++trial) {
      SCOPED_TRACE(testing::Message() << name(c) << ", trial " << trial);
      ContactProblem p = slippery(random, c, trial);
      const PreparedProblem other(slippery(random, c, trial + 1));
      const PreparedProblem q(p);
      p.friction.lagged_rule = LaggedRule::prediction;
      const PreparedProblem predicted(p);
      ContactSolution guess;
      make_solver("newton")->solve(predicted, {.tolerance = 1e-9}, guess);
      const auto used = make_solver("newton");
      ContactSolution before, a, b;
      used->solve(other, {.tolerance = 1e-9}, before);
      a.velocity = b.velocity = guess.velocity;
      const SolveReport r = used->solve(q, {}, a);
      make_solver("newton")->solve(q, {}, b);
      EXPECT_EQ(a.velocity, b.velocity);
      EXPECT_EQ(a.impulse, b.impulse);
      met += r.lag_rounds > 0;
    }
  }
  EXPECT_GE(met, 10) << "the case was met";
}

TEST(Newton, ThePredictionsLagIsReportedAsItIs) {
  std::mt19937 random(32);
  bool any = false;
  for (const LaggedRule rule : {LaggedRule::prediction, LaggedRule::state}) {
    ContactProblem p = make_problem(random, {.model = ContactModel::lagged, .lagged_rule = rule});
    const PreparedProblem q(p);
    ContactSolution x;
    const SolveReport r = make_solver("newton")->solve(q, {}, x);
    EXPECT_EQ(r.lag_rounds, 0);
    EXPECT_EQ(x.lagged_impulse, q.contacts().lagged_impulse);
    EXPECT_EQ(r.lagging_islands > 0, r.certificate.lag_error > p.friction.lag_tolerance);
    any = any || r.lagging_islands > 0;
  }
  EXPECT_TRUE(any) << "the case was met";
}

}  // namespace
}  // namespace abut
