// Scalar constraints on trees of all kinds, with contacts: by what must not change their answer.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "abut/solvers/contact_solver.hpp"
#include "support/model_case.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

ContactSolution solve(const PreparedProblem& q, double tolerance) {
  ContactSolution x;
  const SolveReport r = make_solver("newton")->solve(q, {.tolerance = tolerance}, x);
  EXPECT_TRUE(r.status == SolveStatus::converged) << to_string(r.status);
  return x;
}

constexpr ScalarKind kinds[] = {ScalarKind::limit, ScalarKind::dry_friction, ScalarKind::actuator,
                                ScalarKind::equality};

/// Changes a constraint and its row to what is to be the same. Returns what became of the unit of
/// c.
using Change = std::function<double(ScalarConstraint&, std::vector<RowEntry>&)>;

ContactProblem changed(const ContactProblem& p, const Change& change, std::vector<double>& units) {
  ContactProblem q = p;
  q.scalars.clear();
  units.clear();
  const ScalarPool& s = p.scalars;
  for (int i = 0; i < s.size(); ++i) {
    ScalarConstraint c{
        s.kind[i],  s.gap[i],         s.stiffness[i],   s.relaxation_time[i],  s.damping[i],
        s.force[i], s.lower_force[i], s.upper_force[i], s.previous_impulse[i], s.name[i]};
    std::vector<RowEntry> row(s.row(i).begin(), s.row(i).end());
    units.push_back(change(c, row));
    q.add_scalar(c, row);
  }
  return q;
}

void expect_same_answer(const Change& change, unsigned seed) {
  std::mt19937 random(seed);
  for (const ModelCase& c : model_cases) {
    for (int trial = 0; trial < 6; ++trial) {
      SCOPED_TRACE(testing::Message() << name(c) << ", trial " << trial);
      ContactProblem p =
          make_problem(random, {.model = c.model,
                                .law = c.law,
                                .bodies = 4,
                                .dense_trees = 1 + trial % 2,
                                .sparse_trees = trial % 2,
                                .scalars = 4,
                                .links = 6,
                                .stiffness = c.law == NormalLawKind::hertz ? 1e8 : 1e6});
      for (int i = 0; i < p.scalars.size(); ++i) p.scalars.kind[i] = kinds[i % 4];
      for (double& gamma : p.scalars.previous_impulse)
        gamma = 1e-2 * static_cast<int>(random() % 3);
      std::vector<double> units;
      const ContactProblem other = changed(p, change, units);
      validate(other);
      const ContactSolution x = solve(PreparedProblem(p), 1e-11),
                            y = solve(PreparedProblem(other), 1e-11);
      for (std::size_t k = 0; k < x.velocity.size(); ++k) {
        EXPECT_NEAR(x.velocity[k], y.velocity[k], 1e-7) << "dof " << k;
      }
      for (int i = 0; i < p.scalars.size(); ++i) {
        EXPECT_NEAR(x.scalar_impulse[i], units[i] * y.scalar_impulse[i],
                    1e-7 * (1 + std::abs(x.scalar_impulse[i])))
            << "constraint " << i;
      }
    }
  }
}

// c in another unit: gaps with it, forces against it
TEST(ScalarRows, UnitOfTheirVelocityDoesNotMatter) {
  for (const double unit : {1e-3, 0.7, 200.0}) {
    expect_same_answer(
        [&](ScalarConstraint& c, std::vector<RowEntry>& row) {
          for (RowEntry& e : row) e.value *= unit;
          c.gap *= unit;
          for (double* k : {&c.stiffness, &c.damping}) *k /= unit * unit;
          for (double* f : {&c.force, &c.lower_force, &c.upper_force, &c.previous_impulse}) {
            *f /= unit;
          }
          return unit;
        },
        3);
  }
}

// all but limits may be counted the other way round
TEST(ScalarRows, DirectionDoesNotMatter) {
  expect_same_answer(
      [](ScalarConstraint& c, std::vector<RowEntry>& row) {
        if (c.kind == ScalarKind::limit) return 1.0;
        for (RowEntry& e : row) e.value *= -1;
        for (double* x : {&c.gap, &c.force, &c.previous_impulse}) *x *= -1;
        std::swap(c.lower_force, c.upper_force);
        for (double* f : {&c.lower_force, &c.upper_force}) *f *= -1;
        return -1.0;
      },
      4);
}

// a row may name a dof twice, and the dofs of a tree in any order
TEST(ScalarRows, EntriesOfOneDofAddUp) {
  expect_same_answer(
      [](ScalarConstraint&, std::vector<RowEntry>& row) {
        std::vector<RowEntry> other;
        for (std::size_t k = 0; k < row.size(); ++k) {
          const RowEntry& e = row[k];
          const auto tree = std::find_if(other.begin(), other.end(),
                                         [&](const RowEntry& o) { return o.tree == e.tree; });
          other.insert(tree, {e.tree, e.dof, 3 * e.value});  // before those of its tree
          other.push_back({e.tree, e.dof, -2 * e.value});
        }
        row = other;
        return 1.0;
      },
      5);
}

// without contacts, and with rows that do not change when all move alike, momentum is kept
TEST(ScalarRows, BetweenBodiesKeepTheirMomentum) {
  std::mt19937 random(6);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 100; ++trial) {
    ContactProblem p = make_problem(random, {.bodies = 2 + trial % 5, .touch = 0, .ground = 0});
    const int n = static_cast<int>(p.trees.size());
    for (int k = 0; k < 8; ++k) {
      const int a = static_cast<int>(random() % (n - 1)),
                b = static_cast<int>(a + 1 + random() % (n - 1 - a));
      std::vector<RowEntry> row;
      for (int axis = 0; axis < 3; ++axis) row.push_back({a, axis, normal(random)});
      for (int axis = 0; axis < 3; ++axis) row.push_back({b, axis, -row[axis].value});
      const double f = 30 * std::abs(normal(random));
      p.add_scalar({.kind = kinds[k % 4],
                    .gap = 1e-3 * normal(random),
                    .stiffness = 1e5,
                    .damping = 3,
                    .force = 50 * normal(random),
                    .lower_force = -f,
                    .upper_force = f},
                   row);
    }
    const ContactSolution x = solve(PreparedProblem(p), 1e-12);
    Vec3 before, after;
    double moved = 0;
    for (const Tree& t : p.trees) {
      for (int axis = 0; axis < 3; ++axis) {
        const double v0 = p.free_velocity[t.first_dof + axis], v = x.velocity[t.first_dof + axis];
        before[axis] += t.mass * v0, after[axis] += t.mass * v, moved += t.mass * std::abs(v - v0);
      }
    }
    EXPECT_LT(norm(after - before), 1e-11 * (1 + moved));
    EXPECT_GT(moved, 1e-3);
  }
}

}  // namespace
}  // namespace abut
