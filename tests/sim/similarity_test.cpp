// A scene scaled in length, with gravity, speeds and stiffness to match, moves the same: nothing
// that decides a motion is a length or speed of its own (docs/constants.md). By powers of two every
// product is exact, so that the bits are the same.

#include <gtest/gtest.h>

#include <cmath>

#include "abut/sim/world.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

/// Units of which one holds so many of the old.
struct Units {
  double length = 1, time = 1, mass = 1;
  double speed() const { return length / time; }
  double force() const { return mass * length / (time * time); }
  double moment() const { return force() * length; }
  double inertia() const { return mass * length * length; }
};

Shape scaled(Shape s, const Units& u) {
  s.size = u.length * s.size;
  return s;
}

Material scaled(Material m, const Units& u) {
  m.stiffness = u.force() / u.length * m.stiffness.value();
  m.dissipation = m.dissipation.value() / u.speed();
  m.relaxation_time = u.time * m.relaxation_time.value();
  return m;
}

SceneJoint scaled(SceneJoint j, const Units& u) {
  const bool turns = j.kind != JointKind::slide;
  const double q = turns ? 1 : u.length, force = turns ? u.moment() : u.force();
  j.anchor = u.length * j.anchor;
  for (double* x : {&j.reference, &j.spring_reference, &j.lower, &j.upper}) *x *= q;
  j.armature *= turns ? u.inertia() : u.mass;
  j.damping *= force * u.time / q;
  for (double* k : {&j.stiffness, &j.limit_stiffness}) *k *= force / q;
  j.dry_friction *= force;
  return j;
}

Scene scaled(Scene s, const Units& u) {
  s.gravity = u.speed() / u.time * s.gravity;
  s.time_step *= u.time;
  for (SceneBody& b : s.bodies) {
    b.position = u.length * b.position;
    b.linear_velocity = u.speed() * b.linear_velocity;
    b.angular_velocity = 1 / u.time * b.angular_velocity;
    b.mass *= u.mass;
    b.center_of_mass = u.length * b.center_of_mass;
    b.inertia = u.inertia() * b.inertia;
    for (SceneJoint& j : b.joints) j = scaled(j, u);
    std::size_t k = 0;
    for (const SceneJoint& j : b.joints) {
      const double q = j.kind == JointKind::slide ? u.length : 1;
      if (!b.joint_positions.empty()) b.joint_positions[k] *= q;
      if (!b.joint_velocities.empty()) b.joint_velocities[k] *= q / u.time;
      ++k;
    }
  }
  for (SceneGeom& g : s.geoms) {
    g.shape = scaled(g.shape, u);
    g.pose.p = u.length * g.pose.p;
    g.material = scaled(g.material, u);
  }
  return s;
}

WorldOptions scaled(WorldOptions o, const Units& u) {
  o.friction.stiction_tolerance *= u.speed();
  if (o.margin) *o.margin *= u.length;
  return o;
}

// lengths and gravity; lengths and times under the same gravity; small bodies
const Units all_units[] = {{.length = 16, .time = 1, .mass = 1},
                           {.length = 16, .time = 4, .mass = 4096},
                           {.length = 1.0 / 64, .time = 1.0 / 8, .mass = 0x1p-18},
                           {.length = 1, .time = 1, .mass = 1024}};

void expect_the_same_motion(Scene scene, const WorldOptions& options, int steps) {
  for (SceneGeom& g : scene.geoms) {
    g.material.stiffness = 2e7, g.material.dissipation = 10, g.material.relaxation_time = 1e-4;
  }
  for (const Units& u : all_units) {
    SCOPED_TRACE(testing::Message() << to_string(options.model) << ", lengths times " << u.length
                                    << ", times times " << u.time << ", masses times " << u.mass);
    World here(scene, options), there(scaled(scene, u), scaled(options, u));
    double farthest = 0;
    int first = 0;
    for (int i = 1; i <= steps; ++i) {
      here.step();
      there.step();
      for (int b = 0; b < std::ssize(scene.bodies); ++b) {
        const BodyState x = here.body_state(b), y = there.body_state(b);
        const double off = norm(u.length * x.position - y.position) / u.length;
        if (off > 0 && first == 0) first = i;
        farthest = std::max(farthest, off);
      }
    }
    EXPECT_EQ(farthest, 0) << "m apart in the first one's units; from step " << first << " on";
    EXPECT_EQ(here.report().contacts, there.report().contacts);
  }
}

TEST(Similarity, AHeapOfAnySizeFallsAlike) {
  Scene heap = clutter(40);
  add_body(heap, Shape::capsule(0.03, 0.05), 0.5, {1e-3, 1e-3, 3e-4}, {0.05, 0, 0.5});
  add_body(heap, Shape::cylinder(0.04, 0.05), 0.5, {8e-4, 8e-4, 4e-4}, {-0.05, 0.02, 0.6},
           exp_rotation({0.3, 0.1, 0}));
  for (const ContactModel model :
       {ContactModel::sap, ContactModel::lagged, ContactModel::similar}) {
    expect_the_same_motion(heap, {.model = model}, 400);
  }
}

// a cart on a slide with a spring and a stop, an arm on it that hits the ground and its own limit
Scene cart_with_arm() {
  Scene s;
  add_plane(s);
  add_box(s, 0.5, {0.05, 0.04, 0.06}, {0.35, 0, 0.07});
  SceneBody cart;
  cart.kind = BodyKind::linked;
  cart.position = {0, 0, 0.4};
  cart.mass = 2;
  cart.inertia = Mat3::diagonal({1e-2, 2e-2, 1.5e-2});
  SceneJoint slide;
  slide.kind = JointKind::slide;
  slide.axis = {1, 0, 0};
  slide.stiffness = 20, slide.damping = 0.5, slide.dry_friction = 0.2;
  slide.limited = true, slide.lower = -0.05, slide.upper = 0.3;
  cart.joints = {slide};
  cart.joint_positions = {0.1}, cart.joint_velocities = {1.5};
  SceneBody arm = cart;
  arm.parent = static_cast<int>(s.bodies.size());
  arm.position = {};
  arm.mass = 0.5;
  arm.center_of_mass = {0.2, 0, 0};
  SceneJoint hinge;
  hinge.axis = {0, 1, 0};
  hinge.armature = 1e-3, hinge.damping = 1e-2;
  hinge.limited = true, hinge.lower = -1, hinge.upper = 1.5;
  arm.joints = {hinge};
  arm.joint_positions = {-0.5}, arm.joint_velocities = {0};
  s.bodies.push_back(cart);
  s.bodies.push_back(arm);
  SceneGeom g;
  g.body = static_cast<int>(s.bodies.size()) - 1;
  g.shape = Shape::capsule(0.03, 0.2);
  g.pose = {{0.2, 0, 0}, to_matrix(exp_rotation({0, 1.5707963267948966, 0}))};
  s.geoms.push_back(g);
  return s;
}

TEST(Similarity, AMechanismOfAnySizeMovesAlike) {
  for (const ContactModel model : {ContactModel::sap, ContactModel::lagged}) {
    expect_the_same_motion(cart_with_arm(), {.model = model}, 600);
  }
}

// the stop is met in the step in which something throws the cart at it
TEST(Similarity, AnImpactAgainstAStopIsTheSameAtAnySize) {
  Scene s;
  s.gravity = {};
  SceneBody cart;
  cart.kind = BodyKind::linked;
  cart.mass = 1;
  cart.inertia = Mat3::diagonal({1e-3, 1e-3, 1e-3});
  SceneJoint slide;
  slide.kind = JointKind::slide;
  slide.axis = {1, 0, 0};
  slide.limited = true, slide.lower = -0.2, slide.upper = 0.06;
  cart.joints = {slide};
  s.bodies.push_back(cart);
  SceneGeom g;
  g.body = 0;
  g.shape = Shape::box({0.05, 0.05, 0.05});
  s.geoms.push_back(g);
  add_sphere(s, 20, 0.05, {-0.11, 0, 0});
  s.bodies[1].linear_velocity = {50, 0, 0};
  expect_the_same_motion(s, {}, 5);
}

}  // namespace
}  // namespace abut
