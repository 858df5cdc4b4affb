// What a solve reports of its islands, as a whole and after contacts woke; and symbolic factors
// that are kept from problem to problem.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "abut/problem/contact_kinematics.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "support/model_case.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

/// Spheres in a row, a hair apart, of which the first is pushed into the second: farther on than a
/// meeting is thought to reach.
void add_row(ContactProblem& p) {
  const int first = static_cast<int>(p.trees.size());
  for (int k = 0; k < 8; ++k) {
    const double v[6] = {k == 0 ? 1.0 : 0.0, 0, 0, 0, 0, 0};
    p.add_rigid_body(1, {100 + 0.2 * k, 0, 0}, Mat3::diagonal({4e-3, 4e-3, 4e-3}), v, v);
  }
  for (int k = 0; k < 7; ++k) {
    p.add_contact(
        first + k, first + k + 1,
        {.point = {100.1 + 0.2 * k, 0, 0}, .normal = {1, 0, 0}, .gap = 1e-9, .stiffness = 1e6});
  }
}

// with gaps that some answers close, which contacts far apart do not see
TEST(SolveReport, IsTheSumOfItsIslands) {
  std::mt19937 random(1);
  int woken = 0, islands = 0;
  for (const ModelCase& c : model_cases) {
    for (int trial = 0; trial < 12; ++trial) {
      SCOPED_TRACE(testing::Message() << name(c) << ", trial " << trial);
      ContactProblem p =
          make_problem(random, {.model = c.model,
                                .law = c.law,
                                .bodies = 3 + trial,
                                .dense_trees = trial % 2,
                                .sparse_trees = trial % 3 == 2,
                                .links = trial % 3,
                                .touch = 0.15,
                                .ground = 0.3,
                                .stiffness = c.law == NormalLawKind::hertz ? 1e8 : 1e6});
      for (double& gap : p.contacts.gap) gap += trial % 3 == 0 ? 2e-4 : 0;
      if (trial < 2) add_row(p);
      p.wake_gap = 0;
      const PreparedProblem q(p);
      ContactSolution x;
      const SolveReport r = make_solver("newton")->solve(q, {.tolerance = 1e-10}, x);
      woken += r.rounds - 1;
      islands += x.partition.size();
      ASSERT_EQ(std::ssize(x.islands), x.partition.size());
      SolveStatus status = SolveStatus::converged;
      int most = 0, factorizations = 0, evaluations = 0, contacts = 0;
      double weighted = 0;
      for (const IslandReport& i : x.islands) {
        status = worse(status, i.status);
        most = std::max(most, static_cast<int>(i.iterations));
        factorizations += i.factorizations, evaluations += i.line_evaluations;
        contacts += i.contacts, weighted += static_cast<double>(i.iterations) * i.contacts;
      }
      EXPECT_EQ(r.status, status);
      EXPECT_EQ(r.iterations, most);
      EXPECT_EQ(r.factorizations, factorizations);
      EXPECT_EQ(r.line_evaluations, evaluations);
      if (p.contacts.size() > 0) {
        EXPECT_NEAR(r.weighted_iterations, weighted / p.contacts.size(), 1e-12 * (1 + weighted));
      }
      int awake = 0;
      for (const char is_dormant : x.partition.dormant) awake += !is_dormant;
      EXPECT_EQ(contacts, awake);
      for (const Patch& patch : p.patches) {
        const PatchMotion motion(p, patch, x.velocity.data());
        for (int i = patch.begin; i < patch.end; ++i) {
          if (!x.partition.dormant[i]) continue;
          EXPECT_FALSE(is_active(q, i, motion.of(i))) << "contact " << i << " sleeps in overlap";
          EXPECT_EQ(x.impulse[i], Vec3{});
        }
      }
      for (std::size_t t = 0; t < p.trees.size(); ++t) {
        if (x.partition.island_of_tree()[t] >= 0) continue;
        const Tree& tree = p.trees[t];
        for (int k = tree.first_dof; k < tree.first_dof + tree.size; ++k) {
          EXPECT_EQ(x.velocity[k], p.free_velocity[k]) << "tree " << t << " is free";
        }
      }
    }
  }
  EXPECT_GE(woken, 2 * std::ssize(model_cases));  // the rows
  EXPECT_GT(islands, 150);
}

// islands are joined in any order, and what is solved again is counted again
TEST(IslandReport, JoinsInAnyOrder) {
  std::mt19937 random(2);
  const auto any = [&] {
    const auto number = [&] { return static_cast<std::int32_t>(random() % 100); };
    return IslandReport{.status = static_cast<SolveStatus>(random() % 4),
                        .at_round_off = random() % 2 == 0,
                        .iterations = number(),
                        .factorizations = number(),
                        .line_evaluations = number(),
                        .contacts = number(),
                        .lag_rounds = number(),
                        .momentum_error = number() / 100.0,
                        .lag_error = number() / 100.0};
  };
  const auto numbers = [](const IslandReport& r) {
    return std::vector<double>{static_cast<double>(r.status),
                               1.0 * r.at_round_off,
                               1.0 * r.iterations,
                               1.0 * r.factorizations,
                               1.0 * r.line_evaluations,
                               1.0 * r.contacts,
                               1.0 * r.lag_rounds,
                               r.momentum_error,
                               r.lag_error};
  };
  for (int trial = 0; trial < 100; ++trial) {
    const IslandReport a = any(), b = any(), c = any();
    EXPECT_EQ(numbers(join(a, b)), numbers(join(b, a)));
    EXPECT_EQ(numbers(join(a, join(b, c))), numbers(join(join(a, b), c)));
    const IslandReport none{.status = SolveStatus::converged};
    EXPECT_EQ(numbers(join(a, none)), numbers(a));
    const IslandReport again = follow(a, b);
    EXPECT_EQ(again.status, b.status) << "the second solve is what counts";
    EXPECT_EQ(again.momentum_error, b.momentum_error);
    EXPECT_EQ(again.iterations, a.iterations + b.iterations);
    EXPECT_EQ(again.factorizations, a.factorizations + b.factorizations);
    EXPECT_EQ(numbers(follow(follow(a, b), c)), numbers(follow(a, follow(b, c))));
  }
}

}  // namespace
}  // namespace abut
