// Answers of random problems at the limits, judged in quadruple precision; `make check-solves` does
// it for thousands.

#include "peers/exact_judge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "abut/problem/certify.hpp"
#include "abut/problem/certify_kernels.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "peers/wild_problem.hpp"
#include "support/model_case.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

double error(const ExactErrors& e) {
  return std::max(e.step, e.impulse);
}

// two codes that share no line, far from a solution and with wrong impulses
TEST(ExactJudge, AgreesWithTheCertificateWhereRoundingIsSmall) {
  for (const ModelCase& c : model_cases) {
    for (unsigned seed = 0; seed < 20; ++seed) {
      std::mt19937 random(seed);
      std::normal_distribution<double> normal;
      ContactProblem p = make_problem(random, {.model = c.model,
                                               .law = c.law,
                                               .bodies = 5,
                                               .dense_trees = static_cast<int>(seed % 3),
                                               .branches = seed % 2 == 1,
                                               .sparse_trees = seed % 4 == 3 ? 1 : 0,
                                               .scalars = 4,
                                               .links = static_cast<int>(seed % 4),
                                               .stiffness = 1e5,
                                               .ellipses = seed % 2 == 1,
                                               .mixed_laws = seed % 5 == 4});
      const PreparedProblem q(p);
      ContactSolution x;
      x.velocity = p.free_velocity;
      for (double& v : x.velocity) v += 0.1 * normal(random);
      x.impulse.resize(p.contacts.size());
      for (Vec3& gamma : x.impulse) gamma = 0.1 * Vec3{normal(random), normal(random), 1};
      x.scalar_impulse.resize(p.scalars.size());
      for (double& gamma : x.scalar_impulse) gamma = 0.1 * normal(random);
      x.lagged_impulse = q.contacts().lagged_impulse;
      const Certificate seen = certify(q, x.answer());
      const ExactErrors exact = ExactJudge(p).judge(x.answer());
      EXPECT_NEAR(seen.step_error, exact.step, 1e-13 * exact.step) << name(c);
      if (exact.lag_momentum > 1.001 * negligible_lag) {  // less is nothing to a certificate
        EXPECT_NEAR(seen.lag_error, exact.lag, 1e-13) << name(c);
      }
      EXPECT_NEAR(seen.momentum_error, exact.momentum, 1e-13 * exact.momentum) << name(c);
      EXPECT_NEAR(seen.impulse_error, exact.impulse, 1e-13 * exact.impulse) << name(c);
    }
  }
}

// a ball of 2 kg falls on a point of 1e6 N/m from the gap 0, at 1 m/s, with friction that slides
TEST(ExactJudge, FindsALoneContactsErrorByHand) {
  const double v[6] = {1, 0, -1, 0, 0, 0}, h = 1e-3;
  ContactProblem p;
  p.time_step = h;
  p.model = ContactModel::lagged;
  p.law = NormalLawKind::kelvin_voigt;
  p.add_rigid_body(2, {0, 0, 1}, Mat3::diagonal({1, 1, 1}), v, v);
  p.add_contact(world_tree, 0, {.point = {0, 0, 1}, .stiffness = 1e6, .relaxation_time = 0});
  // at v* the law gives h^2 k = 1 N s along z and mu gamma_n0 = 0.4 N s against the motion
  const double lagged[] = {0.8}, none[] = {0.0};
  const std::vector<Vec3> impulse = {{-0.4, 0, 0.9}};
  const ExactErrors e = ExactJudge(p).judge({v, impulse, {}, lagged});
  const double momentum = std::sqrt(2 * 2.0), given = std::sqrt((1 + 0.16) / 2);
  const double w = 1 / (std::sqrt(3.0) * 2);
  EXPECT_NEAR(e.momentum, given / momentum, 1e-7);
  EXPECT_NEAR(e.balance, std::sqrt((0.81 + 0.16) / 2) / momentum, 1e-7);
  EXPECT_NEAR(e.step, 1, 1e-7) << "nothing but the contact changes the velocity";
  EXPECT_NEAR(e.impulse, std::sqrt(w) * 0.1 / given, 1e-7);
  EXPECT_NEAR(e.lag, 0.2, 1e-7);
  EXPECT_NEAR(e.lag_momentum, std::sqrt(w) * 0.5 * 0.2 / given, 1e-7);
  EXPECT_EQ(ExactJudge(p).judge({v, impulse, {}, none}).lag, 1);
}

TEST(WildProblems, WhatCountsAsSolvedIs) {
  const auto solver = make_solver("newton");
  int solved = 0;
  for (std::uint32_t seed = 0; seed < 350; ++seed) {
    const ContactProblem p = make_wild_problem(seed);
    const PreparedProblem q(p);
    ContactSolution x;
    const SolveReport r = solver->solve(q, {}, x);
    if (r.status != SolveStatus::converged) continue;
    ++solved;
    const double exact = error(ExactJudge(p).judge(x.answer()));
    const double seen = std::max(r.certificate.step_error, r.certificate.impulse_error);
    EXPECT_LE(exact, r.at_round_off ? largest_round_off : 1e-5)
        << "seed " << seed << ", " << model_name(p);
    EXPECT_LE(exact, std::max(1.2 * seen, 1e-8)) << "seed " << seed << ", " << model_name(p);
  }
  EXPECT_GT(solved, 300);
}

// stiff enough that a certificate in doubles sees a fortieth of the error
TEST(WildProblems, RoundingHidesNoError) {
  const ContactProblem p = make_wild_problem(3287);
  const PreparedProblem q(p);
  ContactSolution x;
  const SolveReport r = make_solver("newton")->solve(q, {}, x);
  const ExactErrors exact = ExactJudge(p).judge(x.answer());
  const bool solved = r.status == SolveStatus::converged && !r.at_round_off;
  EXPECT_TRUE(!solved || error(exact) <= 1e-5) << error(exact);
  EXPECT_NEAR(r.certificate.step_error, exact.step, 1e-3 * exact.step);
}

// bodies that 1e9 times their momentum wedges: its rounding is a large part of what moves
TEST(WildProblems, WedgesHideNoMotion) {
  for (const std::uint32_t seed : {123, 4849, 8083}) {
    const ContactProblem p = make_wild_problem(seed);
    const PreparedProblem q(p);
    ContactSolution x;
    const SolveReport r = make_solver("newton")->solve(q, {}, x);
    const double exact = ExactJudge(p).judge(x.answer()).step;
    EXPECT_NEAR(r.certificate.step_error, exact, 1e-2 * exact) << seed;
    EXPECT_TRUE(r.status != SolveStatus::converged || r.at_round_off || exact < 1e-5) << seed;
  }
}

// a lagged impulse that ran away to 1e207 N s, whose square is no 64-bit number
TEST(WildProblems, OverflowHidesNoError) {
  const ContactProblem p = make_wild_problem(107978);
  const PreparedProblem q(p);
  ContactSolution x;
  const SolveReport r = make_solver("newton")->solve(q, {}, x);
  const double exact = error(ExactJudge(p).judge(x.answer()));
  EXPECT_TRUE(r.status != SolveStatus::converged || exact < 1e-5) << exact;
}

// what another preset or start solves is not at round-off, but for chance: of numbers that rounding
// decides one may come near enough. Without the fixed point of friction and without dormant
// contacts, which give each of them problems of its own
TEST(WildProblems, TheFlagIsForWhatNoPresetSolves) {
  const auto is_solved = [](const SolveReport& r) {
    return r.status == SolveStatus::converged && !r.at_round_off;
  };
  int flagged = 0, solved = 0;
  for (std::uint32_t seed = 0; seed < 600; ++seed) {
    ContactProblem p = make_wild_problem(seed);
    p.friction.lagged_rule = LaggedRule::prediction;
    p.wake_gap = HUGE_VAL;
    const PreparedProblem q(p);
    ContactSolution x;
    if (!make_solver("newton")->solve(q, {}, x).at_round_off) continue;
    ++flagged;
    bool any = false;
    for (const std::string_view name : solvers_of(p.model)) {
      for (const std::vector<double>* start : {&p.velocity, &p.free_velocity}) {
        ContactSolution y;
        y.velocity = *start;
        any = any || is_solved(make_solver(name)->solve(q, {}, y));
      }
    }
    solved += any;
  }
  EXPECT_GE(flagged, 10);
  const double chance = 0.1 * flagged;  // within two standard deviations
  EXPECT_LE(solved, chance + 2 * std::sqrt(0.9 * chance));
}

// all widths of last packs; behind the numbers stands what must not be read
TEST(JudgeKernels, WeighATree) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int n = 1; n <= 33; ++n) {
    const auto numbers = [&](int count) {
      std::vector<double> x(count);
      for (double& a : x) a = normal(random);
      x.resize(count + 8, std::nan(""));
      return x;
    };
    std::vector<double> A = numbers(n * n);
    const std::vector<double> v = numbers(n), free = numbers(n), before = numbers(n),
                              j = numbers(n);
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < r; ++c) A[c * n + r] = A[r * n + c];
      A[r * n + r] = 1 + std::abs(A[r * n + r]);
    }
    double expected[4] = {};
    for (int r = 0; r < n; ++r) {
      double full = 0, excess = -j[r], change = 0;
      for (int c = 0; c < n; ++c) {
        full += A[r * n + c] * v[c];
        excess += A[r * n + c] * (v[c] - free[c]);
        change += A[r * n + c] * (free[c] - before[c]);
      }
      const double parts[] = {excess, full, j[r], change};
      for (int k = 0; k < 4; ++k) expected[k] += parts[k] * parts[k] / A[r * n + r];
    }
    std::vector<double> work(judging::tree_work(n) + 1, 7);
    const judging::DenseTree tree{n, A.data(), v.data(), free.data(), before.data(), j.data()};
    const auto s = judging::judge_kernels().weigh_tree(tree, work.data());
    const double found[] = {s.residual, s.momentum, s.impulse, s.change};
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(found[k], expected[k], 1e-13 * expected[k]) << n;
    EXPECT_EQ(work.back(), 7);
    std::vector<double> lost = v;
    lost[n / 2] = std::nan("");
    EXPECT_TRUE(
        std::isnan(judging::judge_kernels()
                       .weigh_tree({n, A.data(), lost.data(), free.data(), before.data(), j.data()},
                                   work.data())
                       .residual));
  }
}

// whole packs and parts of one; each body has what is its own
TEST(JudgeKernels, WeighRigidBodies) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  struct Body {
    double mass;
    Mat3 inertia;
    double v[6], free[6], before[6], j[6];
  };
  for (int count = 1; count <= 19; ++count) {
    std::vector<Body> bodies(count);
    std::vector<judging::RigidTree> trees;
    for (Body& b : bodies) {
      b.mass = 0.1 + std::abs(normal(random));
      b.inertia = {{{2, 0.1, -0.3}, {0.1, 1.5, 0.2}, {-0.3, 0.2, 0.7}}};
      b.inertia = b.mass * b.inertia;
      for (auto* x : {b.v, b.free, b.before, b.j}) {
        for (int k = 0; k < 6; ++k) x[k] = normal(random);
      }
      trees.push_back({b.mass, &b.inertia.col[0].x, b.v, b.free, b.before, b.j});
    }
    std::vector<judging::MomentumSquares> squares(count + 1, {7, 7, 7, 7});
    const auto weigh = [&] {
      judging::judge_kernels().weigh_rigid_bodies(trees.data(), count, squares.data());
    };
    weigh();
    EXPECT_EQ(squares.back().residual, 7);
    for (int i = 0; i < count; ++i) {
      const Body& b = bodies[i];
      double expected[4] = {};
      for (int r = 0; r < 6; ++r) {
        double full = 0, excess = -b.j[r], change = 0, diagonal = 0;
        for (int c = 0; c < 6; ++c) {
          const bool angular = r > 2 && c > 2;
          const double a = angular ? b.inertia(r - 3, c - 3) : r == c ? b.mass : 0;
          full += a * b.v[c];
          excess += a * (b.v[c] - b.free[c]);
          change += a * (b.free[c] - b.before[c]);
          if (r == c) diagonal = a;
        }
        const double parts[] = {excess, full, b.j[r], change};
        for (int k = 0; k < 4; ++k) expected[k] += parts[k] * parts[k] / diagonal;
      }
      const judging::MomentumSquares& s = squares[i];
      const double found[] = {s.residual, s.momentum, s.impulse, s.change};
      for (int k = 0; k < 4; ++k) EXPECT_NEAR(found[k], expected[k], 1e-13 * expected[k]);
    }
    const std::vector<judging::MomentumSquares> all = squares;
    bodies[count / 2].v[count % 6] = std::nan("");
    weigh();
    for (int i = 0; i < count; ++i) {
      EXPECT_EQ(std::isnan(squares[i].residual), i == count / 2);
      if (i != count / 2) EXPECT_EQ(squares[i].residual, all[i].residual);
    }
  }
}

}  // namespace
}  // namespace abut
