// Mechanisms, free bodies, actuators, constraints and contacts at once, for each contact model with
// each law, at other steps and mass ratios: against closed forms and symmetries.

#include <gtest/gtest.h>

#include <cmath>

#include "abut/sim/world.hpp"
#include "support/model_case.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

constexpr double g = 9.81;

/// The scene's next body: moves along `axis`, its shape at its origin.
int add_slider(Scene& s, double mass, const Vec3& axis, const Vec3& position, const Shape& shape) {
  SceneBody b;
  b.kind = BodyKind::linked;
  b.position = position;
  b.mass = mass;
  b.inertia = mass * Mat3::diagonal({1e-2, 1e-2, 1e-2});
  SceneJoint slide;
  slide.kind = JointKind::slide;
  slide.axis = axis;
  b.joints = {slide};
  s.bodies.push_back(b);
  SceneGeom geom;
  geom.body = static_cast<int>(s.bodies.size()) - 1;
  geom.shape = shape;
  s.geoms.push_back(geom);
  return geom.body;
}

WorldOptions options(const ModelCase& c, double dt, double stiffness = 1e5) {
  WorldOptions o;
  o.model = c.model;
  o.law = c.law;
  o.time_step = dt;
  o.tolerance = 1e-9;
  o.friction.lag_tolerance = 1e-6;
  o.pair.stiffness = c.law == NormalLawKind::hertz ? 100 * stiffness : stiffness;
  return o;
}

void run_to(World& w, double time) {
  while (w.time() < time - 1e-9) {
    ASSERT_EQ(w.step().solve.status, SolveStatus::converged) << "at " << w.time() << " s";
  }
}

/// Normal force and friction between two geoms in the last step [N].
struct PairForce {
  double normal = 0, friction = 0;
};
PairForce force_between(const World& w, int geom_a, int geom_b) {
  PairForce sum;
  Vec3 friction;
  for (int i = 0; i < std::ssize(w.contact_sources()); ++i) {
    const ContactSource& from = w.contact_sources()[i];
    if (std::minmax<int>(from.geom_a, from.geom_b) != std::minmax(geom_a, geom_b)) continue;
    const Vec3 n = w.problem().contacts.normal[i], impulse = w.solution().impulse[i];
    sum.normal += dot(n, impulse) / w.time_step();
    friction += (impulse - dot(n, impulse) * n) / w.time_step();
  }
  sum.friction = norm(friction);
  return sum;
}

/// A box of 1 kg on rough ground (geoms 1 and 0) that a smooth cart (geom 2) on a slide along x
/// touches from behind.
constexpr double mu = 0.4;
Scene box_and_cart(double cart_mass) {
  Scene s;
  add_plane(s);
  add_box(s, 1, {0.2, 0.2, 0.05}, {0, 0, 0.05});
  set_friction(s, mu);
  add_slider(s, cart_mass, {1, 0, 0}, {-0.25, 0, 0.05}, Shape::box({0.05, 0.1, 0.02}));
  s.geoms.back().frictionless = true;
  s.geoms.back().friction_priority = 1;
  return s;
}

template <class F>
void for_each_cart(const F& f) {
  for (const ModelCase& c : model_cases) {
    for (const double dt : {1e-3, 4e-3}) {
      for (const double mass : {0.02, 1.0, 50.0}) {
        SCOPED_TRACE(testing::Message()
                     << name(c) << ", " << dt << " s, cart of " << mass << " kg");
        f(c, dt, mass);
      }
    }
  }
}

// u = (M + m) a + mu m g makes 1 m/s^2; the cart presses with m a + mu m g
TEST(Crossing, AMotorPushesABoxOverTheGround) {
  for_each_cart([](const ModelCase& c, double dt, double mass) {
    Scene s = box_and_cart(mass);
    SceneActuator motor;
    motor.parts = {{1, 0, 1}};
    s.actuators = {motor};
    World w(s, options(c, dt));
    w.set_control(0, (mass + 1) * 1 + mu * g);
    run_to(w, 0.6);
    const double before = w.body_state(0).linear_velocity.x;
    run_to(w, 0.9);
    EXPECT_NEAR(w.body_state(0).linear_velocity.x - before, 0.3, 2e-3);
    EXPECT_NEAR(w.joint_velocity(1, 0), w.body_state(0).linear_velocity.x, 2e-3);
    EXPECT_NEAR(force_between(w, 1, 2).normal, 1 + mu * g, 0.02);
    const PairForce ground = force_between(w, 0, 1);
    EXPECT_NEAR(ground.normal, g, 0.02);
    EXPECT_NEAR(ground.friction, mu * ground.normal, 1e-3);
  });
}

// f = K (u - v) bears friction at v = u - mu m g/K, which is reached with the time constant
// (M + m)/K
TEST(Crossing, AVelocityServoPushesABoxMoreSlowlyByItsFriction) {
  for_each_cart([](const ModelCase& c, double dt, double mass) {
    Scene s = box_and_cart(mass);
    const double gain = 30 * (mass + 1), u = 0.4;
    SceneActuator servo;
    servo.parts = {{1, 0, 1}};
    servo.gain[0] = gain, servo.bias[2] = -gain;
    s.actuators = {servo};
    World w(s, options(c, dt));
    w.set_control(0, u);
    run_to(w, 1);
    EXPECT_NEAR(w.joint_velocity(1, 0), u - mu * g / gain, 1e-3);
    EXPECT_NEAR(w.body_state(0).linear_velocity.x, u - mu * g / gain, 1e-3);
    EXPECT_NEAR(w.actuator_state(0).force, mu * g, 0.02);
  });
}

// a driver of 2 kg whose coordinate is half the cart's: of what it is driven with, the cart sees
// half, and it sees four times the cart's and the box's masses
TEST(Crossing, AnEqualityCarriesThePushToAnotherMechanism) {
  for_each_cart([](const ModelCase& c, double dt, double mass) {
    Scene s = box_and_cart(mass);
    const int driver = add_slider(s, 2, {0, 1, 0}, {0, 0, 2}, Shape::sphere(0.01));
    SceneEquality gear;
    gear.kind = EqualityKind::joint;
    gear.body_a = 1, gear.body_b = driver;
    gear.polynomial[1] = 2;
    s.equalities = {gear};
    SceneActuator motor;
    motor.parts = {{driver, 0, 1}};
    s.actuators = {motor};
    World w(s, options(c, dt));
    const double a = 0.5, u = (2 + 4 * (mass + 1)) * a + 2 * mu * g;
    w.set_control(0, u);
    run_to(w, 0.6);
    const double before = w.joint_velocity(driver, 0);
    run_to(w, 0.9);
    EXPECT_NEAR(w.joint_velocity(driver, 0) - before, 0.3 * a, 2e-3);
    EXPECT_NEAR(w.joint_velocity(1, 0), 2 * w.joint_velocity(driver, 0), 2e-3);
    EXPECT_NEAR(force_between(w, 1, 2).normal, 2 * a + mu * g, 0.02);
  });
}

// a lift of M with a box of 1 kg on it, on a stop of 10 kN/m: it gives way by (M + m) g/k, whatever
// the contact is made of and however long the step
TEST(Crossing, AStopBearsTheLiftAndWhatLiesOnIt) {
  for_each_cart([](const ModelCase& c, double dt, double mass) {
    constexpr double k = 1e4;
    Scene s;
    const int lift = add_slider(s, mass, {0, 0, 1}, {}, Shape::box({0.3, 0.3, 0.05}));
    SceneJoint& slide = s.bodies[lift].joints[0];
    slide.limited = true, slide.lower = 0, slide.upper = 1, slide.limit_stiffness = k;
    slide.damping = 2 * std::sqrt(k * (mass + 1));
    add_box(s, 1, {0.1, 0.1, 0.1}, {0.05, 0, 0.15});
    World w(s, options(c, dt));
    run_to(w, 2);
    EXPECT_NEAR(w.joint_position(lift, 0), -(mass + 1) * g / k, 1e-3 * (mass + 1) * g / k);
    EXPECT_NEAR(force_between(w, 0, 1).normal, g, 1e-2);
  });
}

// two balls that meet head on: the same on slides as free, and no momentum is lost
TEST(Crossing, OnSlidesBodiesCollideAsFreeOnesDo) {
  for_each_cart([](const ModelCase& c, double dt, double mass) {
    const auto balls = [&](bool on_slides) {
      Scene s;
      s.gravity = {};
      for (const double x : {-0.12, 0.12}) {
        const double m = x < 0 ? mass : 1;
        if (on_slides) {
          s.bodies[add_slider(s, m, {1, 0, 0}, {x, 0, 0}, Shape::sphere(0.1))].joint_velocities = {
              -10 * x};
          s.bodies.back().joint_positions = {0};
        } else {
          s.bodies[add_sphere(s, m, 0.1, {x, 0, 0})].linear_velocity = {-10 * x, 0, 0};
        }
      }
      World w(s, options(c, dt, 1e4));
      run_to(w, 0.2);
      return std::pair{w.body_state(0).linear_velocity.x, w.body_state(1).linear_velocity.x};
    };
    const auto [a, b] = balls(true);
    const auto [free_a, free_b] = balls(false);
    EXPECT_NEAR(a, free_a, 1e-7);
    EXPECT_NEAR(b, free_b, 1e-7);
    EXPECT_NEAR(mass * a + b, 1.2 * mass - 1.2, 1e-7 * (1 + mass));
    EXPECT_GE(b - a, 0) << "they part";
    EXPECT_LE(b - a, 2.4 * (1 + 1e-9)) << "no faster than they met";
  });
}

/// An arm on a cart that falls on a box, all turned about the vertical and moved.
Scene arm_and_box(double turn, const Vec3& to, bool box_first) {
  const Quaternion q = exp_rotation({0, 0, turn});
  const Mat3 R = to_matrix(q);
  Scene s;
  add_plane(s, {0, 0, to.z});
  const auto add_free_box = [&] {
    const int box = add_box(s, 0.5, {0.1, 0.08, 0.06}, R * Vec3{0.35, 0.02, 0.061} + to, q);
    s.bodies[box].linear_velocity = R * Vec3{-0.5, 0.1, 0};
  };
  if (box_first) add_free_box();
  const int cart = add_slider(s, 2, {1, 0, 0}, R * Vec3{0, 0, 0.4} + to, Shape::sphere(0.05));
  s.bodies[cart].orientation = q;
  s.bodies[cart].joint_positions = {0}, s.bodies[cart].joint_velocities = {0.8};
  const int arm = add_slider(s, 0.5, {0, 0, 1}, {}, Shape::capsule(0.03, 0.2));
  SceneBody& b = s.bodies[arm];
  b.parent = cart;
  b.center_of_mass = {0.2, 0, 0};
  SceneJoint hinge;
  hinge.axis = {0, 1, 0};
  hinge.limited = true, hinge.lower = -1, hinge.upper = 1.5;
  b.joints = {hinge};
  s.geoms.back().pose = {{0.2, 0, 0}, to_matrix(exp_rotation({0, std::acos(-1.0) / 2, 0}))};
  if (!box_first) add_free_box();
  set_friction(s, 0.5);
  return s;
}

// nothing depends on where the scene is, on how it is turned, or on the order of its bodies
TEST(Crossing, PlaceDirectionAndOrderDoNotMatter) {
  for (const ModelCase& c : model_cases) {
    for (const double dt : {1e-3, 5e-3}) {
      SCOPED_TRACE(testing::Message() << name(c) << ", " << dt << " s");
      const double turn = 0.7;
      const Vec3 to{3, -2, 1};
      World a(arm_and_box(0, {}, false), options(c, dt)),
          b(arm_and_box(turn, to, true), options(c, dt));
      const Mat3 R = to_matrix(exp_rotation({0, 0, turn}));
      int touching = 0;
      while (a.time() < 0.4) {
        a.step(), b.step();
        touching += force_between(a, 2, 3).normal > 0;
      }
      EXPECT_GT(touching, 0) << "the arm should meet the box";
      EXPECT_NEAR(a.joint_position(0, 0), b.joint_position(1, 0), 1e-6);
      EXPECT_NEAR(a.joint_position(1, 0), b.joint_position(2, 0), 1e-6);
      const BodyState x = a.body_state(2), y = b.body_state(0);
      EXPECT_LT(norm(R * x.position + to - y.position), 1e-6);
      EXPECT_LT(norm(R * x.linear_velocity - y.linear_velocity), 1e-4);
    }
  }
}

}  // namespace
}  // namespace abut
