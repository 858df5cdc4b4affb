#include "abut/sim/warnings.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "abut/sim/world.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

constexpr double g = 9.81;

const Warning* find(std::span<const Warning> warnings, WarningKind kind) {
  for (const Warning& w : warnings) {
    if (w.kind == kind) return &w;
  }
  return nullptr;
}

std::string all_text(const World& world) {
  std::string text;
  for (const Warning& w : world.warnings()) text += describe(world.scene(), w) + "\n";
  return text;
}

Scene ball(double mass, double radius, double height) {
  Scene s;
  add_plane(s);
  s.geoms[0].name = "floor";
  add_sphere(s, mass, radius, {0, 0, height});
  s.bodies[0].name = "ball";
  return s;
}

TEST(Proportions, OrdinaryScenesAreSilent) {
  EXPECT_TRUE(check_proportions(clutter(40)).empty());
  EXPECT_TRUE(check_proportions(Scene{}).empty());
  EXPECT_TRUE(check_proportions(ball(1000, 1, 1)).empty()) << "a boulder";
  EXPECT_TRUE(check_proportions(ball(1e-9, 5e-5, 1)).empty()) << "a grain of sand";
  EXPECT_TRUE(check_proportions(ball(0.02, 0.15, 1)).empty()) << "a balloon";
}

TEST(Proportions, LengthsInMillimetres) {
  Scene s = ball(4.2e9, 100, 100);  // 1000 kg/m^3, drawn in mm
  const std::vector<Warning> warnings = check_proportions(s);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].kind, WarningKind::size);
  EXPECT_EQ(warnings[0].value, 200);
  EXPECT_EQ(warnings[0].step, 0u);
  EXPECT_NE(describe(s, warnings[0]).find("ball measures 200 m"), std::string::npos);
  s.gravity = {0, 0, -9810};  // who knows
  EXPECT_TRUE(check_proportions(s).empty());
  // lengths in mm and masses in kg: lighter than air
  s.bodies[0].mass = 4.2;
  ASSERT_NE(find(check_proportions(s), WarningKind::density), nullptr);
}

TEST(Proportions, MassesOfNoMaterial) {
  const Scene s = ball(1e9, 0.5, 0.5);
  const std::vector<Warning> warnings = check_proportions(s);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].kind, WarningKind::density);
  EXPECT_NEAR(warnings[0].value, 1e9 / (4.0 / 3 * M_PI * 0.125), 1e3);
  // a gold coin is one
  EXPECT_TRUE(check_proportions(ball(19300 * 4.19e-6, 0.01, 1)).empty());
}

TEST(Proportions, MassRatios) {
  Scene s = ball(1e5, 2, 2);
  add_sphere(s, 1e-4, 0.005, {5, 0, 1});
  s.bodies[1].name = "pebble";
  const std::vector<Warning> warnings = check_proportions(s);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].kind, WarningKind::mass_ratio);
  EXPECT_NEAR(warnings[0].value, 1e9, 1);
  EXPECT_EQ(warnings[0].body, 0);
  EXPECT_EQ(warnings[0].other, 1);
  s.geoms[2].contact_type = s.geoms[2].contact_affinity = 0;  // a mark that nothing touches
  EXPECT_TRUE(check_proportions(s).empty());
}

// a spring of 1e4 N/m that bears 2000 kg gives way by m g/k = 1.96 m
TEST(Warnings, AShapeDeepInAnother) {
  Scene s = ball(2000, 1, 1);
  for (SceneGeom& geom : s.geoms) {
    geom.material.stiffness = 2e4, geom.material.dissipation = 0.01;
  }
  World world(s, {.model = ContactModel::lagged});
  int steps = 0;
  while (world.warnings().empty() && ++steps < 1000) world.step();
  ASSERT_EQ(world.warnings().size(), 1u);
  const Warning w = world.warnings()[0];
  EXPECT_EQ(w.kind, WarningKind::depth);
  EXPECT_EQ(w.step, static_cast<std::uint64_t>(steps));
  EXPECT_EQ(w.value, world.report().penetration);
  EXPECT_GT(w.value, 1);
  EXPECT_LT(w.value, 1.02) << "the first step";
  EXPECT_NE(all_text(world).find("ball is 1"), std::string::npos) << all_text(world);
  EXPECT_NE(all_text(world).find("deep in floor"), std::string::npos);
  for (int i = 0; i < 1000; ++i) world.step();
  EXPECT_EQ(world.warnings().size(), 1u) << "once: " << all_text(world);
  EXPECT_EQ(world.warnings()[0].step, w.step);
}

TEST(Warnings, WhatBeganInEachOtherIsNotDeepInIt) {
  Scene s;
  s.gravity = {};
  add_sphere(s, 1, 0.1, {0, 0, 0});
  add_sphere(s, 1, 0.1, {0.05, 0, 0});
  World world(s);
  for (int i = 0; i < 100; ++i) world.step();
  EXPECT_EQ(world.overlaps().size(), 1u);
  EXPECT_TRUE(world.warnings().empty()) << all_text(world);
}

TEST(Warnings, ATurnOfMoreThanHalfARadian) {
  for (const auto& [speed, expected] : {std::pair{49.0, false}, {51.0, true}}) {
    Scene s;
    s.time_step = 0.01;
    add_box(s, 1, {0.1, 0.1, 0.1}, {0, 0, 0});
    s.bodies[0].angular_velocity = {0, 0, speed};
    World world(s);
    world.step();
    EXPECT_EQ(find(world.warnings(), WarningKind::turn) != nullptr, expected) << speed;
    if (expected) {
      EXPECT_NEAR(world.warnings()[0].value, 0.51, 1e-9);
    }
  }
  // a ball may: it is the same whichever way it turns
  Scene s = ball(0.03, 0.01, 0.01);
  s.bodies[0].angular_velocity = {1000, 0, 0};
  World world(s);
  world.step();
  EXPECT_TRUE(world.warnings().empty());
}

// a pendulum whose swing is a fraction of its step: an explicit moment of gravity drives it
TEST(Warnings, EnergyFromNowhere) {
  Scene s;
  s.time_step = 0.2;
  SceneBody rod;
  rod.kind = BodyKind::linked;
  rod.mass = 1;
  rod.center_of_mass = {0, 0, -0.05};
  rod.inertia = Mat3::diagonal({1e-4, 1e-4, 1e-4});
  SceneJoint hinge;
  hinge.axis = {0, 1, 0};
  rod.joints = {hinge};
  rod.joint_positions = {0.3}, rod.joint_velocities = {0};
  s.bodies.push_back(rod);
  World world(s);
  for (int i = 0; i < 20; ++i) world.step();
  const Warning* w = find(world.warnings(), WarningKind::energy);
  ASSERT_NE(w, nullptr);
  const double before = -0.05 * g * std::cos(0.3);
  EXPECT_GT(w->value, w->bound);
  EXPECT_GT(world.kinetic_energy() + world.potential_energy(), before);
  EXPECT_EQ(w->body, 0);
}

// what is put in is no energy from nowhere: a motor, a load, a new state, a spring that was bent
TEST(Warnings, EnergyThatIsPutInIsNone) {
  Scene s;
  s.gravity = {};
  add_cart_with_motor(s);
  add_sphere(s, 1, 0.1, {0, 5, 0});
  World world(s);
  world.set_control(0, 100);
  world.set_load(1, {50, 0, 0}, {});
  for (int i = 0; i < 500; ++i) world.step();
  EXPECT_GT(world.kinetic_energy(), 1000);
  EXPECT_TRUE(world.warnings().empty()) << all_text(world);
  BodyState state = world.body_state(1);
  state.linear_velocity = {1000, 0, 0};
  world.set_body_state(1, state);
  const Snapshot fast = world.snapshot();
  world.step();
  state.linear_velocity = {};
  world.set_body_state(1, state);
  world.step();
  world.restore(fast);
  world.step();
  EXPECT_TRUE(world.warnings().empty()) << all_text(world);
}

// bounces store energy in their springs and get it back
TEST(Warnings, BouncesAndHeapsAreSilent) {
  for (const ContactModel model : {ContactModel::sap, ContactModel::lagged}) {
    for (const double h : {1e-4, 2e-3, 1e-2}) {
      Scene s = ball(1, 0.1, 0.5);
      for (SceneGeom& geom : s.geoms) {
        geom.material.stiffness = 2e5, geom.material.dissipation = 0.01;
        geom.material.relaxation_time = 1e-6;
      }
      s.time_step = h;
      World world(s, {.model = model});
      while (world.time() < 2) world.step();
      EXPECT_TRUE(world.warnings().empty()) << h << ": " << all_text(world);
    }
    for (const double h : {2e-3, 1e-2}) {
      World heap(clutter(40), {.model = model, .time_step = h});
      while (heap.time() < 3) heap.step();
      for (const Warning& w : heap.warnings()) {  // at 10 ms one may be kicked into a fast turn
        EXPECT_TRUE(h > 2e-3 && w.kind == WarningKind::turn) << h << ": " << all_text(heap);
      }
    }
  }
}

TEST(Warnings, PairsThatBeganInEachOtherAreListedOnce) {
  Scene s;
  s.gravity = {};
  add_box(s, 1, {0.1, 0.1, 0.1}, {0, 0, 0});
  add_box(s, 1, {0.1, 0.1, 0.1}, {0.15, 0, 0});
  add_box(s, 1, {0.1, 0.1, 0.1}, {0.30, 0, 0});
  World world(s);
  world.step();
  ASSERT_EQ(world.overlaps().size(), 2u);
  EXPECT_NEAR(world.overlaps()[0].depth, 0.05, 1e-9);
  EXPECT_EQ(world.overlaps()[0].time, 0);
  for (int i = 0; i < 1000; ++i) world.step();
  EXPECT_EQ(world.overlaps().size(), 2u);
  EXPECT_TRUE(world.warnings().empty()) << "an overlap that is let go of: " << all_text(world);
}

}  // namespace
}  // namespace abut
