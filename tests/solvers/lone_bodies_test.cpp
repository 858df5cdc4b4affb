// Islands of one body, of which several are tested at once, beside Newton's method for each alone.

#include "abut/solvers/primal/lone_bodies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "abut/solvers/primal/island_newton.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

ContactSolution start(const PreparedProblem& q, const std::vector<double>& guess) {
  ContactSolution x;
  x.velocity = guess;
  x.impulse.assign(q.problem().contacts.size(), {7, 8, 9});
  x.partition.copy(q.islands());
  x.islands.resize(q.islands().size());
  return x;
}

/// The answers of all islands, but every third body's velocity is off by 1 mm/s.
std::vector<double> mixed_guess(const PreparedProblem& q, IslandNewton& newton) {
  ContactSolution x = start(q, q.problem().velocity);
  for (int i = 0; i < q.islands().size(); ++i) newton.solve(q, i, {.tolerance = 1e-9}, x);
  for (std::size_t k = 0; k < x.velocity.size(); k += 18) x.velocity[k] += 1e-3;
  return x.velocity;
}

std::vector<std::int32_t> lone_islands(const PreparedProblem& q) {
  std::vector<std::int32_t> lone;
  for (int i = 0; i < q.islands().size(); ++i) {
    if (LoneBodies::suits(q, q.islands(), i)) lone.push_back(i);
  }
  return lone;
}

TEST(LoneBodies, FindWhatEachAloneFinds) {
  std::mt19937 random(3);
  IslandNewton newton{NewtonOptions{}};
  LoneBodies lone;
  int met = 0, left = 0, asleep = 0;
  for (int trial = 0; trial < 60; ++trial) {
    RandomProblem what{.bodies = 40, .touch = 0.02, .ground = 0.9};
    what.model = trial % 2 == 0 ? ContactModel::sap : ContactModel::similar;
    what.law = normal_laws[trial % 3];
    what.mixed_laws = trial % 4 == 1;
    what.ellipses = trial % 5 == 2;
    ContactProblem p = make_problem(random, what);
    const int contacts = p.contacts.size();
    for (int i = 0; i < contacts && trial % 4 == 3; ++i) {  // different ones, evaluated in packs
      p.contacts.law[i] = normal_laws[random() % 3];
    }
    for (int i = 0; i < contacts && trial % 3 == 1; i += 4) {  // these sleep
      p.contacts.gap[i] = 0.1;
      p.contacts.previous_impulse[i] = {};
    }
    const PreparedProblem q(std::move(p));
    for (const char sleeps : q.islands().dormant) asleep += sleeps != 0;
    newton.make_room(q);
    lone.make_room(q.problem());
    const std::vector<double> guess = mixed_guess(q, newton);
    ContactSolution together = start(q, guess), alone = start(q, guess);
    const std::vector<std::int32_t> islands = lone_islands(q);
    for (std::size_t first = 0; first < islands.size(); first += LoneBodies::most) {
      const auto rest = std::span(islands).subspan(first);
      const auto group = rest.first(std::min<std::size_t>(rest.size(), LoneBodies::most));
      const auto unsolved = lone.test(q, group, 1e-6, together);
      for (const int i : group) {
        const IslandReport expected = newton.solve(q, i, {.tolerance = 1e-6}, alone);
        if (std::ranges::find(unsolved, i) != unsolved.end()) {
          EXPECT_GT(expected.iterations, 0) << trial;
          EXPECT_EQ(together.islands[i].contacts, 0);  // as it was
          ++left;
          continue;
        }
        ++met;
        EXPECT_EQ(expected.iterations, 0) << trial;
        const IslandReport& r = together.islands[i];
        EXPECT_EQ(r.status, SolveStatus::converged);
        EXPECT_FALSE(r.at_round_off);
        EXPECT_EQ(r.factorizations, 0);
        EXPECT_EQ(r.contacts, expected.contacts);
        EXPECT_EQ(r.momentum_error, expected.momentum_error) << trial;
        for (const int k : q.islands().patches_of(i)) {
          const Patch& patch = q.problem().patches[k];
          for (int c = patch.begin; c < patch.end; ++c) {
            EXPECT_EQ(together.impulse[c], alone.impulse[c]) << trial << ", contact " << c;
          }
        }
      }
    }
    EXPECT_EQ(together.velocity, guess);  // never written
  }
  EXPECT_GT(met, 500);
  EXPECT_GT(left, 200);
  EXPECT_GT(asleep, 100);
}

TEST(LoneBodies, AreOneRigidBodyWithContactsAlone) {
  std::mt19937 random(4);
  RandomProblem what{.bodies = 12, .dense_trees = 3, .sparse_trees = 2, .links = 3, .touch = 0.1};
  int lone = 0, others = 0;
  for (int trial = 0; trial < 20; ++trial) {
    ContactProblem p = make_problem(random, what);
    const PreparedProblem q(p);
    for (int i = 0; i < q.islands().size(); ++i) {
      const auto trees = q.islands().trees_of(i);
      bool expected = trees.size() == 1 && p.trees[trees[0]].kind == TreeKind::rigid_body;
      for (int r = 0; r < p.scalars.size(); ++r) {
        for (const RowEntry& e : p.scalars.row(r)) expected = expected && e.tree != trees[0];
      }
      EXPECT_EQ(LoneBodies::suits(q, q.islands(), i), expected);
      ++(expected ? lone : others);
    }
    for (const ContactModel lagging : {ContactModel::lagged, ContactModel::anchored}) {
      p.model = lagging;  // its gamma_n0 may have to follow the answer
      EXPECT_TRUE(lone_islands(PreparedProblem(p)).empty());
    }
  }
  EXPECT_GT(lone, 5);
  EXPECT_GT(others, 10);
}

// an error relative to nothing
TEST(LoneBodies, LeaveBodiesThatNeitherMoveNorPush) {
  std::mt19937 random(6);
  ContactProblem p = make_problem(random, {.bodies = 5, .touch = 0, .ground = 1, .speed = 0});
  for (std::vector<double>* v : {&p.velocity, &p.free_velocity}) std::ranges::fill(*v, 0);
  std::ranges::fill(p.contacts.gap, 0);
  std::ranges::fill(p.contacts.bias, Vec3{});
  const PreparedProblem q(p);
  const std::vector<std::int32_t> islands = lone_islands(q);
  ASSERT_EQ(islands.size(), 5u);
  LoneBodies lone;
  lone.make_room(p);
  ContactSolution x = start(q, p.velocity);
  EXPECT_EQ(lone.test(q, islands, 1e-6, x).size(), 5u);
  EXPECT_EQ(make_solver("newton")->solve(q, {}, x).status, SolveStatus::converged);
}

}  // namespace
}  // namespace abut
