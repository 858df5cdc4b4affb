// Solvers that sweep over the contacts: what they do not solve, what relaxation changes and what
// not, steps that would diverge, blocks without an inverse.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "abut/core/error.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "abut/solvers/dual/lone_contact.hpp"
#include "abut/solvers/dual/rigid_cones.hpp"
#include "abut/solvers/dual/scaled_problem.hpp"
#include "support/random_friction.hpp"

namespace abut {
namespace {

using enum RigidModel;

struct Sweeps {
  std::string_view solver;
  RigidModel model;
};
constexpr Sweeps all_sweeps[] = {{"gauss-seidel", ncp},           {"gauss-seidel", ccp},
                                 {"gauss-seidel", lcp},           {"gauss-seidel", raisim},
                                 {"projected-gauss-seidel", ncp}, {"projected-gauss-seidel", ccp},
                                 {"projected-gauss-seidel", lcp}, {"bisection", raisim}};

std::string name_of(const testing::TestParamInfo<Sweeps>& info) {
  std::string name =
      std::string(info.param.solver) + "_" + std::string(to_string(info.param.model));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class FrictionSweeps : public testing::TestWithParam<Sweeps> {
 protected:
  FrictionReport solve(const FrictionProblem& p, std::vector<Vec3>& x,
                       FrictionOptions options = {}) {
    options.model = GetParam().model;
    return make_friction_solver(GetParam().solver)->solve(p, options, x);
  }
};

INSTANTIATE_TEST_SUITE_P(All, FrictionSweeps, testing::ValuesIn(all_sweeps), name_of);

/// Two points in line above the ground, the upper one of 1000 kg.
FrictionProblem heavy_on(double lower_mass) {
  const Mat3 one = Mat3::identity();
  const double low = 1 / lower_mass;
  FrictionProblem p;
  p.delassus.start = {0, 2, 4};
  p.delassus.column = {0, 1, 0, 1};
  p.delassus.block = {low * one, -low * one, -low * one, (low + 1e-3) * one};
  p.time_step = 1e-3;
  p.velocity = {{0, 0, -9.81 * p.time_step}, {0, 0, 0}};
  p.friction = {0.9, 0.95};
  return p;
}

TEST_P(FrictionSweeps, SayThatHeavyOnLightIsNotSolved) {
  const FrictionProblem p = heavy_on(1e-3);
  std::vector<Vec3> x;
  const FrictionReport r = solve(p, x);
  EXPECT_EQ(r.status, SolveStatus::iteration_limit);
  EXPECT_EQ(r.iterations, 10000);
  EXPECT_GT(r.certificate.natural_error, 1e-4);
  EXPECT_LT(x[1].z, 0.5 * 9810 * p.time_step) << "far from being borne";
  // the same with masses that differ less is
  const FrictionReport alike = solve(heavy_on(300), x);
  EXPECT_EQ(alike.status, SolveStatus::converged) << alike.certificate.natural_error;
  EXPECT_NEAR(x[0].z, 1300 * 9.81e-3, 1e-5);
}

/// Contacts that sweeps solve in few rounds.
FrictionProblem loose_problem(std::mt19937& random) {
  return make_friction_problem(random, {.most_bodies = 6, .most_contacts = 8});
}

std::vector<Vec3> velocities(const FrictionProblem& p, const std::vector<Vec3>& impulse) {
  std::vector<Vec3> v(impulse.size());
  p.delassus.multiply(impulse, v);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] += p.velocity[i];
  return v;
}

TEST_P(FrictionSweeps, RelaxationLeadsToTheSameVelocities) {
  std::mt19937 random(41);
  int compared = 0, alike = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const FrictionProblem p = loose_problem(random);
    std::vector<Vec3> x;
    if (solve(p, x, {.tolerance = 1e-11}).status != SolveStatus::converged) continue;
    const std::vector<Vec3> v = velocities(p, x);
    for (const double relaxation : {0.5, 0.8, 1.2}) {
      std::vector<Vec3> y;
      const FrictionReport r = solve(p, y, {.tolerance = 1e-11, .relaxation = relaxation});
      if (r.status != SolveStatus::converged) continue;
      const std::vector<Vec3> u = velocities(p, y);
      double most = 0;
      for (std::size_t i = 0; i < u.size(); ++i) most = std::max(most, norm(u[i] - v[i]));
      ++compared;
      // of the CCP the velocity is unique; of the others nearly always
      if (GetParam().model == ccp) {
        ASSERT_LT(most, 1e-8) << trial << " " << relaxation;
      }
      alike += most < 1e-8;
    }
  }
  EXPECT_GE(compared, 95);
  EXPECT_GE(alike, 0.93 * compared);
}

/// A contact that slides under all models.
FrictionProblem sliding_contact() {
  FrictionProblem p;
  p.delassus.start = {0, 1};
  p.delassus.column = {0};
  p.delassus.block = {{{{1.2, 0.1, 0.2}, {0.1, 0.9, -0.1}, {0.2, -0.1, 1}}}};
  p.velocity = {{2, -1, -3}};
  p.friction = {0.4};
  return p;
}

TEST_P(FrictionSweeps, RelaxationTakesItsShareOfTheChange) {
  // one sweep over a contact alone: from 0 to the share of what a plain sweep gives
  const FrictionProblem p = sliding_contact();
  FrictionOptions options{.tolerance = 1e-15, .iteration_limit = 1};
  std::vector<Vec3> plain, half;
  solve(p, plain, options);
  options.relaxation = 0.5;
  solve(p, half, options);
  EXPECT_GT(norm(plain[0]), 1);
  EXPECT_LT(norm(half[0] - 0.5 * plain[0]), 1e-15);
  for (const double relaxation : {0.0, 2.0, -1.0, double(NAN)}) {
    options.relaxation = relaxation;
    EXPECT_THROW(solve(p, half, options), InputError) << relaxation;
  }
}

TEST_P(FrictionSweeps, RelaxationDoesNotLeaveTheCone) {
  const FrictionProblem p = sliding_contact();
  std::vector<Vec3> x{{0.3, 0.1, 1}};
  const double before = certify(p, GetParam().model, x).natural_error;
  const FrictionReport r =
      solve(p, x, {.tolerance = 1e-15, .relaxation = 1.5, .iteration_limit = 1, .is_warm = true});
  EXPECT_LT(r.certificate.natural_error, before) << "or it is the guess that is looked at";
  EXPECT_LT(r.certificate.model.primal, 1e-15);
}

TEST(Bisection, ItsShareFallsFromTheFirstToSevenTenths) {
  const FrictionProblem p = sliding_contact();
  std::vector<Vec3> answer, x;
  const auto solver = make_friction_solver("bisection");
  solver->solve(p, {.model = raisim, .tolerance = 1e-14}, answer);
  const auto left_after = [&](int sweeps) {
    solver->solve(
        p, {.model = raisim, .tolerance = 1e-15, .relaxation = 0.5, .iteration_limit = sweeps}, x);
    return norm(answer[0] - x[0]) / norm(answer[0]);
  };
  double left = 1, share = 0.5;
  for (int sweeps = 1; sweeps < 20; ++sweeps) {
    left *= 1 - share;
    share = 0.99 * share + 0.01 * 0.35;
    EXPECT_NEAR(left_after(sweeps), left, 1e-13) << sweeps;
  }
}

TEST_P(FrictionSweeps, KeepAnAnswerThatIsGivenAndImproveOnOneThatIsNear) {
  std::mt19937 random(42);
  int cold = 0, warm = 0;
  for (int trial = 0; trial < 40; ++trial) {
    FrictionProblem p = loose_problem(random);
    std::vector<Vec3> x;
    if (solve(p, x).status != SolveStatus::converged) continue;
    const std::vector<Vec3> answer = x;
    EXPECT_EQ(solve(p, x, {.is_warm = true}).iterations, 0);
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_LE(norm(x[i] - answer[i]), 1e-15 * norm(answer[i]));
    }
    for (Vec3& g : p.velocity) g *= 1.0001;
    std::vector<Vec3> afresh;
    cold += solve(p, afresh).iterations;
    warm += solve(p, x, {.is_warm = true}).iterations;
  }
  EXPECT_LT(warm, 0.8 * cold);
}

TEST_P(FrictionSweeps, AreNeverWorseOffThanWhereTheyBegan) {
  std::mt19937 random(43);
  for (int trial = 0; trial < 20; ++trial) {
    const FrictionProblem p =
        make_friction_problem(random, {.most_bodies = 4, .mass_spread = 3, .rests = true});
    std::vector<Vec3> none(p.velocity.size()), x;
    const double before = certify(p, GetParam().model, none).natural_error;
    for (const int limit : {1, 3, 20}) {
      const FrictionReport r = solve(p, x, {.iteration_limit = limit});
      EXPECT_LE(r.iterations, limit);
      EXPECT_EQ(r.status == SolveStatus::converged, r.certificate.natural_error <= 1e-8);
      // the worst island's, of which some may move little
      EXPECT_LE(r.certificate.natural_error, before * (1 + 1e-12));
    }
  }
}

TEST_P(FrictionSweeps, ContactsOfArmsWithFewJointsHaveBlocksWithoutInverse) {
  // the tip of an arm of one or two joints: W = J J^T, g = J v
  std::mt19937 random(44);
  std::normal_distribution<double> normal;
  const auto vector = [&] { return Vec3{normal(random), normal(random), normal(random)}; };
  for (const int joints : {1, 2}) {
    int solved = 0, borne = 0;
    for (int trial = 0; trial < 100; ++trial) {
      FrictionProblem p;
      Mat3 w{};
      Vec3 g;
      for (int k = 0; k < joints; ++k) {
        const Vec3 j = vector();
        for (int c = 0; c < 3; ++c) w.col[c] += j[c] * j;
        g += normal(random) * j;
      }
      p.delassus.start = {0, 1};
      p.delassus.column = {0};
      p.delassus.block = {w};
      p.velocity = {g};
      p.friction = {0.5};
      std::vector<Vec3> x;
      const FrictionReport r = solve(p, x);
      EXPECT_TRUE(is_finite(x[0]));
      solved += r.status == SolveStatus::converged;
      borne += x[0].z > 0;
    }
    EXPECT_GE(solved, 98) << joints;
    EXPECT_GE(borne, 30);
  }
}

TEST(ProjectedGaussSeidel, ItsStepsAreSafeWhereThosePrintedDiverge) {
  // a contact that sticks, four times as easy to move along one axis as along the other
  FrictionProblem p;
  p.delassus.start = {0, 1};
  p.delassus.column = {0};
  p.delassus.block = {Mat3::diagonal({1, 4, 1})};
  p.velocity = {{0.1, 0.1, -1}};
  p.friction = {1};
  std::vector<Vec3> x;
  for (const RigidModel model : {ncp, lcp}) {
    const auto solver = make_friction_solver("projected-gauss-seidel");
    EXPECT_EQ(solver->solve(p, {.model = model}, x).status, SolveStatus::converged);
    EXPECT_LT(norm(x[0] - Vec3{-0.1, -0.025, 1}), 1e-7);
  }
  // algorithm 6 as it is printed: gamma_y <- P(gamma_y - sigma_y / 1), which is sent to and fro
  double y = 0;
  for (int k = 0; k < 1000; ++k) y = std::clamp(y - (4 * y + 0.1), -1.0, 1.0);
  EXPECT_GT(std::abs(y + 0.025), 0.5);
  // that of the CCP, 3 / tr(W) of a block that moves nearly in one direction
  const Mat3 w{{{0.4, 0.05, 0}, {0.05, 1, 0}, {0, 0, 0.01}}};
  p.delassus.block = {w};
  EXPECT_EQ(make_friction_solver("projected-gauss-seidel")->solve(p, {.model = ccp}, x).status,
            SolveStatus::converged);
  const Vec3 answer = x[0];
  Vec3 z = answer + Vec3{0, 1e-3, 0};
  for (int k = 0; k < 1000; ++k) {
    const double step = 3 / (w(0, 0) + w(1, 1) + w(2, 2));
    z = project_on_cone(z - step * (w * z + p.velocity[0]), 1);
  }
  EXPECT_GT(norm(z - answer), 0.01);
}

TEST(FrictionSolvers, RefuseModelsThatTheyDoNotSolve) {
  const FrictionProblem p = heavy_on(1);
  std::vector<Vec3> x;
  const auto refuses = [&](const char* name, RigidModel model) {
    EXPECT_THROW(make_friction_solver(name)->solve(p, {.model = model}, x), InputError) << name;
  };
  refuses("projected-gauss-seidel", raisim);
  for (const RigidModel model : {ncp, ccp, lcp}) refuses("bisection", model);
  for (const RigidModel model : {ccp, lcp, raisim}) refuses("interior-point", model);
}

TEST(GaussSeidel, WithoutRelaxationIsThePlainSweep) {
  std::mt19937 random(45);
  for (int trial = 0; trial < 20; ++trial) {
    const FrictionProblem p = make_friction_problem(random, {.most_bodies = 1, .most_contacts = 4});
    for (const RigidModel model : rigid_models) {
      std::vector<Vec3> x;
      make_friction_solver("gauss-seidel")
          ->solve(p, {.model = model, .tolerance = 1e-15, .relaxation = 1, .iteration_limit = 1},
                  x);
      // the same in units of the contacts, as the solver has it
      ScaledProblem scaled;
      scaled.set(p);
      const FrictionProblem& q = scaled.scaled;
      std::vector<Vec3> y(x.size());
      for (int i = 0; i < q.contacts(); ++i) {
        Vec3 g = q.velocity[i];
        for (int j = 0; j < q.contacts(); ++j) {
          if (j != i) g += q.delassus.block[q.delassus.find(i, j)] * y[j];
        }
        y[i] = solve_lone_contact(model, q.delassus.block[q.delassus.find(i, i)], g, q.friction[i],
                                  y[i]);
      }
      if (x == std::vector<Vec3>(x.size())) continue;  // the sweep made it worse
      for (int i = 0; i < q.contacts(); ++i) EXPECT_EQ(x[i], scaled.to_problem(i, y[i]));
    }
  }
}

}  // namespace
}  // namespace abut
