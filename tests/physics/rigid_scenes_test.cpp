// Scenes under rigid models against closed forms [CB], and crossings: mechanisms, schemes, time
// steps, mass ratios, mirrored scenes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "abut/core/error.hpp"
#include "abut/sim/world.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

constexpr double g = 9.81;

WorldOptions rigid(ContactModel model, double time_step) {
  WorldOptions o;
  o.model = model;
  o.time_step = time_step;
  o.tolerance = 1e-9;
  return o;
}

Scene box_on_ground(double mu, double mass = 1) {
  Scene s;
  add_plane(s);
  add_box(s, mass, {0.1, 0.1, 0.1}, {0, 0, 0.1});
  set_friction(s, mu);
  return s;
}

void step_all(World& w, int count) {
  for (int i = 0; i < count; ++i) {
    ASSERT_EQ(w.step().solve.status, SolveStatus::converged) << "step " << i;
    ASSERT_LE(w.report().solve.certificate.step_error, 1e-8) << "step " << i;
  }
}

class RigidScenes : public testing::TestWithParam<ContactModel> {};

// v0 - mu g t, to a stop at v0^2 / (2 mu g); only the convex model leaves the ground
TEST_P(RigidScenes, ABoxSlidesToAStop) {
  const double mu = 0.4, v0 = 1;
  for (const double h : {1e-3, 1e-2}) {
    SCOPED_TRACE(h);
    World w(box_on_ground(mu), rigid(GetParam(), h));
    BodyState start = w.body_state(0);
    start.linear_velocity = {v0, 0, 0};
    w.set_body_state(0, start);
    step_all(w, static_cast<int>(std::lround(0.1 / h)));
    const bool lifts = GetParam() == ContactModel::ccp;
    // RaiSim's friction turns from the slip where W couples it with the normal, as at a corner
    const bool turns = GetParam() == ContactModel::raisim;
    EXPECT_NEAR(w.body_state(0).linear_velocity.x, v0 - mu * g * 0.1,
                lifts   ? 0.2
                : turns ? 0.02 * mu * g * 0.1
                        : 1e-8);
    step_all(w, static_cast<int>(std::lround(0.4 / h)));
    const BodyState end = w.body_state(0);
    EXPECT_LT(norm(end.linear_velocity), 1e-9);
    EXPECT_NEAR(end.position.x, v0 * v0 / (2 * mu * g),
                lifts ? 0.05 : 0.6 * h * v0 + (turns ? 2e-3 : 0));
    if (!lifts) {
      EXPECT_NEAR(end.position.z, 0.1, 1e-9);
    }
  }
}

// what the convex model pays for convexity: it glides at mu h v
TEST(RigidScene, OfTheConvexModelGlides) {
  for (const double h : {1e-3, 2e-3}) {
    World w(box_on_ground(0.4), rigid(ContactModel::ccp, h));
    BodyState start = w.body_state(0);
    start.linear_velocity = {1, 0, 0};
    w.set_body_state(0, start);
    w.step();
    const double v = w.body_state(0).linear_velocity.x;
    EXPECT_NEAR(w.body_state(0).position.z - 0.1, 0.4 * h * v, 1e-9);
  }
}

// F = F' t slips at mu m g / F', then v = F' (t - t_s)^2 / (2 m) [CB]
TEST_P(RigidScenes, ABoxThatIsDraggedSlipsAtItsLimit) {
  if (GetParam() == ContactModel::ccp) return;  // it lifts off
  const double mu = 0.4, rate = 4 * g, h = 1e-3;
  World w(box_on_ground(mu), rigid(GetParam(), h));
  for (int i = 0; i < 300; ++i) {
    const double t = h * (i + 1);
    w.set_load(0, {rate * t, 0, 0}, {});
    ASSERT_EQ(w.step().solve.status, SolveStatus::converged);
    const double slipped = t - mu * g / rate;
    const double expected = slipped > 0 ? rate * slipped * slipped / 2 : 0;
    EXPECT_NEAR(w.body_state(0).linear_velocity.x, expected,
                slipped > 0                          ? 2.1 * h * rate * slipped + 1e-3
                : GetParam() == ContactModel::raisim ? 1e-4
                                                     : 1e-9);
  }
}

// below the limit nothing creeps, at any step
TEST_P(RigidScenes, ABoxOnASlopeStaysWhereItIs) {
  for (const double h : {1e-4, 1e-3, 1e-2}) {
    for (const double part : {0.5, 0.95}) {
      Scene s = box_on_ground(0.5);
      const double slope = std::atan(part * 0.5);
      s.gravity = {g * std::sin(slope), 0, -g * std::cos(slope)};
      World w(s, rigid(GetParam(), h));
      step_all(w, 100);
      EXPECT_LT(norm(w.body_state(0).linear_velocity), 1e-9) << h << ' ' << part;
      EXPECT_LT(norm(w.body_state(0).position - Vec3{0, 0, 0.1}), 1e-9);
    }
  }
}

// a ball comes back to e^2 of its height, whatever the step
TEST_P(RigidScenes, RestitutionIsWhatIsAskedFor) {
  for (const double e : {0.0, 0.5, 1.0}) {
    Scene s;
    add_plane(s);
    add_sphere(s, 1, 0.1, {0, 0, 0.1});
    s.gravity = {};
    WorldOptions o = rigid(GetParam(), 1e-3);
    o.rigid.restitution = e;
    World w(s, o);
    BodyState start = w.body_state(0);
    start.position.z = 0.15, start.linear_velocity = {0, 0, -2};
    w.set_body_state(0, start);
    step_all(w, 60);
    EXPECT_NEAR(w.body_state(0).linear_velocity.z, 2 * e, 1e-9) << e;
  }
}

// overlap that is there goes slowly, and throws nothing up
TEST_P(RigidScenes, AnOverlapAtTheStartIsLetOutSlowly) {
  Scene s;
  add_plane(s);
  add_box(s, 1, {0.1, 0.1, 0.1}, {0, 0, 0.08});
  World w(s, rigid(GetParam(), 1e-3));
  double fastest = 0;
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(w.step().solve.status, SolveStatus::converged);
    fastest = std::max(fastest, w.body_state(0).linear_velocity.z);
  }
  EXPECT_LT(fastest, 0.2);
  EXPECT_NEAR(w.body_state(0).position.z, 0.1, 1e-3);
}

// a tonne on a gram: Signorini's condition knows no stiffness
TEST(RigidScene, HoldsAnyMassOnAnyOther) {
  for (const double ratio : {1e3, 1e6}) {
    Scene s;
    add_plane(s);
    add_box(s, 1e-3, {0.1, 0.1, 0.1}, {0, 0, 0.1});
    add_box(s, 1e-3 * ratio, {0.1, 0.1, 0.1}, {0, 0, 0.3});
    set_friction(s, 0.9);
    WorldOptions o = rigid(ContactModel::ncp, 1e-3);
    o.tolerance = 1e-6;
    World w(s, o);
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ(w.step().solve.status, SolveStatus::converged) << ratio << ", step " << i;
    }
    // within the slop, half a micrometre
    EXPECT_NEAR(w.body_state(1).position.z, 0.3, 1e-6) << ratio;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, RigidScenes,
                         testing::Values(ContactModel::ncp, ContactModel::ccp, ContactModel::lcp,
                                         ContactModel::raisim),
                         [](const auto& p) { return std::string(to_string(p.param)); });

/// A box between a wall and a finger on a slide, which a motor presses on it.
Scene pressed_box() {
  Scene s;
  add_plane(s, {0.1, 0, 0}, {-1, 0, 0});  // the wall
  add_box(s, 1, {0.1, 0.1, 0.1}, {0, 0, 0.5});
  SceneBody finger;
  finger.kind = BodyKind::linked;
  finger.mass = 0.5;
  finger.inertia = Mat3::diagonal({1e-3, 1e-3, 1e-3});
  finger.position = {-0.2, 0, 0.5};
  SceneJoint slide;
  slide.kind = JointKind::slide;
  slide.axis = {1, 0, 0};
  finger.joints = {slide};
  s.bodies.push_back(finger);
  SceneGeom pad;
  pad.body = 1;
  pad.shape = Shape::box({0.1, 0.05, 0.05});
  s.geoms.push_back(pad);
  SceneActuator motor;
  motor.parts = {{1, 0, 1}};
  s.actuators.push_back(motor);
  set_friction(s, 0.5);
  return s;
}

// 2 mu F >= m g holds, else it falls at g - 2 mu F / m
TEST(RigidScene, APressedBoxHoldsOrFallsByCoulombsLaw) {
  for (const double press : {9.0, 9.7, 9.9, 12.0}) {
    SCOPED_TRACE(press);
    World w(pressed_box(), rigid(ContactModel::ncp, 1e-3));
    w.set_control(0, press);
    step_all(w, 50);
    const double before = w.body_state(0).linear_velocity.z;
    step_all(w, 50);
    const double acceleration = (w.body_state(0).linear_velocity.z - before) / 0.05;
    EXPECT_NEAR(acceleration, std::min(0.0, press - g), 1e-6);
  }
}

TEST(RigidScene, SchemesAndErrorControlKnowIt) {
  for (const SteppingScheme scheme : velocity_schemes) {
    WorldOptions o = rigid(ContactModel::ncp, 1e-3);
    o.scheme = scheme;
    World w(box_on_ground(0.4), o);
    BodyState start = w.body_state(0);
    start.linear_velocity = {1, 0, 0};
    w.set_body_state(0, start);
    step_all(w, 100);
    EXPECT_NEAR(w.body_state(0).linear_velocity.x, 1 - 0.4 * g * 0.1, 1e-6) << to_string(scheme);
  }
  WorldOptions o = rigid(ContactModel::ncp, 1e-2);
  o.accuracy = 1e-3;
  World w(box_on_ground(0.4), o);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(w.step().solve.status, SolveStatus::converged);
}

// a heap: all steps converge, and it comes to rest without creep
TEST(RigidScene, AHeapComesToRest) {
  WorldOptions o = rigid(ContactModel::ncp, 2e-3);
  o.tolerance = 1e-6;
  World w(clutter(12), o);
  for (int i = 0; i < 1500; ++i) {
    ASSERT_EQ(w.step().solve.status, SolveStatus::converged) << "step " << i;
    ASSERT_LE(w.report().solve.certificate.step_error, 1e-6) << "step " << i;
  }
  std::vector<Vec3> at;
  for (int b = 0; b < 12; ++b) at.push_back(w.body_state(b).position);
  for (int i = 0; i < 500; ++i) w.step();
  for (int b = 0; b < 12; ++b) {
    if (w.scene().geoms[5 + b].shape.kind == ShapeKind::sphere) continue;  // balls roll on
    EXPECT_LT(norm(w.body_state(b).position - at[b]), 1e-6) << b;
  }
}

TEST(RigidScene, RefusesASolverOfOtherModels) {
  WorldOptions o = rigid(ContactModel::ncp, 1e-3);
  o.solver = "newton";
  EXPECT_THROW(World(box_on_ground(0.4), o), InputError);
  o.model = ContactModel::sap;
  o.solver = "interior-point";
  EXPECT_THROW(World(box_on_ground(0.4), o), InputError);
  o.solver.clear();
  EXPECT_EQ(World(box_on_ground(0.4), o).options().solver, "newton");
}

}  // namespace
}  // namespace abut
