// Staggered projections: how many rounds they need, and where they end.

#include "abut/solvers/dual/staggered.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/random_friction.hpp"

namespace abut {
namespace {

TEST(Staggered, NeedsFewRoundsForLoneContacts) {
  std::mt19937 random(51);
  Staggered solver;
  int few = 0;
  const int count = 200;
  for (int trial = 0; trial < count; ++trial) {
    const FrictionProblem p = make_friction_problem(random, {.most_bodies = 2, .most_contacts = 1});
    std::vector<Vec3> x;
    const FrictionReport r = solver.solve(p, {.tolerance = 1e-6}, x);
    EXPECT_EQ(r.status, SolveStatus::converged);
    few += r.iterations <= 5;
  }
  EXPECT_GE(few, 0.75 * count);
}

// friction pushes against the slip that the normal impulses leave, and these bear what friction
// leaves: each by its own condition, not by the certificate
TEST(Staggered, EndsWhereNeitherProblemMoves) {
  std::mt19937 random(52);
  Staggered solver;
  for (const RigidModel model : {RigidModel::ncp, RigidModel::lcp}) {
    int solved = 0;
    for (int trial = 0; trial < 30; ++trial) {
      const FrictionProblem p =
          make_friction_problem(random, {.most_bodies = 4, .most_contacts = 8});
      std::vector<Vec3> x;
      const FrictionReport r = solver.solve(p, {.model = model, .tolerance = 1e-11}, x);
      if (r.status != SolveStatus::converged) continue;
      ++solved;
      std::vector<Vec3> v(x.size());
      p.delassus.multiply(x, v);
      for (std::size_t i = 0; i < x.size(); ++i) {
        v[i] += p.velocity[i];
        EXPECT_GE(x[i].z, 0);
        EXPECT_GE(v[i].z, -1e-9);
        EXPECT_LT(std::min(x[i].z, v[i].z), 1e-9) << "pressed, or apart";
        const double most = p.friction[i] * x[i].z;
        if (model == RigidModel::ncp) {
          EXPECT_LE(std::hypot(x[i].x, x[i].y), most + 1e-9);
          EXPECT_NEAR(x[i].x * v[i].x + x[i].y * v[i].y, -most * std::hypot(v[i].x, v[i].y), 1e-8);
        } else {
          for (const int t : {0, 1}) {
            EXPECT_LE(std::abs(x[i][t]), most + 1e-9);
            EXPECT_NEAR(x[i][t] * v[i][t], -most * std::abs(v[i][t]), 1e-8);
          }
        }
      }
    }
    EXPECT_GE(solved, 27);
  }
}

TEST(Staggered, SaysWhereItDoesNotConverge) {
  std::mt19937 random(53);
  Staggered solver;
  int gave_up = 0;
  for (int trial = 0; trial < 30; ++trial) {
    const FrictionProblem p = make_friction_problem(
        random, {.most_bodies = 6, .most_contacts = 12, .mass_spread = 3, .rests = true});
    std::vector<Vec3> x;
    const FrictionReport r = solver.solve(p, {.iteration_limit = 20}, x);
    const bool is_solved = r.certificate.natural_error <= 1e-8;
    EXPECT_EQ(r.status, is_solved ? SolveStatus::converged : SolveStatus::iteration_limit);
    EXPECT_LE(r.iterations, 20);
    gave_up += !is_solved;
  }
  EXPECT_GT(gave_up, 0) << "nothing was tested";
}

}  // namespace
}  // namespace abut
