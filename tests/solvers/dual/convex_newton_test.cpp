// Newton's method for the CCP: with compliance, by MuJoCo's and Drake's rules, and without.

#include "abut/solvers/dual/convex_newton.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "abut/core/error.hpp"
#include "abut/problem/friction_compliance.hpp"
#include "support/random_friction.hpp"

namespace abut {
namespace {

double largest_difference(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double most = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, norm(a[i] - b[i]));
    size = std::max(size, norm(b[i]));
  }
  return most / std::max(size, 1e-300);
}

TEST(FrictionCompliance, IsThatOfItsRules) {
  FrictionProblem p = box_on_ground(0.1, 0.5, {}, 0.01);
  p.time_step = 0.01;
  const Mat3& w = p.delassus.block[p.delassus.find(2, 2)];
  EXPECT_EQ(relative_compliance(p, 0.02)[2],
            (Vec3{0.02 * w(0, 0), 0.02 * w(1, 1), 0.02 * w(2, 2)}));
  const double mobility = (w(0, 0) + w(1, 1) + w(2, 2)) / 3;
  const Vec3 rigid = sap_compliance(p, {.stiffness = 1e12})[2];
  EXPECT_NEAR(rigid.z, mobility / (4 * std::numbers::pi * std::numbers::pi), 1e-15);
  EXPECT_NEAR(rigid.x, 1e-3 * mobility, 1e-15);
  const Vec3 soft = sap_compliance(p, {.stiffness = 100, .dissipation_time = 0.03})[2];
  EXPECT_NEAR(soft.z, 1 / (0.01 * 0.04 * 100), 1e-12);
  EXPECT_EQ(soft.y, rigid.y);
  const std::vector<Vec3> r(4, {1, 2, 3});
  const FrictionProblem q = with_compliance(p, r);
  const Mat3& v = q.delassus.block[q.delassus.find(2, 2)];
  EXPECT_EQ(v, w + Mat3::diagonal({1, 2, 3}));
  EXPECT_EQ(q.delassus.block[q.delassus.find(2, 3)], p.delassus.block[p.delassus.find(2, 3)]);
}

TEST(FrictionCompliance, RefusesWhatIsNone) {
  const FrictionProblem p = box_on_ground(0.1, 0.5, {}, 0.01);
  EXPECT_THROW(relative_compliance(p, 0), InputError);
  EXPECT_THROW(sap_compliance(p, {.stiffness = -1}), InputError);
  EXPECT_THROW(with_compliance(p, std::vector<Vec3>(3)), InputError);
  std::vector<Vec3> x;
  EXPECT_THROW(
      ConvexNewton().solve_compliant(p, std::vector<Vec3>(4), {.model = RigidModel::ccp}, x),
      InputError);
}

// two algorithms that share the projection alone
TEST(ConvexNewton, WithComplianceIsAdmmOnItsMatrix) {
  std::mt19937 random(71);
  ConvexNewton newton;
  const auto admm = make_friction_solver("admm");
  for (const bool as_mujoco : {true, false}) {
    for (int trial = 0; trial < 40; ++trial) {
      const FrictionProblem p = make_friction_problem(
          random, {.most_bodies = 6, .most_contacts = 12, .most_scalars = trial % 2 * 6});
      const std::vector<Vec3> r =
          as_mujoco ? relative_compliance(p, 1e-2) : sap_compliance(p, {.stiffness = 1e4});
      const FrictionOptions options{.model = RigidModel::ccp, .tolerance = 1e-12};
      std::vector<Vec3> x, y;
      const FrictionReport n = newton.solve_compliant(p, r, options, x);
      ASSERT_EQ(n.status, SolveStatus::converged) << n.certificate.natural_error;
      EXPECT_LT(n.iterations, 40);
      const FrictionReport a = admm->solve(with_compliance(p, r), options, y);
      ASSERT_EQ(a.status, SolveStatus::converged) << a.certificate.natural_error;
      EXPECT_LT(largest_difference(x, y), 1e-9) << trial;
    }
  }
}

// R -> 0: the error falls as R does
TEST(ConvexNewton, ComplianceLeavesAnErrorOfItsSize) {
  std::mt19937 random(72);
  const FrictionProblem p = make_friction_problem(random, {.most_bodies = 4, .most_contacts = 8});
  std::vector<Vec3> exact, x;
  ConvexNewton newton;
  const FrictionOptions options{.model = RigidModel::ccp, .tolerance = 1e-12};
  ASSERT_EQ(newton.solve(p, options, exact).status, SolveStatus::converged);
  double last = 0;
  for (const double alpha : {1e-2, 1e-3, 1e-4, 1e-5}) {
    const FrictionReport r =
        newton.solve_compliant(p, relative_compliance(p, alpha), {.model = RigidModel::ccp}, x);
    EXPECT_EQ(r.status, SolveStatus::converged) << r.certificate.natural_error;
    const double error = certify(p, RigidModel::ccp, x).natural_error;
    if (last > 0) {
      EXPECT_NEAR(error / last, 0.1, 0.03);
    }
    last = error;
  }
}

}  // namespace
}  // namespace abut
