// What follows from a problem, on the way to a step and in it: velocities from the last impulses,
// which contacts act, springs under load, factors of sparse trees of any shape.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "abut/laws/elasticity.hpp"
#include "abut/linalg/dense_spd.hpp"
#include "abut/problem/previous_impulses.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "support/dense_newton.hpp"
#include "support/model_case.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

using Eigen::VectorXd;
using Numbers = std::vector<double>;

// u = v* + A^-1 J^T gamma by dense matrices, of all trees and of one island after the other
TEST(PreviousVelocity, IsThatOfTheLastImpulses) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 40; ++trial) {
    ContactProblem p = make_problem(random, {.bodies = trial % 7,
                                             .dense_trees = trial % 3,
                                             .sparse_trees = 1 + trial % 2,
                                             .scalars = trial % 4,
                                             .links = trial % 5,
                                             .touch = 0.2});
    for (double& gamma : p.scalars.previous_impulse) gamma = normal(random);
    p.wake_gap = 1e9;
    const PreparedProblem q(p);
    const DenseProblem dense(q);
    VectorXd gamma(dense.J.rows()), scalar(p.scalars.size());
    for (int i = 0; i < p.contacts.size(); ++i) {
      for (int k = 0; k < 3; ++k) gamma[3 * i + k] = p.contacts.previous_impulse[i][k];
    }
    for (int i = 0; i < p.scalars.size(); ++i) {  // no more than it may give in this step
      const bool pulls = p.scalars.kind[i] == ScalarKind::equality;
      const bool pushes = p.scalars.kind[i] == ScalarKind::limit;
      const double h = p.time_step, g = p.scalars.previous_impulse[i];
      const double low = h * p.scalars.lower_force[i], high = h * p.scalars.upper_force[i];
      scalar[i] = pulls ? g : pushes ? std::max(g, 0.0) : std::min(std::max(g, low), high);
    }
    const VectorXd push = dense.J.transpose() * gamma + dense.scalar_J.transpose() * scalar;
    const VectorXd exact = dense.v_star + dense.A.llt().solve(push);
    Numbers u(p.dofs(), NAN), g(p.dofs(), NAN), work(q.masses().work_size());
    previous_velocity(q, u, g, work);
    for (int k = 0; k < p.dofs(); ++k) {
      EXPECT_NEAR(u[k], exact[k], 1e-9 * (1 + exact.norm())) << "dof " << k;
      EXPECT_NEAR(g[k], push[k], 1e-12 * (1 + push.norm())) << "dof " << k;
    }
    const Numbers whole = u;
    std::fill(u.begin(), u.end(), NAN);
    for (int i = 0; i < q.islands().size(); ++i) {
      previous_velocity(q, q.islands().trees_of(i), q.islands().patches_of(i), u, g, work);
    }
    const auto island = q.islands().island_of_tree();
    for (std::size_t t = 0; t < p.trees.size(); ++t) {
      for (int k = p.trees[t].first_dof; k < p.trees[t].first_dof + p.trees[t].size; ++k) {
        EXPECT_TRUE(island[t] < 0 ? std::isnan(u[k]) : u[k] == whole[k]) << "dof " << k;
      }
    }
  }
}

ContactProblem sphere(const ModelCase& c, double mass, double h, const ContactPoint& contact) {
  ContactProblem p;
  p.model = c.model, p.law = c.law, p.time_step = h;
  const double v[6] = {};
  const double i = 0.4 * mass * 0.01;
  p.add_rigid_body(mass, {0, 0, 0.1}, Mat3::diagonal({i, i, i}), v, v);
  p.add_contact(world_tree, 0, contact);
  return p;
}

// of a pair that is apart: it acts where the cost has a gradient besides that of the momentum
TEST(IsActive, SaysWhereTheLawGivesAnImpulse) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  for (const ModelCase& c : model_cases) {
    int active = 0, apart = 0;
    for (int trial = 0; trial < 400; ++trial) {
      const double mu = trial % 3 == 0 ? 0 : 0.3 * (trial % 5), gap = 1e-3;
      const PreparedProblem q(sphere(c, 1, 1e-2,
                                     {.gap = gap,
                                      .stiffness = 1e5,
                                      .relaxation_time = 1e-3 * (trial % 4),
                                      .friction = mu,
                                      .bias = {0, 0.01, 0.02}}));
      ASSERT_TRUE(c.model == ContactModel::sap || q.contacts().lagged_impulse[0] == 0);
      const DenseProblem dense(q);
      VectorXd v(6);
      for (double& x : v) x = 0.15 * normal(random);
      v[2] -= 0.1;
      const VectorXd vc = dense.J * v + dense.bias;
      const VectorXd push = dense.A * (v - dense.v_star) - dense.gradient(v);
      const bool acts = is_active(q, 0, {vc[0], vc[1], vc[2]});
      const double size = push.norm();  // of rounding alone: either
      EXPECT_TRUE(acts ? size > 0 : size < 1e-12) << name(c) << ", trial " << trial;
      ++(acts ? active : apart);
    }
    EXPECT_GT(active, 50) << name(c);
    EXPECT_GT(apart, 50) << name(c);
  }
}

// a body that lies on one point as deep as the spring gives way under m g stays at rest, where the
// near-rigid limit of SAP makes the spring softer too
TEST(SpringStiffness, CarriesABodyAtRest) {
  const double g = 9.81;
  for (const ModelCase& c : model_cases) {
    for (const double k : {1e3, 1e7, 1e12}) {
      for (const double mass : {1e-3, 1.0, 1e4}) {
        for (const double h : {1e-4, 1e-2}) {
          for (const double weight : {0.25, 4.0}) {
            ContactProblem p =
                sphere(c, mass, h, {.weight = weight, .stiffness = k, .relaxation_time = 2e-3});
            p.free_velocity[2] = -g * h;
            PreparedProblem q(p);
            const double spring = spring_stiffness(q, 0);
            if (c.model == ContactModel::sap) {
              EXPECT_LE(spring, weight * k * (1 + 1e-12));
            } else {
              EXPECT_EQ(spring, weight * k);
            }
            q.edit().contacts.gap[0] = -spring_of(q, 0).depth(mass * g);
            q.prepare();
            ContactSolution x;
            make_solver("newton")->solve(q, {.tolerance = 1e-12}, x);
            EXPECT_NEAR(x.velocity[2], 0, 1e-9 * g * h) << name(c) << ", k " << k << ", m " << mass;
            EXPECT_NEAR(x.impulse[0].z, mass * g * h, 1e-9 * mass * g * h) << name(c);
          }
        }
      }
    }
  }
}

/// A graph as pairs (row, column) with row > column.
using Graph = std::vector<std::pair<int, int>>;

/// A sparse tree of this graph, stiffer from call to call.
ContactProblem sparse_tree(int nodes, Graph graph, double stiffness) {
  std::vector<std::vector<Mat3>> a(nodes, std::vector<Mat3>(nodes));
  for (int i = 0; i < nodes; ++i) a[i][i] = Mat3::diagonal({1, 2, 3});
  for (std::size_t e = 0; e < graph.size(); ++e) {
    const auto [r, c] = graph[e];
    const double angle = static_cast<double>(e);
    const Vec3 d{std::sin(1 + angle), std::cos(2 + 3 * angle), std::sin(3 * angle)};
    const Mat3 k = stiffness * Mat3{{d.x * d, d.y * d, d.z * d}};
    const Mat3 turn = Mat3::skew({0.1, 0.2, 0.3});  // blocks that are not symmetric
    a[r][r] = a[r][r] + k, a[c][c] = a[c][c] + k, a[r][c] = a[r][c] + turn - k;
  }
  std::vector<std::int64_t> row_end;
  std::vector<std::int32_t> columns;
  Numbers elements, v(3 * nodes);
  for (int i = 0; i < nodes; ++i) {
    for (int j = 0; j <= i; ++j) {
      if (a[i][j] == Mat3{}) continue;
      columns.push_back(j);
      for (int k = 0; k < 9; ++k) elements.push_back(a[i][j](k / 3, k % 3));
    }
    row_end.push_back(std::ssize(columns));
  }
  ContactProblem p;
  p.time_step = 1e-3;
  p.add_sparse_tree(row_end, columns, elements, v, v, 1);
  return p;
}

std::vector<std::pair<int, Graph>> graphs() {
  std::vector<std::pair<int, Graph>> all = {{1, {}}, {2, {}}, {2, {{1, 0}}}, {9, {}}};
  Graph star, chain, last_star, complete, pairs, grid;
  for (int i = 1; i < 12; ++i) {
    star.emplace_back(i, 0);
    chain.emplace_back(i, i - 1);  // as many blocks in each row as the star has
    last_star.emplace_back(11, i - 1);
    if (i % 2 == 1) pairs.emplace_back(i, i - 1);
    for (int j = 0; j < i && i < 5; ++j) complete.emplace_back(i, j);
    if (i % 4 != 0) grid.emplace_back(i, i - 1);
    if (i >= 4) grid.emplace_back(i, i - 4);
  }
  for (const Graph& g : {star, chain, last_star, pairs, grid}) all.emplace_back(12, g);
  all.emplace_back(5, complete);
  all.emplace_back(13, grid);  // and one node apart
  return all;
}

// by one object from pattern to pattern, and with other numbers in the same pattern
TEST(SparseMass, OfAnyShapeIsInverted) {
  SparseMass kept;
  for (int round = 0; round < 2; ++round) {
    for (const auto& [nodes, graph] : graphs()) {
      for (const double stiffness : {0.5, 300.0}) {
        SCOPED_TRACE(testing::Message() << nodes << " nodes, " << graph.size() << " links");
        const ContactProblem p = sparse_tree(nodes, graph, stiffness);
        validate(p);
        ASSERT_TRUE(kept.factor(p, 0));
        const NodeGroups& groups = kept.groups();
        std::vector<int> seen(groups.nodes.begin(), groups.nodes.end()), all(nodes);
        std::sort(seen.begin(), seen.end());
        std::iota(all.begin(), all.end(), 0);
        EXPECT_EQ(seen, all) << "each node in one group";
        const PreparedProblem q(p);
        const DenseProblem dense(q);
        const VectorXd x = VectorXd::Random(3 * nodes);
        VectorXd u = VectorXd::Ones(3 * nodes);
        SparseMass copy = kept;
        for (SparseMass* mass : {&kept, &copy}) {
          u.setOnes();
          mass->add_inverse_times(x.data(), u.data());
          EXPECT_LT((dense.A * (u - VectorXd::Ones(3 * nodes)) - x).norm(), 1e-11 * x.norm());
        }
      }
    }
  }
}

TEST(SparseMass, CopiesStayWhatTheyWere) {
  const ContactProblem p = sparse_tree(3, {{1, 0}, {2, 0}}, 10);
  auto first = std::make_unique<SparseMass>();
  ASSERT_TRUE(first->factor(p, 0));
  SparseMass copy = *first;
  ASSERT_TRUE(first->factor(sparse_tree(4, {{3, 1}}, 1), 0));
  first.reset();
  const VectorXd x = VectorXd::Random(9);
  VectorXd u = VectorXd::Zero(9);
  copy.add_inverse_times(x.data(), u.data());
  const PreparedProblem q(p);
  EXPECT_LT((DenseProblem(q).A * u - x).norm(), 1e-12);
}

// each with its own, among others that bring none
TEST(PreparedProblem, TakesTheFactorsThatTreesBring) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 20; ++trial) {
    const ContactProblem p = make_problem(
        random, {.bodies = 2, .dense_trees = 4, .sparse_trees = 1, .scalars = 3, .links = 3});
    ContactProblem brings = p;
    for (Tree& t : brings.trees) {
      if (t.kind != TreeKind::dense || random() % 2 == 0) continue;
      Numbers factor(t.size * round_up_8(t.size));
      ASSERT_TRUE(invert_factor(t.size, p.matrices.data() + t.first_element, factor.data()));
      brings.inverse_factors.insert(brings.inverse_factors.end(), factor.begin(), factor.end());
      t.brings_factor = true;
    }
    validate(brings);
    const PreparedProblem own(p), given(brings);
    EXPECT_EQ(own.contacts().mobility, given.contacts().mobility);
    EXPECT_EQ(own.scalars().mobility, given.scalars().mobility);
    ContactSolution x, y;
    make_solver("newton")->solve(own, {}, x);
    make_solver("newton")->solve(given, {}, y);
    EXPECT_EQ(x.velocity, y.velocity);
  }
}

// sparse trees come, go and change places, some with the pattern of another before
TEST(PreparedProblem, OfSparseTreesIsTheSameAfterAnother) {
  std::mt19937 random(3);
  PreparedProblem kept;
  ContactProblem last;
  for (int trial = 0; trial < 40; ++trial) {
    ContactProblem p = make_problem(random, {.model = static_cast<ContactModel>(trial % 3),
                                             .bodies = trial % 3,
                                             .dense_trees = trial % 2,
                                             .sparse_trees = trial % 4,
                                             .scalars = 2,
                                             .links = trial % 2});
    if (trial % 5 == 4) {  // the same patterns, heavier
      p = last;
      for (double& a : p.sparse_matrices.elements) a *= 2;
    }
    last = p;
    kept.edit() = p;
    kept.prepare();
    const PreparedProblem fresh(p), copy = kept;
    ContactSolution x, y;
    make_solver("newton")->solve(copy, {}, x);
    make_solver("newton")->solve(fresh, {}, y);
    EXPECT_EQ(kept.contacts().mobility, fresh.contacts().mobility) << trial;
    EXPECT_EQ(kept.scalars().mobility, fresh.scalars().mobility) << trial;
    EXPECT_EQ(x.velocity, y.velocity) << trial;
  }
}

}  // namespace
}  // namespace abut
