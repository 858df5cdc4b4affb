// What the solver says when it cannot do what it is asked: never a success that is none.

#include <gtest/gtest.h>

#include <cmath>

#include "abut/solvers/contact_solver.hpp"
#include "support/model_case.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

RandomProblem what(const ModelCase& c, int dense = 0) {
  return {.model = c.model,
          .law = c.law,
          .bodies = 4,
          .dense_trees = dense,
          .touch = 1,
          .ground = 1,
          .stiffness = c.law == NormalLawKind::hertz ? 1e8 : 1e6};
}

// however stiff a contact is, and however fast the start: what rounding excuses has a bound
TEST(Honesty, RoundOffIsNoExcuseForAWrongAnswer) {
  for (const ModelCase& c : model_cases) {
    for (const std::string_view solver : solvers_of(c.model)) {
      for (int trial = 0; trial < 40; ++trial) {
        std::mt19937 random(trial);
        std::normal_distribution<double> normal;
        RandomProblem w = what(c);
        const bool stiff = trial % 2 == 0;
        if (stiff) w.stiffness = std::pow(10, 12 + trial % 10);
        ContactProblem p = make_problem(random, w);
        if (stiff) p.friction.beta = 0;
        const PreparedProblem q(p);
        ContactSolution x;
        x.velocity = p.velocity;
        if (!stiff) {
          for (double& v : x.velocity) v = std::pow(10, 1.5 * trial) * normal(random);
        }
        const SolveReport r = make_solver(solver)->solve(q, {}, x);
        if (r.status != SolveStatus::converged) continue;
        EXPECT_LE(r.certificate.momentum_error, r.at_round_off ? 1e-2 : 1e-5)
            << name(c) << ", " << solver << ", trial " << trial;
      }
    }
  }
}

// also where a search along the step failed or time ran out, from starts up to 1e145 m/s
TEST(Honesty, ImpulsesAreThoseOfTheVelocities) {
  for (const ModelCase& c : model_cases) {
    for (const std::string_view solver : solvers_of(c.model)) {
      for (int exponent = 0; exponent < 150; exponent += 5) {
        std::mt19937 random(exponent);
        std::normal_distribution<double> normal;
        ContactProblem p = make_problem(random, what(c, exponent % 2));
        const PreparedProblem q(p);
        ContactSolution x;
        x.velocity = p.velocity;
        for (double& v : x.velocity) v = std::pow(10, exponent) * normal(random);
        const SolveReport r = make_solver(solver)->solve(q, {}, x);
        for (const double v : x.velocity) ASSERT_TRUE(std::isfinite(v));
        if (r.status == SolveStatus::numerical_failure) continue;  // numbers overflow at the start
        EXPECT_LE(r.certificate.impulse_error, 1e-6) << name(c) << ", " << solver << ", from 1e"
                                                     << exponent << " m/s, " << to_string(r.status);
      }
    }
  }
}

// numbers that validate() refuses, of a caller who does not ask it
TEST(Honesty, ACertificateThatIsNotFiniteIsAFailure) {
  for (const ModelCase& c : model_cases) {
    for (const std::string_view solver : solvers_of(c.model)) {
      ContactProblem p;
      p.time_step = 1e-308;
      p.model = c.model;
      p.law = c.law;
      const double v[6] = {};
      p.add_rigid_body(1, {0, 0, 1}, Mat3::identity(), v, v);
      ContactPoint contact;
      contact.gap = 1e308;
      p.add_contact(world_tree, 0, contact);
      const PreparedProblem q(p);
      ContactSolution x;
      const SolveReport r = make_solver(solver)->solve(q, {}, x);
      EXPECT_FALSE(r.certificate.is_finite()) << "nothing is tested";
      EXPECT_TRUE(r.certificate.is_finite() || r.status == SolveStatus::numerical_failure)
          << name(c) << ", " << solver << ": " << to_string(r.status);
    }
  }
}

}  // namespace
}  // namespace abut
