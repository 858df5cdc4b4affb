// Islands without contact, solved in the space of impulses, beside Newton's method in velocities.

#include "abut/solvers/primal/scalar_island.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "abut/linalg/rotation.hpp"
#include "abut/solvers/primal/island_newton.hpp"

namespace abut {
namespace {

double uniform(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

void add_dense_tree(ContactProblem& p, int n, std::mt19937& random) {
  std::vector<double> a(n * n), v(n), free(n);
  std::vector<double> root(n * n);
  for (double& x : root) x = uniform(random, -1, 1);
  for (int r = 0; r < n; ++r) {
    v[r] = uniform(random, -1, 1), free[r] = uniform(random, -1, 1);
    for (int c = 0; c < n; ++c) {
      a[r * n + c] = r == c ? 0.2 : 0;
      for (int k = 0; k < n; ++k) a[r * n + c] += root[r * n + k] * root[c * n + k];
    }
  }
  p.add_tree(a, v, free, 1);
}

ScalarConstraint random_constraint(double h, std::mt19937& random, double decades) {
  ScalarConstraint s;
  s.kind = scalar_kinds[random() % 4];
  s.gap = h * uniform(random, -1, 1);
  s.stiffness = std::pow(10, uniform(random, -decades, decades)) / (h * h);
  s.relaxation_time = random() % 2 == 0 ? 0 : h;
  s.damping = uniform(random, 0, 3) / h;
  s.force = uniform(random, -3, 3) / h;
  s.lower_force = -uniform(random, 0, 2) / h;
  s.upper_force = uniform(random, 0, 2) / h;
  return s;
}

/// Two dense trees and two rigid bodies that all kinds of constraints act on, within and between
/// them, at up to three dofs of each; their stiffness h^2 k is within so many powers of ten of 1.
ContactProblem random_problem(std::mt19937& random, int rows, double decades = 2) {
  ContactProblem p;
  p.time_step = std::pow(10, uniform(random, -4, -1));
  for (const int n : {1 + static_cast<int>(random() % 12), 3}) {
    add_dense_tree(p, n, random);
  }
  const double v[6] = {0.1, -0.3, 0.2, 1, 0.5, -1}, free[6] = {-0.2, 0.1, 0.4, 0.6, -0.2, 0.3};
  const Mat3 turn = to_matrix(exp_rotation({uniform(random, -2, 2), uniform(random, -2, 2), 0.5}));
  for (const double size : {1.0, 3.0}) {
    const Mat3 inertia = turn * Mat3::diagonal(size * Vec3{0.02, 0.03, 0.04}) * transpose(turn);
    p.add_rigid_body(0.7 * size, {}, inertia, v, free);
  }
  for (int i = 0; i < rows; ++i) {
    const ScalarConstraint s = random_constraint(p.time_step, random, decades);
    std::vector<RowEntry> row;
    for (std::int32_t t = 0; t < 4; ++t) {
      if (random() % 2 == 0 && !(t == 3 && row.empty())) continue;
      int left = 1 + static_cast<int>(random() % 3);
      for (int dof = static_cast<int>(random() % p.trees[t].size);
           dof < p.trees[t].size && left > 0; ++dof, --left) {
        row.push_back({t, dof, uniform(random, -2, 2)});
      }
    }
    p.add_scalar(s, row);
  }
  return p;
}

ContactSolution start(const PreparedProblem& q) {
  ContactSolution x;
  x.velocity = q.problem().velocity;
  x.scalar_impulse.assign(q.problem().scalars.size(), 0);
  x.partition.copy(q.islands());
  for (std::size_t t = 0; t < q.problem().trees.size(); ++t) {
    if (q.islands().island_of_tree()[t] >= 0) continue;  // else it moves freely
    const Tree& tree = q.problem().trees[t];
    std::copy_n(q.problem().free_velocity.data() + tree.first_dof, tree.size,
                x.velocity.data() + tree.first_dof);
  }
  return x;
}

TEST(ScalarIsland, FindsWhatNewtonsMethodFinds) {
  std::mt19937 random(5);
  ScalarIsland direct;
  IslandNewton newton{NewtonOptions{}};
  int islands = 0, solved = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const PreparedProblem q(random_problem(random, 1 + trial % 30));
    direct.make_room(q.problem());
    newton.make_room(q);
    ContactSolution x = start(q), y = x;
    for (int i = 0; i < q.islands().size(); ++i) {
      ++islands;
      ASSERT_TRUE(ScalarIsland::suits(q, q.islands(), i));
      IslandReport report;
      const bool is_solved = direct.solve(q, i, 1e-10, x, report);
      solved += is_solved;
      newton.solve(q, i, {.tolerance = 1e-11}, y);
      if (is_solved) {
        EXPECT_EQ(report.status, SolveStatus::converged);
      } else {
        for (const std::int32_t t : q.islands().trees_of(i)) {  // nothing was written
          for (int k = 0; k < q.problem().trees[t].size; ++k) {
            const int at = q.problem().trees[t].first_dof + k;
            EXPECT_EQ(x.velocity[at], q.problem().velocity[at]);
            x.velocity[at] = y.velocity[at];
          }
          for (const std::int32_t r : q.scalars().of_tree(t)) {
            x.scalar_impulse[r] = y.scalar_impulse[r];
          }
        }
      }
    }
    for (std::size_t k = 0; k < x.velocity.size(); ++k) {
      EXPECT_NEAR(x.velocity[k], y.velocity[k], 1e-8) << trial << ", dof " << k;
    }
    const Certificate c = certify(q, x.answer());
    EXPECT_LT(c.step_error, 1e-9) << trial;
    EXPECT_LT(c.impulse_error, 1e-9) << trial;
  }
  EXPECT_GT(solved, 0.97 * islands) << islands;
}

// of one mechanism, small or not, on whose joints each constraint acts alone, or one on two of them
TEST(ScalarIsland, FindsTheImpulsesOnTheJointsOfOneMechanism) {
  std::mt19937 random(9);
  ScalarIsland direct;
  IslandNewton newton{NewtonOptions{}};
  int solved = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const int n = 1 + trial % 10;
    ContactProblem p;
    p.time_step = std::pow(10, uniform(random, -4, -1));
    add_dense_tree(p, n, random);
    for (int i = 0; i < 1 + trial % 7; ++i) {
      RowEntry row[2] = {{0, static_cast<int>(random() % n), uniform(random, -2, 2)},
                         {0, n - 1, 1}};
      const bool is_pair = i == 3 && row[0].dof < n - 1;
      p.add_scalar(random_constraint(p.time_step, random, 2), {row, is_pair ? 2u : 1u});
    }
    const PreparedProblem q(std::move(p));
    direct.make_room(q.problem());
    newton.make_room(q);
    ContactSolution x = start(q), y = x;
    IslandReport report;
    if (!direct.solve(q, 0, 1e-10, x, report)) continue;
    ++solved;
    newton.solve(q, 0, {.tolerance = 1e-11}, y);
    for (int k = 0; k < n; ++k) EXPECT_NEAR(x.velocity[k], y.velocity[k], 1e-8) << trial;
    EXPECT_LT(certify(q, x.answer()).impulse_error, 1e-9) << trial;
  }
  EXPECT_GT(solved, 390);
}

// what it says is solved is so by the certificate, which shares no code with it
TEST(ScalarIsland, NoFalseSuccessAtExtremes) {
  std::mt19937 random(8);
  ScalarIsland direct;
  int solved = 0, with_rounding = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const PreparedProblem q(random_problem(random, 1 + trial % 40, 12));
    direct.make_room(q.problem());
    ContactSolution x = start(q);
    bool all = true;
    for (int i = 0; i < q.islands().size(); ++i) {
      IslandReport report;
      all = direct.solve(q, i, 1e-6, x, report) && all;
    }
    if (!all) continue;
    ++solved;
    const Certificate c = certify(q, x.answer());
    EXPECT_LT(c.step_error, std::max(1.01e-6, c.rounding)) << trial;
    EXPECT_LT(c.impulse_error, std::max(1.01e-6, c.rounding)) << trial;
    with_rounding += c.rounding > 1e-6;
  }
  EXPECT_GT(solved - with_rounding, 200);
}

TEST(ScalarIsland, LeavesContactsAndLargeIslandsAlone) {
  std::mt19937 random(6);
  const PreparedProblem many(random_problem(random, 200));
  bool any = false;
  for (int i = 0; i < many.islands().size(); ++i) {
    any = any || !ScalarIsland::suits(many, many.islands(), i);
  }
  EXPECT_TRUE(any);
  ContactProblem touched = random_problem(random, 5);
  touched.add_contact(world_tree, 2, {.point = {0, 0, -0.1}, .normal = {0, 0, 1}, .gap = -1e-4});
  const PreparedProblem q(std::move(touched));
  const int island = q.islands().island_of_tree()[2];
  EXPECT_FALSE(ScalarIsland::suits(q, q.islands(), island));
}

// which rows are at their bounds is no guess of the warm start alone
TEST(ScalarIsland, AnswersDoNotDependOnTheStart) {
  std::mt19937 random(7);
  ScalarIsland direct;
  for (int trial = 0; trial < 100; ++trial) {
    const PreparedProblem q(random_problem(random, 8));
    direct.make_room(q.problem());
    ContactSolution x = start(q), y = x;
    for (double& v : y.velocity) v = uniform(random, -5, 5);
    for (int i = 0; i < q.islands().size(); ++i) {
      IslandReport a, b;
      if (!direct.solve(q, i, 1e-9, x, a) || !direct.solve(q, i, 1e-9, y, b)) continue;
      for (const std::int32_t t : q.islands().trees_of(i)) {
        for (int k = 0; k < q.problem().trees[t].size; ++k) {
          const int at = q.problem().trees[t].first_dof + k;
          EXPECT_NEAR(x.velocity[at], y.velocity[at], 1e-8);
        }
      }
    }
  }
}

}  // namespace
}  // namespace abut
