// What anchored contacts hold from step to step: by its definition, and by a point mass that it
// leads as a spring and a damper do.

#include "abut/problem/anchors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "abut/laws/elasticity.hpp"
#include "abut/problem/contact_kinematics.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

constexpr double g = 9.81;

Vec3 across(const Vec3& n, const Vec3& v) {
  return v - dot(n, v) * n;
}

/// A body of 1 kg that cannot tilt, its point on the ground, pushed along x with `force` [N]: what
/// one step makes of it. k = 1e4 N/m, mu = 0.5.
struct Slider {
  NormalLawKind law = NormalLawKind::hunt_crossley;
  double h = 1e-3, spin = 0;
  bool is_linked = false;  ///< a mechanism whose lone contact is its body's center
  double stretch = 1;      ///< friction is mu times this along x
  double v = 0;
  Vec3 anchor{}, impulse{0, 0, g * 1e-3};
  double lagged = 0;

  void step(double force) {
    ContactProblem p;
    p.model = ContactModel::anchored;
    p.law = law;
    p.time_step = h;
    p.friction.lagged_rule = LaggedRule::prediction;
    const double before[] = {v, 0, 0, 0, 0, spin};
    const double free[] = {v + h * force, 0, -h * g, 0, 0, spin};
    int body = -1;
    if (is_linked) {
      double a[36] = {}, jacobian[36] = {};
      for (int k = 0; k < 6; ++k) a[7 * k] = k < 3 ? 1 : 1e9, jacobian[7 * k] = 1;
      body = p.add_body(p.add_tree(a, before, free, 1), {0, 0, 0}, jacobian);
    } else {
      p.add_rigid_body(1, {0, 0, 0}, Mat3::diagonal({1e9, 1e9, 1e9}), before, free);
    }
    const double depth = Elasticity(law, {.stiffness = 1e4}).depth(g);
    p.add_contact(world_tree, 0,
                  {.gap = -depth,
                   .stiffness = 1e4,
                   .dissipation = 0,
                   .relaxation_time = 0,
                   .friction = 0.5,
                   .previous_impulse = impulse,
                   .anchor = anchor,
                   .anisotropy = std::abs(stretch - 1),
                   .friction_axis = stretch < 1 ? Vec3{0, 1, 0} : Vec3{1, 0, 0}},
                  -1, body);
    const PreparedProblem q(p);
    ContactSolution x;
    ASSERT_EQ(make_solver("newton")->solve(q, {.tolerance = 1e-12}, x).status,
              SolveStatus::converged);
    v = x.velocity[0];
    impulse = x.impulse[0];
    anchor = x.anchor[0];
    lagged = x.lagged_impulse[0];
    slid = x.slid[0] != 0;
  }
  bool slid = false;
};

double spring_of(NormalLawKind law) {
  return law == NormalLawKind::hertz ? 1.5 * std::cbrt(1e8 * g) : 1e4;
}

// m (v' - v) = h Q + h T - kappa v',  T' = T - h k_t v'; where friction is s times as large, both
// k_t and kappa are s^2 times: the spring's slip is scaled by s, and so is its force
TEST(Anchors, LeadAPointAsASpringAndADamperDo) {
  for (const NormalLawKind law : normal_laws) {
    for (const auto& [h, stretch] :
         {std::pair(1e-4, 1.0), {1e-3, 1.0}, {2e-2, 1.0}, {1e-3, 1.5}, {1e-3, 0.8}}) {
      Slider s{.law = law, .h = h, .stretch = stretch};
      s.impulse = {0, 0, g * h};
      const double limit = 0.5 * g * h, squared = stretch * stretch;
      const double kt = squared * spring_of(law),
                   kappa = std::max(h * h * kt, squared * limit / 1e-4);
      double v = 0, force = 0;
      for (int i = 0; i < 200; ++i) {
        // up to 4 of the 4.9 N that friction can bear, 3.2 of 3.9 N
        const double push = std::min(stretch, 1.0) * (3 + std::sin(0.3 * i));
        v = (v + h * (push + force)) / (1 + kappa);
        force -= h * kt * v;
        s.step(push);
        ASSERT_NEAR(s.v, v, 1e-9 * std::abs(v) + 1e-13) << to_string(law) << " " << h << " " << i;
        ASSERT_NEAR(s.anchor.x, force, 1e-8 * std::abs(force));
        EXPECT_FALSE(s.slid);
      }
      EXPECT_NEAR(s.lagged, g * h, 1e-9 * g * h);
    }
  }
}

// Coulomb's law above the limit, with the spring left at the limit
TEST(Anchors, LetAPointSlideAtTheLimit) {
  Slider s;
  double v = 0;
  for (int i = 0; i < 100; ++i) {
    s.step(6);
    if (s.slid) {
      EXPECT_NEAR(s.v - v, (6 - 0.5 * g) * s.h, 1e-9);
      EXPECT_NEAR(norm(s.anchor), 0.5 * g, 1e-8);
      EXPECT_NEAR(s.anchor.x, s.impulse.x / s.h, 1e-9);
    }
    EXPECT_TRUE(s.slid || i < 2);
    v = s.v;
  }
}

// the body turns by a tenth of a radian in each step, the ground stands: what holds turns by half
TEST(Anchors, TurnWithTheMeanSpin) {
  for (const bool is_linked : {false, true}) {
    Slider s{.h = 1e-2,
             .spin = 10,
             .is_linked = is_linked,
             .anchor = {1, 0, 0},
             .impulse = {0, 0, g * 1e-2}};
    s.step(-1);  // in balance with it
    EXPECT_NEAR(s.v, 0, 1e-12);
    EXPECT_NEAR(s.anchor.x, std::cos(0.05), 1e-9);
    EXPECT_NEAR(s.anchor.y, std::sin(0.05), 1e-9);
  }
}

TEST(Anchors, AreTheForcesOfTheirDefinition) {
  std::mt19937 random(5);
  int sticking = 0, sliding = 0, apart = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const NormalLawKind law = normal_laws[trial % normal_laws.size()];
    ContactProblem p = make_problem(random, {.model = ContactModel::anchored,
                                             .law = law,
                                             .bodies = 5,
                                             .dense_trees = trial % 3,
                                             .touch = 0.8,
                                             .ground = 1,
                                             .stiffness = law == NormalLawKind::hertz ? 1e8 : 1e6});
    for (double& mu : p.contacts.friction) mu *= trial % 2 == 0 ? 1 : 30;
    for (double& v : p.velocity) v *= trial % 2 == 0 ? 1 : 0.01;
    for (double& v : p.free_velocity) v *= trial % 2 == 0 ? 1 : 0.01;
    p.contacts.friction[0] = 0;
    const PreparedProblem q(p);
    ContactSolution x;
    make_solver("newton")->solve(q, {.tolerance = 1e-10}, x);
    ASSERT_EQ(x.anchor.size(), x.impulse.size());
    const double h = p.time_step;
    for (const Patch& patch : p.patches) {
      const PatchMotion motion(p, patch, x.velocity.data());
      for (int i = patch.begin; i < patch.end; ++i) {
        const Vec3 &n = p.contacts.normal[i], v = across(n, motion.of(i));
        const double limit = p.contacts.friction[i] * x.lagged_impulse[i];
        EXPECT_NEAR(dot(n, x.anchor[i]), 0, 1e-12 * (1 + norm(x.anchor[i])));
        EXPECT_LE(h * norm(x.anchor[i]), limit * (1 + 1e-12));
        if (!(limit > 0)) {
          EXPECT_EQ(x.anchor[i], Vec3{});
          ++apart;
          continue;
        }
        const double f = norm(across(n, x.impulse[i]));
        const double kt = tangential_stiffness(p, i, x.lagged_impulse[i]);
        Vec3 force = across(n, x.impulse[i]) / h;
        if (f < limit * (1 - 1e-9)) {
          force = across(n, p.contacts.anchor[i]) - (h * kt) * v;
          const double size = h * norm(force);
          if (size > limit) force *= limit / size;
          ++sticking;
        } else {
          ++sliding;
          EXPECT_TRUE(x.slid[i]);
        }
        // turned about n, by less than a radian
        EXPECT_NEAR(norm(x.anchor[i]), norm(force), 1e-9 * (1 + norm(force)));
        EXPECT_GE(dot(x.anchor[i], force), 0.5 * squared_norm(force) - 1e-12);
      }
    }
  }
  EXPECT_GT(sticking, 50);
  EXPECT_GT(sliding, 50);
  EXPECT_GT(apart, 20);
}

// only under the model that holds
TEST(Anchors, AreEmptyUnderOtherModels) {
  std::mt19937 random(6);
  for (const ContactModel model : convex_models) {
    const PreparedProblem q(make_problem(random, {.model = model, .bodies = 3, .ground = 1}));
    ContactSolution x;
    x.anchor.resize(3);
    make_solver("newton")->solve(q, {}, x);
    EXPECT_EQ(x.anchor.empty(), model != ContactModel::anchored);
  }
}

}  // namespace
}  // namespace abut
