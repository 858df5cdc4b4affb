// Contacts of one problem that have normal laws of their own.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "abut/laws/force_table.hpp"
#include "abut/laws/law_list.hpp"
#include "abut/laws/mixed_laws.hpp"
#include "abut/laws/pointwise_laws.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "support/dense_newton.hpp"
#include "support/model_case.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

using Eigen::VectorXd;

constexpr ContactModel with_laws[] = {ContactModel::lagged, ContactModel::similar};

VectorXd to_vector(const std::vector<double>& v) {
  return Eigen::Map<const VectorXd>(v.data(), std::ssize(v));
}

ContactSolution solve(const PreparedProblem& q, double tolerance = 1e-10) {
  ContactSolution x;
  EXPECT_EQ(make_solver("newton")->solve(q, {.tolerance = tolerance}, x).status,
            SolveStatus::converged);
  return x;
}

TEST(MixedLaws, AnswerAsEachLawAlone) {
  std::mt19937 random(1);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  int active = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const PointMaterial m{.stiffness = std::pow(10, uniform(2, 9)),
                          .dissipation = uniform(0, 30),
                          .relaxation_time = uniform(0, 1e-2)};
    const double h = std::pow(10, uniform(-4, -1)), gap = uniform(-1e-3, 1e-3);
    const double v = uniform(-1, 1), w = uniform(0, 10);
    for (const NormalLawKind kind : normal_laws) {
      dispatch_law(kind, [&]<class Law>() {
        NormalStep<double> step = Law::discretize(m, h, gap);
        const NormalEval<double> alone = Law::evaluate(step, v);
        const double answer = Law::solve_alone(step, w, v);
        step.law = static_cast<double>(kind);
        const auto compare = [&]<class Mixed>(Mixed) {
          const NormalEval<double> mixed = Mixed::evaluate(step, v);
          EXPECT_EQ(mixed.potential, alone.potential);
          EXPECT_EQ(mixed.impulse, alone.impulse);
          EXPECT_EQ(mixed.slope, alone.slope);
          EXPECT_EQ(Mixed::solve_alone(step, w, v), answer);
        };
        if (step.tables.table == nullptr) step.tables = {&unit_line(), h};  // as a pack has them
        compare(PointwiseLaws());
        if (!traits(kind).is_pointwise) compare(MixedLaws());
        active += alone.impulse > 0;
      });
    }
  }
  EXPECT_GT(active, 3000);
}

TEST(MixedLaws, FindTheMinimumThatDenseLinearAlgebraFinds) {
  std::mt19937 random(2);
  for (const ContactModel model : with_laws) {
    for (int trial = 0; trial < 24; ++trial) {
      SCOPED_TRACE(testing::Message() << to_string(model) << ", trial " << trial);
      const ContactProblem p = make_problem(random, {.model = model,
                                                     .law = normal_laws[trial % normal_laws.size()],
                                                     .bodies = 1 + trial % 12,
                                                     .dense_trees = trial % 4,
                                                     .sparse_trees = trial % 5 == 3 ? 1 : 0,
                                                     .scalars = trial % 3,
                                                     .links = trial % 2,
                                                     .mixed_laws = true});
      const PreparedProblem q(p);
      const DenseProblem dense(q);
      const VectorXd exact = dense.minimize();
      for (const std::string_view solver : solvers_of(model)) {
        ContactSolution x;
        const SolveReport r = make_solver(solver)->solve(q, {.tolerance = 1e-10}, x);
        EXPECT_EQ(r.status, SolveStatus::converged) << solver;
        EXPECT_LE(r.certificate.impulse_error, 1e-8) << solver;
        const VectorXd off = to_vector(x.velocity) - exact;
        EXPECT_LT(off.dot(dense.A * off), 1e-16 * exact.dot(dense.A * exact)) << solver;
      }
    }
  }
}

// the same problem, its law said once or at each contact
TEST(MixedLaws, AContactsOwnLawIsThatOfAProblem) {
  for (const ModelCase& c : model_cases) {
    std::mt19937 random(3);
    ContactProblem p = make_problem(random, {.model = c.model, .law = c.law, .stiffness = 1e5});
    p.friction.lagged_rule = LaggedRule::fixed_point;
    const ContactSolution x = solve(PreparedProblem(p), 1e-6);
    p.contacts.law.assign(p.contacts.size(), c.law);
    for (const NormalLawKind other : normal_laws) {
      p.law = other;
      const ContactSolution y = solve(PreparedProblem(p), 1e-6);
      EXPECT_EQ(x.velocity, y.velocity) << name(c) << ", problem's " << to_string(other);
      EXPECT_EQ(x.impulse, y.impulse) << name(c);
    }
  }
}

/// Two balls at rest on the ground, not touching each other; of laws a and b.
ContactProblem two_balls(ContactModel model, std::optional<NormalLawKind> a,
                         std::optional<NormalLawKind> b, bool linked) {
  ContactProblem p;
  p.time_step = 2e-3;
  p.model = model;
  const double fall = -9.81 * p.time_step;
  for (int i = 0; i < 2; ++i) {
    const double v[] = {0.2, 0.1, -0.05, 0, 0, 0}, free[] = {0.2, 0.1, -0.05 + fall, 0, 0, 0};
    p.add_rigid_body(1.5, {1.0 * i, 0, 0.1}, Mat3::diagonal({6e-3, 6e-3, 6e-3}), v, free);
  }
  for (int i = 0; i < 2; ++i) {
    ContactPoint c;
    c.point = {1.0 * i, 0, -2e-5};
    c.gap = -4e-5;
    c.stiffness = 1e6;
    c.law = i == 0 ? a : b;
    p.add_contact(world_tree, i, c);
  }
  if (linked) {  // an actuator of no force: one island
    const RowEntry row[] = {{0, 0, 1}, {1, 0, 1}};
    p.add_scalar({.kind = ScalarKind::actuator,
                  .stiffness = 0,
                  .damping = 1e-12,
                  .force = 0,
                  .lower_force = 0,
                  .upper_force = 0},
                 row);
  }
  return p;
}

// in islands of their own, and side by side in one
TEST(MixedLaws, EachContactMovesAsUnderItsLawAlone) {
  for (const ContactModel model : with_laws) {
    for (const NormalLawKind a : normal_laws) {
      for (const NormalLawKind b : normal_laws) {
        for (const bool linked : {false, true}) {
          SCOPED_TRACE(testing::Message() << to_string(model) << ' ' << to_string(a) << ", "
                                          << to_string(b) << (linked ? ", linked" : ""));
          const ContactSolution x = solve(PreparedProblem(two_balls(model, a, b, linked)));
          ContactProblem alone = two_balls(model, {}, {}, linked);
          for (int i = 0; i < 2; ++i) {
            alone.law = i == 0 ? a : b;
            const ContactSolution y = solve(PreparedProblem(alone));
            EXPECT_GT(y.impulse[i].z, 0);
            EXPECT_LT(norm(x.impulse[i] - y.impulse[i]), 1e-11);
            for (int k = 6 * i; k < 6 * i + 6; ++k) {
              EXPECT_NEAR(x.velocity[k], y.velocity[k], 1e-11);
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace abut
