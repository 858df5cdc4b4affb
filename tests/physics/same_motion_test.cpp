// Scenes that say the same in different words move alike: what the world has, a fixed body may
// have; A holds B as B holds A; a free joint frees like none; a load pulls like gravity.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "abut/sim/world.hpp"
#include "support/every_kind.hpp"
#include "support/model_case.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

/// What a scene says of numbers of bodies goes, so that bodies can be added.
Scene every_kind_without_keyframe() {
  Scene scene = scene_of_every_kind();
  scene.keyframes.clear();
  return scene;
}

struct Difference {
  double place = 0, speed = 0;  ///< [m], [m/s]
};

Vec3 center(const World& w, int body) {
  const BodyState s = w.body_state(body);
  return s.position + to_matrix(s.orientation) * w.scene().bodies[body].center_of_mass;
}

/// The largest, of the first `bodies`.
Difference difference(const World& a, const World& b, int bodies) {
  Difference most;
  for (int i = 0; i < bodies; ++i) {
    const BodyState x = a.body_state(i), y = b.body_state(i);
    most.place = std::max(most.place, norm(center(a, i) - center(b, i)));
    most.speed = std::max({most.speed, norm(x.linear_velocity - y.linear_velocity),
                           0.1 * norm(x.angular_velocity - y.angular_velocity)});
  }
  return most;
}

WorldOptions options(const ModelCase& c, double dt) {
  WorldOptions o;
  o.model = c.model;
  o.law = c.law;
  o.time_step = dt;
  o.tolerance = 1e-9;
  return o;
}

/// For 0.06 s; places differ by at most rounding + drift * dt.
template <class Prepare>
void expect_same_motion(const Scene& one, const Scene& other, const Prepare& prepare,
                        double rounding = 1e-6, double drift = 0) {
  for (const ModelCase& c : model_cases) {
    for (const double dt : {3e-4, 3e-3}) {
      const double most = rounding + drift * dt;
      SCOPED_TRACE(testing::Message() << name(c) << ", " << dt << " s");
      World a(one, options(c, dt)), b(other, options(c, dt));
      for (World* w : {&a, &b}) {
        for (int k = 0; k < w->actuators(); ++k) w->set_control(k, 0.2 + 0.1 * k);
      }
      prepare(a, b);
      const int bodies = static_cast<int>(one.bodies.size());
      int contacts = 0;
      for (int i = 0; a.time() < 0.06; ++i) {
        a.step(), b.step();
        const Difference d = difference(a, b, bodies);
        ASSERT_LT(d.place, most) << "step " << i;
        ASSERT_LT(d.speed, 100 * most) << "step " << i;
        contacts = std::max(contacts, a.report().contacts);
      }
      EXPECT_GT(contacts, 0);
      EXPECT_GT(difference(a, World(one), bodies).place, 1e-3) << "they moved";
    }
  }
}

void nothing(World&, World&) {}

Pose inverse(const Pose& X) {
  return {transpose_times(X.R, -1.0 * X.p), transpose(X.R)};
}

/// Describes body `i` and all that is on it in a frame that lies at X in its own.
void describe_in(const Pose& X, int i, Scene& s) {
  const Pose there = inverse(X);
  SceneBody& b = s.bodies[i];
  b.position += to_matrix(b.orientation) * X.p;
  b.orientation = normalized(b.orientation * to_quaternion(X.R));
  b.center_of_mass = there * b.center_of_mass;
  b.inertia = there.R * b.inertia * X.R;
  b.inertia = 0.5 * (b.inertia + transpose(b.inertia));
  for (SceneJoint& j : b.joints) {
    j.axis = there.R * j.axis;
    j.axis = j.axis / norm(j.axis);
    j.anchor = there * j.anchor;
  }
  for (SceneBody& child : s.bodies) {
    if (child.parent != i) continue;
    child.position = there * child.position;
    child.orientation = normalized(to_quaternion(there.R) * child.orientation);
  }
  for (SceneGeom& g : s.geoms) {
    if (g.body == i) g.pose = there * g.pose;
  }
  for (DragBox& box : s.drag_boxes) {
    if (box.body == i) box.pose = there * box.pose;
  }
  for (SceneEquality& e : s.equalities) {
    if (e.kind != EqualityKind::connect && e.kind != EqualityKind::weld) continue;
    if (e.body_a == i) e.pose_a = there * e.pose_a;
    if (e.body_b == i) e.pose_b = there * e.pose_b;
  }
  for (SceneTendon& t : s.tendons) {
    for (SceneTendon::Point& p : t.points) {
      if (p.body == i) p.position = there * p.position;
    }
  }
}

// a free joint takes the velocity of its frame's origin: to first order it is the same
TEST(SameMotion, WhateverTheFramesOfBodiesAre) {
  const Scene scene = every_kind_without_keyframe();
  Scene other = scene;
  for (int i = 0; i < std::ssize(other.bodies); ++i) {
    const Vec3 turn{0.3 * i, 1.0 - 0.1 * i, -0.7}, to{0.02 * i, -0.1, 0.05};
    describe_in({to, to_matrix(exp_rotation(turn))}, i, other);
  }
  expect_same_motion(scene, other, nothing, 1e-6, 1e-2);
}

TEST(SameMotion, WhereAFixedBodyHasWhatTheWorldHas) {
  const Scene scene = every_kind_without_keyframe();
  Scene other = scene;
  SceneBody frame;
  frame.name = "frame";
  frame.kind = BodyKind::fixed;
  frame.position = {0.3, -1, 2};
  frame.orientation = exp_rotation({0.5, -1, 2});
  const Pose there = inverse({frame.position, to_matrix(frame.orientation)});
  const int at = static_cast<int>(other.bodies.size());
  other.bodies.push_back(frame);
  for (SceneGeom& g : other.geoms) {
    if (g.body == world_body) g.body = at, g.pose = there * g.pose;
  }
  for (SceneEquality& e : other.equalities) {
    if (e.kind != EqualityKind::connect && e.kind != EqualityKind::weld) continue;
    if (e.body_a == world_body) e.body_a = at, e.pose_a = there * e.pose_a;
    if (e.body_b == world_body) e.body_b = at, e.pose_b = there * e.pose_b;
  }
  for (SceneTendon& t : other.tendons) {
    for (SceneTendon::Point& p : t.points) {
      if (p.body == world_body) p.body = at, p.position = there * p.position;
    }
  }
  expect_same_motion(scene, other, nothing);
}

// q_a - r_a = c_0 + s (q_b - r_b) with s of 1 or -1 says as much of b
TEST(SameMotion, WhereConstraintsNameTheirSidesTheOtherWayRound) {
  Scene scene = every_kind_without_keyframe();
  for (const double sign : {1.0, -1.0}) {
    SceneEquality& joint = scene.equalities[2];
    ASSERT_EQ(joint.kind, EqualityKind::joint);
    std::fill_n(joint.polynomial, 5, 0.0);
    joint.polynomial[0] = 0.2, joint.polynomial[1] = sign;
    joint.reference_a = 0.1, joint.reference_b = -0.3;
    Scene other = scene;
    for (SceneEquality& e : other.equalities) {
      if (e.kind == EqualityKind::tendon) continue;
      std::swap(e.body_a, e.body_b);
      std::swap(e.pose_a, e.pose_b);
      std::swap(e.joint_a, e.joint_b);
      if (e.kind != EqualityKind::joint) continue;
      std::swap(e.reference_a, e.reference_b);
      e.polynomial[0] = -sign * e.polynomial[0];
    }
    for (SceneTendon& t : other.tendons) {
      std::reverse(t.points.begin(), t.points.end());
      std::reverse(t.joints.begin(), t.joints.end());
    }
    for (SceneActuator& a : other.actuators) std::reverse(a.parts.begin(), a.parts.end());
    for (ScenePair& p : other.pairs) std::swap(p.geom_a, p.geom_b);
    for (auto& [a, b] : other.excluded_bodies) std::swap(a, b);
    // what one part does, two halves do
    SceneActuator& motor = other.actuators[0];
    motor.parts = {motor.parts[0], motor.parts[0]};
    motor.parts[0].gear *= 0.25, motor.parts[1].gear *= 0.75;
    ASSERT_FALSE(other.tendons[2].joints.empty());
    ScenePart half = other.tendons[2].joints[0];
    half.gear *= 0.5;
    other.tendons[2].joints[0] = half;
    other.tendons[2].joints.push_back(half);
    expect_same_motion(scene, other, nothing);
  }
}

TEST(SameMotion, WhereLoadsAreTheWeight) {
  Scene scene = every_kind_without_keyframe(), other = scene;
  other.gravity = {};
  expect_same_motion(scene, other, [](World&, World& b) {
    for (int i = 0; i < std::ssize(b.scene().bodies); ++i) {
      const SceneBody& body = b.scene().bodies[i];
      if (body.kind != BodyKind::fixed) b.set_load(i, {0, 0, -9.81 * body.mass}, {});
    }
  });
}

/// Balls and cubes with equal moments of inertia about their origins, held in every way that free
/// bodies can be, spinning, in wind.
Scene round_bodies() {
  Scene s;
  s.fluid_density = 20, s.fluid_viscosity = 0.5;
  s.wind = {1, 2, 0};
  add_plane(s);
  for (int i = 0; i < 6; ++i) {
    const Vec3 at{0.35 * i, 0.02 * i, i == 4 ? 0.8 : 0.12};
    const double size = 0.1 + 0.02 * (i % 3);
    const int b = i % 2 == 0
                      ? add_sphere(s, 0.5 + i, size, at)
                      : add_box(s, 0.5 + i, {size, size, size}, at, exp_rotation({1, 0.5 * i, 2}));
    s.bodies[b].linear_velocity = {0.5, -0.2 * i, 1};
    s.bodies[b].angular_velocity = {3, 1, -2.0 * i};
    s.drag_boxes.push_back({b, {{0.01, 0.02, 0}, Mat3::identity()}, {0.1, 0.2, 0.15}});
  }
  set_friction(s, 0.6);
  SceneEquality connect;
  connect.body_a = 0, connect.body_b = 1;
  connect.pose_a.p = {0.2, 0, 0};
  connect.pose_b.p = transpose_times(to_matrix(s.bodies[1].orientation), Vec3{-0.15, -0.02, 0});
  SceneEquality weld;
  weld.kind = EqualityKind::weld;
  weld.body_a = 2, weld.body_b = 3;
  weld.pose_b = {{-0.35, 0, 0}, to_matrix(s.bodies[3].orientation)};
  weld.pose_b = {transpose_times(weld.pose_b.R, Vec3{-0.35, -0.02, 0}), transpose(weld.pose_b.R)};
  s.equalities = {connect, weld};
  SceneTendon spring, rope;
  spring.points = {{world_body, {1.4, 0, 1.5}}, {4, {0, 0.1, 0}}, {5, {0.1, 0, 0}}};
  spring.stiffness = 200, spring.damping = 2, spring.lower_rest = spring.upper_rest = 0.5;
  rope.points = {{2, {0, 0, 0.1}}, {5, {}}};
  rope.limited = true, rope.upper = 1.05, rope.dry_friction = 1;
  s.tendons = {spring, rope};
  return s;
}

// a mechanism of one body with a free joint is a free body, to first order: it takes its spin by
// other steps
TEST(SameMotion, WhereAJointFreesABody) {
  const Scene scene = round_bodies();
  for (const int every : {1, 2}) {  // all of them, or every other one
    Scene other = scene;
    for (std::size_t i = 0; i < scene.bodies.size(); i += every) {
      SceneBody& b = other.bodies[i];
      b.kind = BodyKind::linked;
      b.joints.resize(1);
      b.joints[0].kind = JointKind::free;
      const Vec3 spin = transpose_times(to_matrix(b.orientation), b.angular_velocity);
      const auto& [w, x, y, z] = b.orientation;
      b.joint_positions = {b.position.x, b.position.y, b.position.z, w, x, y, z};
      const Vec3 v = b.linear_velocity;
      b.joint_velocities = {v.x, v.y, v.z, spin.x, spin.y, spin.z};
      b.linear_velocity = b.angular_velocity = {};
    }
    expect_same_motion(
        scene, other,
        [](World& a, World& b) {
          for (World* w : {&a, &b}) w->set_load(3, {0, 2, 1}, {0.1, 0, 0.3});
        },
        0, 1);
  }
}

// without ground: who drifts with the wind sees the same
TEST(SameMotion, InAnAircraft) {
  Scene scene = round_bodies();
  scene.geoms.erase(scene.geoms.begin());
  scene.tendons[0].points.erase(scene.tendons[0].points.begin());
  scene.bodies[3].position.x -= 0.1;  // off their weld, and in each other
  Scene other = scene;
  const Vec3 drift{-7, 3, 11};
  other.wind += drift;
  for (SceneBody& b : other.bodies) b.linear_velocity += drift;
  for (const ModelCase& c : model_cases) {
    SCOPED_TRACE(name(c));
    WorldOptions o = options(c, 2e-3);
    // guesses know what is at rest, and where the rounds of the lag end depends on where they begin
    o.friction.lag_tolerance = 1e-8;
    World a(scene, o), b(other, o);
    int contacts = 0;
    for (int i = 0; i < 150; ++i) {
      a.step(), b.step();
      contacts += a.report().contacts;
      for (int k = 0; k < a.moving_bodies(); ++k) {
        const BodyState x = a.body_state(k), y = b.body_state(k);
        ASSERT_LT(norm(x.position + a.time() * drift - y.position), 1e-8) << i << ", body " << k;
        ASSERT_LT(norm(x.linear_velocity + drift - y.linear_velocity), 1e-6) << i << ", " << k;
      }
    }
    EXPECT_GT(contacts, 0);
  }
}

}  // namespace
}  // namespace abut
