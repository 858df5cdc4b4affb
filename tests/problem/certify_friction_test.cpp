// The certificate of friction problems against the conditions of the models, written out here.

#include "abut/problem/certify_friction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "abut/core/error.hpp"
#include "support/random_friction.hpp"

namespace abut {
namespace {

/// W = diag(a, b, c) of one contact.
FrictionProblem one_contact(const Vec3& diagonal, const Vec3& g, double mu) {
  FrictionProblem p;
  p.delassus.start = {0, 1};
  p.delassus.column = {0};
  p.delassus.block = {Mat3::diagonal(diagonal)};
  p.velocity = {g};
  p.friction = {mu};
  return p;
}

TEST(CertifyFriction, AcceptsClosedForms) {
  // sliding: gamma_n = -g_n / W_nn, friction against the slip; the CCP lifts off
  const FrictionProblem p = one_contact({3.5, 3.5, 1}, {1, 0.5, -0.1}, 0.5);
  const double slip = std::hypot(1, 0.5);
  const std::vector<Vec3> ncp = {{-0.05 / slip, -0.025 / slip, 0.1}};
  EXPECT_LT(certify(p, RigidModel::ncp, ncp).natural_error, 1e-15);
  // along d = -g_t / |g_t| : gamma = n (mu d, 1), n = (mu |g_t| - g_n) / (1 + mu^2 3.5)
  const double n = (0.5 * slip + 0.1) / (1 + 0.25 * 3.5);
  const std::vector<Vec3> ccp = {{-0.5 * n / slip, -0.25 * n / slip, n}};
  const FrictionCertificate c = certify(p, RigidModel::ccp, ccp);
  EXPECT_LT(c.natural_error, 1e-15);
  EXPECT_LT(c.model.complementarity, 1e-15);
  // as the NCP sees it: it moves up at mu |sigma_t| while it is pressed on
  const double slides = slip - 3.5 * 0.5 * n, rises = n - 0.1;
  EXPECT_NEAR(rises, 0.5 * slides, 1e-15);
  EXPECT_NEAR(c.ncp.complementarity, n * (rises + 0.5 * slides) - 0.5 * n * slides, 1e-15);
  EXPECT_GT(certify(p, RigidModel::ncp, ccp).natural_error, 0.1);
  EXPECT_GT(certify(p, RigidModel::ccp, ncp).natural_error, 0.1);
}

TEST(CertifyFriction, MeasuresDistancesToBothCones) {
  const FrictionProblem p = one_contact({1, 1, 1}, {0, 0, -1}, 0.75);
  const auto primal = [&](const Vec3& x) {
    return certify(p, RigidModel::ccp, std::vector<Vec3>{x}).model.primal;
  };
  EXPECT_NEAR(primal({0.6, -0.4, 1}), 0, 1e-15);                   // inside
  EXPECT_NEAR(primal({3, 0, 0}), 3 / 1.25, 1e-15);                 // beside
  EXPECT_NEAR(primal({0.3, 0.4, -2}), std::hypot(0.5, 2), 1e-15);  // behind the tip
  const auto dual = [&](const Vec3& x) {                           // sigma = x + g
    return certify(p, RigidModel::ccp, std::vector<Vec3>{x - Vec3{0, 0, -1}}).model.dual;
  };
  EXPECT_NEAR(dual({0.8, 0, 0.6}), 0, 1e-15);
  EXPECT_NEAR(dual({1, 0, 0}), 0.75 / 1.25, 1e-15);
  EXPECT_NEAR(dual({0.1, 0, -2}), std::hypot(0.1, 2), 1e-15);
}

TEST(CertifyFriction, CountsForcesAndAccelerations) {
  FrictionProblem p = one_contact({1, 1, 1}, {0.2, 0, -1}, 0.5);
  const std::vector<Vec3> x = {{0.3, 0.1, -0.2}};
  const FrictionCertificate whole = certify(p, RigidModel::ncp, x);
  p.time_step = 0.01;
  const FrictionCertificate step = certify(p, RigidModel::ncp, x);
  EXPECT_NEAR(step.ncp.primal, 100 * whole.ncp.primal, 1e-10);
  EXPECT_NEAR(step.ncp.dual, 100 * whole.ncp.dual, 1e-10);
  EXPECT_NEAR(step.ncp.complementarity, 1e4 * whole.ncp.complementarity, 1e-8);
  EXPECT_EQ(step.natural_error, whole.natural_error);
}

TEST(CertifyFriction, NaturalErrorDoesNotDependOnUnitsOfMass) {
  std::mt19937 random(5);
  FrictionProblem p = make_friction_problem(random, {.mass_spread = 1});
  std::vector<Vec3> x(p.friction.size(), {0.1, 0.2, 0.3});
  const double error = certify(p, RigidModel::ncp, x).natural_error;
  for (Mat3& b : p.delassus.block) b = 1e6 * b;
  for (Vec3& g : x) g *= 1e-6;
  EXPECT_NEAR(certify(p, RigidModel::ncp, x).natural_error, error, 1e-12 * error);
}

TEST(CertifyFriction, NoContactAndNothingToDoAreNoError) {
  EXPECT_EQ(certify({}, RigidModel::ncp, {}).natural_error, 0);
  const FrictionProblem still = one_contact({1, 1, 1}, {}, 0.5);
  EXPECT_EQ(certify(still, RigidModel::ncp, std::vector<Vec3>(1)).natural_error, 0);
  EXPECT_EQ(certify(still, RigidModel::ncp, std::vector<Vec3>{{0, 0, 1}}).natural_error, INFINITY);
}

TEST(CertifyFriction, SaysWhatIsNotANumber) {
  const FrictionProblem p = one_contact({1, 1, 1}, {0, 0, -1}, 0.5);
  const FrictionCertificate c = certify(p, RigidModel::ncp, std::vector<Vec3>{{NAN, 0, 1}});
  EXPECT_FALSE(c.is_finite());
  EXPECT_TRUE(std::isnan(c.natural_error));
}

TEST(CertifyFriction, RefusesAnotherNumberOfImpulses) {
  const FrictionProblem p = one_contact({1, 1, 1}, {0, 0, -1}, 0.5);
  EXPECT_THROW(certify(p, RigidModel::ncp, std::vector<Vec3>(2)), InputError);
}

TEST(FrictionProblem, RefusesWhatMakesNoSense) {
  const FrictionProblem good = box_on_ground(0.1, 0.5, {}, 0.01);
  EXPECT_NO_THROW(validate(good));
  const auto message = [&](const auto& change) {
    FrictionProblem p = good;
    change(p);
    try {
      validate(p);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  using P = FrictionProblem;
  EXPECT_EQ(message([](P& p) { p.friction[2] = -1; }),
            "contact 2: friction = -1, must not be negative");
  EXPECT_EQ(message([](P& p) { p.velocity.pop_back(); }),
            "velocities: 3, but 4 coefficients of friction");
  EXPECT_EQ(message([](P& p) { p.time_step = 0; }), "time_step = 0 s, must be positive");
  EXPECT_EQ(message([](P& p) { p.velocity[1].x = NAN; }),
            "contact 1: velocity = nan m/s, must be finite");
  EXPECT_EQ(message([](P& p) { p.delassus.block[0] = {}; }),
            "contact 0: trace of W_ii / 3 = 0 1/kg, must be positive");
  EXPECT_EQ(message([](P& p) { p.delassus.column[1] = 7; }),
            "delassus row 0: column = 7, must be a contact");
  EXPECT_EQ(message([](P& p) { std::swap(p.delassus.column[1], p.delassus.column[2]); }),
            "delassus row 0: column = 1, columns must ascend");
}

}  // namespace
}  // namespace abut
