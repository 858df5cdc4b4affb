// The rigid friction problem of a step against dense matrices, and its answers against closed
// forms.

#include "abut/problem/delassus.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "abut/core/error.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "support/dense_newton.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd flat(const std::vector<Vec3>& x) {
  return Eigen::Map<const VectorXd>(&x[0].x, 3 * std::ssize(x));
}

TEST(Delassus, IsThatOfDenseMatrices) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 40; ++trial) {
    const PreparedProblem q(make_problem(
        random,
        {.bodies = 6, .dense_trees = trial % 4, .branches = trial % 3 == 0, .mass_spread = 1}));
    if (q.problem().contacts.size() == 0) continue;
    const DenseProblem dense(q);
    const FrictionProblem f = make_friction_problem(q);
    validate(f);
    const MatrixXd w = dense.J * dense.A.ldlt().solve(dense.J.transpose());
    MatrixXd axes = MatrixXd::Zero(w.rows(), w.rows()), blocks = axes;
    for (int i = 0; i < f.contacts(); ++i) {
      const Mat3 e = contact_axes(q.problem().contacts, i);
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) axes(3 * i + r, 3 * i + c) = e(r, c);
      }
      for (std::int64_t k = f.delassus.start[i]; k < f.delassus.start[i + 1]; ++k) {
        for (int r = 0; r < 3; ++r) {
          for (int c = 0; c < 3; ++c) {
            blocks(3 * i + r, 3 * f.delassus.column[k] + c) = f.delassus.block[k](r, c);
          }
        }
      }
    }
    EXPECT_LT((axes * blocks * axes.transpose() - w).norm(), 1e-11 * w.norm()) << trial;

    // W gamma + g is the velocity that gamma gives, and what gaps add to it
    std::vector<Vec3> gamma(f.friction.size());
    for (Vec3& g : gamma) g = {0.1, -0.2, 0.3};
    std::vector<Vec3> sigma(gamma.size());
    f.delassus.multiply(gamma, sigma);
    const std::vector<double> v = velocities_of(q, gamma);
    VectorXd expected =
        axes.transpose() *
        (dense.J * Eigen::Map<const VectorXd>(v.data(), std::ssize(v)) + dense.bias);
    for (int i = 0; i < f.contacts(); ++i) {
      const double gap = q.problem().contacts.gap[i];
      expected[3 * i + 2] += (gap > 0 ? gap : 0.2 * gap) / q.problem().time_step;
    }
    EXPECT_LT((flat(sigma) + flat(f.velocity) - expected).norm(), 1e-10 * expected.norm());
  }
}

// scalar constraints, three of the same trees in a block row, with their compliance; ellipses
TEST(Delassus, HasScalarConstraintsAndEllipses) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 40; ++trial) {
    const PreparedProblem q(make_problem(random, {.bodies = 5,
                                                  .dense_trees = 3,
                                                  .scalars = trial % 6,
                                                  .links = trial % 4,
                                                  .ellipses = trial % 2 == 0}));
    const ContactProblem& p = q.problem();
    const DenseProblem dense(q);
    FrictionAssembly assembly;
    assembly.build(q);
    const FrictionProblem& f = assembly.problem();
    validate(f);
    const int n = f.contacts(), m = static_cast<int>(f.bounds.size());
    MatrixXd jacobian = MatrixXd::Zero(3 * (n + m), p.dofs()),
             w = MatrixXd::Zero(3 * (n + m), 3 * (n + m));
    VectorXd g = VectorXd::Zero(3 * (n + m));
    int placed = 0;
    for (int i = 0; i < n; ++i) {
      ASSERT_EQ(assembly.contacts()[i], i);
      const Mat3 e = contact_axes(p.contacts, i);
      Eigen::Matrix3d axes;
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) axes(r, c) = e(r, c);
      }
      jacobian.middleRows(3 * i, 3) = axes.transpose() * dense.J.middleRows(3 * i, 3);
      g.segment(3 * i, 3) = axes.transpose() * dense.bias.segment(3 * i, 3);
      const double gap = p.contacts.gap[i];
      g[3 * i + 2] += (gap > 0 ? gap : 0.2 * gap) / p.time_step;
    }
    for (int k = 0; k < 3 * m; ++k) {
      const int i = assembly.scalars()[k];
      if (i < 0) {
        w(3 * n + k, 3 * n + k) = 1;
        continue;
      }
      ++placed;
      jacobian.row(3 * n + k) = dense.scalar_J.row(i);
      w(3 * n + k, 3 * n + k) = q.scalars().regularization[i];
      g[3 * n + k] = -q.scalars().target[i];
      EXPECT_EQ(f.bounds[k / 3].lower[k % 3] > -1e20, q.scalars().lower[i] > -1e20);
    }
    EXPECT_EQ(placed, p.scalars.size());
    w += jacobian * dense.A.ldlt().solve(jacobian.transpose());
    g += jacobian * dense.v_star;
    MatrixXd blocks = MatrixXd::Zero(w.rows(), w.rows());
    for (int i = 0; i < f.rows(); ++i) {
      for (std::int64_t k = f.delassus.start[i]; k < f.delassus.start[i + 1]; ++k) {
        for (int r = 0; r < 3; ++r) {
          for (int c = 0; c < 3; ++c) {
            blocks(3 * i + r, 3 * f.delassus.column[k] + c) = f.delassus.block[k](r, c);
          }
        }
      }
    }
    EXPECT_LT((blocks - w).norm(), 1e-11 * w.norm()) << trial;
    EXPECT_EQ((blocks - blocks.transpose()).norm(), 0) << trial;
    EXPECT_LT((flat(f.velocity) - g).norm(), 1e-10 * g.norm()) << trial;

    // impulses where the step's problem has them do what J^T gamma does
    std::vector<Vec3> gamma(f.velocity.size());
    for (Vec3& x : gamma) x = {0.3, -0.1, 0.2};
    VectorXd generalized = VectorXd::Zero(p.dofs());
    assembly.add_impulses(gamma, generalized.data());
    VectorXd known = flat(gamma);
    for (int k = 0; k < 3 * m; ++k) known[3 * n + k] *= assembly.scalars()[k] >= 0;
    EXPECT_LT((generalized - jacobian.transpose() * known).norm(), 1e-10 * generalized.norm());
  }
}

/// A ball of 1 kg that meets the ground at 2 m/s.
ContactProblem ball(double gap) {
  ContactProblem p;
  p.time_step = 0.01;
  const double before[6] = {0.5, 0, -2, 0, 0, 0}, free[6] = {0.5, 0, -2.0981, 0, 0, 0};
  p.add_rigid_body(1, {0, 0, 0.1}, Mat3::diagonal({4e-3, 4e-3, 4e-3}), before, free);
  p.add_contact(world_tree, 0, {.gap = gap, .friction = 0}, -1, -1);
  return p;
}

double speed_after(ContactProblem p, const RigidRules& rules) {
  p.rigid = rules;
  const PreparedProblem q(p);
  const FrictionProblem f = make_friction_problem(q);
  std::vector<Vec3> x;
  const FrictionReport r =
      make_friction_solver("interior-point")->solve(f, {.tolerance = 1e-12}, x);
  EXPECT_EQ(r.status, SolveStatus::converged);
  return velocities_of(q, x)[2];
}

TEST(Delassus, RestitutionPartsAtItsShareOfTheSpeed) {
  for (const double e : {0.0, 0.5, 1.0}) {
    EXPECT_NEAR(speed_after(ball(0), {.restitution = e}), 2 * e, 1e-10) << e;
  }
}

TEST(Delassus, ABallThatIsApartStopsOnTheGround) {
  EXPECT_NEAR(speed_after(ball(0.005), {}), -0.5, 1e-10);
  EXPECT_NEAR(speed_after(ball(0.005), {.restitution = 0.5}), 1, 1e-10) << "met in this step";
  EXPECT_NEAR(speed_after(ball(0.03), {.restitution = 1}), -2.0981, 1e-10) << "out of reach";
}

TEST(Delassus, BaumgarteLetsOverlapOutByItsRate) {
  EXPECT_NEAR(speed_after(ball(-0.002), {.baumgarte = 0}), 0, 1e-10);
  EXPECT_NEAR(speed_after(ball(-0.002), {}), 0.04, 1e-10);
  EXPECT_NEAR(speed_after(ball(-0.002), {.penetration_slop = 0.0005}), 0.03, 1e-10);
  EXPECT_NEAR(speed_after(ball(-0.002), {.penetration_slop = 0.003}), 0, 1e-10);
}

TEST(Delassus, RefusesWhatRigidModelsDoNotHave) {
  std::mt19937 random(4);
  const PreparedProblem sparse(make_problem(random, {.sparse_trees = 1}));
  EXPECT_THROW(make_friction_problem(sparse), InputError);
  EXPECT_THROW(make_friction_problem(PreparedProblem()), InputError);
  ContactProblem p = ball(0);
  p.rigid.restitution = 1.5;
  EXPECT_THROW(validate(p), InputError);
  p.rigid = {.baumgarte = 2};
  EXPECT_THROW(validate(p), InputError);
}

}  // namespace
}  // namespace abut
