// The Newton solver against dense linear algebra: minima, searches, starts.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "abut/solvers/contact_solver.hpp"
#include "abut/solvers/primal/newton.hpp"
#include "support/contact_of.hpp"
#include "support/dense_newton.hpp"
#include "support/newton_problems.hpp"

namespace abut {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd to_vector(const std::vector<double>& v) {
  return Eigen::Map<const VectorXd>(v.data(), std::ssize(v));
}

/// Distance in the norm of A, relative to the motion.
double distance(const DenseProblem& d, const VectorXd& a, const VectorXd& b) {
  return std::sqrt((a - b).dot(d.A * (a - b)) / a.dot(d.A * a));
}

/// Each of these solvers finds what dense linear algebra finds.
void expect_minimum(ContactProblem& p, std::span<const std::string_view> solvers) {
  validate(p);
  const PreparedProblem q(p);
  const DenseProblem dense(q);
  const VectorXd exact = dense.minimize();
  for (const std::string_view solver : solvers) {
    ContactSolution x;
    const SolveReport r = make_solver(solver)->solve(q, {.tolerance = 1e-10}, x);
    EXPECT_EQ(r.status, SolveStatus::converged) << solver;
    EXPECT_LE(r.certificate.momentum_error, 1e-9) << solver;
    EXPECT_LE(r.certificate.impulse_error, 1e-8) << solver;
    EXPECT_LT(distance(dense, exact, to_vector(x.velocity)), 1e-8) << solver;
  }
}

// sparse, per island, primal-dual = dense, whole, plain
TEST(Newton, FindsTheMinimumThatDenseLinearAlgebraFinds) {
  for (const ModelCase& c : model_cases) {
    std::mt19937 random(1);
    for (int trial = 0; trial < 12; ++trial) {
      SCOPED_TRACE(testing::Message() << name(c) << ", trial " << trial);
      ContactProblem p = make_problem(random, problem_of(c, 1 + trial, trial % 4));
      expect_minimum(p, solvers_of(p.model));
    }
  }
}

// the same with limits, dry friction and actuators on the dense trees
TEST(Newton, FindsTheMinimumWithScalarConstraints) {
  std::mt19937 random(11);
  for (const ModelCase& c : model_cases) {
    for (int trial = 0; trial < 12; ++trial) {
      SCOPED_TRACE(testing::Message() << name(c) << ", trial " << trial);
      RandomProblem w = problem_of(c, trial, 1 + trial % 4);
      w.scalars = 1 + trial;
      ContactProblem p = make_problem(random, w);
      const std::string_view solvers[] = {"newton", "newton-paper"};
      expect_minimum(p, solvers);
    }
  }
}

TEST(Newton, FindsTheMinimumWithConstraintsBetweenTrees) {
  std::mt19937 random(12);
  for (const ModelCase& c : model_cases) {
    for (int trial = 0; trial < 12; ++trial) {
      SCOPED_TRACE(testing::Message() << name(c) << ", trial " << trial);
      RandomProblem w = problem_of(c, 1 + trial, trial % 3);
      w.links = 1 + 2 * trial;
      if (trial % 4 == 0) w.touch = w.ground = 0;  // constraints alone
      ContactProblem p = make_problem(random, w);
      expect_minimum(p, solvers_of(p.model));
    }
  }
}

/// The same with all trees as one dense tree, whose contacts are with the world.
ContactProblem as_one_tree(const ContactProblem& p) {
  const PreparedProblem q(p);
  const DenseProblem dense(q);
  const auto row_major = [](const MatrixXd& m) {
    const MatrixXd columns = m.transpose();
    return std::vector<double>(columns.data(), columns.data() + columns.size());
  };
  double heaviest = 0;
  for (const Tree& t : p.trees) heaviest = std::max(heaviest, t.mass);
  ContactProblem one = p;
  one.clear();
  one.add_tree(row_major(dense.A), p.velocity, p.free_velocity, heaviest);
  const ContactPool& c = p.contacts;
  for (int i = 0; i < c.size(); ++i) {
    one.add_contact(world_tree, 0, contact_of(c, i), {}, row_major(dense.J.middleRows(3 * i, 3)));
  }
  const ScalarPool& s = p.scalars;
  for (int i = 0; i < s.size(); ++i) {
    std::vector<RowEntry> row;
    for (const RowEntry& e : s.row(i))
      row.push_back({0, p.trees[e.tree].first_dof + e.dof, e.value});
    one.add_scalar({s.kind[i], s.gap[i], s.stiffness[i], s.relaxation_time[i], s.damping[i],
                    s.force[i], s.lower_force[i], s.upper_force[i], s.previous_impulse[i]},
                   row);
  }
  return one;
}

// what joins trees does not care which dofs are one tree's
TEST(Newton, SolvesLinkedTreesAsOneTree) {
  std::mt19937 random(13);
  for (const ModelCase& c : model_cases) {
    for (int trial = 0; trial < 8; ++trial) {
      SCOPED_TRACE(testing::Message() << name(c) << ", trial " << trial);
      RandomProblem w = problem_of(c, 2 + trial, trial % 3);
      w.links = 3 + trial;
      w.touch = 1;  // all are one neighbourhood, of the same heaviest body
      w.lagged_rule = LaggedRule::state;
      const ContactProblem p = make_problem(random, w);
      ContactSolution apart, together;
      const SolveOptions tight{.tolerance = 1e-11};
      EXPECT_EQ(make_solver("newton")->solve(PreparedProblem(p), tight, apart).status,
                SolveStatus::converged);
      EXPECT_EQ(
          make_solver("newton")->solve(PreparedProblem(as_one_tree(p)), tight, together).status,
          SolveStatus::converged);
      double largest = 0;
      for (const double v : apart.velocity) largest = std::max(largest, std::abs(v));
      for (std::size_t k = 0; k < apart.velocity.size(); ++k) {
        EXPECT_NEAR(apart.velocity[k], together.velocity[k], 1e-8 * largest);
      }
      for (int i = 0; i < p.scalars.size(); ++i) {
        EXPECT_NEAR(apart.scalar_impulse[i], together.scalar_impulse[i], 1e-6);
      }
    }
  }
}

// the minimum does not depend on the start
TEST(Newton, FindsTheSameAnswerFromAnyStart) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  for (const ModelCase& c : model_cases) {
    ContactProblem p = make_problem(random, problem_of(c, 10));
    const PreparedProblem q(p);
    const DenseProblem dense(q);
    const auto solver = make_solver("newton");
    ContactSolution x;
    solver->solve(q, {.tolerance = 1e-10}, x);
    const VectorXd first = to_vector(x.velocity);
    for (int start = 0; start < 30; ++start) {
      const double size = std::pow(10, start % 7 - 1);  // up to 1e5 m/s
      for (double& v : x.velocity) v = size * normal(random);
      const SolveReport r = solver->solve(q, {.tolerance = 1e-10}, x);
      EXPECT_EQ(r.status, SolveStatus::converged) << name(c) << ", start " << start;
      EXPECT_LT(distance(dense, first, to_vector(x.velocity)), 1e-8) << name(c);
    }
  }
}

// Where the whole step is too long, the search goes on from what was found there: iterations are
// about as many as with an exact search, evaluations half as many. Walls shorten most steps, and
// both searches ask often there: their laws are left out.
TEST(Newton, ALooseSearchAsksSeldom) {
  std::mt19937 random(12);
  std::normal_distribution<double> normal;
  struct Work {
    int iterations = 0, evaluations = 0;
  } loose, exact;
  for (const ModelCase& c : model_cases) {
    if (traits(c.law).is_barrier) continue;
    for (int trial = 0; trial < 20; ++trial) {
      RandomProblem w = problem_of(c, 10, trial % 3);
      w.scalars = w.links = trial % 5;
      const PreparedProblem q(make_problem(random, w));
      std::vector<double> start(q.problem().velocity.size());
      for (double& v : start) v = normal(random);
      const auto add = [&](LineSearch search, Work& work) {
        Newton solver("newton", {.line_search = search, .predictor_sweeps = 0});
        ContactSolution x;
        x.velocity = start;
        const SolveReport r = solver.solve(q, {}, x);
        EXPECT_EQ(r.status, SolveStatus::converged) << name(c) << ", trial " << trial;
        work.iterations += r.iterations, work.evaluations += r.line_evaluations;
      };
      add(LineSearch::loose, loose);
      add(LineSearch::exact, exact);
    }
  }
  EXPECT_LE(loose.iterations, 1.3 * exact.iterations);
  EXPECT_LE(loose.evaluations, 0.5 * exact.evaluations);
}

// nothing to do at the solution
TEST(Newton, StartingAtTheSolutionCostsNoIteration) {
  std::mt19937 random(3);
  for (const ModelCase& c : model_cases) {
    ContactProblem p = make_problem(random, problem_of(c, 8, 2));
    const PreparedProblem q(p);
    const auto solver = make_solver("newton");
    ContactSolution x;
    solver->solve(q, {.tolerance = 1e-9}, x);
    const std::vector<double> before = x.velocity;
    const SolveReport r = solver->solve(q, {.tolerance = 1e-6}, x);
    EXPECT_EQ(r.iterations, 0) << name(c);
    EXPECT_EQ(r.factorizations, 0) << name(c);
    EXPECT_EQ(x.velocity, before) << name(c);
  }
}

TEST(Newton, QuadraticCostTakesOneWholeStep) {
  const PreparedProblem q(resting_body());
  ContactSolution x;
  const SolveReport r = make_solver("newton-paper")->solve(q, {.tolerance = 1e-12}, x);
  EXPECT_EQ(r.status, SolveStatus::converged);
  EXPECT_EQ(r.iterations, 1);
  EXPECT_EQ(r.line_evaluations, 1);  // alpha = 1 at once
}

// what touches nothing moves as v* says, bit by bit
TEST(Newton, FreeTreesTakeTheirFreeVelocityExactly) {
  std::mt19937 random(4);
  ContactProblem p = make_problem(random, {.bodies = 5, .dense_trees = 2, .touch = 0, .ground = 0});
  const PreparedProblem q(p);
  ContactSolution x;
  const SolveReport r = make_solver("newton")->solve(q, {}, x);
  EXPECT_EQ(x.velocity, p.free_velocity);
  EXPECT_EQ(r.iterations, 0);
  EXPECT_EQ(r.certificate.momentum_error, 0);
}

// the order in which contacts and trees come does not matter
TEST(Newton, AnswerDoesNotDependOnOrder) {
  std::mt19937 random(7);
  for (const ModelCase& c : model_cases) {
    ContactProblem p = make_problem(random, problem_of(c, 7));
    ContactProblem reversed;
    reversed.time_step = p.time_step;
    reversed.model = p.model;
    reversed.law = p.law;
    reversed.friction = p.friction;
    const int n = static_cast<int>(p.trees.size());
    const std::span<double> v(p.velocity), f(p.free_velocity);
    for (int t = n - 1; t >= 0; --t) {
      const Tree& tree = p.trees[t];
      reversed.add_rigid_body(tree.mass, tree.center, tree.inertia,
                              v.subspan(tree.first_dof).first<6>(),
                              f.subspan(tree.first_dof).first<6>());
    }
    for (auto patch = p.patches.rbegin(); patch != p.patches.rend(); ++patch) {
      const bool world = patch->tree_a < 0;
      for (int i = patch->end - 1; i >= patch->begin; --i) {
        const ContactPool& k = p.contacts;
        const double sign = world ? 1 : -1;  // A and B change places
        ContactPoint contact = contact_of(k, i);
        for (Vec3* x :
             {&contact.normal, &contact.bias, &contact.previous_impulse, &contact.anchor}) {
          *x = sign * *x;
        }
        reversed.add_contact(world ? -1 : n - 1 - patch->tree_b,
                             n - 1 - (world ? patch->tree_b : patch->tree_a), contact);
      }
    }
    const PreparedProblem q(p);
    ContactSolution x, y;
    make_solver("newton")->solve(q, {.tolerance = 1e-12}, x);
    make_solver("newton")->solve(PreparedProblem(reversed), {.tolerance = 1e-12}, y);
    for (int t = 0; t < n; ++t) {
      for (int k = 0; k < 6; ++k) {
        EXPECT_NEAR(x.velocity[6 * t + k], y.velocity[6 * (n - 1 - t) + k], 1e-9) << name(c);
      }
    }
  }
}

// what the solver reports is what the certifier finds, and below the tolerance
TEST(Newton, ReportsTheErrorThatTheCertifierFinds) {
  std::mt19937 random(8);
  for (const ModelCase& c : model_cases) {
    for (int trial = 0; trial < 20; ++trial) {
      RandomProblem w = problem_of(c, 12);
      w.touch = 0.1;
      ContactProblem p = make_problem(random, w);
      const PreparedProblem q(p);
      ContactSolution x;
      const SolveReport r = make_solver("newton")->solve(q, {.tolerance = 1e-5}, x);
      EXPECT_EQ(r.status, SolveStatus::converged);
      EXPECT_LE(r.certificate.momentum_error, 1e-5) << name(c) << ", trial " << trial;
    }
  }
}

// by continuation in it; judged by code that the solver does not share
TEST(Newton, ConvergesAtAnyStiffness) {
  constexpr double tolerance = 1e-5;
  std::mt19937 random(11);
  for (const ContactModel model : convex_models) {
    for (const double k : {1e9, 1e11, 1e13}) {
      for (int trial = 0; trial < 10; ++trial) {
        SCOPED_TRACE(testing::Message() << to_string(model) << ", " << k << " N/m, " << trial);
        const PreparedProblem q(make_problem(random, {.model = model,
                                                      .bodies = 30,
                                                      .touch = 0.1,
                                                      .stiffness = k,
                                                      .speed = 1,
                                                      .time_step = 5e-3}));
        ContactSolution x;
        const SolveReport r = make_solver("newton")->solve(q, {.tolerance = tolerance}, x);
        EXPECT_EQ(r.status, SolveStatus::converged);
        if (!r.at_round_off) {
          EXPECT_LE(r.certificate.step_error, 10 * tolerance);
        }
      }
    }
  }
}

// with stiffness and masses far apart every step still ends certified
TEST(Newton, ConvergesOverSixDecadesOfMassAndStiffness) {
  for (const ModelCase& c : model_cases) {
    std::mt19937 random(11);
    for (const double stiffness : {1e3, 1e6, 1e9, 1e11}) {
      if (traits(c.law).is_barrier && stiffness > 1e9)
        continue;  // docs: 1e7 times that at the wall
      RandomProblem w = problem_of(c, 10);
      w.stiffness = c.law == NormalLawKind::hertz ? 100 * stiffness : stiffness;
      w.mass_spread = 3;
      ContactProblem p = make_problem(random, w);
      const PreparedProblem q(p);
      ContactSolution x;
      const SolveReport r = make_solver("newton")->solve(q, {}, x);
      if (c.model == ContactModel::similar && stiffness > 1e8) continue;  // docs: use Lagged there
      EXPECT_EQ(r.status, SolveStatus::converged) << name(c) << ", k = " << stiffness;
      EXPECT_LE(r.certificate.momentum_error, r.at_round_off ? 1e-4 : 1e-6) << name(c);
    }
  }
}

}  // namespace
}  // namespace abut
