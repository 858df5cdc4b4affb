// The second of two problems of one size allocates nothing.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "abut/solvers/direct/lemke.hpp"
#include "abut/solvers/direct/pivoting.hpp"
#include "support/allocation_counter.hpp"
#include "support/force_problems.hpp"
#include "support/random_friction.hpp"

namespace abut {
namespace {

TEST(DirectAllocation, PivotingNeedsNoneTheSecondTime) {
  std::mt19937 random(1);
  ForceProblem p;
  while (p.rows() < 60) {
    p = to_forces(make_friction_problem(random, {.most_bodies = 12, .most_contacts = 40}));
  }
  Pivoting pivoting;
  const auto solve = [&] {
    pivoting.reset(p.rows());
    for (int j = 0; j < p.rows(); ++j) {
      for (int i = 0; i < p.rows(); ++i) pivoting.column(j)[i] = p.entry(i, j);
      pivoting.bias(j) = p.bias[j];
    }
    for (const ForceContact& c : p.contacts) {
      pivoting.make_cone(c.tangents[0], c.tangents[1], c.normal, c.friction);
    }
    return pivoting.run();
  };
  ASSERT_EQ(solve(), PivotEnd::solved);
  ASSERT_GT(pivoting.counts().pivots, 10);
  const std::uint64_t before = allocation_count();
  solve();
  EXPECT_EQ(allocation_count(), before);
}

TEST(DirectAllocation, LemkeNeedsNoneTheSecondTime) {
  Lemke lemke;
  const auto solve = [&] {
    lemke.reset(30);
    for (int i = 0; i < 30; ++i) {
      lemke.q(i) = i % 3 == 0 ? 0.5 : -1 - 0.01 * i;
      for (int j = 0; j < 30; ++j) lemke.column(j)[i] = i == j ? 2 : 1.0 / (2 + std::abs(i - j));
    }
    return lemke.solve();
  };
  ASSERT_EQ(solve(), LemkeEnd::solved);
  ASSERT_GT(lemke.pivots(), 10);
  const std::uint64_t before = allocation_count();
  solve();
  EXPECT_EQ(allocation_count(), before);
}

}  // namespace
}  // namespace abut
