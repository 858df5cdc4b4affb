// Scenes put together: what is moved behaves as before, seen from where it was moved to.

#include "abut/sim/scene_append.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "abut/io/mjcf.hpp"
#include "abut/sim/world.hpp"

namespace abut {
namespace {

/// Everything that refers to the world: a shape on it, a free body, roots of mechanisms with hinge
/// and free joint, a fixed body, a weld, a tendon and a keyframe.
constexpr const char* rich = R"(<mujoco><compiler angle="radian"/>
<option timestep="0.002"/><worldbody>
  <geom name="floor" type="box" size="2 2 0.1" pos="0 0 -0.1"/>
  <site name="hook" pos="0.3 0 1.5"/>
  <body name="ball" pos="-0.5 0.1 0.3"><freejoint/><geom size="0.1" mass="1"/></body>
  <body name="arm" pos="0 0.2 1.2"><joint name="shoulder" axis="0 1 0" ref="0.2" damping="0.1"/>
    <geom type="capsule" size="0.03" fromto="0 0 0 0.4 0 0" mass="1"/>
    <body name="hand" pos="0.4 0 0"><joint name="wrist" type="ball"/>
      <geom type="box" size="0.05 0.04 0.03" pos="0.05 0 0" mass="0.5"/><site name="tip"/></body>
  </body>
  <body name="post" pos="0.8 0 0.5" quat="0.8 0.6 0 0"><geom type="box" size="0.1 0.1 0.2"/></body>
  <body name="load" pos="0.4 -0.6 0.6" quat="0.6 0 0.8 0"><freejoint name="load"/>
    <geom type="box" size="0.1 0.05 0.05" mass="2"/></body>
  <body name="swing" pos="-1 0 1"><freejoint name="swing"/>
    <geom type="box" size="0.1 0.1 0.1" mass="1"/></body>
</worldbody>
<equality><weld body1="load" body2="post"/><connect body1="swing" anchor="0.2 0 0.3"/></equality>
<tendon><spatial name="string" stiffness="30" springlength="0.2"><site site="hook"/>
  <site site="tip"/></spatial></tendon>
<actuator><motor name="m" joint="shoulder"/></actuator>
<keyframe><key name="bent" qpos="-0.4 0.1 0.5 0.8 0.6 0 0  0.5 0.8 0 0.6 0
  0.4 -0.6 0.6 0.6 0 0.8 0  -1 0 1 1 0 0 0"
  qvel="0.3 0 0 1 2 3  -1 0.5 0 0.2  0 0 0 0 0 0  0.1 0.2 0.3 0.4 0 0"/></keyframe></mujoco>)";

Scene rich_scene() {
  return load_mjcf_text(rich, "rich.xml");
}

Pose some_pose() {
  return {{1, -2, 0.5}, to_matrix(normalized({0.9, 0.3, -0.2, 0.4}))};
}

/// Largest difference of a body's state from that of another moved by X.
double difference(const World& moved, int body, const World& world, int original, const Pose& X) {
  const BodyState a = moved.body_state(body), b = world.body_state(original);
  const Mat3 turn = to_matrix(a.orientation) - X.R * to_matrix(b.orientation);
  double most = std::max({norm(a.position - X * b.position),
                          norm(a.linear_velocity - X.R * b.linear_velocity),
                          norm(a.angular_velocity - X.R * b.angular_velocity)});
  for (const Vec3& column : turn.col) most = std::max(most, norm(column));
  return most;
}

// with gravity turned along: bodies, shapes and anchors on the world, keyframe, tendon, weld
TEST(AppendScene, MotionIsTheSameSeenFromThePose) {
  for (const bool at_keyframe : {false, true}) {
    Scene moved;
    const Pose X = some_pose();
    moved.gravity = X.R * moved.gravity;
    moved.time_step = rich_scene().time_step;
    moved.friction_rule = FrictionRule::maximum;
    append_scene(moved, rich_scene(), "a/", X);
    moved.validate();
    World a(std::move(moved)), b(rich_scene());
    if (at_keyframe) a.set_keyframe(0), b.set_keyframe(0);
    const int bodies = static_cast<int>(b.scene().bodies.size());
    for (int i = 0; i < 400; ++i) {
      for (int k = 0; k < bodies; ++k) {
        ASSERT_LT(difference(a, k, b, k, X), 1e-5) << "step " << i << ", body " << k;
      }
      ASSERT_EQ(a.step().solve.status, SolveStatus::converged);
      ASSERT_EQ(b.step().solve.status, SolveStatus::converged);
    }
    EXPECT_GT(b.report().contacts, 0);
    EXPECT_GT(norm(b.body_state(0).position - b.scene().bodies[0].position), 0.1);
  }
}

// two copies and one more body far from each other: each as if alone, keyframes too
TEST(AppendScene, PartsDoNotKnowOfEachOther) {
  Scene scene;
  scene.friction_rule = FrictionRule::maximum;
  const Pose there{{20, 0, 0}, Mat3::identity()};
  append_scene(scene, rich_scene(), "a/", {});
  append_scene(scene, rich_scene(), "b/", there);
  ASSERT_EQ(scene.keyframes.size(), 2u);
  EXPECT_EQ(scene.keyframes[1].name, "b/bent");
  EXPECT_EQ(scene.actuators[1].name, "b/m");
  EXPECT_EQ(scene.geoms[1].name, "");
  const int bodies = static_cast<int>(rich_scene().bodies.size());
  World both(scene), alone(rich_scene()), bent(rich_scene());
  both.set_keyframe(1);
  bent.set_keyframe(0);
  both.set_control(1, 3);
  bent.set_control(0, 3);
  for (int i = 0; i < 200; ++i) {
    both.step(), alone.step(), bent.step();
    for (int k = 0; k < bodies; ++k) {
      ASSERT_LT(difference(both, k, alone, k, {}), 1e-6) << "step " << i << ", body " << k;
      ASSERT_LT(difference(both, bodies + k, bent, k, there), 1e-6) << "step " << i << ", " << k;
    }
  }
}

// what a model excludes from its own world touches that of another
TEST(AppendScene, ExcludesTheWorldOfItsOwnPartOnly) {
  constexpr const char* text = R"(<mujoco><worldbody><geom type="plane" size="1 1 1" pos="0 0 0.5"/>
    <body name="ball" pos="0 0 0.3"><freejoint/><geom size="0.1" mass="1"/></body></worldbody>
    <contact><exclude body1="world" body2="ball"/></contact></mujoco>)";
  Scene scene;
  append_scene(scene, load_mjcf_text(text, "s.xml"), "", {});
  Scene ground;
  SceneGeom plane;
  plane.shape = Shape::plane();
  ground.geoms.push_back(plane);
  append_scene(scene, ground, "", {});
  World w(scene);
  for (int i = 0; i < 1000; ++i) w.step();
  EXPECT_NEAR(w.body_state(0).position.z, 0.1, 1e-4) << "below its own plane, on the other";
}

TEST(AppendScene, TakesPairsAlong) {
  Scene scene = rich_scene(), part = rich_scene();
  ScenePair pair;
  pair.name = "p";
  pair.geom_a = 1, pair.geom_b = 0;
  part.pairs.push_back(pair);
  const int before = static_cast<int>(scene.geoms.size());
  append_scene(scene, part, "b/", {});
  ASSERT_EQ(scene.pairs.size(), 1u);
  EXPECT_EQ(scene.pairs[0].geom_a, before + 1);
  EXPECT_EQ(scene.pairs[0].geom_b, before);
  EXPECT_EQ(scene.pairs[0].name, "b/p");
}

TEST(AppendScene, TakesEqualitiesOfTendonsAlong) {
  Scene scene = rich_scene(), part = rich_scene();
  SceneEquality fixed_length;
  fixed_length.kind = EqualityKind::tendon;
  fixed_length.tendon_a = 0;
  part.equalities.push_back(fixed_length);
  append_scene(scene, part, "b/", {});
  ASSERT_EQ(scene.tendons.size(), 2u);
  EXPECT_EQ(scene.equalities.back().tendon_a, 1);
  EXPECT_EQ(scene.equalities.back().tendon_b, -1) << "none";
}

TEST(AppendScene, FiltersParentsWhereTheModelDoes) {
  const std::string tree = R"(<worldbody><body><joint/><geom size="0.1" mass="1"/>
    <body pos="0.05 0 0"><joint/><geom size="0.1" mass="1"/></body></body></worldbody></mujoco>)";
  const Scene filtered = load_mjcf_text("<mujoco>" + tree, "a.xml");
  const Scene open = load_mjcf_text(
      "<mujoco><option gravity='0 0 0'><flag filterparent='disable'/></option>" + tree, "b.xml");
  ASSERT_NE(filtered.filter_parents, open.filter_parents);
  for (const bool first : {true, false}) {
    Scene scene;
    append_scene(scene, first ? filtered : open, "a/", {});
    append_scene(scene, first ? open : filtered, "b/", {{5, 0, 0}, Mat3::identity()});
    World w(scene);
    w.step();
    ASSERT_EQ(w.report().contacts, 1);
    EXPECT_EQ(w.contact_sources()[0].geom_a, first ? 2 : 0);
  }
}

TEST(AppendScene, RefusesNamesThatAreThere) {
  Scene scene;
  append_scene(scene, rich_scene(), "", {});
  try {
    append_scene(scene, rich_scene(), "", {});
    ADD_FAILURE() << "nothing is said";
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(),
                 "rich.xml:5: body 'ball': body 'ball' exists already: give one of the models "
                 "another name");
  }
}

TEST(AppendScene, TakesTheFluidOfThePartAndRefusesAnother) {
  Scene scene;
  append_scene(scene, rich_scene(), "a/", {});
  Scene wet = rich_scene();
  wet.fluid_density = 1000;
  wet.drag_boxes.push_back({0, {}, {0.1, 0.1, 0.1}});
  append_scene(scene, wet, "b/", {});
  EXPECT_EQ(scene.fluid_density, 1000);
  ASSERT_EQ(scene.drag_boxes.size(), 1u);
  EXPECT_EQ(scene.bodies[scene.drag_boxes[0].body].name, "b/ball");
  wet.fluid_density = 999;
  EXPECT_THROW(append_scene(scene, wet, "c/", {}), InputError);
}

// a world that starts there is a world that was put there
TEST(StartAtKeyframe, IsWhatSetKeyframeDoes) {
  Scene scene = rich_scene();
  World put(scene);
  put.set_keyframe(0);
  start_at_keyframe(scene, 0);
  World started(scene);
  EXPECT_EQ(started.state_hash(), put.state_hash());
  for (int i = 0; i < 50; ++i) put.step(), started.step();
  EXPECT_EQ(started.state_hash(), put.state_hash());
  EXPECT_EQ(started.clone()->state_hash(), put.state_hash());
}

TEST(StartOfJoints, IsChecked) {
  Scene scene = rich_scene();
  scene.bodies[1].joint_positions = {0.1, 0.2};
  EXPECT_THROW(scene.validate(), InputError);
  scene.bodies[1].joint_positions = {NAN};
  EXPECT_THROW(scene.validate(), InputError);
  scene.bodies[1].joint_positions = {0.1};
  EXPECT_NO_THROW(scene.validate());
  scene.bodies[0].joint_velocities = {0.1};
  EXPECT_THROW(scene.validate(), InputError) << "it has no joints";
}

TEST(InitialState, IsWhereTheWorldStarts) {
  Scene scene = rich_scene();
  Keyframe start;
  for (const SceneBody& body : scene.bodies) start.bodies.push_back(initial_state(body));
  scene.keyframes.push_back(start);
  World put(scene), started(scene);
  put.set_keyframe(1);
  for (int i = 0; i < std::ssize(scene.bodies); ++i) {
    EXPECT_LT(difference(put, i, started, i, {}), 1e-15) << i;
  }
}

}  // namespace
}  // namespace abut
