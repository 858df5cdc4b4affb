#include "abut/sim/scene.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace abut {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

/// A free ball above a plane that belongs to the world, and a fixed post.
Scene valid_scene() {
  Scene scene;
  SceneBody ball;
  ball.name = "ball";
  ball.mass = 2;
  ball.inertia = 0.1 * Mat3::identity();
  ball.position = {0, 0, 1};
  SceneBody post;
  post.kind = BodyKind::fixed;
  scene.bodies = {ball, post};
  SceneGeom floor, surface, pole;
  floor.name = "floor";
  floor.shape = Shape::plane();
  surface.body = 0;
  surface.shape = Shape::sphere(0.2);
  surface.material.friction = 0.5;
  pole.body = 1;
  pole.shape = Shape::cylinder(0.1, 1);
  scene.geoms = {floor, surface, pole};
  scene.excluded_bodies = {{0, 1}, {world_body, 1}};
  Keyframe key;
  key.name = "start";
  key.bodies.resize(2);
  scene.keyframes = {key};
  return scene;
}

/// What validate() says after a change of a valid scene; empty when it passes.
std::string error_after(const std::function<void(Scene&)>& change) {
  Scene scene = valid_scene();
  change(scene);
  try {
    scene.validate();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(SceneValidation, AcceptsAValidAndAnEmptyScene) {
  EXPECT_EQ(error_after([](Scene&) {}), "");
  EXPECT_EQ(error_after([](Scene& s) { s = Scene{}; }), "");
  EXPECT_EQ(error_after([](Scene& s) { s.time_step = 1; }), "");
  EXPECT_EQ(error_after([](Scene& s) { s.geoms[1].material.friction = 0; }), "");
  EXPECT_EQ(error_after([](Scene& s) { s.bodies[0].name = "__proto__"; }), "");
  EXPECT_EQ(error_after([](Scene& s) { s.bodies[0].orientation = {1.0009, 0, 0, 0}; }), "");
}

TEST(SceneValidation, TimeStep) {
  for (const double step : {0.0, -1.0, 1.5, nan, inf}) {
    EXPECT_NE(error_after([&](Scene& s) { s.time_step = step; }), "") << step;
  }
  EXPECT_EQ(error_after([](Scene& s) {
              s.time_step = -1;
              s.settings_origin = {"a.xml", 2, "option"};
            }),
            "a.xml:2: option: time_step = -1 s, must lie in [1e-9, 1]");
}

TEST(SceneValidation, Gravity) {
  EXPECT_EQ(error_after([](Scene& s) { s.gravity.y = inf; }),
            "gravity y = inf m/s^2, must be finite");
}

TEST(SceneValidation, NumbersOfBodies) {
  EXPECT_EQ(error_after([](Scene& s) { s.bodies[0].position.x = nan; }),
            "body 'ball': position x = nan m, must be finite");
  EXPECT_EQ(error_after([](Scene& s) { s.bodies[0].linear_velocity.z = inf; }),
            "body 'ball': linear_velocity z = inf m/s, must be finite");
  EXPECT_EQ(error_after([](Scene& s) { s.bodies[0].angular_velocity.y = nan; }),
            "body 'ball': angular_velocity y = nan rad/s, must be finite");
  EXPECT_EQ(error_after([](Scene& s) { s.bodies[1].center_of_mass.y = nan; }),
            "body 1: center_of_mass y = nan m, must be finite");
}

TEST(SceneValidation, Orientations) {
  for (const Quaternion& q : {Quaternion{0, 0, 0, 0}, {2, 0, 0, 0}, {0.998, 0, 0, 0}}) {
    EXPECT_NE(error_after([&](Scene& s) { s.bodies[0].orientation = q; }), "") << q.w;
  }
  EXPECT_EQ(error_after([](Scene& s) {
              s.bodies[1].orientation = {0, 0, 0, 0};
            }),
            "body 1: norm of orientation = 0, must be 1 within 0.001");
  EXPECT_NE(error_after([](Scene& s) { s.bodies[0].orientation = {nan, 0, 0, 0}; }), "");
}

TEST(SceneValidation, MassesAndInertias) {
  EXPECT_EQ(error_after([](Scene& s) { s.bodies[0].mass = 0; }),
            "body 'ball': mass = 0 kg, must be positive");
  EXPECT_EQ(error_after([](Scene& s) {
              s.bodies[0].inertia = Mat3::diagonal({1, 1, 5});
            }),
            "body 'ball': principal moments of inertia = 1, 1, 5 kg m^2, none may exceed the sum "
            "of the others");
  EXPECT_EQ(error_after([](Scene& s) { s.bodies[0].inertia(0, 1) = 0.01; }),
            "body 'ball': asymmetry of inertia = 0.0333333 of its trace, must be below 1e-9");
  EXPECT_EQ(error_after([](Scene& s) { s.bodies[1].mass = -1; }),
            "body 1: mass = -1 kg, must be finite and not negative");
  EXPECT_EQ(error_after([](Scene& s) { s.bodies[1].mass = 3; }), "");  // fixed, without inertia
}

TEST(SceneValidation, Names) {
  EXPECT_EQ(error_after([](Scene& s) { s.bodies[1].name = "ball"; }),
            "body 'ball': name 'ball' is used twice");
  EXPECT_EQ(error_after([](Scene& s) { s.geoms[1].name = "floor"; }),
            "geom 'floor': name 'floor' is used twice");
  EXPECT_EQ(error_after([](Scene& s) { s.keyframes.push_back(s.keyframes[0]); }),
            "key 'start': name 'start' is used twice");
  EXPECT_EQ(error_after([](Scene& s) { s.geoms[1].name = "ball"; }), "");  // another kind
  EXPECT_EQ(error_after([](Scene& s) { s.bodies[0].name = "world"; }),
            "body 'world': name 'world' is reserved for the world");
  EXPECT_EQ(error_after([](Scene& s) { s.geoms[1].name = "a\xFF"; }),
            "geom 'a\\xFF': name 'a\\xFF' is not UTF-8");
  EXPECT_EQ(error_after([](Scene& s) { s.geoms[1].name = "a\nb"; }),
            "geom 'a\\x0Ab': name 'a\\x0Ab' has a control character");
  const std::string name(1 << 20, 'x');
  EXPECT_EQ(
      error_after([&](Scene& s) { s.bodies[0].name = name; }),
      "body '" + name.substr(0, 64) + "...': a name of 1048576 bytes, at most 1024 are allowed");
}

TEST(SceneValidation, IndicesOfBodies) {
  for (const int body : {-2, 2}) {
    EXPECT_NE(error_after([&](Scene& s) { s.geoms[1].body = body; }), "") << body;
    EXPECT_NE(error_after([&](Scene& s) { s.excluded_bodies[0].second = body; }), "") << body;
  }
  EXPECT_EQ(error_after([](Scene& s) { s.geoms[0].body = 7; }),
            "geom 'floor': body = 7, must be -1 (the world) or the index of a body");
}

TEST(SceneValidation, Geoms) {
  EXPECT_EQ(error_after([](Scene& s) { s.geoms[1].shape = Shape::sphere(-1); }),
            "geom 1: radius = -1 m, must be positive and at most 1e9 m");
  EXPECT_EQ(error_after([](Scene& s) {
              s.geoms[1].shape = Shape::box({1, inf, 1});
            }),
            "geom 1: half_extents y = inf m, must be positive and at most 1e9 m");
  EXPECT_EQ(error_after([](Scene& s) { s.geoms[1].shape = Shape::plane(); }),
            "geom 1: a plane must belong to the world or to a fixed body");
  EXPECT_EQ(
      error_after([](Scene& s) {
        s.geoms[1].shape = Shape::height_field(make_height_field(2, 2, 1, 1, 1, {0, 0, 0, 0}));
      }),
      "geom 1: a height field must belong to the world or to a fixed body");
  EXPECT_EQ(error_after([](Scene& s) { s.geoms[0].pose.p.y = nan; }),
            "geom 'floor': position y = nan m, must be finite");
  EXPECT_NE(error_after([](Scene& s) { s.geoms[0].pose.R = 2 * Mat3::identity(); }), "");
  EXPECT_NE(error_after([](Scene& s) { s.geoms[0].pose.R = -1 * Mat3::identity(); }), "");
  EXPECT_NE(error_after([](Scene& s) { s.geoms[0].pose.R(0, 0) = nan; }), "");
}

TEST(SceneValidation, Materials) {
  EXPECT_EQ(error_after([](Scene& s) { s.geoms[1].material.friction = -0.1; }),
            "geom 1: friction = -0.1, must be finite and not negative");
  EXPECT_EQ(error_after([](Scene& s) { s.geoms[1].material.stiffness = 0; }),
            "geom 1: stiffness = 0 N/m, must be positive and finite");
  EXPECT_EQ(error_after([](Scene& s) { s.geoms[1].material.dissipation = -1; }),
            "geom 1: dissipation = -1 s/m, must be finite and not negative");
  EXPECT_EQ(error_after([](Scene& s) { s.geoms[1].material.relaxation_time = nan; }),
            "geom 1: relaxation_time = nan s, must be finite and not negative");
  EXPECT_NE(error_after([](Scene& s) { s.geoms[1].material.friction = inf; }), "");
}

TEST(SceneValidation, Keyframes) {
  EXPECT_EQ(error_after([](Scene& s) { s.keyframes[0].bodies.pop_back(); }),
            "key 'start': 1 states for 2 bodies, must have one for each");
  EXPECT_EQ(error_after([](Scene& s) { s.keyframes[0].time = nan; }),
            "key 'start': time = nan s, must be finite");
  EXPECT_EQ(error_after([](Scene& s) { s.keyframes[0].bodies[0].position.x = inf; }),
            "key 'start', body 'ball': position x = inf m, must be finite");
  EXPECT_EQ(error_after([](Scene& s) {
              s.keyframes[0].bodies[1].orientation = {0, 0, 0, 0};
            }),
            "key 'start', body 'body1': norm of orientation = 0, must be 1 within 0.001");
}

TEST(SceneValidation, SaysWhereTheElementCameFrom) {
  EXPECT_EQ(error_after([](Scene& s) {
              s.geoms[1].origin = {"clutter.xml", 14, "geom 'box3'"};
              s.geoms[1].material.stiffness = -3;
            }),
            "clutter.xml:14: geom 'box3': stiffness = -3 N/m, must be positive and finite");
}

TEST(DisplayName, OfBodiesAndTheWorld) {
  const Scene scene = valid_scene();
  EXPECT_EQ(display_name(scene, world_body), "world");
  EXPECT_EQ(display_name(scene, 0), "ball");
  EXPECT_EQ(display_name(scene, 1), "body1");
}

}  // namespace
}  // namespace abut
