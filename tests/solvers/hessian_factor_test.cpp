#include "abut/solvers/hessian_factor.hpp"

#include <gtest/gtest.h>

#include "abut/core/error.hpp"
#include "support/dense_newton.hpp"
#include "support/model_case.hpp"
#include "support/prepared_parts.hpp"
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
ContactProblem problem_of(std::mt19937& random, const ModelCase& c, int trial,
                          bool branches = false) {
  ContactProblem p = make_problem(random, {.model = c.model,
                                           .law = c.law,
                                           .bodies = 2 + trial,
                                           .dense_trees = trial % 3,
                                           .branches = branches,
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

VectorXd multiply(HessianFactor& factor, const VectorXd& u) {
  std::vector<double> x(u.begin(), u.end());
  factor.multiply(x);
  return to_vector(x);
}

double condition(const Eigen::MatrixXd& hessian) {
  const VectorXd values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(hessian).eigenvalues();
  return values[values.size() - 1] / values[0];
}

TEST(HessianFactor, IsThatOfTheDenseHessian) {
  std::mt19937 random(1);
  HessianFactor factor;
  int free = 0;
  for (const ModelCase& c : model_cases) {
    for (int trial = 0; trial < 10; ++trial) {
      SCOPED_TRACE(testing::Message() << name(c) << ", trial " << trial);
      const PreparedProblem q(problem_of(random, c, trial, trial % 2 == 1));
      ContactSolution x;
      ASSERT_EQ(make_solver("newton")->solve(q, {.tolerance = 1e-10}, x).status,
                SolveStatus::converged);
      ASSERT_TRUE(factor.compute(q, x));
      for (const int island : x.partition.island_of_tree()) free += island < 0;
      const DenseProblem dense(q);
      const VectorXd v = to_vector(x.velocity), u = VectorXd::Random(v.size());
      const Eigen::MatrixXd hessian = dense.hessian(v);
      const VectorXd exact = hessian.llt().solve(u);
      EXPECT_LT((solve(factor, u) - exact).norm(), 1e-9 * exact.norm());
      EXPECT_LT((multiply(factor, u) - hessian * u).norm(), 1e-12 * hessian.norm() * u.norm());
      EXPECT_NEAR(factor.condition() / condition(hessian), 1, 1e-5);
    }
  }
  EXPECT_GT(free, 20);
}

TEST(HessianFactor, HasAConditionOfOneWithoutDofs) {
  HessianFactor factor;
  EXPECT_THROW(factor.condition(), InputError);
  ContactProblem p;
  p.time_step = 1e-2;
  const PreparedProblem q(p);
  ContactSolution x;
  make_solver("newton")->solve(q, {}, x);
  ASSERT_TRUE(factor.compute(q, x));
  EXPECT_EQ(factor.condition(), 1);
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
      make_solver("newton")->solve(q, {.tolerance = 1e-6}, warm);
      for (const IslandReport& island : warm.islands) {
        ASSERT_TRUE(island.contacts == 0 || island.iterations == 0);
      }
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

// with the normal impulses that friction was solved with, not those that were predicted
TEST(HessianFactor, CountsLaggedFrictionAsItWasSolved) {
  std::mt19937 random(5);
  HessianFactor factor;
  for (const ModelCase& c : model_cases) {
    if (!traits(c.model).lags_friction) continue;
    int changed = 0;
    for (int trial = 0; trial < 10; ++trial) {
      ContactProblem p = problem_of(random, c, trial);
      p.friction.lagged_rule = LaggedRule::fixed_point;
      const PreparedProblem q(p);
      ContactSolution x;
      make_solver("newton")->solve(q, {.tolerance = 1e-10}, x);
      ASSERT_TRUE(factor.compute(q, x));
      PreparedProblem as_solved = q;
      ContactTerms& terms = PreparedParts::contacts(as_solved);
      changed += terms.lagged_impulse != x.lagged_impulse;
      terms.lagged_impulse = x.lagged_impulse;
      for (int i = 0; i < p.contacts.size(); ++i) {
        terms.slip_tolerance[i] = slip_tolerance(as_solved, i, x.lagged_impulse[i]);
      }
      const VectorXd v = to_vector(x.velocity), u = VectorXd::Random(v.size());
      const VectorXd exact = DenseProblem(as_solved).hessian(v).llt().solve(u);
      EXPECT_LT((solve(factor, u) - exact).norm(), 1e-8 * exact.norm())
          << name(c) << ", trial " << trial;
    }
    EXPECT_GT(changed, 3) << "nothing is tested";
  }
}

// of as many trees, contacts and constraints, but between others
TEST(HessianFactor, RefusesTheSolutionOfAnotherProblem) {
  const double v[6] = {};
  const auto problem = [&](int bodies) {
    ContactProblem p;
    p.time_step = 1e-2;
    for (int k = 0; k < bodies; ++k) p.add_rigid_body(1, {}, Mat3::identity(), v, v);
    return p;
  };
  const ContactPoint contact{.gap = -1e-4};
  ContactProblem apart = problem(3), touching = problem(3), joined = problem(3), held = problem(3);
  for (ContactProblem* p : {&apart, &joined, &held}) p->add_contact(world_tree, 1, contact);
  touching.add_contact(1, 2, contact);
  const RowEntry rows[] = {{0, 0, 1}, {1, 0, -1}};
  joined.add_scalar({.kind = ScalarKind::equality}, rows);
  held.add_scalar({.kind = ScalarKind::equality}, std::span(rows).first(1));
  std::vector<PreparedProblem> all;
  std::vector<ContactSolution> solutions(4);
  for (const ContactProblem* p : {&apart, &touching, &joined, &held}) {
    all.emplace_back(*p);
    make_solver("newton")->solve(all.back(), {}, solutions[all.size() - 1]);
  }
  HessianFactor factor;
  for (std::size_t k = 0; k < all.size(); ++k) {
    for (std::size_t other = 0; other < all.size(); ++other) {
      const bool fits = k == other || (k == 0 && other == 1) || (k == 3 && other == 2);
      if (fits) {  // islands that are joined without need do no harm
        EXPECT_TRUE(factor.compute(all[k], solutions[other]));
      } else {
        EXPECT_THROW(factor.compute(all[k], solutions[other]), InputError) << k << ", " << other;
      }
    }
  }
}

/// A number of a problem that its solution depends on.
struct Parameter {
  const char* name;
  double (*value)(const ContactProblem&);  ///< to scale the differences
  void (*add)(ContactProblem&, double);
};
const Parameter parameters[] = {
    {"gap", [](auto&) { return 1e-3; }, [](auto& p, double e) { p.contacts.gap[0] += e; }},
    {"bias", [](auto&) { return 1.0; }, [](auto& p, double e) { p.contacts.bias[0].x += e; }},
    {"friction", [](auto&) { return 1.0; }, [](auto& p, double e) { p.contacts.friction[0] += e; }},
    {"stiffness", [](auto& p) { return p.contacts.stiffness[0]; },
     [](auto& p, double e) { p.contacts.stiffness[0] += e; }},
    {"dissipation", [](auto&) { return 1.0; },
     [](auto& p, double e) { p.contacts.dissipation[0] += e; }},
    {"weight", [](auto&) { return 1.0; }, [](auto& p, double e) { p.contacts.weight[0] += e; }},
    {"mass", [](auto& p) { return p.trees[0].mass; },
     [](auto& p, double e) { p.trees[0].mass += e; }},
    {"gap of a constraint", [](auto&) { return 1e-3; },
     [](auto& p, double e) { p.scalars.gap[0] += e; }},
    {"force", [](auto&) { return 10.0; }, [](auto& p, double e) { p.scalars.force[0] += e; }},
    {"row", [](auto&) { return 1.0; }, [](auto& p, double e) { p.scalars.entries[0].value += e; }},
};

// dv/dx = -H^-1 dg/dx, g the gradient of the cost at v: by differences of solutions
TEST(HessianFactor, GivesDerivativesByAnyNumberOfTheProblem) {
  std::mt19937 random(4);
  HessianFactor factor;
  for (const ModelCase& c : model_cases) {
    for (int trial = 0; trial < 4; ++trial) {
      ContactProblem p;
      while (p.contacts.size() == 0) p = problem_of(random, c, 3 + trial);
      p.wake_gap = 1;
      const RowEntry row[] = {{0, 1, 1}, {1, 2, -0.5}};
      p.scalars.clear();
      p.add_scalar({.kind = trial % 2 == 0 ? ScalarKind::equality : ScalarKind::actuator,
                    .stiffness = 1e4,
                    .damping = 1,
                    .force = 20,
                    .lower_force = -1e3,
                    .upper_force = 1e3},
                   row);
      const PreparedProblem q(p);
      ContactSolution x;
      make_solver("newton")->solve(q, {.tolerance = 1e-13}, x);
      ASSERT_TRUE(factor.compute(q, x));
      const VectorXd v = to_vector(x.velocity);
      for (const Parameter& parameter : parameters) {
        SCOPED_TRACE(testing::Message()
                     << parameter.name << ", " << name(c) << ", trial " << trial);
        const double step = 1e-6 * parameter.value(p);
        VectorXd gradients[2], solutions[2];
        for (const int side : {0, 1}) {
          ContactProblem changed = p;
          parameter.add(changed, side == 0 ? -step : step);
          const PreparedProblem other(changed);
          gradients[side] = DenseProblem(other).gradient(v);
          ContactSolution y = x;
          make_solver("newton")->solve(other, {.tolerance = 1e-13}, y);
          solutions[side] = to_vector(y.velocity);
        }
        const VectorXd exact = -solve(factor, (gradients[1] - gradients[0]) / (2 * step));
        const VectorXd difference = (solutions[1] - solutions[0]) / (2 * step);
        // what rounding leaves of the differences
        EXPECT_LT((difference - exact).norm(), 2e-3 * exact.norm() + 1e-6 / parameter.value(p));
      }
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
