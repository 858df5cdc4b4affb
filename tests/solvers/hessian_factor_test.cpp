#include "abut/solvers/hessian_factor.hpp"

#include <gtest/gtest.h>

#include "abut/core/error.hpp"
#include "support/dense_newton.hpp"
#include "support/model_case.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

using Eigen::VectorXd;

VectorXd to_vector(const std::vector<double>& v) {
  return Eigen::Map<const VectorXd>(v.data(), std::ssize(v));
}

VectorXd solve(HessianFactor& factor, const VectorXd& u) {
  std::vector<double> x(u.begin(), u.end());
  factor.solve(x);
  return to_vector(x);
}

/// Of some trees that touch nothing, and others with contacts and constraints of all kinds.
ContactProblem problem_of(std::mt19937& random, const ModelCase& c, int trial) {
  ContactProblem p = make_problem(random, {.model = c.model,
                                           .law = c.law,
                                           .bodies = 2 + trial,
                                           .dense_trees = trial % 3,
                                           .sparse_trees = trial % 4 == 1 ? 1 : 0,
                                           .scalars = trial % 4,
                                           .links = trial % 5,
                                           .touch = 0.2,
                                           .ground = 0.5,
                                           .stiffness = c.law == NormalLawKind::hertz ? 1e8 : 1e6,
                                           .mixed_laws = trial % 5 == 4,
                                           .lagged_rule = LaggedRule::state});
  return p;
}

TEST(HessianFactor, IsThatOfTheDenseHessian) {
  std::mt19937 random(1);
  HessianFactor factor;
  int free = 0;
  for (const ModelCase& c : model_cases) {
    for (int trial = 0; trial < 10; ++trial) {
      SCOPED_TRACE(testing::Message() << name(c) << ", trial " << trial);
      const PreparedProblem q(problem_of(random, c, trial));
      ContactSolution x;
      ASSERT_EQ(make_solver("newton")->solve(q, {.tolerance = 1e-10}, x).status,
                SolveStatus::converged);
      ASSERT_TRUE(factor.compute(q, x));
      for (const int island : x.partition.island_of_tree()) free += island < 0;
      const DenseProblem dense(q);
      const VectorXd v = to_vector(x.velocity), u = VectorXd::Random(v.size());
      const VectorXd exact = dense.hessian(v).llt().solve(u);
      EXPECT_LT((solve(factor, u) - exact).norm(), 1e-9 * exact.norm());
    }
  }
  EXPECT_GT(free, 20);
}

// dv/dv* = H^-1 A, by differences of solutions; after a warm start that took no iteration too
TEST(HessianFactor, GivesTheDerivativeOfTheSolution) {
  std::mt19937 random(2);
  HessianFactor factor;
  for (const ModelCase& c : model_cases) {
    for (int trial = 0; trial < 6; ++trial) {
      SCOPED_TRACE(testing::Message() << name(c) << ", trial " << trial);
      ContactProblem p = problem_of(random, c, 4 + trial);
      p.wake_gap = 1;  // no contact is left out at first
      const VectorXd direction = VectorXd::Random(p.dofs());
      const auto solution = [&](double step, const ContactSolution& from) {
        ContactProblem moved = p;
        for (int k = 0; k < p.dofs(); ++k) moved.free_velocity[k] += step * direction[k];
        ContactSolution x = from;
        make_solver("newton")->solve(PreparedProblem(moved), {.tolerance = 1e-13}, x);
        return x;
      };
      const ContactSolution x = solution(0, {});
      const PreparedProblem q(p);
      ContactSolution warm = x;
      ASSERT_EQ(make_solver("newton")->solve(q, {.tolerance = 1e-6}, warm).iterations, 0);
      ASSERT_TRUE(factor.compute(q, warm));
      const VectorXd exact = solve(factor, DenseProblem(q).A * direction);
      const double step = 1e-7;
      const VectorXd difference =
          (to_vector(solution(step, x).velocity) - to_vector(solution(-step, x).velocity)) /
          (2 * step);
      EXPECT_LT((difference - exact).norm(), 2e-3 * exact.norm());
    }
  }
}

TEST(HessianFactor, RefusesWhatIsNoSolution) {
  std::mt19937 random(3);
  const PreparedProblem q(make_problem(random, {}));
  HessianFactor factor;
  EXPECT_THROW(factor.compute(q, {}), InputError);
  ContactSolution x;
  make_solver("newton")->solve(q, {}, x);
  ASSERT_TRUE(factor.compute(q, x));
  PreparedProblem lagged = q;
  lagged.edit().model = ContactModel::lagged;
  lagged.prepare();
  EXPECT_THROW(factor.compute(lagged, x), InputError) << "of a model that needs gamma_n0";
  ASSERT_TRUE(factor.compute(q, x));
  std::vector<double> few(3);
  EXPECT_THROW(factor.solve(few), InputError);
}

}  // namespace
}  // namespace abut
