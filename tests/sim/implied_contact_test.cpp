// The estimates against worlds of one sphere whose inertia is so large that it does not roll.

#include "abut/sim/implied_contact.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "abut/sim/world.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

constexpr double mass = 2, g = 9.81, radius = 0.1;

struct Case {
  ContactModel model = ContactModel::sap;
  NormalLawKind law = NormalLawKind::hunt_crossley;
  double h = 1e-2;
  double stiffness = 1e5;
  double relaxation_time = 1e-3;
  double dissipation = 1;
};

ImpliedContact estimate(const Case& c) {
  return implied_contact({c.stiffness, c.dissipation, c.relaxation_time, 0.5},
                         {c.model, c.law, {}, c.h, g}, mass, mass);
}

World make_world(const Case& c, double start_depth) {
  Scene s;
  add_plane(s);
  const int ball = add_sphere(s, mass, radius, {0, 0, radius - start_depth});
  s.bodies[ball].inertia = Mat3::diagonal({1e9, 1e9, 1e9});
  WorldOptions o;
  o.model = c.model;
  o.law = c.law;
  o.time_step = c.h;
  o.tolerance = 1e-10;
  o.pair = {c.stiffness, c.dissipation, c.relaxation_time, 0.5};
  return World(s, o);
}

double depth(const World& w) {
  return radius - w.body_state(0).position.z;
}

/// Depth and speed after 2 s under a horizontal push [N].
struct End {
  double depth, speed;
};
End run(const Case& c, double push, double speed) {
  World w = make_world(c, estimate(c).depth - estimate(c).glide * speed);
  BodyState s = w.body_state(0);
  s.linear_velocity.x = speed;
  w.set_body_state(0, s);
  w.set_load(0, {push, 0, 0}, {});
  for (int i = 0; i < 2 / c.h; ++i) w.step();
  return {depth(w), w.body_state(0).linear_velocity.x};
}

const Case cases[] = {
    {.model = ContactModel::sap},
    {.model = ContactModel::sap, .h = 1e-3},
    {.model = ContactModel::sap, .stiffness = 1e8, .relaxation_time = 5e-2},
    {.model = ContactModel::lagged, .law = NormalLawKind::kelvin_voigt},
    {.model = ContactModel::lagged, .law = NormalLawKind::hunt_crossley},
    {.model = ContactModel::lagged, .law = NormalLawKind::hertz, .stiffness = 1e7},
    {.model = ContactModel::similar, .law = NormalLawKind::kelvin_voigt, .relaxation_time = 1e-2},
    {.model = ContactModel::similar, .law = NormalLawKind::hunt_crossley},
    {.model = ContactModel::similar, .law = NormalLawKind::hertz, .stiffness = 1e7},
};
std::string name(const Case& c) {
  return std::string(to_string(c.model)) + " " + std::string(to_string(c.law)) +
         " h = " + std::to_string(c.h);
}

// SAP's w of this sphere is |diag(1, 1, 1)/m|/3 = 0.577/m, where the estimate takes 1/m.
double factor(const Case& c, bool near_rigid) {
  return c.model == ContactModel::sap && near_rigid ? 1 / std::sqrt(3.0) : 1;
}

TEST(ImpliedContact, DepthAtRest) {
  for (const Case& c : cases) {
    const double expected = estimate(c).depth;
    const bool near_rigid = c.h > estimate(c).rigid_step;
    const End end = run(c, 0, 0);
    EXPECT_NEAR(end.depth, factor(c, near_rigid) * expected, 0.01 * expected) << name(c);
  }
}

TEST(ImpliedContact, CreepAtHalfTheFrictionLimit) {
  for (const Case& c : cases) {
    const double expected = estimate(c).creep;
    const End end = run(c, 0.25 * mass * g, 0);
    EXPECT_NEAR(end.speed, factor(c, true) * expected, 0.01 * expected) << name(c);
  }
}

TEST(ImpliedContact, GlideOfASlidingBody) {
  const double speed = 0.05;  // glides within the margin of speculative contact
  for (const Case& c : cases) {
    const End end = run(c, 0.5 * mass * g, speed);
    const double glide = estimate(c).glide * end.speed, at_rest = estimate(c).depth;
    EXPECT_NEAR(end.speed, speed, 0.03 * speed) << name(c);
    // the rest's depth, softened by SAP's R_s and hardened by Similar's slip
    EXPECT_NEAR(end.depth, -glide, 0.01 * glide + 1.1 * at_rest) << name(c);
    if (glide > 0) {
      EXPECT_LT(end.depth, at_rest - 0.9 * glide) << name(c);
    }
  }
}

TEST(ImpliedContact, PeriodOfASmallOscillation) {
  for (const NormalLawKind law : {NormalLawKind::hunt_crossley, NormalLawKind::hertz}) {
    Case c{.model = ContactModel::lagged, .law = law, .stiffness = 1e5, .dissipation = 0};
    const ImpliedContact implied = estimate(c);
    c.h = implied.period / 1000;
    World w = make_world(c, 0.9 * implied.depth);  // a turning point
    int steps = 0;
    for (double last = -1; depth(w) > last; ++steps) {  // down to the other one
      last = depth(w);
      w.step();
    }
    EXPECT_NEAR(steps * c.h, implied.period / 2, 0.01 * implied.period) << to_string(law);
  }
}

// the rigid step for w = 0.577/m: h (h + tau) k = 4 pi^2/(beta^2 w)
TEST(ImpliedContact, AboveTheRigidStepStiffnessChangesNothing) {
  Case soft{.h = 1};
  soft.h = 2 * estimate(soft).rigid_step;
  Case stiff = soft;
  stiff.stiffness *= 2;
  EXPECT_NEAR(run(soft, 0, 0).depth, run(stiff, 0, 0).depth, 1e-9);
  soft.h = stiff.h = 0.5 * estimate(stiff).rigid_step;
  EXPECT_NEAR(run(soft, 0, 0).depth, 2 * run(stiff, 0, 0).depth, 1e-6);
}

TEST(ImpliedContact, WithoutANearRigidFloorNoStepIsRigid) {
  ContactSettings settings;
  settings.friction.beta = 0;
  const ImpliedContact implied = implied_contact({}, settings, mass, mass);
  EXPECT_TRUE(std::isinf(implied.rigid_step));
  EXPECT_DOUBLE_EQ(implied.depth, mass * g / PairMaterial{}.stiffness);
}

}  // namespace
}  // namespace abut
