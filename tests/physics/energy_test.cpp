// Contact takes energy and gives back no more than it took, whatever geometry does.

#include <gtest/gtest.h>

#include "support/random_collision.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

// all pairs of shapes, undamped; tests/peers/energy.cpp has more of them
TEST(Energy, NeverRisesInUndampedCollisions) {
  using enum ShapeKind;
  constexpr ShapeKind solid[] = {sphere, capsule, cylinder, box, ellipsoid, hull};
  unsigned seed = 0;
  for (const ShapeKind a : {plane, sphere, capsule, cylinder, box, ellipsoid, hull, height_field}) {
    for (const ShapeKind b : solid) {
      if (a != height_field && a > b) continue;
      for (int i = 0; i < 12; ++i) {
        Random random(++seed);
        Collision c = random_collision(random, a, b);
        c.options.time_step = i % 2 ? 5e-3 : 2e-3;
        World world(c.scene, c.options);
        const Rise rise = watch(world, c.duration);
        EXPECT_LT(rise.relative(), 0.01)
            << to_string(a) << " and " << to_string(b) << ", seed " << seed << ", " << c.law.name;
      }
    }
  }
}

// a shape that changes under the contact does work on it: here by the snapshot of a world in which
// the same body is put elsewhere, 3 cm into the ground that it touched
TEST(Energy, OfAnOverlapThatNoMotionMadeIsNotReleased) {
  for (const Law& law : laws) {
    Scene s;
    add_plane(s);
    const int b = add_box(s, 1, {0.1, 0.1, 0.1}, {0, 0, 0.1});
    WorldOptions o;
    o.model = law.model, o.law = law.law, o.time_step = 5e-3;
    World w(s, o);
    for (int i = 0; i < 100; ++i) w.step();
    BodyState state = w.body_state(b);
    state.position.z -= 0.03;
    w.set_body_state(b, state);
    const double slow = 0.1 * std::sqrt(9.81 * norm(Vec3{0.1, 0.1, 0.1}));
    double fastest = 0;
    for (int i = 0; i < 400; ++i) {
      w.step();
      fastest = std::fmax(fastest, norm(w.body_state(b).linear_velocity));
    }
    EXPECT_LT(fastest, 1.01 * slow) << law.name;
    EXPECT_GT(fastest, 0.5 * slow) << law.name;
    EXPECT_NEAR(w.body_state(b).position.z, 0.1, 1e-3) << law.name;
    EXPECT_EQ(w.report().overlaps, 0);
  }
}

/// Two boxes that begin in each other and in the ground, and a third that falls on them; lengths
/// and gravity multiplied, at the same density and with a stiffness to match.
Scene built(double scale) {
  Scene s;
  s.gravity = {0, 0, -9.81 * scale};
  add_plane(s);
  const double L = 0.1 * scale, m = scale * scale * scale;
  add_box(s, m, {L, L, L}, {0, 0, 0.7 * L});
  add_box(s, m, {L, L, L}, {0.2 * L, 0, 2.2 * L});
  add_box(s, m, {L, L, L}, {-0.3 * L, 0.1 * L, 4.5 * L}, exp_rotation({0.3, 0.2, 0}));
  for (SceneGeom& g : s.geoms) g.material.stiffness = 1e6 * m;
  return s;
}

TEST(Energy, OverlapsReturnAlikeAtEveryScale) {
  WorldOptions o;
  o.time_step = 2e-3;
  World small(built(1), o);
  World large(built(16), o);
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(small.step().overlaps, large.step().overlaps) << i;
    for (int b = 0; b < 3; ++b) {
      const Vec3 off = large.body_state(b).position - 16 * small.body_state(b).position;
      ASSERT_LT(norm(off), 16 * 1e-4) << "body " << b << ", step " << i;
    }
  }
}

// the side and the budget of a pair are part of what the next step depends on
TEST(Energy, OfASnapshotInAnOverlapGoesOnWithTheSameBits) {
  WorldOptions o;
  o.time_step = 5e-3;
  World world(built(1), o);
  for (int i = 0; i < 5; ++i) world.step();
  ASSERT_GT(world.report().overlaps, 0);
  World other(built(1), o);
  other.restore(world.snapshot());
  for (int i = 0; i < 200; ++i) world.step(), other.step();
  EXPECT_EQ(other.state_hash(), world.state_hash());
}

}  // namespace
}  // namespace abut
