// Trees whose A is sparse: the same answers as dense ones, and what their factorization is made of.

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>

#include "abut/core/error.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "support/dense_newton.hpp"
#include "support/random_problem.hpp"
#include "support/soft_block.hpp"

namespace abut {
namespace {

double largest_difference(std::span<const double> a, std::span<const double> b) {
  double most = 0;
  for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
  return most;
}

ContactSolution solve(const PreparedProblem& q, double tolerance) {
  ContactSolution x;
  const SolveReport r = make_solver("newton")->solve(q, {.tolerance = tolerance}, x);
  EXPECT_EQ(r.status, SolveStatus::converged);
  EXPECT_LT(r.certificate.step_error, 10 * tolerance);
  return x;
}

TEST(SparseTree, HasTheAnswerOfADenseOne) {
  for (const ContactModel model : {ContactModel::lagged, ContactModel::similar}) {
    for (const double push : {0.0, 1.0}) {
      for (const int nodes : {2, 3, 5}) {
        SoftBlock block{.nodes_per_side = nodes, .model = model, .push = push};
        const ContactSolution sparse = solve(PreparedProblem(make_problem(block)), 1e-11);
        block.as_dense = true;
        const ContactSolution dense = solve(PreparedProblem(make_problem(block)), 1e-11);
        EXPECT_LT(largest_difference(sparse.velocity, dense.velocity), 1e-9)
            << to_string(model) << ", " << nodes << " nodes per side, pushed at " << push;
      }
    }
  }
}

TEST(SparseTree, OfThousandsOfDofsIsSolved) {
  const PreparedProblem q(make_problem(SoftBlock{.nodes_per_side = 10, .push = 0.5}));
  ASSERT_EQ(q.problem().trees[0].size, 3000);
  const ContactSolution x = solve(q, 1e-9);
  // the ground bears what falls: all momentum but that of the motion that is left
  Vec3 ground, boxes;
  const ContactProblem& p = q.problem();
  for (const Patch& patch : p.patches) {
    (patch.tree_a == world_tree ? ground : boxes) += x.impulse[patch.begin];
  }
  double momentum = 0;
  for (const Tree& t : p.trees) {
    for (int k = t.first_dof; k < t.first_dof + t.size; k += t.kind == TreeKind::sparse ? 3 : 6) {
      const double mass = t.kind == TreeKind::sparse ? t.mass / t.nodes() : t.mass;
      momentum += mass * (x.velocity[k + 2] - p.free_velocity[k + 2]);
    }
  }
  EXPECT_NEAR(ground.z, momentum, 1e-9);
  EXPECT_GT(ground.z, 0);
  EXPECT_LT(boxes.x, 0) << "pushed forward, the boxes are held back";
}

// dense linear algebra with the same mobilities
TEST(SparseTree, MinimizesAmongOthers) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 40; ++trial) {
    const ContactModel model = static_cast<ContactModel>(trial % 3);
    ContactProblem p = make_problem(random, {.model = model,
                                             .bodies = 3,
                                             .dense_trees = trial % 2,
                                             .sparse_trees = 1 + trial % 3,
                                             .scalars = trial % 3,
                                             .links = trial % 4});
    validate(p);
    const PreparedProblem q(std::move(p));
    const DenseProblem dense(q);
    const Eigen::VectorXd exact = dense.minimize();
    const ContactSolution x = solve(q, 1e-10);
    EXPECT_LT(largest_difference(x.velocity, {exact.data(), exact.data() + exact.size()}), 1e-7)
        << to_string(model) << ", trial " << trial;
  }
}

// A^-1 by its factor against A
TEST(SparseMass, IsInverted) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 20; ++trial) {
    const PreparedProblem q(make_problem(random, {.bodies = 0, .sparse_trees = 2}));
    const DenseProblem dense(q);
    const Eigen::VectorXd x = Eigen::VectorXd::Random(dense.A.rows());
    Eigen::VectorXd u = Eigen::VectorXd::Zero(x.size());
    std::vector<double> work(q.masses().work_size());
    for (const int tree : {0, 1}) q.masses().add(q.problem(), tree, x.data(), u.data(), work);
    EXPECT_LT((dense.A * u - x).norm(), 1e-10 * x.norm());
  }
}

TEST(NodeGroups, HoldEachNodeOnceAndAreNearEachOther) {
  const ContactProblem p = make_problem(SoftBlock{.nodes_per_side = 6});
  NodeGroups groups;
  groups.find(p, 0);
  std::set<int> seen;
  for (int g = 0; g < groups.size(); ++g) {
    EXPECT_LE(groups.dofs(g), 3 * NodeGroups::most);
    for (int k = groups.begin[g]; k < groups.begin[g + 1]; ++k) {
      EXPECT_TRUE(seen.insert(groups.nodes[k]).second);
      EXPECT_EQ(groups.group[groups.nodes[k]], g);
      EXPECT_EQ(groups.place[groups.nodes[k]], k - groups.begin[g]);
    }
  }
  EXPECT_EQ(std::ssize(seen), 6 * 6 * 6);
  EXPECT_LE(groups.size(), 6 * 6 * 6 * 0.55) << "nearly all are pairs";
}

TEST(SparseTree, WrongOnesAreRefused) {
  ContactProblem p;
  const std::vector<double> v(6, 0.0), blocks(27, 0.0);
  const auto add = [&](std::vector<std::int64_t> row_end, std::vector<std::int32_t> columns) {
    p.add_sparse_tree(row_end, columns, {blocks.data(), 9 * columns.size()}, v, v, 1);
  };
  EXPECT_THROW(add({1, 3}, {0, 1, 0}), InputError) << "the diagonal comes last";
  EXPECT_THROW(add({1, 2}, {0, 0}), InputError) << "the second row has no diagonal";
  EXPECT_THROW(add({0, 2}, {0, 1}), InputError) << "the first row is empty";
  EXPECT_THROW(add({1, 3}, {0, -1, 1}), InputError);
  EXPECT_THROW(add({1}, {0}), InputError) << "too many velocities";
  EXPECT_TRUE(p.trees.empty());
  add({1, 3}, {0, 0, 1});
  EXPECT_THROW(p.add_point(0, {}, std::vector{2}, std::vector{1.0}), InputError);
  EXPECT_THROW(p.add_point(0, {}, std::vector<std::int32_t>{}, {}), InputError);
  EXPECT_THROW(p.add_body(0, {}, blocks), InputError) << "its points are bodies";
  p.time_step = 1e-3;
  EXPECT_THROW(validate(p), InputError) << "A is zero";
}

}  // namespace
}  // namespace abut
