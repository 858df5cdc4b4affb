// Scalar constraints among the block rows of friction problems.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "abut/core/error.hpp"
#include "abut/problem/certify_friction.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "abut/solvers/dual/semismooth_newton.hpp"
#include "support/random_friction.hpp"

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

/// The solver's model in which what slides does not lift off.
RigidModel hard_model(const FrictionSolver& solver) {
  // along an axis the LCP is the NCP
  for (const RigidModel model : {RigidModel::ncp, RigidModel::raisim}) {
    if (solver.supports(model)) return model;
  }
  return RigidModel::lcp;
}

class ScalarRows : public testing::TestWithParam<std::string_view> {};

// the contact holds 0.01 mu N s; the servo gives what is left of (0.2 - v)/compliance
TEST_P(ScalarRows, ServoPullsAgainstFriction) {
  const double mu = 0.5, compliance = 3;
  for (const double bound : {inf, 0.03, 0.004}) {
    SCOPED_TRACE(bound);
    const FrictionProblem p = pulled_block(mu, compliance, bound);
    std::vector<Vec3> gamma;
    const auto solver = make_friction_solver(GetParam());
    const FrictionReport r =
        solver->solve(p, {.model = hard_model(*solver), .tolerance = 1e-12}, gamma);
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
    const auto solver = make_friction_solver(GetParam());
    const FrictionReport r =
        solver->solve(p, {.model = hard_model(*solver), .tolerance = 1e-12}, gamma);
    EXPECT_EQ(r.status, SolveStatus::converged);
    EXPECT_NEAR(gamma[1].x, std::max(0.0, -g), 1e-12);
    EXPECT_NEAR(norm(gamma[0]), 0, 1e-12);
  }
}

/// Those of models in which what slides does not lift off.
std::vector<std::string_view> solvers() {
  std::vector<std::string_view> names;
  for (const std::string_view name : friction_solver_names()) {
    const auto solver = make_friction_solver(name);
    if (solver->supports(hard_model(*solver))) names.push_back(name);
  }
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, ScalarRows, testing::ValuesIn(solvers()));

/// Velocities that impulses bring about.
std::vector<Vec3> velocities(const FrictionProblem& p, const std::vector<Vec3>& impulse) {
  std::vector<Vec3> v(impulse.size());
  p.delassus.multiply(impulse, v);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] += p.velocity[i];
  return v;
}

// bounds of 1e-6 to 1e3 times what acts, joints, forces that are given, beside contacts
TEST(InteriorPointWithScalarRows, AgreesWithGaussSeidel) {
  std::mt19937 random(31);
  for (const double compliance : {0.0, 1e-4, 1.0}) {
    for (const double spread : {0.0, 1.5}) {
      int solved = 0, compared = 0, alike = 0;
      const auto solver = make_friction_solver("interior-point");
      for (int trial = 0; trial < 60; ++trial) {
        const FrictionProblem p = make_friction_problem(random, {.most_bodies = 6,
                                                                 .most_contacts = 12,
                                                                 .mass_spread = spread,
                                                                 .rests = trial % 2 == 0,
                                                                 .most_scalars = 18,
                                                                 .compliance = compliance});
        ASSERT_NO_THROW(validate(p));
        std::vector<Vec3> x, y;
        solved += solver->solve(p, {.tolerance = 1e-9}, x).status == SolveStatus::converged;
        const FrictionReport r = make_friction_solver("gauss-seidel")
                                     ->solve(p, {.tolerance = 1e-9, .iteration_limit = 2000}, y);
        if (r.status != SolveStatus::converged) continue;
        ++compared;
        const std::vector<Vec3> u = velocities(p, x), v = velocities(p, y);
        double most = 0;
        for (std::size_t i = 0; i < u.size(); ++i) most = std::max(most, norm(u[i] - v[i]));
        alike += most < 1e-6;
      }
      EXPECT_GE(solved, 59) << compliance << " " << spread;
      EXPECT_GT(compared, 40);
      EXPECT_GE(alike, compared - 4) << "more than where the NCP has several answers";
    }
  }
}

// a chain of n points, each pulled to 1 m/s by a servo, held by the dry friction of the next
TEST(InteriorPointWithScalarRows, BoundsOfAnyWidthAreSolvedTogether) {
  FrictionProblem p;
  constexpr int n = 12;
  for (int i = 0; i < n; ++i) {
    const double wide = std::pow(10.0, i % 7), narrow = std::pow(10.0, -(i % 9));
    // rows: a servo that is always strong enough, friction that is not, and no constraint
    p.bounds.push_back({{-wide, -narrow, 0}, {wide, narrow, 0}});
    p.velocity.push_back({-1, 0.3, 0});
    const Mat3 own{{{1.5, 1, 0}, {1, 1, 0}, {0, 0, 1}}}, next{{{-0.4, 0, 0}, {0, 0, 0}, {}}};
    for (const int j : {i - 1, i, i + 1}) {
      if (j < 0 || j >= n) continue;
      p.delassus.column.push_back(j);
      p.delassus.block.push_back(j == i ? own : next);
    }
    p.delassus.start.push_back(std::ssize(p.delassus.column));
  }
  validate(p);
  std::vector<Vec3> x;
  const FrictionReport r =
      make_friction_solver("interior-point")->solve(p, {.tolerance = 1e-12}, x);
  ASSERT_EQ(r.status, SolveStatus::converged) << r.certificate.natural_error;
  const std::vector<Vec3> v = velocities(p, x);
  for (int i = 0; i < n; ++i) {
    const ImpulseBounds& b = p.bounds[i];
    // the better of what is given and what is missing, of either velocity
    const auto miss = [](double velocity, double impulse, double lower, double upper) {
      return std::min(std::abs(velocity), std::abs(impulse - (velocity > 0 ? lower : upper)));
    };
    EXPECT_LT(miss(v[i].x, x[i].x, b.lower.x, b.upper.x), 1e-11) << i;
    EXPECT_LT(miss(v[i].y, x[i].y, b.lower.y, b.upper.y), 1e-11) << i;
    EXPECT_EQ(x[i].z, 0);
  }
}

TEST(InteriorPointWithScalarRows, ForcesThatAreGivenActAsTheyAre) {
  FrictionProblem p = pulled_block(0.5, 0, inf);
  for (const double given : {0.003, 0.05, -0.02}) {
    p.bounds = {{{given, 0, 0}, {given, 0, 0}}};
    std::vector<Vec3> x;
    EXPECT_EQ(make_friction_solver("interior-point")->solve(p, {}, x).status,
              SolveStatus::converged);
    EXPECT_EQ(x[1].x, given);
    EXPECT_NEAR(x[0].x, std::clamp(-given, -0.005, 0.005), 1e-10);
  }
}

// joints alone are linear equations
TEST(InteriorPointWithScalarRows, JointsAreSolvedByOneStep) {
  FrictionProblem p;
  p.delassus.start = {0, 1};
  p.delassus.column = {0};
  p.delassus.block = {{{{4, 1, 0}, {1, 3, 1}, {0, 1, 2}}}};
  p.bounds = {{{-inf, -inf, -inf}, {inf, inf, inf}}};
  const Vec3 answer{1, -2, 0.5};
  p.velocity = {-(p.delassus.block[0] * answer)};
  std::vector<Vec3> x;
  const FrictionReport r = make_friction_solver("interior-point")->solve(p, {}, x);
  EXPECT_EQ(r.status, SolveStatus::converged);
  EXPECT_EQ(r.factorizations, 1);
  EXPECT_LT(norm(x[0] - answer), 1e-14);
}

TEST(InteriorPointWithScalarRows, WarmStartsNeedHalfTheWork) {
  std::mt19937 random(32);
  int cold = 0, warm = 0;
  for (int trial = 0; trial < 60; ++trial) {
    FrictionProblem p = make_friction_problem(
        random, {.most_bodies = 6, .most_contacts = 12, .most_scalars = 18, .compliance = 1e-3});
    std::vector<Vec3> x, afresh;
    const auto solver = make_friction_solver("interior-point");
    solver->solve(p, {}, x);
    for (Vec3& g : p.velocity) g *= 1.001;
    const FrictionReport c = solver->solve(p, {}, afresh);
    const FrictionReport w = solver->solve(p, {.is_warm = true}, x);
    EXPECT_EQ(w.status, c.status);
    cold += c.factorizations, warm += w.factorizations;
  }
  EXPECT_LT(warm, 0.5 * cold);
}

TEST(SemismoothNewtonWithScalarRows, TakesTheLastDigitsByAFewNewtonSteps) {
  std::mt19937 random(33);
  int polished = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const FrictionProblem p = make_friction_problem(
        random, {.most_bodies = 6, .most_contacts = 6, .most_scalars = 18, .compliance = 1e-3});
    ScaledProblem scaled;
    scaled.set(p);
    std::vector<Vec3> x;
    const double error = make_friction_solver("interior-point")
                             ->solve(p, {.tolerance = 1e-5}, x)
                             .certificate.natural_error;
    for (int i = 0; i < p.rows(); ++i) x[i] = scaled.from_problem(i, x[i]);
    BlockLu lu;
    lu.analyze(p.delassus);
    FrictionReport r;
    polished += SemismoothNewton().improve(scaled, {.tolerance = 1e-11}, lu, x, error, r) <= 1e-11;
    EXPECT_LE(r.factorizations, 24);
  }
  EXPECT_GE(polished, 42);
}

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
  for (const ImpulseBounds& none :
       {ImpulseBounds{{inf, 0, 0}, {inf, 0, 0}}, ImpulseBounds{{-inf, 0, 0}, {-inf, 0, 0}}}) {
    p.bounds.front() = none;
    EXPECT_THROW(validate(p), InputError);  // no impulse lies between
  }
}

}  // namespace
}  // namespace abut
