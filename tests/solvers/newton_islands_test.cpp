// The Newton solver, island by island: among themselves, among threads, and part by part.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "abut/core/parallel.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "abut/solvers/primal/newton.hpp"
#include "support/contact_of.hpp"
#include "support/newton_problems.hpp"
#include "support/with_team.hpp"

namespace abut {
namespace {

// two problems in one are each as alone, bit by bit
TEST(Newton, SeparateIslandsDoNotSeeEachOther) {
  std::mt19937 random(5);
  for (const ModelCase& c : model_cases) {
    std::vector<std::vector<double>> alone;
    ContactProblem both;
    for (int part = 0; part < 2; ++part) {
      ContactProblem p = make_problem(random, problem_of(c, 5));
      if (part == 0) {
        both.time_step = p.time_step;
        both.model = p.model;
        both.law = p.law;
        both.friction = p.friction;
      }
      const int first = static_cast<int>(both.trees.size());
      for (const Tree& t : p.trees) {
        const std::span<double> v(p.velocity), f(p.free_velocity);
        both.add_rigid_body(t.mass, t.center, t.inertia, v.subspan(t.first_dof).first<6>(),
                            f.subspan(t.first_dof).first<6>());
      }
      for (const Patch& patch : p.patches) {
        for (int i = patch.begin; i < patch.end; ++i) {
          const ContactPool& k = p.contacts;
          both.add_contact(patch.tree_a < 0 ? -1 : patch.tree_a + first, patch.tree_b + first,
                           contact_of(k, i));
        }
      }
      const PreparedProblem q(p);
      ContactSolution x;
      make_solver("newton")->solve(q, {}, x);
      alone.push_back(x.velocity);
    }
    validate(both);
    ContactSolution x;
    make_solver("newton")->solve(PreparedProblem(both), {}, x);
    std::vector<double> expected = alone[0];
    expected.insert(expected.end(), alone[1].begin(), alone[1].end());
    EXPECT_EQ(x.velocity, expected) << name(c);
  }
}

TEST(Newton, GivesTheSameBitsForAnyNumberOfThreads) {
  std::mt19937 random(6);
  for (const ModelCase& c : model_cases) {
    RandomProblem w = problem_of(c, 60, 5);
    w.touch = 0.02;
    ContactProblem p = make_problem(random, w);
    const PreparedProblem q(p);
    ASSERT_GT(q.islands().size(), 3) << "the test needs several islands";
    ContactSolution one;
    make_solver("newton")->solve(q, {}, one);
    for (const int threads : {2, 4}) {
      ThreadPool pool(threads);
      ContactSolution many;
      make_solver("newton")->solve(q, {.pool = &pool}, many);
      EXPECT_EQ(one.velocity, many.velocity) << name(c) << ", " << threads << " threads";
      for (std::size_t i = 0; i < one.impulse.size(); ++i) {
        EXPECT_EQ(one.impulse[i], many.impulse[i]);
      }
    }
  }
}

// all threads at one island
TEST(Newton, GivesTheSameBitsWhereThreadsShareAnIsland) {
  std::mt19937 random(16);
  int chords = 0;
  for (const ModelCase& c : model_cases) {
    ContactProblem p = make_problem(random, problem_of(c, 60, 5));
    const PreparedProblem q(p);
    ASSERT_EQ(q.islands().size(), 1);
    ASSERT_GE(p.patches.size(), 100u) << "too few for a team";
    ContactSolution one;
    const SolveReport report = make_solver("newton")->solve(q, {}, one);
    ASSERT_GT(report.factor_flops, 2e6 * report.factorizations) << "too few to be shared";
    chords += report.iterations - report.factorizations;
    for (const int threads : {2, 3}) {
      ThreadPool pool(threads);
      ContactSolution many;
      make_solver("newton")->solve(q, {.pool = &pool}, many);
      EXPECT_EQ(one.velocity, many.velocity) << name(c) << ", " << threads << " threads";
    }
  }
  EXPECT_GT(chords, 0) << "steps with the same factor";
}

double square(double a) {
  return a * a;
}

// further steps with the same factor, where it was dear: fewer factorizations, and answers as good
TEST(Newton, TakesFurtherStepsWithADearFactor) {
  std::mt19937 random(19);
  const auto solve = [](const PreparedProblem& q, bool chord_steps, double tolerance,
                        ContactSolution& x) {
    Newton newton("newton", {.chord_steps = chord_steps});
    const SolveReport r = newton.solve(q, {.tolerance = tolerance}, x);
    EXPECT_EQ(r.status, SolveStatus::converged);
    EXPECT_LE(r.certificate.step_error, tolerance);
    return r;
  };
  int factorizations[2] = {}, iterations[2] = {};
  for (const ModelCase& c : model_cases) {
    if (traits(c.law).is_pointwise) continue;  // their sweeps take seconds
    for (int trial = 0; trial < 3; ++trial) {
      const PreparedProblem q(make_problem(random, problem_of(c, 60, 5)));
      ASSERT_EQ(q.islands().size(), 1);
      ContactSolution exact, x[2];
      solve(q, false, 1e-9, exact);
      for (const bool chords : {false, true}) {
        const SolveReport r = solve(q, chords, 1e-6, x[chords]);
        factorizations[chords] += r.factorizations;
        iterations[chords] += r.iterations;
        double off = 0, size = 0;
        for (std::size_t i = 0; i < exact.velocity.size(); ++i) {
          off += square(x[chords].velocity[i] - exact.velocity[i]);
          size += square(exact.velocity[i]);
        }
        EXPECT_LT(off, square(1e-5) * size) << name(c) << ", trial " << trial;
      }
    }
  }
  EXPECT_EQ(iterations[false], factorizations[false]);
  EXPECT_GT(iterations[true], factorizations[true]);
  EXPECT_LT(factorizations[true], 0.97 * factorizations[false]);
}

TEST(Newton, MakesCheapFactorsAnew) {
  std::mt19937 random(20);
  for (const ModelCase& c : model_cases) {
    if (traits(c.law).is_pointwise) continue;
    for (int trial = 0; trial < 20; ++trial) {
      const PreparedProblem q(make_problem(random, problem_of(c, 4)));
      ContactSolution x;
      Newton("newton").solve(q, {}, x);
      for (const IslandReport& r : x.islands) EXPECT_EQ(r.iterations, r.factorizations) << name(c);
    }
  }
}

// a helper that is there from the start analyzes the pattern, while the leader has next to nothing
// else to do; one that is not needed in the end is waited for
TEST(Newton, GivesTheSameBitsWhereThreadsAnalyzeThePattern) {
  std::mt19937 random(18);
  for (int trial = 0; trial < 20; ++trial) {
    const PreparedProblem q(
        make_problem(random, {.bodies = 200 + trial, .touch = 0.012, .ground = 0.3}));
    const auto size = [&](int i) { return q.islands().patches_of(i).size(); };
    int largest = 0;
    for (int i = 1; i < q.islands().size(); ++i) largest = size(i) > size(largest) ? i : largest;
    ASSERT_GE(size(largest), 100u);
    for (const int limit : {0, 200}) {
      IslandNewton newton({.predictor_sweeps = 1, .max_iterations = limit, .restarts = false});
      newton.make_room(q);
      const auto solve = [&](Team* team) {
        ContactSolution x;
        x.velocity = q.problem().velocity;
        x.impulse.assign(q.problem().contacts.size(), {});
        x.partition.copy(q.islands());
        const IslandReport r = newton.solve(q, largest, {}, x, team);
        EXPECT_EQ(r.iterations > 0, limit > 0);
        return x.velocity;
      };
      ThreadPool pool(2);
      std::vector<double> shared;  // first: the pattern is new
      with_team(pool, [&](Team& team) {
        shared = solve(&team);
        if (limit == 0) EXPECT_EQ(shared, solve(&team));  // nobody is at the first one any more
      });
      EXPECT_EQ(shared, solve(nullptr)) << trial << ", at most " << limit << " iterations";
    }
  }
}

/// Bodies each on the ground by itself, some of them at rest.
void add_lone_bodies(ContactProblem& p, int count) {
  for (int i = 0; i < count; ++i) {
    const double fall = i % 2 == 0 ? 0 : -0.1 * i;
    const double v[6] = {0, 0, fall, 0, 0, 0}, free[6] = {0.01, 0, fall - 0.02, 0, 0, 0};
    const int body =
        p.add_rigid_body(1 + i, {0, 0, 0.1}, Mat3::diagonal({0.01, 0.02, 0.02}), v, free);
    for (const Vec3& at : {Vec3{0.1, 0.1, 0}, Vec3{-0.1, 0.1, 0}, Vec3{0, -0.1, 0}}) {
      p.add_contact(world_tree, body, {.point = at, .normal = {0, 0, 1}, .gap = -1e-5});
    }
  }
}

// a team at one island, groups of bodies for who has nothing else; and a team that is sent home
// before its leader asks for anything
TEST(Newton, GivesTheSameBitsWhereThreadsHaveGroupsOfBodiesBeside) {
  std::mt19937 random(17);
  for (const ModelCase& c : model_cases) {
    RandomProblem what = problem_of(c, 24, 2);
    what.touch = 0.5;
    ContactProblem p = make_problem(random, what);
    ASSERT_GE(p.patches.size(), 100u) << "too few for a team";
    add_lone_bodies(p, 50);
    const PreparedProblem q(p);
    ASSERT_EQ(q.islands().size(), 51);
    for (const int limit : {200, 0}) {
      Newton newton("newton", {.max_iterations = limit, .restarts = false});
      ContactSolution one;
      const SolveReport alone = newton.solve(q, {}, one);
      EXPECT_EQ(alone.status, limit == 0 ? SolveStatus::iteration_limit : SolveStatus::converged);
      for (const int threads : {2, 3}) {
        ThreadPool pool(threads);
        for (int again = 0; again < 2; ++again) {
          ContactSolution many;
          const SolveReport r = newton.solve(q, {.pool = &pool}, many);
          EXPECT_EQ(r.status, alone.status);
          EXPECT_EQ(r.iterations, alone.iterations);
          EXPECT_EQ(one.velocity, many.velocity) << name(c) << ", " << threads << " threads";
          EXPECT_EQ(one.impulse, many.impulse) << name(c) << ", " << threads << " threads";
        }
      }
    }
  }
}

// starts around a coarse tolerance, on bodies of one island that hardly push each other
TEST(Newton, NoPartOfAnIslandHidesBehindTheOthers) {
  std::normal_distribution<double> normal;
  constexpr double tolerance = 1e-3;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    ContactProblem p = make_problem(random, {.model = static_cast<ContactModel>(seed % 3),
                                             .bodies = 20,
                                             .touch = 0.1,
                                             .ground = 0.8,
                                             .mass_spread = 0.3});
    // pairs of bodies awake and mostly apart, all on the ground
    for (double& gap : p.contacts.gap) gap += 2e-4;
    for (const Patch& patch : p.patches) {
      if (patch.tree_a != world_tree) continue;
      for (int i = patch.begin; i < patch.end; ++i) p.contacts.gap[i] -= 3e-4;
    }
    const PreparedProblem q(p);
    const auto solver = make_solver("newton");
    ContactSolution x;
    solver->solve(q, {.tolerance = 1e-10}, x);
    const std::vector<double> exact = x.velocity;
    for (int k = 0; k < 10; ++k) {
      x.velocity = exact;
      for (double& v : x.velocity) v *= 1 + std::pow(10, -7 + 0.3 * k) * normal(random);
      const SolveReport r = solver->solve(q, {.tolerance = tolerance}, x);
      EXPECT_EQ(r.status, SolveStatus::converged) << "seed " << seed << ", start " << k;
      EXPECT_LE(r.certificate.momentum_error, tolerance) << "seed " << seed << ", start " << k;
    }
  }
}

// which contacts are guessed dormant costs time and changes nothing
TEST(Newton, WakesWhatTheAnswerCloses) {
  std::mt19937 random(21);
  int woken = 0;
  for (const ModelCase& c : model_cases) {
    for (int i = 0; i < 30; ++i) {
      RandomProblem w = problem_of(c, 8);
      const bool hard = c.model == ContactModel::similar;  // see docs/laws/similar.md
      w.mass_spread = hard ? 1 : 3;
      w.time_step = hard ? 2e-3 : 1e-2;
      ContactProblem p = make_problem(random, w);
      for (double& gap : p.contacts.gap) gap += 4e-3;
      ContactSolution x[2];
      for (const bool guess : {false, true}) {
        p.wake_gap = guess ? 0 : 1e9;
        const PreparedProblem q(p);
        const SolveReport r = make_solver("newton")->solve(q, {.tolerance = 1e-11}, x[guess]);
        woken += r.rounds - 1;
        ASSERT_EQ(r.status, SolveStatus::converged)
            << name(c) << ": " << r.certificate.momentum_error << ", impulses "
            << r.certificate.impulse_error;
      }
      double scale = 0, worst = 0;
      for (std::size_t k = 0; k < x[0].velocity.size(); ++k) {
        scale = std::max(scale, std::abs(x[0].velocity[k]));
        worst = std::max(worst, std::abs(x[0].velocity[k] - x[1].velocity[k]));
      }
      EXPECT_LE(worst, 1e-7 * scale) << name(c);
    }
  }
  EXPECT_GT(woken, 5) << "the case was met";
}

}  // namespace
}  // namespace abut
