// Surfaces that move over their geoms: belts, turntables, vehicles on tracks.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "abut/sim/world.hpp"
#include "support/model_case.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

constexpr double g = 9.81, mu = 0.5;

WorldOptions options(const ModelCase& c, double time_step) {
  WorldOptions o;
  o.model = c.model;
  o.law = c.law;
  o.time_step = time_step;
  o.tolerance = 1e-10;
  return o;
}

WorldOptions anchored(double time_step) {
  return options({ContactModel::anchored, NormalLawKind::hunt_crossley}, time_step);
}

void run(World& w, double seconds) {
  for (int i = 0; i < std::lround(seconds / w.time_step()); ++i) w.step();
  EXPECT_TRUE(w.warnings().empty()) << describe(w.scene(), w.warnings().front());
}

/// A ground whose surface moves by `v` in world axes, though its frame lies turned.
Scene belt(const Vec3& v) {
  Scene s;
  add_plane(s);
  SceneGeom& ground = s.geoms.back();
  ground.pose.R = to_matrix(exp_rotation({0, 0, 0.7}));
  ground.surface_velocity = transpose_times(ground.pose.R, v);
  return s;
}

Vec3 velocity_of(const World& w, int body) {
  return w.body_state(body).linear_velocity;
}

// Galilei: who rides with the belt sees a body that lands on the ground and slides
TEST(Belt, IsAGroundThatMoves) {
  const Vec3 v{1.2, -0.4, 0};
  for (const SteppingScheme scheme : velocity_schemes) {
    for (const ModelCase& c : model_cases) {
      SCOPED_TRACE(testing::Message() << to_string(scheme) << ", " << name(c));
      for (const bool box : {true, false}) {
        const Vec3 along_normal{0, 0, 0.3};  // nobody sees it
        Scene moving = belt(v + along_normal), still = belt({});
        for (Scene* s : {&moving, &still}) {
          const int b = box ? add_box(*s, 1, {0.1, 0.07, 0.05}, {0, 0, 0.052})
                            : add_sphere(*s, 1, 0.1, {0, 0, 0.105});
          set_friction(*s, mu);
          s->bodies[b].linear_velocity = s == &moving ? Vec3{} : -v;
        }
        WorldOptions o = options(c, 2e-3);
        o.scheme = scheme;
        World a(moving, o), b(still, o);
        // explicit Euler, under which nothing comes to rest, makes much of rounding
        const int steps = scheme == SteppingScheme::explicit_euler ? 100 : 250;
        for (int i = 0; i < steps; ++i) {
          a.step(), b.step();
          const BodyState x = a.body_state(0), y = b.body_state(0);
          ASSERT_LT(norm(x.position - y.position - b.time() * v), 1e-7) << i;
          ASSERT_LT(norm(x.linear_velocity - y.linear_velocity - v), 1e-5) << i;
          ASSERT_LT(norm(x.angular_velocity - y.angular_velocity), 1e-4) << i;
        }
        if (steps < 250) continue;  // it slides yet
        EXPECT_NEAR(norm(velocity_of(a, 0)), (box ? 1 : 2.0 / 7) * norm(v), 2e-3 * norm(v));
      }
    }
  }
}

// mu g until it has the belt's speed, after v/(mu g) and half of v^2/(mu g); then the belt's
TEST(Belt, TakesABoxAlong) {
  const double v = 1;
  for (const ContactModel model : {ContactModel::lagged, ContactModel::anchored}) {
    for (const double h : {1e-4, 1e-3}) {
      SCOPED_TRACE(testing::Message() << to_string(model) << ", step " << h);
      Scene s = belt({v, 0, 0});
      add_box(s, 1, {0.05, 0.05, 0.05}, {0, 0, 0.05 - g / 4e7});
      set_friction(s, mu);
      World w(s, options({model, NormalLawKind::hunt_crossley}, h));
      const double catches_up = v / (mu * g);
      run(w, 0.1);
      EXPECT_NEAR(velocity_of(w, 0).x, mu * g * w.time(), mu * g * (h + 1e-3));
      run(w, 0.4);
      EXPECT_NEAR(velocity_of(w, 0).x, v, 1e-6);
      EXPECT_NEAR(w.body_state(0).position.x, v * (w.time() - 0.5 * catches_up), v * h + 1e-4);
    }
  }
}

// up a slope whose tangent is 0.6 of mu: without slip, and with the belt's work it gains m g V sin
// t
TEST(Belt, CarriesABoxUp) {
  const double slope = std::atan(0.6 * mu), v = 0.5;
  for (const bool moving_frame : {false, true}) {  // a belt of the world, or of a fixed body
    for (const ModelCase& c : model_cases) {
      SCOPED_TRACE(name(c));
      Scene s;
      SceneGeom ramp;
      ramp.shape = Shape::box({3, 1, 0.1});
      ramp.surface_velocity = {-v, 0, 0};
      const Quaternion turn = exp_rotation({0, slope, 0});  // up along -x
      const Mat3 R = to_matrix(turn);
      if (moving_frame) {
        SceneBody frame;
        frame.kind = BodyKind::fixed;
        frame.orientation = turn;
        s.bodies.push_back(frame);
        ramp.body = 0;
      } else {
        ramp.pose.R = R;
      }
      s.geoms.push_back(ramp);
      const int box = add_box(s, 1, {0.1, 0.1, 0.05}, R * Vec3{1, 0, 0.15}, turn);
      s.bodies[box].linear_velocity = R * Vec3{-v, 0, 0};
      set_friction(s, mu);
      World w(s, options(c, 2e-3));
      run(w, 1);
      const Vec3 at = w.body_state(box).position;
      run(w, 2);
      const Vec3 way = (w.body_state(box).position - at) / 2;
      const bool holds = c.model == ContactModel::anchored;
      EXPECT_NEAR(way.z, v * std::sin(slope), holds ? 1e-8 : 1e-4);
      EXPECT_NEAR(way.x, -v * std::cos(slope), holds ? 1e-8 : 1e-4);
      EXPECT_NEAR(way.y, 0, 1e-9);
    }
  }
}

// a wall without friction stops it: the belt rubs on and presses it with mu m g
TEST(Belt, PressesABoxAgainstAWall) {
  for (const ModelCase& c : model_cases) {
    SCOPED_TRACE(name(c));
    Scene s = belt({2, 0, 0});
    add_box(s, 1, {0.1, 0.1, 0.02}, {0, 0, 0.02});
    set_friction(s, mu);
    add_plane(s, {0.2, 0, 0}, {-1, 0, 0});
    s.geoms.back().frictionless = true;
    s.geoms.back().friction_priority = 1;
    World w(s, options(c, 1e-3));
    run(w, 2);
    double press = 0, weight = 0;
    for (int i = 0; i < w.problem().contacts.size(); ++i) {
      const Vec3& n = w.problem().contacts.normal[i];
      (n.x < -0.5 ? press : weight) += dot(n, w.solution().impulse[i]) / 1e-3;
    }
    EXPECT_NEAR(weight, g, 1e-3 * g);
    EXPECT_NEAR(press, mu * g, 2e-3 * g);
    EXPECT_LT(norm(velocity_of(w, 0)), 1e-3);
  }
}

// the belt's force acts back on what carries it, and momentum is kept: v_B - v_A = v in the end
TEST(Belt, OfAFreeBodyPushesItBack) {
  const double v = 0.8, h = 1e-3;
  for (const ModelCase& c : model_cases) {
    for (const bool order : {true, false}) {  // carrier first, or last
      SCOPED_TRACE(testing::Message() << name(c) << ", " << order);
      Scene s;
      add_plane(s);
      s.geoms.back().friction_priority = 1;
      s.geoms.back().material.friction = 0;
      const double layer = traits(c.law).is_barrier ? PairMaterial{}.thickness : 0;
      int carrier = 0, load = 0;
      for (const bool is_carrier : {order, !order}) {
        if (is_carrier) {
          carrier = add_box(s, 3, {1, 0.3, 0.05}, {0, 0, 0.05 + layer});
          s.geoms.back().surface_velocity = {v, 0, 0};
        } else {
          load = add_box(s, 1, {0.1, 0.1, 0.02}, {0, 0, 0.12 + 2 * layer});
        }
      }
      for (SceneGeom& geom : s.geoms) {
        if (geom.body != world_body) geom.material.friction = mu;
      }
      World w(s, options(c, h));
      run(w, 0.05);
      const double a = velocity_of(w, load).x, b = velocity_of(w, carrier).x;
      if (c.model == ContactModel::lagged || c.model == ContactModel::anchored) {
        EXPECT_NEAR(a, mu * g * 0.05, mu * g * 3e-3);
      }
      EXPECT_NEAR(1 * a + 3 * b, 0, 1e-6);
      run(w, 0.75);
      EXPECT_NEAR(velocity_of(w, load).x, v * 3 / 4, 2e-4);
      EXPECT_NEAR(velocity_of(w, carrier).x, -v / 4, 2e-4);
    }
  }
}

Vec3 place_on_table(const World& w, int box, double speed) {
  return to_matrix(exp_rotation({0, 0, -speed * w.time()})) * w.body_state(box).position;
}

/// A box at `at` on a table that turns at `spin`, while its surface turns on it at `own` and goes
/// by `run`; the box goes along with it.
World riding_box(double spin, double own, const Vec3& run, const Vec3& at, double h,
                 double stiffness = 1e7) {
  Scene s;
  SceneBody table;
  if (spin != 0) {
    table.kind = BodyKind::linked;
    table.mass = 1000;
    table.inertia = Mat3::diagonal({1e5, 1e5, 1e5});
    SceneJoint turn;
    turn.kind = JointKind::hinge;
    turn.axis = {0, 0, 1};
    table.joints = {turn};
    table.joint_velocities = {spin};
    table.joint_positions = {0};
  } else {
    table.kind = BodyKind::fixed;
  }
  s.bodies.push_back(table);
  SceneGeom top;
  top.body = 0;
  top.shape = Shape::cylinder(2, 0.05);
  top.pose.p = {0, 0, -0.05};
  top.surface_angular_velocity = {0, 0, own};
  top.surface_velocity = run;
  s.geoms.push_back(top);
  const int box = add_box(s, 1, {0.05, 0.05, 0.05}, at + Vec3{0, 0, 0.05});
  const Vec3 spins{0, 0, spin + own};
  s.bodies[box].linear_velocity = cross(spins, at) + run;
  s.bodies[box].angular_velocity = spins;
  set_friction(s, 1);
  WorldOptions o = anchored(h);
  o.pair.stiffness = stiffness;
  return World(s, o);
}

// on springs so soft that a force turned too far would show
TEST(Belt, TurnsAsATableThatTurns) {
  World a = riding_box(0, 2, {}, {0.5, 0, 0}, 2e-3, 1e4),
        b = riding_box(2, 0, {}, {0.5, 0, 0}, 2e-3, 1e4);
  for (int i = 0; i < 2000; ++i) {
    a.step(), b.step();
    ASSERT_LT(norm(a.body_state(1).position - b.body_state(1).position), 5e-7) << i;
  }
}

// straight steps lead a body off its circle: the same bounds as on a table that turns itself
TEST(Belt, HoldsOnATurntable) {
  for (const double h : {1e-3, 2e-3, 1e-2}) {
    World w = riding_box(0, 2, {}, {0.5, 0, 0}, h);
    const auto radius = [&] {
      const Vec3 p = w.body_state(1).position;
      return std::hypot(p.x, p.y);
    };
    run(w, 1);
    const double before = radius();
    run(w, 11);
    EXPECT_NEAR(radius(), before, h < 5e-3 ? 2e-6 : 1e-4) << h;
  }
}

// on its axis, and with half of the turn done by the body and half by its surface
TEST(Belt, SpinsWhatLiesOnIt) {
  const double h = 2e-3;
  for (const double spin : {0.0, 1.0}) {
    World w = riding_box(spin, 2 - spin, {}, {}, h);
    const auto angle = [&] {
      const Quaternion q = w.body_state(1).orientation;
      return std::remainder(2 * std::atan2(q.z, q.w) - 2 * w.time(), 4 * std::acos(0.0));
    };
    run(w, 1);
    const double before = angle();
    run(w, 4);
    EXPECT_NEAR(angle(), before, 1e-7) << spin;
  }
}

// along a belt on a table that turns: its place on the table goes by v t
TEST(Belt, CarriesAlongATableThatTurns) {
  const double spin = 0.5, v = 0.1;
  for (const double h : {1e-3, 2e-3}) {
    World w = riding_box(spin, 0, {v, 0, 0}, {-0.4, 0.1, 0}, h);
    run(w, 1);
    const Vec3 before = place_on_table(w, 1, spin);
    run(w, 5);
    const Vec3 way = place_on_table(w, 1, spin) - before;
    EXPECT_NEAR(way.x, v * 5, 1e-5) << h;
    EXPECT_NEAR(way.y, 0, 1e-5) << h;
  }
}

// m g sin t along the way, and no warning of energy out of nothing
TEST(Belt, WorkIsWhatItLifts) {
  Scene s = belt({});
  s.gravity = {-0.4 * g, 0, -g};  // a slope of tan 0.4, along x
  s.geoms.back().surface_velocity = transpose_times(s.geoms.back().pose.R, Vec3{1, 0, 0});
  add_box(s, 1, {0.05, 0.05, 0.05}, {0, 0, 0.05});
  s.bodies[0].linear_velocity = {1, 0, 0};
  set_friction(s, 1);
  World w(s, anchored(2e-3));
  run(w, 0.5);
  const double energy = w.kinetic_energy() + w.potential_energy();
  run(w, 2);
  EXPECT_NEAR(w.kinetic_energy() + w.potential_energy() - energy, 0.4 * g * 2, 1e-6);
}

}  // namespace
}  // namespace abut
