// The judge must see every way of being wrong.

#include "abut/problem/certify.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>

#include "abut/solvers/contact_solver.hpp"
#include "support/dense_newton.hpp"
#include "support/prepared_parts.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

struct Solved {
  PreparedProblem q;
  ContactSolution x;
  Certificate c;
};

Solved solve(ContactModel model, unsigned seed, double touch = 0.5) {
  std::mt19937 random(seed);
  Solved s;
  s.q = PreparedProblem(
      make_problem(random, {.model = model, .bodies = 6, .dense_trees = 2, .touch = touch}));
  make_solver("newton")->solve(s.q, {.tolerance = 1e-11}, s.x);
  s.c = certify(s.q, s.x.answer());
  return s;
}

constexpr auto models = convex_models;

TEST(Certify, AcceptsASolution) {
  for (const ContactModel model : models) {
    const Solved s = solve(model, 1);
    EXPECT_LT(s.c.momentum_error, 1e-10);
    EXPECT_LT(s.c.impulse_error, 1e-9);
    EXPECT_LT(s.c.complementarity_error, 1e-12);
  }
}

// e_m of one island by dense linear algebra, off the solution
TEST(Certify, MomentumErrorIsTheScaledResidual) {
  std::normal_distribution<double> normal;
  for (const ContactModel model : models) {
    std::mt19937 random(2);
    Solved s = solve(model, 3, 1);  // everything touches everything
    for (double& v : s.x.velocity) v += 1e-3 * normal(random);
    const DenseProblem d(s.q);
    const Eigen::VectorXd v =
        Eigen::Map<Eigen::VectorXd>(s.x.velocity.data(), s.q.problem().dofs());
    const Eigen::VectorXd scale = d.A.diagonal().cwiseSqrt().cwiseInverse();
    const Eigen::VectorXd r = d.gradient(v), full = d.A * v, impulse = d.A * (v - d.v_star) - r;
    const double expected =
        scale.cwiseProduct(r).norm() /
        std::max(scale.cwiseProduct(full).norm(), scale.cwiseProduct(impulse).norm());
    const Certificate c = certify(s.q, s.x.answer());
    EXPECT_NEAR(c.momentum_error, expected, 1e-10 * expected);

    // what the step does to momentum in the place of the momentum
    const Eigen::VectorXd v0 =
        Eigen::Map<const Eigen::VectorXd>(s.q.problem().velocity.data(), s.q.problem().dofs());
    const auto size = [&](const Eigen::VectorXd& x) { return scale.cwiseProduct(x).norm(); };
    const double step =
        size(r) / std::max(size(impulse), std::min(size(full), size(d.A * (d.v_star - v0))));
    EXPECT_NEAR(c.step_error, step, 1e-10 * step);
    EXPECT_GE(c.step_error, c.momentum_error);
  }
}

// a body at 100 m/s whose friction a step of 1e-7 s leaves out: 1e-8 of its momentum, all of its
// impulse
TEST(Certify, FastMomentumDoesNotHideASmallStep) {
  ContactProblem p;
  p.model = ContactModel::lagged;
  p.time_step = 1e-7;
  const double fast[6] = {100, 0, 0, 0, 0, 0};
  const double falls[6] = {100, 0, -9.81 * p.time_step, 0, 0, 0};
  p.add_rigid_body(1, {0, 0, 0.1}, Mat3::identity(), fast, falls);
  p.add_contact(world_tree, 0, {.gap = -1e-6, .weight = 1, .stiffness = 1e7});
  const PreparedProblem q(p);
  const Certificate c = certify(q, {p.velocity, std::vector<Vec3>(1)});
  EXPECT_LT(c.momentum_error, 1e-6);
  EXPECT_GT(c.step_error, 0.1);
}

TEST(Certify, LagErrorComparesFrictionsNormalImpulseWithTheOneThatCameOut) {
  Solved s = solve(ContactModel::lagged, 7);
  std::vector<double> lagged = s.x.lagged_impulse;
  double most = 0;
  std::size_t largest = 0;
  for (std::size_t i = 0; i < lagged.size(); ++i) {
    const double now = dot(s.q.problem().contacts.normal[i], s.x.impulse[i]),
                 mu = s.q.problem().contacts.friction[i];
    if (mu * now > most) most = mu * now, largest = i;
  }
  // all that came out, but 20 % more where it is largest
  for (std::size_t i = 0; i < lagged.size(); ++i) {
    lagged[i] = std::max(0.0, dot(s.q.problem().contacts.normal[i], s.x.impulse[i]));
  }
  Answer answer = s.x.answer();
  answer.lagged_impulse = lagged;
  EXPECT_LT(certify(s.q, answer).lag_error, 1e-8);
  lagged[largest] *= 1.2;
  answer.lagged_impulse = lagged;
  EXPECT_NEAR(certify(s.q, answer).lag_error, 0.2 / 1.2, 1e-8);
}

TEST(Certify, SeesWrongVelocities) {
  for (const ContactModel model : models) {
    Solved s = solve(model, 4);
    const int k = s.q.problem().trees[s.q.problem().patches[0].tree_b].first_dof;
    s.x.velocity[k] += 1e-3;
    EXPECT_GT(certify(s.q, s.x.answer()).momentum_error, 1e-5);
  }
}

TEST(Certify, SeesImpulsesThatAreNotThoseOfTheVelocities) {
  for (const ContactModel model : models) {
    Solved s = solve(model, 5);
    s.x.impulse[0].x += 1e-3;
    const Certificate c = certify(s.q, s.x.answer());
    EXPECT_GT(c.impulse_error, 1e-5);
    EXPECT_EQ(c.momentum_error, s.c.momentum_error) << "judged by the law's impulses";
  }
}

// impulses of 1e9 N s from both sides, and a body that has 1e-3 N s more than they give it
TEST(Certify, ImpulsesThatBearEachOtherDoNotHideMotion) {
  for (const ContactModel model : models) {
    ContactProblem p;
    p.model = model;
    p.law = NormalLawKind::kelvin_voigt;
    p.time_step = 1e-2;
    p.friction.beta = 0;
    const double zero[6] = {};
    p.add_rigid_body(1, {0, 0, 0}, Mat3::identity(), zero, zero);
    for (const double side : {-1, 1}) {
      p.add_contact(world_tree, 0,
                    {.normal = {0, 0, side}, .gap = -0.1, .stiffness = 1e12, .friction = 0});
    }
    const PreparedProblem q(p);
    const std::vector<double> v = {1e-3, 0, 0, 0, 0, 0};
    EXPECT_GT(certify(q, {v, std::vector<Vec3>{{0, 0, -1e9}, {0, 0, 1e9}}}).step_error, 1);
  }
}

// friction's gamma_n0 so large that the square of its slip_tolerance is no 64-bit number
TEST(Certify, OverflowHidesNoFriction) {
  ContactProblem p;
  p.model = ContactModel::lagged;
  p.time_step = 1e-2;
  const double slides[6] = {1, 0, 0, 0, 0, 0};
  p.add_rigid_body(1, {0, 0, 0}, Mat3::identity(), slides, slides);
  p.add_contact(world_tree, 0, {.gap = -1e-4});
  const PreparedProblem q(p);
  const double lagged[] = {1e200};
  const std::vector<Vec3> none(1);
  Certifier certifier;
  EXPECT_GT(certifier.certify(q, {p.velocity, none, {}, lagged}, 1).step_error, 0.5);
}

TEST(Certify, SeesWhatWasDerivedWrongly) {
  for (const ContactModel model : models) {
    std::mt19937 random(8);
    const PreparedProblem truth(make_problem(
        random,
        {.model = model, .bodies = 6, .dense_trees = 2, .scalars = 4, .links = 2, .touch = 1}));
    const auto error_with = [&](auto&& plant) {
      PreparedProblem q = truth;
      plant(q);
      ContactSolution x;
      make_solver("newton")->solve(q, {.tolerance = 1e-9}, x);
      EXPECT_EQ(certify(q, x.answer()).step_error, certify(truth, x.answer()).step_error);
      return certify(q, x.answer()).step_error;
    };
    const auto scale = [](std::vector<double>& numbers) {
      for (double& x : numbers) x *= 1.01;
    };
    using Parts = PreparedParts;
    EXPECT_LT(error_with([](PreparedProblem&) {}), 1e-8);
    EXPECT_GT(error_with([&](auto& q) { scale(Parts::scalars(q).regularization); }), 1e-5);
    if (model != ContactModel::sap) continue;
    EXPECT_GT(error_with([&](auto& q) { scale(Parts::contacts(q).tangential_regularization); }),
              1e-5);
    EXPECT_GT(error_with([&](auto& q) { scale(Parts::contacts(q).normal_regularization); }), 1e-5);
  }
}

// field.md 4.3: a heavy body's momentum must not hide a light one's error
TEST(Certify, JudgesTreesThatDoNotTouchApart) {
  ContactProblem p;
  p.time_step = 1e-3;
  const double still[6] = {}, fast[6] = {10, 0, 0, 0, 0, 0};
  p.add_rigid_body(1e6, {0, 0, 0}, Mat3::diagonal({1e5, 1e5, 1e5}), fast, fast);
  p.add_rigid_body(1e-3, {5, 0, 0}, Mat3::diagonal({1e-6, 1e-6, 1e-6}), still, fast);
  const PreparedProblem q(p);
  std::vector<double> v = p.free_velocity;
  EXPECT_EQ(certify(q, {v, {}}).momentum_error, 0);
  v[6] += 0.01;
  const Certificate c = certify(q, {v, {}});
  EXPECT_NEAR(c.momentum_error, 0.01 / 10.01, 1e-12);
  EXPECT_EQ(c.worst_tree, 1);
}

// islands whose rounding is too large are judged in extended precision, the others are not: none is
// lost, or counted twice, whichever they are
TEST(Certify, IslandsInTwoPrecisionsAreThoseOfOne) {
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  int mixed = 0;
  const auto is_stiff = [](const Tree& t) { return t.first_dof % 4 != 0; };
  for (int trial = 0; trial < 60; ++trial) {
    const ContactModel model = convex_models[trial % std::size(convex_models)];
    ContactProblem p =
        make_problem(random, {.model = model, .bodies = 12, .dense_trees = 2, .touch = 0.04});
    for (const Patch& patch : p.patches) {
      const double stiffer = is_stiff(p.trees[patch.tree_b]) ? 1e6 : 1;
      for (int i = patch.begin; i < patch.end; ++i) p.contacts.stiffness[i] *= stiffer;
    }
    PreparedProblem q(std::move(p));
    ContactSolution x;
    make_solver("newton")->solve(q, {}, x);
    for (const Tree& t : q.problem().trees) {
      const double off = is_stiff(t) ? 1e-8 : 1e-2;
      for (int k = 0; k < t.size; ++k) x.velocity[t.first_dof + k] += off * normal(random);
    }
    const Certificate all = certify(q, x.answer());
    const Certificate plain = Certifier().certify(q, x.answer(), HUGE_VAL);
    for (const double accuracy : {1e-14, 1e-12, 1e-10, 1e-8, 1e-6}) {
      const Certificate c = Certifier().certify(q, x.answer(), accuracy);
      // by the last bits of the stiffest island, and of the one with the largest error
      mixed += c.rounding == all.rounding && c.rounding != plain.rounding &&
               c.step_error == plain.step_error && c.step_error != all.step_error;
      const double off = accuracy * (1 + all.step_error) + 1e-9 * all.step_error;
      EXPECT_NEAR(c.step_error, all.step_error, off) << trial << ", " << accuracy;
      EXPECT_NEAR(c.impulse_error, all.impulse_error, off) << trial << ", " << accuracy;
      EXPECT_NEAR(c.lag_error, all.lag_error, off) << trial << ", " << accuracy;
      EXPECT_NEAR(c.momentum_error, all.momentum_error, off) << trial << ", " << accuracy;
      EXPECT_NEAR(c.complementarity_error, all.complementarity_error, off) << trial;
      EXPECT_EQ(c.worst_tree, all.worst_tree) << trial << ", " << accuracy;
      EXPECT_NEAR(c.ncp_primal, all.ncp_primal, 1e-9 * all.ncp_primal);
      EXPECT_NEAR(c.ncp_dual, all.ncp_dual, 1e-9 * all.ncp_dual);
      EXPECT_NEAR(c.ncp_complementarity, all.ncp_complementarity, 1e-9 * all.ncp_complementarity);
      EXPECT_EQ(c.lagging_islands, all.lagging_islands) << trial << ", " << accuracy;
      EXPECT_NEAR(c.rounding, all.rounding, 1e-6 * all.rounding);
    }
  }
  EXPECT_GT(mixed, 10);
}

TEST(Certify, NothingMovingAndNothingPushingIsNoError) {
  ContactProblem p;
  p.time_step = 1e-3;
  const double zero[6] = {};
  p.add_rigid_body(1, {0, 0, 0}, Mat3::identity(), zero, zero);
  p.add_contact(world_tree, 0, {.gap = 0});
  const PreparedProblem q(p);
  EXPECT_EQ(certify(q, {p.velocity, std::vector<Vec3>(1)}).momentum_error, 0);
}

TEST(Certify, NotANumberIsNeverHidden) {
  for (const ContactModel model : models) {
    for (const std::size_t where : {std::size_t{0}, std::size_t{7}, std::size_t{30}}) {
      Solved s = solve(model, 6);
      s.x.velocity[where] = std::nan("");
      const Certificate c = certify(s.q, s.x.answer());
      EXPECT_TRUE(std::isnan(c.momentum_error)) << where;
      EXPECT_TRUE(std::isnan(c.step_error)) << where;
      EXPECT_GE(c.worst_tree, 0) << where;
      EXPECT_EQ(Certifier().certify(s.q, s.x.answer(), 1e-7).worst_tree, c.worst_tree) << where;
    }
    Solved s = solve(model, 6);
    s.x.impulse.back().z = std::nan("");
    EXPECT_TRUE(std::isnan(certify(s.q, s.x.answer()).impulse_error));
    const Certificate all =
        certify(s.q, {std::vector<double>(s.x.velocity.size(), std::nan("")),
                      std::vector<Vec3>(s.x.impulse.size(), {NAN, NAN, NAN}), s.x.scalar_impulse});
    EXPECT_TRUE(std::isnan(all.ncp_primal));
    EXPECT_TRUE(std::isnan(all.ncp_dual));
    EXPECT_TRUE(std::isnan(all.ncp_complementarity));
  }
}

/// A sphere of 1 kg on the ground whose velocities and impulse are given.
Certificate ncp_of(const Vec3& velocity, const Vec3& impulse, double gap, double mu) {
  ContactProblem p;
  p.time_step = 0.01;
  const double v[6] = {velocity.x, velocity.y, velocity.z, 0, 0, 0};
  p.add_rigid_body(1, {0, 0, 1}, Mat3::identity(), v, v);
  p.add_contact(world_tree, 0, {.point = {0, 0, 0}, .gap = gap, .friction = mu});
  const PreparedProblem q(p);
  return certify(q, {p.velocity, std::vector<Vec3>{impulse}});
}

// the three criteria of the rigid NCP by hand, h = 0.01 s
TEST(Certify, NcpCriteriaByHand) {
  // sticking inside the cone: all zero
  Certificate c = ncp_of({}, {0.3, 0, 1}, 0, 0.5);
  EXPECT_EQ(c.ncp_primal + c.ncp_dual + c.ncp_complementarity, 0);
  // sliding at 2 m/s with Coulomb's friction: sigma + Gamma = (2, 0, 1)/h, lambda . it = 0
  c = ncp_of({2, 0, 0}, {-0.5, 0, 1}, 0, 0.5);
  EXPECT_NEAR(c.ncp_primal, 0, 1e-12);
  EXPECT_NEAR(c.ncp_dual, 0, 1e-12);
  EXPECT_NEAR(c.ncp_complementarity, 0, 1e-9);
  // penetrating at 1 m/s without slip: sigma = (0, 0, -100), the dual cone is 100 m/s^2 away
  c = ncp_of({0, 0, -1}, {0, 0, 2}, 0, 0.5);
  EXPECT_NEAR(c.ncp_dual, 100, 1e-10);
  EXPECT_NEAR(c.ncp_complementarity, 200 * 100, 1e-8);
  // friction beyond the cone: (|lambda_t| - mu lambda_n)/sqrt(1 + mu^2), lambda = (100, 0, 100)
  c = ncp_of({}, {1, 0, 1}, 0, 0.5);
  EXPECT_NEAR(c.ncp_primal, 50 / std::sqrt(1.25), 1e-10);
  // an adhesive impulse: outside by its length
  c = ncp_of({}, {0, 0, -1}, 0, 0.5);
  EXPECT_NEAR(c.ncp_primal, 100, 1e-10);
  // a pair 2 cm apart may close at 2 m/s in this step
  c = ncp_of({0, 0, -2}, {}, 0.02, 0.5);
  EXPECT_NEAR(c.ncp_dual, 0, 1e-10);
}

}  // namespace
}  // namespace abut
