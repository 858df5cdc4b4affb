// A body that is pulled at a point: it comes, does not overshoot, and is stable whatever it is.

#include "abut/view/live/drag.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "abut/io/mjcf.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

WorldOptions with_step(double h) {
  WorldOptions o;
  o.time_step = h;
  return o;
}

/// A world without ground or weight.
Scene weightless() {
  Scene s;
  s.gravity = {};
  return s;
}

Vec3 place(const World& w, int body, const Vec3& point) {
  const BodyState s = w.body_state(body);
  return s.position + to_matrix(s.orientation) * point;
}

TEST(Drag, BringsThePointToTheTargetWithoutOvershoot) {
  Scene s = weightless();
  add_box(s, 3, {0.1, 0.2, 0.05}, {});
  World w(s);
  DragSpring drag;
  drag.start(w, 0, {0.1, 0.2, 0.05}, {0.4, 0.2, 0.05});
  double furthest = 0;
  for (int i = 0; i < 1500; ++i) {
    drag.apply(w);
    w.step();
    furthest = std::max(furthest, place(w, 0, {0.1, 0.2, 0.05}).x);
  }
  EXPECT_NEAR(norm(place(w, 0, {0.1, 0.2, 0.05}) - Vec3{0.4, 0.2, 0.05}), 0, 2e-3);
  EXPECT_LT(furthest, 0.4 + 0.03) << "a tenth of the way";
}

TEST(Drag, PullsLightAndHeavyAlike) {
  double end[2];
  for (int k = 0; k < 2; ++k) {
    Scene s = weightless();
    add_sphere(s, k == 0 ? 1e-3 : 1e3, 0.1, {});
    World w(s);
    DragSpring drag;
    drag.start(w, 0, {}, {1, 0, 0});
    for (int i = 0; i < 50; ++i) drag.apply(w), w.step();
    end[k] = w.body_state(0).position.x;
  }
  EXPECT_NEAR(end[0], end[1], 1e-9);
  EXPECT_GT(end[0], 0.3);
}

TEST(Drag, HoldsABodyAgainstItsWeightAndLetsItFall) {
  Scene s;
  add_sphere(s, 2, 0.1, {0, 0, 1});
  World w(s);
  DragSpring drag;
  drag.start(w, 0, {0, 0, 0.1}, {0, 0, 1.5});
  for (int i = 0; i < 1000; ++i) drag.apply(w), w.step();
  const DragView view = drag.view(w);
  EXPECT_EQ(view.body, 0);
  EXPECT_NEAR(view.force.z, 2 * 9.81, 1e-2);
  EXPECT_NEAR(view.point.z, 1.5 - 9.81 / 400, 1e-3) << "the spring hangs by g/w^2";
  EXPECT_EQ(view.target, (Vec3{0, 0, 1.5}));
  drag.stop(w);
  EXPECT_EQ(drag.view(w).body, world_body);
  const double before = w.body_state(0).linear_velocity.z;
  w.step();
  EXPECT_NEAR(w.body_state(0).linear_velocity.z - before, -9.81 * w.time_step(), 1e-12);
}

TEST(Drag, LetsTheFormerBodyGo) {
  Scene s;
  add_sphere(s, 1, 0.1, {0, 0, 1});
  add_sphere(s, 1, 0.1, {1, 0, 1});
  World w(s);
  DragSpring drag;
  drag.start(w, 0, {}, {0, 0, 2});
  drag.apply(w);
  drag.start(w, 1, {}, {1, 0, 2});
  drag.apply(w);
  w.step();
  EXPECT_LT(w.body_state(0).linear_velocity.z, 0) << "falls";
  EXPECT_GT(w.body_state(1).linear_velocity.z, 0);
}

constexpr const char* arm = R"(<mujoco><option timestep="0.002" gravity="0 0 -9.81"/><worldbody>
<body name="upper"><joint name="a" axis="0 1 0"/>
 <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.03" mass="1"/>
 <body name="lower" pos="0.5 0 0"><joint name="b" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.02" mass="0.5"/></body></body>
</worldbody></mujoco>)";

TEST(Drag, MovesAMechanismByItsLink) {
  World w(load_mjcf_text(arm, "arm.xml"));
  DragSpring drag;
  const Vec3 hand{0.4, 0, 0}, target{0.5, 0, 0.5};
  drag.start(w, 1, hand, target);
  for (int i = 0; i < 3000; ++i) drag.apply(w), w.step();
  EXPECT_NEAR(norm(place(w, 1, hand) - target), 0, 0.1) << "but for what it weighs";
  EXPECT_LT(norm(w.body_state(1).linear_velocity), 1e-2);
  EXPECT_GT(drag.view(w).force.z, 0);
}

TEST(Drag, DoesNotPullAgainstAHinge) {
  World w(load_mjcf_text(arm, "arm.xml"));
  DragSpring drag;
  drag.start(w, 1, {0.4, 0, 0}, {0.9, 1, 0});  // along the axes of both
  const DragView view = drag.view(w);
  EXPECT_LT(norm(view.force), 1e-6);
}

TEST(Drag, IsStableForThinBodiesLargeStepsAndFarTargets) {
  for (const double h : {1e-3, 1e-2, 0.1}) {
    for (const Vec3& half : {Vec3{0.5, 2e-3, 2e-3}, Vec3{0.01, 0.01, 0.01}, Vec3{1, 1, 0.01}}) {
      Scene s = weightless();
      add_box(s, 0.1, half, {});
      World w(s, with_step(h));
      DragSpring drag;
      drag.start(w, 0, half, {20, 10, 5});
      double fastest = 0;
      for (int i = 0; i < 3000; ++i) {
        drag.apply(w);
        w.step();
        fastest = std::max(fastest, norm(w.body_state(0).angular_velocity) * h);
      }
      const double left = norm(place(w, 0, half) - Vec3{20, 10, 5});
      EXPECT_LT(left, norm(Vec3{20, 10, 5}) - 3) << "slow, if it is thin: " << h << " " << half.x;
      EXPECT_LT(norm(w.body_state(0).angular_velocity) * h, 0.1) << h << " " << half.x;
      EXPECT_LT(fastest, 2) << h << " " << half.x;
    }
  }
}

TEST(Drag, RefusesWhatCannotBe) {
  Scene s;
  add_sphere(s, 1, 0.1, {0, 0, 1});
  SceneBody wall;
  wall.name = "wall";
  wall.kind = BodyKind::fixed;
  s.bodies.push_back(wall);
  World w(s);
  DragSpring drag;
  EXPECT_THROW(drag.start(w, 1, {}, {}), InputError) << "fixed";
  EXPECT_THROW(drag.start(w, 7, {}, {}), InputError);
  EXPECT_THROW(drag.start(w, -1, {}, {}), InputError);
  EXPECT_THROW(drag.start(w, 0, {NAN, 0, 0}, {}), InputError);
  EXPECT_THROW(drag.start(w, 0, {}, {0, INFINITY, 0}), InputError);
  EXPECT_THROW(drag.start(w, 0, {1e7, 0, 0}, {}), InputError);
  EXPECT_FALSE(drag.active());
  drag.start(w, 0, {1e6, 0, 0}, {-1e300, 1e300, 0});  // silly, and finite
  for (int i = 0; i < 10; ++i) drag.apply(w), w.step();
  EXPECT_TRUE(is_finite(w.body_state(0).position));
}

}  // namespace
}  // namespace abut
