// What follows from a problem against their definitions and against closed forms.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <limits>

#include "abut/core/error.hpp"
#include "abut/laws/elasticity.hpp"
#include "abut/linalg/dense_spd.hpp"
#include "abut/problem/prepared_problem.hpp"
#include "support/dense_newton.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

constexpr double pi = 3.14159265358979323846;

int add_sphere(ContactProblem& p, double mass, double radius, const Vec3& center,
               const Vec3& velocity = {}) {
  const double v[6] = {velocity.x, velocity.y, velocity.z, 0, 0, 0};
  const double free[6] = {velocity.x, velocity.y, velocity.z - 9.81 * p.time_step, 0, 0, 0};
  const double i = 0.4 * mass * radius * radius;
  return p.add_rigid_body(mass, center, Mat3::diagonal({i, i, i}), v, free);
}

ContactProblem sphere_on_ground(double mass, double gap, ContactModel model = ContactModel::sap) {
  ContactProblem p;
  p.time_step = 1e-3;
  p.model = model;
  add_sphere(p, mass, 0.1, {0, 0, 0.1});
  p.add_contact(world_tree, 0, {.point = {0, 0, 0}, .normal = {0, 0, 1}, .gap = gap});
  return p;
}

// W_ii of random problems, mechanisms and sparse trees included, against J A^-1 J^T of each side
// alone; of sparse trees with the diagonal blocks of A
TEST(Prepare, DelassusEstimateIsThatOfTheSidesAlone) {
  std::mt19937 random(1);
  int of_one_sparse_tree = 0;
  for (int trial = 0; trial < 20; ++trial) {
    ContactProblem p = make_problem(random, {.bodies = 4, .dense_trees = 2, .sparse_trees = 2});
    for (Vec3& point : p.contacts.point) {  // of sparse trees often the body's center
      if (trial % 2 == 1) point += Vec3{0.03, -0.07, 0.05};
    }
    const PreparedProblem q(p);
    DenseProblem dense(q);
    for (const Tree& t : p.trees) {
      if (t.kind != TreeKind::sparse) continue;
      for (int r = 0; r < t.size; ++r) {
        for (int c = 0; c < t.size; ++c) {
          if (r / 3 != c / 3) dense.A(t.first_dof + r, t.first_dof + c) = 0;
        }
      }
    }
    const Eigen::MatrixXd inverse = dense.A.inverse();
    for (const Patch& patch : p.patches) {
      of_one_sparse_tree +=
          patch.tree_a == patch.tree_b && p.trees[patch.tree_b].kind == TreeKind::sparse;
      for (int i = patch.begin; i < patch.end; ++i) {
        const auto j = dense.J.middleRows<3>(3 * i);
        const Eigen::Matrix3d w = j * inverse * j.transpose();
        const Vec3& normal = p.contacts.normal[i];
        const Eigen::Vector3d n(normal.x, normal.y, normal.z);
        EXPECT_NEAR(q.contacts().mobility[i], w.norm() / 3, 1e-11 * w.norm());
        EXPECT_NEAR(q.contacts().normal_mobility[i], n.dot(w * n), 1e-11 * w.norm());
        EXPECT_NEAR(q.contacts().tangential_mobility[i], (w.trace() - n.dot(w * n)) / 2,
                    1e-11 * w.norm());
      }
    }
  }
  EXPECT_GT(of_one_sparse_tree, 0);
}

// w = |W_ii|_F / 3: a point mass has w = 1/(sqrt(3) m)
TEST(Prepare, PointMassHasOneOverRootThree) {
  ContactProblem p;
  p.time_step = 1e-3;
  const double zero[3] = {}, a[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, j[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  p.add_tree(a, zero, zero, 2);
  p.add_contact(world_tree, 0, {.normal = {0, 0, 1}}, {}, j);
  const PreparedProblem q(p);
  EXPECT_NEAR(q.contacts().mobility[0], 1 / (std::sqrt(3) * 2), 1e-15);
}

// a hinge along z through the origin: the twist of the body cancels at a point of its axis
TEST(Prepare, APointThatNoJointCanMoveHasTheLeastMobility) {
  ContactProblem p;
  p.time_step = 1e-3;
  const double zero[1] = {}, a[1] = {0.37}, mass = 2;
  const double j[6] = {-0.4, 0.3, 0, 0, 0, 1};
  p.add_tree(a, zero, zero, mass);
  const int body = p.add_body(0, {0.3, 0.4, 0}, j);
  for (const Vec3& point : {Vec3{0.3, 0.4, 0}, Vec3{0, 0, 0.1}}) {
    p.add_contact(world_tree, 0, {.point = point, .normal = {0, 0, 1}}, -1, body);
  }
  const PreparedProblem q(p);
  EXPECT_NEAR(q.contacts().mobility[0], 0.25 / 0.37 / 3, 1e-15);
  EXPECT_DOUBLE_EQ(q.contacts().mobility[1], 1e-9 / mass);
}

TEST(Prepare, AFactorThatCameWithTheTreeIsUsed) {
  const double a[9] = {2, 0, 0.5, 0, 3, 1, 0.5, 1, 4}, zero[3] = {};
  const double j[9] = {1, 0, 2, 0, 1, 0, 3, 0, 1};
  const RowEntry row[2] = {{0, 0, 1}, {0, 2, -2}};
  double factor[24];
  ASSERT_TRUE(invert_factor(3, a, factor));
  const auto prepared = [&](std::span<const double> brought) {
    ContactProblem p;
    p.time_step = 1e-3;
    p.add_tree(a, zero, zero, 2, brought);
    p.add_contact(world_tree, 0, {.normal = {0, 0, 1}}, {}, j);
    p.add_scalar({.kind = ScalarKind::limit, .stiffness = 1}, row);
    PreparedProblem q(p);
    q.prepare();  // twice is no harm
    return std::pair{q.contacts().mobility[0], q.scalars().mobility[0]};
  };
  const auto own = prepared({});
  EXPECT_EQ(prepared(factor), own);
  for (double& y : factor) y *= 2;
  EXPECT_NEAR(prepared(factor).first, 4 * own.first, 1e-14);
  EXPECT_NEAR(prepared(factor).second, 4 * own.second, 1e-14);
  EXPECT_THROW(prepared(std::span(factor).first(9)), InputError);
}

// R_n is the larger of the near-rigid floor and the compliance, continuous in k
TEST(Prepare, NormalRegularizationSwitchesWithoutAJump) {
  ContactProblem p = sphere_on_ground(1, -1e-4);
  const double h = 1e-3, tau = 1e-4, floor = 1 / (4 * pi * pi);
  const double k_switch = 4 * pi * pi / (h * (h + tau));  // w_n = 1/m, the sphere's own mass
  double last = std::numeric_limits<double>::infinity();
  for (double exponent = 2; exponent <= 14; exponent += 0.01) {
    const double k = std::pow(10, exponent);
    p.contacts.stiffness[0] = k;
    const PreparedProblem q(p);
    const double r = q.contacts().normal_regularization[0];
    EXPECT_NEAR(r, std::max(floor, 1 / (h * (h + tau) * k)), 1e-14 * r);
    EXPECT_LE(r, last);
    last = r;
  }
  for (const double side : {1 - 1e-13, 1 + 1e-13}) {
    p.contacts.stiffness[0] = side * k_switch;
    const PreparedProblem q(p);
    EXPECT_NEAR(q.contacts().normal_regularization[0], floor, 1e-12 * floor);
  }
}

// a light body under a heavy one is near-rigid for the heavy one's weight
TEST(Prepare, NearRigidFloorSeesTheHeaviestBodyOfTheIsland) {
  ContactProblem p;
  p.time_step = 1e-2;
  add_sphere(p, 1, 0.1, {0, 0, 0.1});
  add_sphere(p, 1000, 0.1, {0, 0, 0.3});
  add_sphere(p, 1, 0.1, {5, 0, 0.1});  // an island of its own
  const ContactPoint ground{
      .point = {0, 0, 0}, .normal = {0, 0, 1}, .gap = -1e-6, .stiffness = 1e12};
  ContactPoint elsewhere = ground, between = ground;
  elsewhere.point.x = 5;
  between.point.z = 0.2;
  p.add_contact(world_tree, 0, ground);
  p.add_contact(world_tree, 2, elsewhere);
  p.add_contact(0, 1, between);
  const PreparedProblem q(p);
  const auto& r = q.contacts().normal_regularization;
  EXPECT_NEAR(r[0], 1e-3 / (4 * pi * pi), 1e-12);
  EXPECT_NEAR(r[2], 1e-3 / (4 * pi * pi), 1e-12);
  EXPECT_NEAR(r[1], 1 / (4 * pi * pi), 1e-10);
}

// splitting a point in two of half the weight changes nothing in sum
TEST(Prepare, RegularizationDividesByTheWeight) {
  for (const double k : {1e4, 1e12}) {
    ContactProblem p = sphere_on_ground(1, -1e-4);
    p.contacts.stiffness[0] = k;
    const PreparedProblem q(p);
    p.contacts.weight[0] = 0.25;
    const PreparedProblem split(p);
    EXPECT_DOUBLE_EQ(split.contacts().normal_regularization[0],
                     4 * q.contacts().normal_regularization[0]);
    EXPECT_DOUBLE_EQ(split.contacts().tangential_regularization[0],
                     4 * q.contacts().tangential_regularization[0]);
  }
}

// a body at rest gets its last impulse back: m g h
TEST(LaggedImpulse, PredictionIsTheLastImpulseAtRest) {
  for (const NormalLawKind law : normal_laws) {
    ContactProblem p = sphere_on_ground(2, 0, ContactModel::lagged);
    p.law = law;
    const double weight = 2 * 9.81 * 1e-3;
    const double k = p.contacts.stiffness[0];
    p.contacts.gap[0] = -Elasticity(law, {.stiffness = k}).depth(2 * 9.81);
    p.contacts.previous_impulse[0] = {0, 0, weight};
    const PreparedProblem q(p);
    EXPECT_NEAR(q.contacts().lagged_impulse[0], weight, 1e-9 * weight) << to_string(law);
  }
}

// at first touch it predicts the impact: n = h k (h 3 m/s - phi0 - h w n) with w = 1/2 1/kg
TEST(LaggedImpulse, PredictionOfAnImpact) {
  ContactProblem p = sphere_on_ground(2, 0.5e-3, ContactModel::lagged);
  p.velocity[2] = p.free_velocity[2] = -3;
  p.contacts.dissipation[0] = 0;
  const PreparedProblem q(p);
  EXPECT_NEAR(q.contacts().lagged_impulse[0], 25.0 / 6, 1e-12);
}

// the papers' rule by hand: h k x0 (1 - d v_n0) = 1e-3 * 1e7 * 1e-4 * (1 + 10 * 0.05)
TEST(LaggedImpulse, StateRuleByHand) {
  ContactProblem p = sphere_on_ground(1, -1e-4, ContactModel::lagged);
  p.velocity[2] = -0.05;
  p.friction.lagged_rule = LaggedRule::state;
  EXPECT_NEAR(PreparedProblem(p).contacts().lagged_impulse[0], 1.5, 1e-12);
  p.velocity[2] = 0.2;  // parting faster than 1/d: no force
  EXPECT_EQ(PreparedProblem(p).contacts().lagged_impulse[0], 0);
}

// [ICFT 44]: eps = max(v_s, sigma w mu gamma_n0), exactly, on both branches
TEST(Prepare, SlipToleranceHasTwoBranches) {
  ContactProblem p = sphere_on_ground(1, -1e-7, ContactModel::lagged);
  p.friction.lagged_rule = LaggedRule::state;
  EXPECT_EQ(PreparedProblem(p).contacts().slip_tolerance[0], 1e-4);
  p.contacts.gap[0] = -1e-3;
  const PreparedProblem q(p);
  const ContactTerms& c = q.contacts();
  EXPECT_EQ(c.slip_tolerance[0],
            p.friction.sigma * c.mobility[0] * p.contacts.friction[0] * c.lagged_impulse[0]);
  EXPECT_GT(c.slip_tolerance[0], 1e-4);
}

TEST(ContactProblem, RefusesTwoPatchesOfOnePair) {
  ContactProblem p = sphere_on_ground(1, 0);
  const double v[6] = {};
  p.add_rigid_body(1, {0, 0, 3}, Mat3::identity(), v, v);
  p.add_contact(0, 1, {});
  p.add_contact(world_tree, 1, {});
  EXPECT_NO_THROW(PreparedProblem{p}) << "out of order";
  p.add_contact(0, 1, {});
  EXPECT_THROW(PreparedProblem{p}, InputError) << "its block of the Hessian would be written twice";
}

// by hand: A = diag(2, 4), h = 0.01 s, a row (1, -2) with w = 1/2 + 4/4 = 1.5
TEST(ScalarConstraints, AreRegularizedAsWritten) {
  ContactProblem p;
  p.time_step = 0.01;
  const double a[4] = {2, 0, 0, 4}, v[2] = {};
  p.add_tree(a, v, v, 1);
  const RowEntry row[2] = {{0, 0, 1}, {0, 1, -2}};
  ScalarConstraint c{
      .kind = ScalarKind::limit, .gap = 0.03, .stiffness = 1e3, .relaxation_time = 0.005};
  p.add_scalar(c, row);  // soft: 1/(h (h + tau) k) = 6.667
  c.stiffness = 1e9;
  p.add_scalar(c, row);  // near-rigid: w/(4 pi^2)
  p.add_scalar({.kind = ScalarKind::dry_friction, .lower_force = -3, .upper_force = 3}, row);
  p.add_scalar({.kind = ScalarKind::actuator,
                .stiffness = 100,
                .damping = 5,
                .force = 7,
                .lower_force = -20,
                .upper_force = 10},
               row);
  c.kind = ScalarKind::equality;  // never near-rigid
  p.add_scalar(c, row);
  const PreparedProblem q(p);
  const ScalarTerms& s = q.scalars();
  for (const double w : s.mobility) EXPECT_NEAR(w, 1.5, 1e-15);
  EXPECT_NEAR(s.regularization[0], 1 / (0.01 * 0.015 * 1e3), 1e-12);
  EXPECT_NEAR(s.regularization[1], 1.5 / (4 * pi * pi), 1e-15);
  EXPECT_NEAR(s.target[0], -2, 1e-14);
  EXPECT_EQ(s.lower[0], 0);
  EXPECT_NEAR(s.regularization[2], 1.5e-3, 1e-17);
  EXPECT_NEAR(s.regularization[4], 1 / (0.01 * 0.015 * 1e9), 1e-18);
  EXPECT_NEAR(s.target[4], -2, 1e-14);
  EXPECT_EQ(s.lower[4], -INFINITY);
  EXPECT_EQ(s.upper[4], INFINITY);
  EXPECT_EQ(s.target[2], 0);
  EXPECT_NEAR(s.upper[2], 0.03, 1e-17);
  EXPECT_NEAR(s.regularization[3], 1 / (0.01 * 6), 1e-13);
  EXPECT_NEAR(s.target[3], 7.0 / 6, 1e-14);
  EXPECT_NEAR(s.lower[3], -0.2, 1e-16);
  EXPECT_NEAR(s.upper[3], 0.1, 1e-16);
}

// whatever may change it ends the preparation, also what leaves all sizes as they are
TEST(PreparedProblem, KnowsWhetherItIsPrepared) {
  PreparedProblem q;
  EXPECT_FALSE(q.is_prepared());
  q = PreparedProblem(sphere_on_ground(1, 0));
  EXPECT_TRUE(q.is_prepared());
  q.edit().time_step *= 2;
  EXPECT_FALSE(q.is_prepared());
  q.weigh();
  EXPECT_FALSE(q.is_prepared());
  q.complete();
  EXPECT_TRUE(q.is_prepared());
  q.allow(0, 1e-3);
  EXPECT_FALSE(q.is_prepared()) << "islands and gamma_n0 are those of another gap";
  q.edit();
  q.complete();
  EXPECT_TRUE(q.is_prepared()) << "weighed on the way";
}

TEST(PreparedProblem, TellsGapsFromWhatTheyWereAllowed) {
  ContactProblem p = sphere_on_ground(1, -0.3);
  p.add_contact(world_tree, 0, {.point = {0, 0, 0}, .normal = {0, 0, 1}, .gap = 1e-3});
  PreparedProblem q(p);
  EXPECT_EQ(q.contacts().allowance, (std::vector<double>{0, 0}));
  q.allow(0, 0.1);
  q.complete();
  EXPECT_EQ(q.contacts().given_gap, p.contacts.gap);
  EXPECT_EQ(q.contacts().allowance, (std::vector<double>{0.1, 0}));
  EXPECT_EQ(q.problem().contacts.gap, (std::vector<double>{-0.3 + 0.1, 1e-3}));
  q.edit() = sphere_on_ground(1, -0.2);
  q.prepare();
  EXPECT_EQ(q.contacts().given_gap, std::vector<double>{-0.2});
  EXPECT_EQ(q.contacts().allowance, std::vector<double>{0});
}

// nothing of the last problem is left in the next: another model, other trees
TEST(PreparedProblem, IsTheSameAfterAnotherProblem) {
  std::mt19937 random(2);
  PreparedProblem kept;
  for (int trial = 0; trial < 30; ++trial) {
    const auto model = static_cast<ContactModel>(trial % 3);
    const ContactProblem p = make_problem(random, {.model = model,
                                                   .bodies = trial % 5,
                                                   .dense_trees = 1 + trial % 2,
                                                   .scalars = 3,
                                                   .links = trial % 4});
    kept.edit() = p;
    kept.prepare();
    const PreparedProblem fresh(p);
    EXPECT_EQ(kept.contacts().mobility, fresh.contacts().mobility);
    EXPECT_EQ(kept.contacts().lagged_impulse, fresh.contacts().lagged_impulse);
    EXPECT_EQ(kept.scalars().regularization, fresh.scalars().regularization);
    EXPECT_EQ(kept.scalars().order, fresh.scalars().order);
    EXPECT_EQ(kept.islands().trees, fresh.islands().trees);
    EXPECT_EQ(kept.islands().dormant, fresh.islands().dormant);
  }
}

TEST(ContactProblem, RefusesContactsThatDoNotFit) {
  ContactProblem p = sphere_on_ground(1, 0);
  EXPECT_THROW(p.add_contact(0, 0, {}), InputError);
  EXPECT_THROW(p.add_contact(0, 1, {}), InputError);
  EXPECT_THROW(p.add_contact(-2, 0, {}), InputError);
  const double j[3] = {1, 2, 3};
  EXPECT_THROW(p.add_contact(-1, 0, {}, {}, j), InputError) << "a rigid body takes no Jacobian";
  EXPECT_THROW(p.add_tree(j, j, j, 1), InputError);
}

}  // namespace
}  // namespace abut
