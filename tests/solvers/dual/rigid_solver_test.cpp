// Steps under rigid models: friction problems of their islands, judged by the step's certificate.

#include "abut/solvers/dual/rigid_solver.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "abut/core/error.hpp"
#include "abut/core/parallel.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

struct Case {
  ContactModel model;
  std::string_view solver;
};

class RigidSteps : public testing::TestWithParam<Case> {};

TEST_P(RigidSteps, AreSolvedAsTheCertificateSays) {
  std::mt19937 random(11);
  const auto [model, solver] = GetParam();
  int converged = 0;
  constexpr int trials = 60;
  const auto method = make_solver(solver);
  for (int trial = 0; trial < trials; ++trial) {
    const PreparedProblem q(make_problem(random, {.model = model,
                                                  .bodies = 6,
                                                  .dense_trees = trial % 3,
                                                  .scalars = trial % 5,
                                                  .links = trial % 2,
                                                  .ellipses = trial % 4 == 3}));
    ContactSolution x;
    const SolveReport r = method->solve(q, {.tolerance = 1e-8}, x);
    const Certificate c = certify(q, x.answer());
    if (r.status == SolveStatus::converged) {
      ++converged;
      EXPECT_LE(c.step_error, 1e-7) << trial;
      EXPECT_LE(c.impulse_error, 1e-7) << trial;
    }
    if (model == ContactModel::ncp && r.status == SolveStatus::converged) {
      EXPECT_LE(c.ncp_complementarity, 1) << "N m/s^2; that of convex models is 1e4";
    }
  }
  // sweeps come to no end where masses differ
  EXPECT_GE(converged, trials * (solver == "interior-point" ? 95 : 80) / 100);
}

INSTANTIATE_TEST_SUITE_P(All, RigidSteps,
                         testing::Values(Case{ContactModel::ncp, "interior-point"},
                                         Case{ContactModel::ccp, "gauss-seidel"},
                                         Case{ContactModel::lcp, "gauss-seidel"},
                                         Case{ContactModel::raisim, "gauss-seidel"}));

/// Two boxes of 1 kg, one on the other, pushed to the side at h times the force by which the ground
/// holds or does not.
ContactProblem pushed_box(double push, double mu, ContactModel model) {
  ContactProblem p;
  p.time_step = 1e-3;
  p.model = model;
  const double rest[6] = {}, free[6] = {push * p.time_step, 0, -9.81 * p.time_step, 0, 0, 0};
  p.add_rigid_body(1, {0, 0, 0.1}, Mat3::diagonal({1e-2, 1e-2, 1e-2}), rest, free);
  for (const double x : {-0.1, 0.1}) {
    for (const double y : {-0.1, 0.1}) {
      p.add_contact(world_tree, 0, {.point = {x, y, 0}, .friction = mu}, -1, -1);
    }
  }
  return p;
}

// below the limit nothing moves at all; beyond it the rest of the push accelerates
TEST(RigidStep, HoldsBelowTheLimitAndSlipsBeyond) {
  for (const double push : {2.0, 4.9, 4.91, 6.0}) {
    SCOPED_TRACE(push);
    const PreparedProblem q(pushed_box(push, 0.5, ContactModel::ncp));
    ContactSolution x;
    const SolveReport r = make_solver("interior-point")->solve(q, {.tolerance = 1e-10}, x);
    EXPECT_EQ(r.status, SolveStatus::converged);
    EXPECT_NEAR(x.velocity[0], 1e-3 * std::max(0.0, push - 0.5 * 9.81), 1e-11);
    EXPECT_NEAR(x.velocity[2], 0, 1e-11);
  }
}

// the convex model lifts off at mu times its speed
TEST(RigidStep, OfTheConvexModelLiftsOff) {
  const PreparedProblem q(pushed_box(6, 0.5, ContactModel::ccp));
  ContactSolution x;
  const SolveReport r = make_solver("gauss-seidel")->solve(q, {.tolerance = 1e-10}, x);
  EXPECT_EQ(r.status, SolveStatus::converged);
  EXPECT_GT(x.velocity[0], 1e-4);
  EXPECT_NEAR(x.velocity[2], 0.5 * x.velocity[0], 1e-9);
}

TEST(RigidStep, HasTheSameBitsOnThreads) {
  std::mt19937 random(3);
  const PreparedProblem q(make_problem(
      random, {.model = ContactModel::ncp, .bodies = 30, .touch = 0.05, .ground = 0.3}));
  ContactSolution one, two;
  ThreadPool pool(2);
  make_solver("gauss-seidel")->solve(q, {}, one);
  make_solver("gauss-seidel")->solve(q, {.pool = &pool}, two);
  EXPECT_GT(q.islands().size(), 1);
  EXPECT_EQ(one.velocity, two.velocity);
}

TEST(RigidStep, CertificateSeesPlantedErrors) {
  const PreparedProblem q(pushed_box(6, 0.5, ContactModel::ncp));
  ContactSolution x;
  make_solver("interior-point")->solve(q, {.tolerance = 1e-10}, x);
  EXPECT_LT(certify(q, x.answer()).impulse_error, 1e-9);
  ContactSolution wrong = x;
  wrong.impulse[0].z *= 1.01;
  EXPECT_GT(certify(q, wrong.answer()).step_error, 1e-3) << "momentum does not balance";
  wrong = x;
  wrong.velocity[2] += 1e-4;
  EXPECT_GT(certify(q, wrong.answer()).step_error, 1e-3) << "lifts off while it is pressed";
  wrong = x;
  for (Vec3& g : wrong.impulse) g = {g.y, g.x, g.z};
  EXPECT_GT(certify(q, wrong.answer()).impulse_error, 1e-2) << "friction across the slip";
}

TEST(RigidStep, SolversOfOtherModelsAreRefused) {
  const PreparedProblem rigid(pushed_box(2, 0.5, ContactModel::ncp));
  const PreparedProblem convex(pushed_box(2, 0.5, ContactModel::sap));
  ContactSolution x;
  EXPECT_THROW(make_solver("newton")->solve(rigid, {}, x), InputError);
  EXPECT_THROW(make_solver("gauss-seidel")->solve(convex, {}, x), InputError);
  EXPECT_EQ(default_solver(ContactModel::lagged), "newton");
  EXPECT_EQ(default_solver(ContactModel::ncp), "interior-point");
}

}  // namespace
}  // namespace abut
