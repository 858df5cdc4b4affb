// What the Newton solver refuses, and what it says where it does not converge.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "abut/core/error.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "abut/solvers/primal/newton.hpp"
#include "support/newton_problems.hpp"

namespace abut {
namespace {

TEST(Newton, SaysWhenTheIterationLimitEndsIt) {
  std::mt19937 random(9);
  ContactProblem p = make_problem(random, {.bodies = 12, .touch = 0.5});
  const PreparedProblem q(p);
  NewtonOptions options;
  options.max_iterations = 4;
  options.restarts = false;
  Newton newton("short", options);
  ContactSolution x;
  const SolveReport r = newton.solve(q, {}, x);
  EXPECT_EQ(r.status, SolveStatus::iteration_limit);
  EXPECT_GT(r.certificate.momentum_error, 1e-6);
  for (const double v : x.velocity) EXPECT_TRUE(std::isfinite(v));
  // the best iterate is kept: better than the start
  const std::vector<Vec3> none(p.contacts.size());
  EXPECT_LT(r.certificate.momentum_error,
            certify(q, {p.velocity, none, std::vector<double>(p.scalars.size())}).momentum_error);
}

TEST(Newton, NeverCallsNonsenseASuccess) {
  const double bad_numbers[] = {std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::infinity(), 1e300};
  std::mt19937 random(10);
  for (const ModelCase& c : model_cases) {
    for (const double bad : bad_numbers) {
      for (int where = 0; where < 5; ++where) {
        ContactProblem p = make_problem(random, problem_of(c, 4));
        if (p.contacts.size() == 0) continue;
        switch (where) {
          case 0: p.free_velocity[1] = bad; break;
          case 1: p.contacts.gap[0] = -bad; break;
          case 2: p.contacts.normal[0].x = bad; break;
          case 3: p.contacts.bias[0].y = bad; break;
          default: p.trees[p.patches[0].tree_b].inertia(1, 1) = bad; break;
        }
        const PreparedProblem q(p);
        ContactSolution x;
        const SolveReport r = make_solver("newton")->solve(q, {}, x);
        const bool honest =
            r.status != SolveStatus::converged || r.certificate.momentum_error <= 1e-6;
        EXPECT_TRUE(honest) << name(c) << ", " << bad << " in place " << where;
      }
    }
  }
}

TEST(Newton, RefusesAProblemThatIsNotPrepared) {
  PreparedProblem q(resting_body());
  const ContactProblem& p = q.problem();
  q.edit().add_contact(world_tree, 0, {});
  ContactSolution x;
  const auto refuses = [&] {
    EXPECT_THROW(make_solver("newton")->solve(q, {}, x), InputError);
    EXPECT_THROW(certify(q, {p.velocity, std::vector<Vec3>(p.contacts.gap.size())}), InputError);
  };
  refuses();
  q.weigh();
  refuses();
  q.complete();
  EXPECT_THROW(make_solver("newton")->solve(q, {.tolerance = 0}, x), InputError);
  EXPECT_THROW(certify(q, {p.velocity, {}}), InputError) << "no impulses";
}

TEST(Newton, AGuessThatIsNoNumberDoesNotMatter) {
  std::mt19937 random(22);
  for (const ModelCase& c : model_cases) {
    ContactProblem p = make_problem(random, problem_of(c, 6));
    const PreparedProblem q(p);
    ContactSolution good, bad;
    make_solver("newton")->solve(q, {.tolerance = 1e-10}, good);
    bad.velocity.assign(p.velocity.size(), std::nan(""));
    const SolveReport r = make_solver("newton")->solve(q, {.tolerance = 1e-10}, bad);
    EXPECT_EQ(r.status, SolveStatus::converged) << name(c);
    for (std::size_t k = 0; k < good.velocity.size(); ++k) {
      EXPECT_NEAR(good.velocity[k], bad.velocity[k], 1e-6) << name(c);
    }
  }
}

TEST(Newton, RefusesAGuessOfTheWrongSize) {
  const PreparedProblem q(resting_body());
  ContactSolution x;
  x.velocity = {1, 2, 3};
  EXPECT_THROW(make_solver("newton")->solve(q, {}, x), InputError);
}

TEST(SolverRegistry, NamesTheSolversItKnows) {
  EXPECT_EQ(make_solver("newton")->name(), "newton");
  try {
    make_solver("newtn");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("'newtn'"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("newton-paper"), std::string::npos);
  }
}

}  // namespace
}  // namespace abut
