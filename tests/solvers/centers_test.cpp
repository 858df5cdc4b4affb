// Contacts at the centers of bodies and beside them, alone and together, of bodies of one tree or
// of two: where a body's turning does not count it is left out. And problems of nothing.

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "abut/core/error.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "abut/solvers/hessian_factor.hpp"
#include "support/dense_newton.hpp"
#include "support/model_case.hpp"

namespace abut {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Numbers = std::vector<double>;

Numbers random_numbers(std::mt19937& random, int count) {
  std::normal_distribution<double> normal;
  Numbers v(count);
  for (double& x : v) x = normal(random);
  return v;
}

/// A dense tree, or a sparse one of two nodes that are not coupled, of six dofs.
int add_tree(ContactProblem& p, std::mt19937& random, bool sparse) {
  const Numbers root = random_numbers(random, 36), v = random_numbers(random, 6);
  Eigen::Map<const Eigen::Matrix<double, 6, 6>> b(root.data());
  MatrixXd a = 0.2 * b * b.transpose() + MatrixXd::Identity(6, 6);
  if (!sparse) return p.add_tree({a.data(), 36}, v, v, 1);
  const Eigen::Matrix3d first = a.topLeftCorner(3, 3), second = a.bottomRightCorner(3, 3);
  Numbers blocks(first.data(), first.data() + 9);
  blocks.insert(blocks.end(), second.data(), second.data() + 9);
  return p.add_sparse_tree(std::vector<std::int64_t>{1, 2}, std::vector{0, 1}, blocks, v, v, 1);
}

/// A body that all six dofs move and turn.
int add_body(ContactProblem& p, std::mt19937& random, int tree) {
  const Numbers at = random_numbers(random, 3), j = random_numbers(random, 36);
  const Vec3 center{at[0], at[1], at[2]};
  if (p.trees[tree].kind == TreeKind::dense) return p.add_body(tree, center, j);
  const int body = p.add_point(tree, center, std::vector{1, 0}, Numbers{0, 0});
  std::copy(j.begin(), j.end(), p.jacobians.end() - 36);
  return body;
}

struct Side {
  int tree = world_tree, body = -1;
};

/// `spots`: for each contact 0 at A's center, 1 at B's, 2 beside both.
void touch(ContactProblem& p, std::mt19937& random, Side a, Side b, const std::vector<int>& spots) {
  for (const int spot : spots) {
    const Numbers x = random_numbers(random, 6);
    const Vec3 n{x[3], x[4], x[5]};
    ContactPoint c{.point = {x[0], x[1], x[2]}, .normal = n / norm(n), .gap = -1e-4};
    c.stiffness = 1e5;
    c.thickness = 1;  // far from the wall
    if (spot == 0 && a.body >= 0) c.point = p.bodies[a.body].center;
    if (spot == 1) c.point = p.bodies[b.body].center;
    p.add_contact(a.tree, b.tree, c, a.body, b.body);
  }
}

/// J^T's columns at the contact, turning always counted.
MatrixXd jacobian(const ContactProblem& p) {
  MatrixXd j = MatrixXd::Zero(3 * p.contacts.size(), p.dofs());
  for (const Patch& patch : p.patches) {
    for (int i = patch.begin; i < patch.end; ++i) {
      for (const auto& [body, sign] : {std::pair(patch.body_a, -1), {patch.body_b, 1}}) {
        if (body < 0) continue;
        const ContactBody& b = p.bodies[body];
        const Vec3 r = p.contacts.point[i] - b.center;
        const double* e = p.jacobians.data() + b.first_element;
        const int n = b.columns;
        for (const IndexRun& run : p.runs_of(b)) {
          for (int dof = run.begin; dof < run.end; ++dof, ++e) {
            const Vec3 v = Vec3{e[0], e[n], e[2 * n]} + cross({e[3 * n], e[4 * n], e[5 * n]}, r);
            for (int axis = 0; axis < 3; ++axis) {
              j(3 * i + axis, p.trees[b.tree].first_dof + dof) += sign * v[axis];
            }
          }
        }
      }
    }
  }
  return j;
}

void expect_right(const ContactProblem& p) {
  validate(p);
  const PreparedProblem q(p);
  const DenseProblem dense(q);
  const MatrixXd j = jacobian(p), inverse = dense.A.inverse();
  EXPECT_LT((dense.J - j).norm(), 1e-13 * (1 + j.norm()));
  for (int i = 0; i < p.contacts.size(); ++i) {
    const MatrixXd rows = j.middleRows(3 * i, 3), w = rows * inverse * rows.transpose();
    const Vec3& n = p.contacts.normal[i];
    const Eigen::Vector3d normal(n.x, n.y, n.z);
    EXPECT_NEAR(q.contacts().mobility[i], w.norm() / 3, 1e-11 * w.norm()) << "contact " << i;
    EXPECT_NEAR(q.contacts().normal_mobility[i], normal.dot(w * normal), 1e-11 * w.norm());
  }
  ContactSolution x;
  const SolveReport r = make_solver("newton")->solve(q, {.tolerance = 1e-12}, x);
  EXPECT_TRUE(r.status == SolveStatus::converged);
  const VectorXd exact = dense.minimize();
  double error = 0;
  for (int k = 0; k < p.dofs(); ++k) error = std::max(error, std::abs(x.velocity[k] - exact[k]));
  EXPECT_LT(error, 1e-8 * (1 + exact.norm()));
  HessianFactor factor;
  ASSERT_TRUE(factor.compute(q, x));
  const VectorXd u = VectorXd::Random(p.dofs()), h = dense.hessian(exact).llt().solve(u);
  Numbers v(u.begin(), u.end());
  factor.solve(v);
  EXPECT_LT((Eigen::Map<VectorXd>(v.data(), p.dofs()) - h).norm(), 1e-6 * h.norm());
}

// every way to place one contact or two, of bodies of one tree, of two, and against the world
TEST(Centers, TurningCountsWhereItMovesAContact) {
  std::mt19937 random(1);
  const std::vector<std::vector<int>> spots = {{0}, {1}, {2}, {0, 1}, {0, 0}, {1, 1}, {1, 2}};
  for (const ModelCase& c : model_cases) {
    for (const bool sparse : {false, true}) {
      for (const auto& first : spots) {
        for (const auto& second : spots) {
          SCOPED_TRACE(testing::Message() << name(c) << (sparse ? ", sparse, " : ", dense, ")
                                          << testing::PrintToString(first) << " and "
                                          << testing::PrintToString(second));
          ContactProblem p;
          p.time_step = 1e-2, p.model = c.model, p.law = c.law;
          p.friction.lagged_rule = LaggedRule::state;
          const int s = add_tree(p, random, sparse), t = add_tree(p, random, !sparse);
          const Side a{s, add_body(p, random, s)}, b{s, add_body(p, random, s)},
              d{t, add_body(p, random, t)};
          touch(p, random, {}, a, {1});
          touch(p, random, a, b, first);
          touch(p, random, b, d, second);
          touch(p, random, a, d, first);
          expect_right(p);
        }
      }
    }
  }
}

TEST(Nothing, IsSolved) {
  for (const ModelCase& c : model_cases) {
    for (const std::string_view solver : solvers_of(c.model)) {
      ContactProblem p;
      p.time_step = 1e-2, p.model = c.model, p.law = c.law;
      validate(p);
      for (const int trees : {0, 3}) {
        std::mt19937 random(2);
        for (int k = 0; k < trees; ++k) add_tree(p, random, k == 1);
        const PreparedProblem q(p);
        ContactSolution x;
        const SolveReport r = make_solver(solver)->solve(q, {}, x);
        EXPECT_TRUE(r.status == SolveStatus::converged) << name(c);
        EXPECT_EQ(x.velocity, p.free_velocity);
        EXPECT_EQ(r.iterations, 0);
        EXPECT_EQ(r.certificate.step_error, 0);
        HessianFactor factor;
        ASSERT_TRUE(factor.compute(q, x));
        Numbers u(p.dofs(), 1.0);
        factor.solve(u);
        const VectorXd left =
            DenseProblem(q).A * Eigen::Map<VectorXd>(u.data(), p.dofs()) - VectorXd::Ones(p.dofs());
        EXPECT_LT(left.norm(), 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace abut
