// The laws of scalar constraints: derivatives by differences, values by hand.

#include "abut/solvers/primal/island_scalars.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "abut/problem/prepared_problem.hpp"

namespace abut {
namespace {

/// One constraint on the one dof of a tree of 2 kg, h = 10 ms.
PreparedProblem problem_of(const ScalarConstraint& constraint) {
  ContactProblem p;
  p.time_step = 0.01;
  const double mass[1] = {2}, still[1] = {0};
  p.add_tree(mass, still, still, 2);
  const RowEntry row{0, 0, 1};
  p.add_scalar(constraint, {&row, 1});
  return PreparedProblem(std::move(p));
}

/// Potential, impulse and -d impulse/dc at a velocity c.
struct Law {
  double potential, impulse, slope;
};

Law law_at(const PreparedProblem& q, double c) {
  IslandScalars scalars;
  IslandNodes nodes;
  BlockPattern pattern;
  const std::int32_t tree = 0;
  nodes.number(q, {&tree, 1}, pattern);
  scalars.add(q.problem().scalars, q.scalars(), tree, nodes);
  const double one = 1;
  scalars.velocities(&c, false);
  scalars.velocities(&one, true);
  const ContactSums sums = scalars.evaluate(0);
  return {sums.potential, sums.impulse_work, sums.curvature};
}

const ScalarConstraint samples[] = {
    {.kind = ScalarKind::limit, .gap = -1e-3, .stiffness = 1e3, .relaxation_time = 0.005},
    {.kind = ScalarKind::limit, .gap = 2e-3, .stiffness = 1e9},
    {.kind = ScalarKind::equality, .gap = 1e-3, .stiffness = 1e4, .relaxation_time = 0.003},
    {.kind = ScalarKind::dry_friction, .lower_force = -3, .upper_force = 2},
    {.kind = ScalarKind::actuator,
     .stiffness = 50,
     .damping = 4,
     .force = 3,
     .lower_force = -1,
     .upper_force = 5},
};

TEST(ScalarLaw, DerivativesMatchDifferences) {
  for (const ScalarConstraint& sample : samples) {
    const PreparedProblem q = problem_of(sample);
    const double step = 1e-7;
    for (double c = -1.0037; c < 1; c += 0.0213) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(sample.kind) << " at " << c);
      const Law low = law_at(q, c - step), at = law_at(q, c), high = law_at(q, c + step);
      const double size = 1 + std::abs(at.impulse);
      EXPECT_NEAR(at.impulse, (low.potential - high.potential) / (2 * step), 1e-6 * size);
      const bool kink = law_at(q, c - step).slope != law_at(q, c + step).slope;
      if (!kink) {
        EXPECT_NEAR(at.slope, (low.impulse - high.impulse) / (2 * step), 1e-6 * (1 + at.slope));
      }
      EXPECT_GE(at.slope, 0) << "the potential would not be convex";
    }
  }
}

TEST(ScalarLaw, ValuesByHand) {
  // k = 1e3 N/m, 1 mm beyond, h + tau = 15 ms: gamma = h k (1 mm - 15 ms c)
  const PreparedProblem limit = problem_of(samples[0]);
  EXPECT_NEAR(law_at(limit, 0).impulse, 0.01 * 1e3 * 1e-3, 1e-15);
  EXPECT_NEAR(law_at(limit, 0.02).impulse, 0.01 * 1e3 * (1e-3 - 0.015 * 0.02), 1e-15);
  EXPECT_EQ(law_at(limit, 0.07).impulse, 0) << "it leaves by itself at 1/15 m/s";
  // an equality pulls back as well
  const PreparedProblem equality = problem_of(samples[2]);
  EXPECT_NEAR(law_at(equality, 0.5).impulse, 0.01 * 1e4 * (-1e-3 - 0.013 * 0.5), 1e-13);
  // dry friction: between h times its bounds, sigma w = 1e-3/2 kg
  const PreparedProblem friction = problem_of(samples[3]);
  EXPECT_NEAR(law_at(friction, 1e-6).impulse, -1e-6 / (1e-3 * 0.5), 1e-12);
  EXPECT_EQ(law_at(friction, 1).impulse, -0.03);
  EXPECT_EQ(law_at(friction, -1).impulse, 0.02);
  // an actuator at the step's end: f - (h Kp + Kd) c
  const PreparedProblem actuator = problem_of(samples[4]);
  EXPECT_NEAR(law_at(actuator, 0.1).impulse, 0.01 * (3 - 4.5 * 0.1), 1e-15);
  EXPECT_NEAR(law_at(actuator, -0.6).impulse, 0.01 * 5, 1e-15) << "at its bound";
  EXPECT_NEAR(law_at(actuator, 0.95).impulse, 0.01 * -1, 1e-15);
}

}  // namespace
}  // namespace abut
