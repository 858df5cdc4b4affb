// Contacts that no impulses keep apart: the answer is that of compliant ones, and says so.

#include <gtest/gtest.h>

#include <cmath>

#include "abut/solvers/dual/friction_solver.hpp"
#include "support/random_friction.hpp"

namespace abut {
namespace {

/// A point of mobility w [1/kg] between two jaws that close at these speeds [m/s], and slide.
FrictionProblem point_between_jaws(double w, double from_below, double from_above, double mu) {
  FrictionProblem p;
  const Mat3 one = w * Mat3::identity(), turned = Mat3::diagonal({w, -w, -w});
  p.delassus.start = {0, 2, 4};
  p.delassus.column = {0, 1, 0, 1};
  p.delassus.block = {one, turned, turned, one};
  p.velocity = {{0.1, 0, -from_below}, {0.1, 0, -from_above}};
  p.friction = {mu, mu};
  return p;
}

FrictionReport solve(const FrictionProblem& p, std::vector<Vec3>& x) {
  return make_friction_solver("interior-point")->solve(p, {}, x);
}

// (gamma_1 - gamma_2 + eps gamma_1) w = v_1, (gamma_2 - gamma_1 + eps gamma_2) w = v_2
TEST(WedgedContacts, AreAnsweredWithTheComplianceThatTheReportSays) {
  for (const double w : {1.0, 1e-4, 1e3}) {
    for (const auto& [below, above] : {std::pair(1.0, 1.0), {1.0, 0.2}, {1.0, -0.5}}) {
      for (const double mu : {0.0, 0.5}) {
        SCOPED_TRACE(testing::Message() << w << " " << above << " " << mu);
        std::vector<Vec3> x;
        const FrictionReport r = solve(point_between_jaws(w, below, above, mu), x);
        EXPECT_EQ(r.status, SolveStatus::stalled) << "nothing rigid is solved";
        EXPECT_GT(r.certificate.natural_error, 0.1);
        ASSERT_EQ(r.relaxation, 1e-3);
        const double sum = (below + above) / (r.relaxation * w),
                     difference = (below - above) / ((2 + r.relaxation) * w);
        EXPECT_NEAR(x[0].z, 0.5 * (sum + difference), 1e-5 * sum);
        EXPECT_NEAR(x[1].z, 0.5 * (sum - difference), 1e-5 * sum);
        EXPECT_LE(std::hypot(x[0].x, x[0].y), mu * x[0].z * (1 + 1e-12));
      }
    }
  }
}

// jaws that leave as fast as they come are no wedge, nor are impulses of 10^6 of what acts
TEST(WedgedContacts, WhatHasAnAnswerIsNotRelaxed) {
  for (const double above : {-1.0, -1.5}) {
    std::vector<Vec3> x;
    const FrictionReport r = solve(point_between_jaws(1, 1, above, 0.5), x);
    EXPECT_EQ(r.status, SolveStatus::converged) << above;
    EXPECT_EQ(r.relaxation, 0);
  }
  FrictionProblem heavy_on_light;
  const Mat3 one = Mat3::identity();
  heavy_on_light.delassus.start = {0, 2, 4};
  heavy_on_light.delassus.column = {0, 1, 0, 1};
  heavy_on_light.delassus.block = {1e3 * one, -1e3 * one, -1e3 * one, (1e3 + 1e-3) * one};
  heavy_on_light.velocity = {{0, 0, -9.81e-3}, {0, 0, 0}};
  heavy_on_light.friction = {0.5, 0.5};
  std::vector<Vec3> x;
  EXPECT_EQ(solve(heavy_on_light, x).relaxation, 0);
}

TEST(WedgedContacts, OtherIslandsAreRigid) {
  const FrictionProblem wedge = point_between_jaws(1, 1, 1, 0.5),
                        box = box_on_ground(0.1, 0.4, {8, 0, 0}, 0.01);
  FrictionProblem both = box;
  for (int i = 0; i < 2; ++i) {
    both.velocity.push_back(wedge.velocity[i]);
    both.friction.push_back(wedge.friction[i]);
    for (const int j : {0, 1}) {
      both.delassus.column.push_back(4 + j);
      both.delassus.block.push_back(wedge.delassus.block[2 * i + j]);
    }
    both.delassus.start.push_back(std::ssize(both.delassus.column));
  }
  std::vector<Vec3> x, alone;
  const FrictionReport r = solve(both, x);
  EXPECT_EQ(r.relaxation, 1e-3);
  EXPECT_EQ(r.status, SolveStatus::stalled);
  solve(box, alone);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(x[i], alone[i]);
}

}  // namespace
}  // namespace abut
