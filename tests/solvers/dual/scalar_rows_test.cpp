// Scalar constraints among the block rows of friction problems.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "abut/core/error.hpp"
#include "abut/problem/certify_friction.hpp"
#include "abut/solvers/dual/friction_solver.hpp"

namespace abut {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

/// A block of 1 kg on the ground, pulled along x by a servo of some compliance, whose impulse is
/// bounded: W of the contact, of the servo, and between them, by J = (e_x, e_y, e_z; e_x).
FrictionProblem pulled_block(double mu, double compliance, double bound) {
  FrictionProblem p;
  p.friction = {mu};
  p.bounds = {{{-bound, 0, 0}, {bound, 0, 0}}};
  const Mat3 one = Mat3::identity(), link{{{1, 0, 0}, {}, {}}};
  p.delassus.start = {0, 2, 4};
  p.delassus.column = {0, 1, 0, 1};
  p.delassus.block = {one, link, link, Mat3::diagonal({1 + compliance, 1, 1})};
  p.velocity = {{0, 0, -0.01}, {-0.2, 0, 0}};  // the servo wants 0.2 m/s
  validate(p);
  return p;
}

class ScalarRows : public testing::TestWithParam<std::string_view> {};

// the contact holds 0.01 mu N s; the servo gives what is left of (0.2 - v)/compliance
TEST_P(ScalarRows, ServoPullsAgainstFriction) {
  const double mu = 0.5, compliance = 3;
  for (const double bound : {inf, 0.03, 0.004}) {
    SCOPED_TRACE(bound);
    const FrictionProblem p = pulled_block(mu, compliance, bound);
    std::vector<Vec3> gamma;
    const FrictionReport r =
        make_friction_solver(GetParam())->solve(p, {.tolerance = 1e-12}, gamma);
    EXPECT_EQ(r.status, SolveStatus::converged) << r.certificate.natural_error;
    // gamma_s (1 + compliance) - 0.005 = 0.2 where the servo is free
    const double free = (0.2 + 0.005) / (1 + compliance), pull = std::min(free, bound);
    EXPECT_NEAR(gamma[1].x, pull, 1e-11);
    EXPECT_NEAR(gamma[0].z, 0.01, 1e-11);
    EXPECT_NEAR(gamma[0].x, -std::min(pull, 0.005), 1e-11);
    EXPECT_EQ(gamma[1].y, 0) << "no constraint";
  }
}

// a joint at its limit: impulses on one side alone
TEST_P(ScalarRows, LimitPushesAndDoesNotPull) {
  FrictionProblem p = pulled_block(0.5, 0, inf);
  p.bounds = {{{0, 0, 0}, {inf, 0, 0}}};
  for (const double g : {-0.3, 0.3}) {
    p.velocity = {{0, 0, 0.1}, {g, 0, 0}};
    std::vector<Vec3> gamma;
    const FrictionReport r =
        make_friction_solver(GetParam())->solve(p, {.tolerance = 1e-12}, gamma);
    EXPECT_EQ(r.status, SolveStatus::converged);
    EXPECT_NEAR(gamma[1].x, std::max(0.0, -g), 1e-12);
    EXPECT_NEAR(norm(gamma[0]), 0, 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ScalarRows, testing::Values("gauss-seidel"));

TEST(ScalarRowsCertificate, SeesAWrongBoundAndAWrongImpulse) {
  const FrictionProblem p = pulled_block(0, 3, 0.03);
  std::vector<Vec3> gamma{{0, 0, 0.01}, {0.03, 0, 0}};  // 0.2 > 4 * 0.03: at its bound
  EXPECT_NEAR(certify(p, RigidModel::ncp, gamma).energy_error, 0, 1e-15);
  gamma[1].x = 0.04;  // beyond it
  EXPECT_NEAR(certify(p, RigidModel::ncp, gamma).energy_error, 2 * 0.01, 1e-12);
  gamma[1].x = 0.02;  // and too little: -0.2 + 4 * 0.02 = -0.12 m/s, back by 0.01 to the bound
  EXPECT_NEAR(certify(p, RigidModel::ncp, gamma).energy_error, 2 * 0.01, 1e-12);
  const double given = std::sqrt(0.01 * 0.01 + 0.2 * 0.2);
  EXPECT_NEAR(certify(p, RigidModel::ncp, gamma).natural_error, 4 * 0.01 / given, 1e-12);
}

TEST(ScalarRowsCertificate, BoundsInTheWrongOrderAreRefused) {
  FrictionProblem p = pulled_block(0, 3, 0.03);
  p.bounds[0].lower.x = 0.05;
  EXPECT_THROW(validate(p), InputError);
}

}  // namespace
}  // namespace abut
