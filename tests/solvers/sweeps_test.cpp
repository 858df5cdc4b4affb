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

// a fixed point of SAP's sweeps solves the problem; Lagged's slips are right to a percent, which
// hard problems enlarge; Similar's answer alone leaps where a contact begins to slide
TEST_P(SweepsOfModel, ComeToTheSolution) {
  std::mt19937 random(3);
  std::vector<double> early, late;
  for (int i = 0; i < 21; ++i) {
    ContactProblem p = make_problem(
        random,
        {.model = GetParam(), .bodies = 6, .dense_trees = i % 2, .ground = 0.6, .stiffness = 1e5});
    p.wake_gap = 1;  // all contacts belong to islands
    const PreparedProblem q(p);
    ContactSolution newton;
    const SolveReport report = make_solver("newton")->solve(q, {.tolerance = 1e-10}, newton);
    ASSERT_EQ(report.status, SolveStatus::converged);
    early.push_back(distance(q, newton, {.most = 20, .settled = 0, .own_limit = false}));
    if (GetParam() == ContactModel::similar) continue;
    late.push_back(distance(q, newton, {.most = 5000, .settled = 1e-10, .own_limit = false}));
  }
  for (auto* v : {&early, &late}) std::sort(v->begin(), v->end());
  EXPECT_LT(early[10], 0.4);
  EXPECT_LT(early.back(), 0.95);
  if (GetParam() == ContactModel::sap) {
    EXPECT_LT(late.back(), 1e-4);
  } else if (traits(GetParam()).lags_friction) {
    EXPECT_LT(late[10], 0.01);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, SweepsOfModel, testing::ValuesIn(convex_models));

}  // namespace
}  // namespace abut
