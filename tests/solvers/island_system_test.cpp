// An island's operators against dense matrices of the whole problem.

#include "abut/solvers/primal/island_system.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "abut/linalg/symbolic_cache.hpp"
#include "support/dense_newton.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

using Eigen::VectorXd;
using F = ContactField;

/// A vector in the island's layout.
AlignedBuffer<double> room(const IslandSystem& system) {
  AlignedBuffer<double> b;
  b.resize(system.vector_size());
  b.fill_zero();
  return b;
}

/// The worst relative errors of J v, J^T gamma and H^-1 g over a problem's islands.
struct Errors {
  double velocity = 0, impulse = 0, solve = 0;
};

void compare_island(const PreparedProblem& q, const DenseProblem& dense, int island,
                    const VectorXd& v, Errors& worst) {
  IslandSystem system;
  const ContactProblem& p = q.problem();
  system.build(q, q.islands(), island);
  AlignedBuffer<double> x = room(system), y = room(system);
  const ModelKernels& model = contact_kernels().model(p.model, LawMix(p.law));
  system.gather({v.data(), static_cast<std::size_t>(v.size())}, x.data());
  system.velocities(x.data(), F::velocity_x, true);
  system.scalars().velocities(x.data(), false);
  const ContactArrays& c = system.contacts();
  std::fill_n(c[F::direction_x], 3 * c.stride, 0.0);
  model.evaluate(c, 0);
  system.scalars().evaluate(0);
  const VectorXd vc = dense.J * v + dense.bias;
  for (int i = 0; i < system.contact_count(); ++i) {
    for (int r = 0; r < 3; ++r) {
      const double expected = vc[3 * system.contact_indices()[i] + r];
      worst.velocity =
          std::max(worst.velocity, std::abs(c[F::velocity_x][r * c.stride + i] - expected));
    }
  }
  // rows and columns of the island's trees
  std::vector<int> dofs;
  for (const int t : q.islands().trees_of(island)) {
    for (int k = 0; k < p.trees[t].size; ++k) dofs.push_back(p.trees[t].first_dof + k);
  }
  std::vector<double> back(p.dofs(), 0);
  system.impulses(y.data());
  system.scatter(y.data(), back);
  const VectorXd push = dense.A * (v - dense.v_star) - dense.gradient(v);
  const double size = 1 + push.norm();
  for (const int k : dofs)
    worst.impulse = std::max(worst.impulse, std::abs(back[k] - push[k]) / size);

  model.hessian(c, {});
  SymbolicCache cache;
  BlockCholesky cholesky;
  const BlockSymbolic& symbolic = cache.get(system.pattern());
  system.place_blocks(symbolic);
  cholesky.reset(symbolic);
  system.assemble(cholesky);
  ASSERT_TRUE(cholesky.factor());
  const VectorXd g = VectorXd::Random(p.dofs());
  system.gather({g.data(), static_cast<std::size_t>(g.size())}, x.data());
  cholesky.solve(x.span());
  system.scatter(x.data(), back);
  const Eigen::MatrixXd H = dense.hessian(v)(dofs, dofs);
  const VectorXd expected = H.llt().solve(VectorXd(g(dofs)));
  for (std::size_t k = 0; k < dofs.size(); ++k) {
    const double error = std::abs(back[dofs[k]] - expected[static_cast<Eigen::Index>(k)]);
    worst.solve = std::max(worst.solve, error / expected.norm());
  }
}

TEST(IslandSystem, OperatorsAreThoseOfTheDenseProblem) {
  std::mt19937 random(7);
  Errors worst;
  int islands = 0;
  for (const ContactModel model : {ContactModel::sap, ContactModel::lagged}) {
    for (int i = 0; i < 60; ++i) {
      ContactProblem p = make_problem(random, {.model = model,
                                               .bodies = i % 4,
                                               .dense_trees = 1 + i % 3,
                                               .branches = i % 2 == 0,
                                               .scalars = i % 5,
                                               .links = i % 4,
                                               .ground = 0.8,
                                               .stiffness = 1e5});
      p.wake_gap = 1;  // all contacts belong to islands
      const PreparedProblem q(p);
      const DenseProblem dense(q);
      const VectorXd v = 0.1 * VectorXd::Random(p.dofs());
      for (int k = 0; k < q.islands().size(); ++k, ++islands) {
        compare_island(q, dense, k, v, worst);
      }
    }
  }
  EXPECT_GT(islands, 120);
  EXPECT_LT(worst.velocity, 1e-14);
  EXPECT_LT(worst.impulse, 1e-14);
  EXPECT_LT(worst.solve, 1e-9);
}

// by rows of their own where each body has few contacts, else by the twists of bodies
TEST(IslandSystem, ContactsOfOneMechanismAreThoseOfTheDenseProblem) {
  std::mt19937 random(11);
  Errors worst;
  int by_rows = 0, by_bodies = 0, with_itself = 0;
  for (int i = 0; i < 800; ++i) {
    ContactProblem p = make_problem(random, {.model = ContactModel::sap,
                                             .bodies = 0,
                                             .dense_trees = 1,
                                             .branches = i % 2 == 0,
                                             .scalars = i % 3,
                                             .touch = 1,
                                             .ground = 1,
                                             .stiffness = 1e5});
    p.wake_gap = 1;
    if (i % 3 == 0) {  // and with itself
      ContactPoint own{.stiffness = 1e5, .friction = 0.4};
      own.gap = -1e-4;
      own.normal = {0.6, 0, 0.8};
      own.point = {0.1, -0.2, 0.05};
      std::vector<double> jacobian(6 * static_cast<std::size_t>(p.trees[0].size));
      std::normal_distribution<double> normal;
      int bodies[2];
      for (int& body : bodies) {
        for (double& j : jacobian) j = normal(random);
        body = p.add_body(0, {0.3, 0, -0.1}, jacobian);
      }
      p.add_contact(0, 0, own, bodies[0], bodies[1]);
      ++with_itself;
    }
    const PreparedProblem q(p);
    const DenseProblem dense(q);
    std::vector<IslandPatch> patches;
    for (int k = 0; k < std::ssize(p.patches); ++k) {
      patches.push_back({k, p.patches[k].begin, p.patches[k].end});
    }
    const std::int32_t tree = 0;
    ++(MechanismRows::suits(p, {&tree, 1}, patches) ? by_rows : by_bodies);
    const VectorXd v = 0.1 * VectorXd::Random(p.dofs());
    for (int k = 0; k < q.islands().size(); ++k) compare_island(q, dense, k, v, worst);
  }
  EXPECT_GT(by_rows, 20);
  EXPECT_GT(by_bodies, 20);
  EXPECT_GT(with_itself, 20);
  EXPECT_LT(worst.velocity, 1e-13);
  EXPECT_LT(worst.impulse, 1e-13);
  EXPECT_LT(worst.solve, 1e-9);
}

}  // namespace
}  // namespace abut
