// Sweeps over contacts against Newton's method, whose start they are.

#include "abut/solvers/primal/sweeps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "abut/solvers/contact_solver.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

using F = ContactField;

/// sqrt(sum w |gamma - gamma_newton|^2) over sqrt(sum w |gamma_newton|^2), of all islands.
double distance(const PreparedProblem& q, const ContactSolution& newton, SweepOptions options) {
  const ContactProblem& p = q.problem();
  Sweeps sweeps;
  sweeps.make_room(q);
  const ModelKernels& model = contact_kernels().model(p.model, LawMix(p.law));
  double off = 0, all = 0;
  IslandSystem system;  // of one island after the other, as solvers have it
  for (int k = 0; k < q.islands().size(); ++k) {
    system.build(q, q.islands(), k);
    sweeps.run(q, q.islands().trees_of(k), model, system, options);
    const ContactArrays& c = system.contacts();
    for (int i = 0; i < system.contact_count(); ++i) {
      const int contact = system.contact_indices()[i];
      const double* gamma = c[F::impulse_x] + i;
      const Vec3 swept{gamma[0], gamma[c.stride], gamma[2 * c.stride]};
      const Vec3& expected = newton.impulse[contact];
      off += q.contacts().mobility[contact] * squared_norm(swept - expected);
      all += q.contacts().mobility[contact] * squared_norm(expected);
      EXPECT_NEAR(c[F::dual_normal][i], dot(p.contacts.normal[contact], swept), 1e-12);
    }
  }
  return std::sqrt(off / all);
}

class SweepsOfModel : public testing::TestWithParam<ContactModel> {};

/// Random problems with what Newton's method says of them.
struct Solved {
  PreparedProblem q;
  ContactSolution newton;
};

Solved solved_problem(std::mt19937& random, ContactModel model, bool has_dense_tree,
                      LaggedRule rule) {
  Solved s;
  s.q.edit() = make_problem(random, {.model = model,
                                     .bodies = 6,
                                     .dense_trees = has_dense_tree,
                                     .ground = 0.6,
                                     .stiffness = 1e5,
                                     .lagged_rule = rule});
  s.q.edit().wake_gap = 1;  // all contacts belong to islands
  s.q.prepare();
  const SolveReport report = make_solver("newton")->solve(s.q, {.tolerance = 1e-12}, s.newton);
  EXPECT_EQ(report.status, SolveStatus::converged);
  return s;
}

TEST_P(SweepsOfModel, ComeNearTheSolution) {
  std::mt19937 random(3);
  std::vector<double> early, late;
  for (int i = 0; i < 21; ++i) {
    const Solved s = solved_problem(random, GetParam(), i % 2 != 0, LaggedRule::prediction);
    early.push_back(distance(s.q, s.newton, {.most = 20, .settled = 0, .own_limit = false}));
    if (GetParam() == ContactModel::similar) continue;  // leaps where a contact begins to slide
    late.push_back(distance(s.q, s.newton, {.most = 300, .settled = 1e-3, .own_limit = false}));
  }
  for (auto* v : {&early, &late}) std::sort(v->begin(), v->end());
  EXPECT_LT(early[10], 0.4);
  EXPECT_LT(early.back(), 0.95);
  if (GetParam() == ContactModel::similar) return;
  EXPECT_LT(late[10], 0.1);
  EXPECT_LT(late.back(), 0.5);
}

// the solution is a fixed point of SAP's sweeps; Lagged's slips are right to a few percent
TEST_P(SweepsOfModel, LeaveTheSolutionAsItIs) {
  if (GetParam() == ContactModel::similar) return;
  std::mt19937 random(4);
  for (int i = 0; i < 21; ++i) {
    // whose gamma_n0 does not come from the last impulses
    Solved s = solved_problem(random, GetParam(), i % 2 != 0, LaggedRule::state);
    s.q.edit().contacts.previous_impulse.assign(s.newton.impulse.begin(), s.newton.impulse.end());
    s.q.prepare();
    const double off = distance(s.q, s.newton, {.most = 1, .settled = 0, .own_limit = false});
    EXPECT_LT(off, GetParam() == ContactModel::sap ? 1e-8 : 0.05) << "trial " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, SweepsOfModel, testing::ValuesIn(convex_models));

}  // namespace
}  // namespace abut
