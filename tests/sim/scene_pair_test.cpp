// Pairs of geoms of which a scene says more than what each is made of.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "abut/sim/implied_contact.hpp"
#include "abut/sim/pair_kinds.hpp"
#include "abut/sim/world.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

constexpr double g = 9.81;

/// A box at rest on the ground, sliding at 3 m/s, and the pair of the two.
Scene sliding_box() {
  Scene s;
  add_plane(s);
  add_box(s, 2, {0.1, 0.1, 0.05}, {0, 0, 0.05});
  s.bodies[0].linear_velocity = {3, 0, 0};
  set_friction(s, 0.9);
  ScenePair p;
  p.geom_a = 1, p.geom_b = 0;
  s.pairs = {p};
  return s;
}

double speed_after(const Scene& s, double seconds) {
  WorldOptions o;
  o.model = ContactModel::lagged;
  o.time_step = 1e-3;
  World w(s, o);
  for (int i = 0; i < std::lround(seconds / w.time_step()); ++i) w.step();
  return w.body_state(0).linear_velocity.x;
}

// v = v0 - mu g t by the pair's coefficient, not by those of the surfaces
TEST(ScenePair, SlidesByItsOwnFriction) {
  Scene s = sliding_box();
  s.pairs[0].material.friction = 0.2;
  EXPECT_NEAR(speed_after(s, 0.5), 3 - 0.2 * g * 0.5, 0.01);
  s.pairs[0].frictionless = true;
  EXPECT_NEAR(speed_after(s, 0.5), 3, 1e-12);
  s.pairs.clear();
  EXPECT_NEAR(speed_after(s, 0.2), 3 - 0.9 * g * 0.2, 0.02);
}

// m g = k x, with four corners
TEST(ScenePair, RestsOnItsOwnStiffness) {
  Scene s = sliding_box();
  s.bodies[0].linear_velocity = {};
  s.pairs[0].material = {2e4, {}, 1e-2, {}};
  World w(s, {});
  for (int i = 0; i < 2000; ++i) w.step();
  EXPECT_NEAR(w.body_state(0).position.z, 0.05 - 2 * g / (4 * 2e4), 1e-7);
}

// m g = k x of one box, m g = k x^(3/2) of the other, on the same ground
TEST(ScenePair, RestsByItsOwnLaw) {
  for (const ContactModel model : {ContactModel::lagged, ContactModel::similar}) {
    Scene s;
    add_plane(s);
    for (int i = 0; i < 2; ++i) add_box(s, 2, {0.1, 0.1, 0.05}, {1.0 * i, 0, 0.05});
    for (SceneGeom& geom : s.geoms) geom.material.stiffness = 4e4;
    ScenePair p;
    p.geom_a = 0, p.geom_b = 2;
    p.material = {1e6, {}, {}, {}};
    p.law = NormalLawKind::hertz;
    s.pairs = {p};
    WorldOptions o;
    o.model = model;
    World w(s, o);
    for (int i = 0; i < 4000; ++i) w.step();
    EXPECT_NEAR(w.body_state(0).position.z, 0.05 - 2 * g / (4 * 2e4), 1e-7);
    EXPECT_NEAR(w.body_state(1).position.z, 0.05 - std::pow(2 * g / (4 * 1e6), 2.0 / 3), 1e-7);
  }
}

TEST(ScenePair, ImpliesWhatItsOwnLawDoes) {
  Scene s = sliding_box();
  s.pairs[0].law = NormalLawKind::hertz;
  s.pairs[0].material.stiffness = 1e8;
  add_box(s, 2, {0.1, 0.1, 0.05}, {1, 0, 0.05});
  const std::vector<PairKind> kinds = find_pair_kinds(s, {});
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0].material.law, std::nullopt);
  EXPECT_EQ(kinds[1].material.law, NormalLawKind::hertz);
  WorldOptions o;
  o.model = ContactModel::similar, o.law = NormalLawKind::kelvin_voigt;
  const ContactSettings settings = contact_settings(s, o);
  const auto depth = [&](const PairKind& k) {
    return implied_contact(k.material, settings, 2, 2).depth;
  };
  EXPECT_NEAR(depth(kinds[0]), 2 * g / kinds[0].material.stiffness, 1e-12);
  EXPECT_NEAR(depth(kinds[1]), std::pow(2 * g / 1e8, 2.0 / 3), 1e-12);
}

double height_after_a_fall(const Scene& s) {
  World w(s, {});
  for (int i = 0; i < 250; ++i) w.step();
  return w.body_state(0).position.z;
}

TEST(ScenePair, TouchesAgainstMasksAndExclusions) {
  for (const int filter : {0, 1, 2}) {
    Scene s = sliding_box();
    if (filter == 0) s.geoms[1].contact_type = s.geoms[1].contact_affinity = 0;
    if (filter == 1) s.excluded_bodies = {{0, world_body}};
    if (filter == 2) s.excluded_geoms = {{0, 1}};
    EXPECT_NEAR(height_after_a_fall(s), 0.05 - g / 2 * 0.25, 0.02) << filter;
    s.pairs[0].forced = true;
    EXPECT_NEAR(height_after_a_fall(s), 0.05, 1e-5) << filter;
  }
}

// A link and its parent do not touch, unless a pair says so: a weight on a rod that swings down
// stops on the sphere of its parent.
TEST(ScenePair, TouchesAgainstTheParentFilter) {
  const auto lowest = [](bool forced) {
    Scene s;
    for (int k = 0; k < 2; ++k) {
      SceneBody b;
      b.kind = BodyKind::linked;
      b.parent = k - 1;
      b.mass = 1;
      b.inertia = Mat3::diagonal({1e-2, 1e-2, 1e-2});
      b.position = {0, 0, k == 0 ? 0 : 1.0};
      SceneJoint slide;
      slide.kind = JointKind::slide;
      slide.axis = {0, 0, 1};
      slide.stiffness = k == 0 ? 1e6 : 0;  // the parent stays
      b.joints = {slide};
      s.bodies.push_back(b);
      SceneGeom ball;
      ball.body = k;
      ball.shape = Shape::sphere(0.1);
      s.geoms.push_back(ball);
    }
    ScenePair p;
    p.geom_b = 1, p.forced = forced;
    s.pairs = {p};
    World w(s, {});
    for (int i = 0; i < 400; ++i) w.step();
    return w.body_state(1).position.z;
  };
  EXPECT_NEAR(lowest(true), 0.2, 0.02);
  EXPECT_LT(lowest(false), -1);
}

TEST(ScenePair, CountsAsAKindOfItsOwn) {
  Scene s = sliding_box();
  add_box(s, 3, {0.1, 0.1, 0.05}, {1, 0, 0.05});
  set_friction(s, 0.9);
  s.pairs[0].material = {1e5, {}, {}, 0.2};
  s.geoms[1].contact_type = s.geoms[1].contact_affinity = 0;
  EXPECT_EQ(find_pair_kinds(s, {}).size(), 1u);  // the other box alone
  s.pairs[0].forced = true;
  const std::vector<PairKind> kinds = find_pair_kinds(s, {});
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0].material.stiffness, 1e5);
  EXPECT_EQ(kinds[0].material.friction, 0.2);
  EXPECT_EQ(kinds[0].lightest, 2);
  EXPECT_EQ(kinds[0].heaviest, 2);
}

// What is said of every pair goes before what is said of one.
TEST(ScenePair, YieldsToTheOverride) {
  Scene s = sliding_box();
  s.pairs[0].material.friction = 0.2;
  s.pairs[0].frictionless = true;
  PairOverride every;
  every.friction = 0.5;
  const PairMaterial m = combine(s.geoms[0], s.geoms[1], s.friction_rule, every, &s.pairs[0]);
  EXPECT_EQ(m.friction, 0.5);
  EXPECT_EQ(combine(s.geoms[0], s.geoms[1], s.friction_rule, {}, &s.pairs[0]).friction, 0);
}

TEST(ScenePair, WrongOnesAreRefused) {
  const auto message = [](const auto& change) -> std::string {
    Scene s = sliding_box();
    s.pairs[0].name = "p";
    change(s);
    try {
      s.validate();
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message([](Scene&) {}), "");
  EXPECT_EQ(message([](Scene& s) { s.pairs[0].geom_b = 2; }),
            "pair 'p': geom = 2, must be the index of a geom");
  EXPECT_EQ(message([](Scene& s) { s.pairs[0].geom_b = 1; }),
            "pair 'p': its geoms must belong to different bodies");
  EXPECT_EQ(message([](Scene& s) { s.bodies[0].kind = BodyKind::fixed; }),
            "pair 'p': one of its geoms must move");
  EXPECT_EQ(message([](Scene& s) { s.pairs[0].material.stiffness = -1; }),
            "pair 'p': stiffness = -1 N/m, must be positive and finite");
  EXPECT_EQ(
      message([](Scene& s) {
        s.pairs.push_back({.name = "q", .geom_a = 0, .geom_b = 1, .material = {}, .origin = {}});
      }),
      "pair 'q': its two geoms have a pair already");
}

}  // namespace
}  // namespace abut
