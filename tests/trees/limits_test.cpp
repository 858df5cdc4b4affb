// Limits, dry friction and the order of bodies, as the world steps them.

#include "abut/trees/limits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "abut/sim/world.hpp"
#include "random_links.hpp"
#include "support/model_case.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

// what is allowed never grows, is never negative, never more than the violation, and let go in the
// time that return_speed takes
TEST(KeepViolation, FallsAtTheSpeedOfReturn) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const double dt = std::pow(10, std::uniform_real_distribution<double>(-5, -1)(random));
    const double way = (dt + dt / std::numbers::pi) * return_speed;
    double violation = std::uniform_real_distribution<double>(-1, 1)(random);
    double allowed = inf, before = inf;
    for (int k = 0; k < 50; ++k) {
      const double kept = keep_violation(violation, dt, allowed);
      EXPECT_EQ(kept, allowed);
      EXPECT_GE(allowed, 0);
      EXPECT_LE(allowed, before);
      EXPECT_LE(allowed, std::max(0.0, violation - way));
      EXPECT_TRUE(allowed == 0 || violation > way);
      before = allowed;
      violation += std::uniform_real_distribution<double>(-0.1, 0.08)(random);
    }
    // what follows what it is asked for is back after violation/return_speed
    double left = 0.3;
    allowed = inf;
    int steps = 0;
    for (; left > 1e-12 && steps < 1e7; ++steps) {
      left = keep_violation(left, dt, allowed);
    }
    EXPECT_NEAR(steps * way, 0.3, way * (1 + 1e-9));
  }
}

// far ones are left out, none that a step at either speed can reach, none that is violated
TEST(IsNearLimit, SeesWhatMayBeReached) {
  for (const double dt : {1e-4, 1e-2}) {
    for (const double speed : {-30.0, -1.0, 0.0, 1.0}) {
      for (const double free_speed : {-30.0, -1.0, 0.0, 1.0}) {
        const double least = std::min({speed, free_speed, 0.0});
        for (const double gap : {-1.0, 0.0, 0.04, 0.06, 0.3, 2.0, inf}) {
          const bool is_near = is_near_limit(gap, speed, free_speed, dt, near_angle);
          EXPECT_EQ(is_near, gap + 2 * dt * least <= near_angle);
          EXPECT_TRUE(is_near || gap + dt * least > 0);
        }
      }
    }
    EXPECT_TRUE(is_near_limit(NAN, 0, 0, dt, near_angle)) << "a wrong number is not hidden";
  }
}

/// Two hinges and a slide, each with limits.
ArticulatedTree limited_arm() {
  std::vector<Link> links(3);
  for (int i = 0; i < 3; ++i) {
    links[i].parent = i - 1;
    links[i].pose.p = {0.3, 0, 0};
    links[i].mass = 1, links[i].inertia = 0.1 * Mat3::identity();
    Joint j;
    j.kind = i == 2 ? JointKind::slide : JointKind::hinge;
    j.axis = {0, 0, 1};
    j.limited = true;
    j.lower = -0.7, j.upper = 1.1;
    links[i].joints = {j};
  }
  return ArticulatedTree(links);
}

// joints that are far from both of their limits are passed over: as if each limit had been asked
TEST(Limits, AreThoseThatAreNear) {
  std::mt19937 random(2);
  ArticulatedTree tree = limited_arm();
  int near = 0, far = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const double dt = std::pow(10, std::uniform_real_distribution<double>(-4, -1.5)(random));
    std::vector<double> q(3), v(3), allowances(3), expected(3);
    for (int i = 0; i < 3; ++i) {
      q[i] = std::uniform_real_distribution<double>(-0.9, 1.3)(random);
      v[i] = std::normal_distribution<double>(0, 5)(random);
      expected[i] = allowances[i] = std::uniform_real_distribution<double>(0, 0.1)(random);
    }
    tree.update(q, v, {});
    ContactProblem p;
    const ContactProblem::NewTree added = p.add_tree(v, 1);
    const auto [matrix, factor, free] = p.room_of(added);
    const std::vector<double> forces(3, 20 * std::normal_distribution<double>()(random));
    tree.free_motion(dt, forces, std::vector<Load>(3), matrix, factor, free);
    EXPECT_EQ(tree.add_constraints(dt, added.tree, 0, allowances, p), 6);
    int row = 0;
    for (int i = 0; i < 3; ++i) {
      const double range = i == 2 ? near_share * 1.8 : near_angle;
      const double gaps[] = {q[i] + 0.7, 1.1 - q[i]};
      keep_violation(std::max(-gaps[0], -gaps[1]), dt, expected[i]);
      for (int k = 0; k < 2; ++k) {
        const double sign = k == 0 ? 1 : -1;
        if (!is_near_limit(gaps[k], sign * v[i], sign * free[i], dt, range)) {
          ++far;
          continue;
        }
        ++near;
        ASSERT_LT(row, p.scalars.size()) << trial;
        EXPECT_EQ(p.scalars.name[row], 2 * i + k) << trial;
        ++row;
      }
      EXPECT_EQ(allowances[i], expected[i]) << trial;
    }
    EXPECT_EQ(row, p.scalars.size()) << trial;
  }
  EXPECT_GT(near, 500);
  EXPECT_GT(far, 500);
}

/// An arm of a hinge and a slide with limits of their own, pushed by loads; mirrored, all that is
/// odd changes its sign.
Scene arm(double sign, double mass) {
  Scene s;
  s.gravity = {};
  for (int i = 0; i < 2; ++i) {
    SceneBody b;
    b.kind = BodyKind::linked;
    b.parent = i - 1;
    b.mass = i == 0 ? 1 : mass;
    b.inertia = b.mass * Mat3::diagonal({0.02, 0.02, 0.01});
    SceneJoint j;
    j.kind = i == 0 ? JointKind::hinge : JointKind::slide;
    j.axis = i == 0 ? Vec3{0, 0, 1} : Vec3{0, 1, 0};
    j.limited = true;
    j.lower = sign > 0 ? -0.1 : -0.3, j.upper = sign > 0 ? 0.3 : 0.1;
    j.dry_friction = 0.05, j.damping = 0.01;
    j.stiffness = 2, j.spring_reference = 0.25 * sign;
    b.joints = {j};
    b.joint_positions = {0.05 * sign}, b.joint_velocities = {(i == 0 ? 3 : -1) * sign};
    b.position = i == 0 ? Vec3{} : Vec3{0.4, 0, 0};
    s.bodies.push_back(b);
  }
  return s;
}

// in a mirror lower stops are upper ones
TEST(Limits, AMirroredArmMovesInTheMirror) {
  for (const double dt : {5e-4, 5e-3}) {
    for (const double mass : {1e-2, 1.0, 1e3}) {
      SCOPED_TRACE(testing::Message() << dt << " s, " << mass << " kg");
      WorldOptions options;
      options.time_step = dt, options.tolerance = 1e-11;
      World here(arm(1, mass), options), there(arm(-1, mass), options);
      int stopped = 0;
      for (int step = 0; step * dt < 0.5; ++step) {
        const double t = step * dt, moment = 3 * std::sin(9 * t), force = 40 * std::cos(7 * t);
        here.set_load(0, {}, {0, 0, moment}), there.set_load(0, {}, {0, 0, -moment});
        here.set_load(1, {0, force, 0}, {}), there.set_load(1, {0, -force, 0}, {});
        here.step(), there.step();
        for (const int b : {0, 1}) {
          const double q = here.joint_state(b).positions[0], v = here.joint_state(b).velocities[0];
          ASSERT_NEAR(q, -there.joint_state(b).positions[0], 1e-7) << step;
          ASSERT_NEAR(v, -there.joint_state(b).velocities[0], 1e-6 * (1 + std::abs(v))) << step;
          stopped += q > 0.3 - 1e-4 || q < -0.1 + 1e-4;
        }
      }
      EXPECT_GT(stopped, 0);
    }
  }
}

// on each axis of a ball joint alike: three hinges' worth of friction, at rest up to its force
TEST(DryFriction, OfABallJointActsOnEachAxis) {
  for (const double dt : {1e-3, 1e-2}) {
    for (const double armature : {0.0, 0.5}) {
      for (int axis = 0; axis < 3; ++axis) {
        for (const double moment : {0.9, 1.1}) {
          Scene s;
          s.gravity = {};
          SceneBody b;
          b.kind = BodyKind::linked;
          b.mass = 1, b.inertia = 0.2 * Mat3::identity();
          SceneJoint j;
          j.kind = JointKind::ball;
          j.dry_friction = 1, j.armature = armature;
          b.joints = {j};
          b.joint_positions = {1, 0, 0, 0}, b.joint_velocities = {0, 0, 0};
          s.bodies = {b};
          WorldOptions options;
          options.time_step = dt;
          World w(s, options);
          Vec3 load;
          load[axis] = moment;
          w.set_load(0, {}, load);
          while (w.time() < 0.1 - 1e-9) w.step();
          const double excess = std::max(0.0, moment - 1) * 0.1 / (0.2 + armature);
          for (int k = 0; k < 3; ++k) {
            EXPECT_NEAR(w.joint_state(0).velocities[k], k == axis ? excess : 0, 0.02 * dt)
                << dt << ' ' << armature << ' ' << axis << ' ' << moment;
          }
        }
      }
    }
  }
}

/// A trunk with four legs of two links and feet, dropped on the ground, motors in the knees: the
/// bodies leg by leg or level by level.
Scene walker(bool level_by_level) {
  Scene s;
  add_plane(s);
  SceneBody trunk;
  trunk.kind = BodyKind::linked;
  trunk.position = {0, 0, 0.45};
  trunk.mass = 5, trunk.inertia = Mat3::diagonal({0.05, 0.08, 0.1});
  SceneJoint j;
  j.kind = JointKind::free;
  trunk.joints = {j};
  trunk.joint_positions = {0, 0, 0.45, 0.96, 0.28, 0, 0},
  trunk.joint_velocities = {1, 0, 0, 0, 0, 1};
  s.bodies = {trunk};
  const auto place = [&](int leg, int part) {
    return level_by_level ? 1 + 4 * part + leg : 1 + 2 * leg + part;
  };
  s.bodies.resize(9);
  for (int leg = 0; leg < 4; ++leg) {
    for (int part = 0; part < 2; ++part) {
      SceneBody b;
      b.kind = BodyKind::linked;
      b.parent = part == 0 ? 0 : place(leg, 0);
      b.position =
          part == 0 ? Vec3{leg & 1 ? 0.2 : -0.2, leg & 2 ? 0.1 : -0.1, 0} : Vec3{0, 0, -0.2};
      b.mass = 0.3 + 0.1 * leg, b.center_of_mass = {0, 0.01 * leg, -0.1};
      b.inertia = Mat3::diagonal({2e-3, 2e-3, 5e-4});
      SceneJoint hinge;
      hinge.axis = {0, 1, 0};
      hinge.armature = 0.01, hinge.damping = 0.1;
      hinge.limited = true, hinge.lower = -1, hinge.upper = 1;
      b.joints = {hinge};
      b.joint_positions = {part == 0 ? 0.3 : -0.6}, b.joint_velocities = {0};
      s.bodies[place(leg, part)] = b;
    }
  }
  for (int leg = 0; leg < 4; ++leg) {
    SceneGeom foot;
    foot.body = place(leg, 1);
    foot.shape = Shape::sphere(0.03);
    foot.pose.p = {0, 0, -0.2};
    s.geoms.push_back(foot);
    SceneActuator servo;
    servo.parts = {{place(leg, 1), 0, 1}};
    servo.bias[1] = -60, servo.bias[2] = -2;
    s.actuators.push_back(servo);
  }
  return s;
}

TEST(BodyOrder, DoesNotMatterToAWalker) {
  for (const ModelCase& c : model_cases) {
    SCOPED_TRACE(name(c));
    WorldOptions options;
    options.model = c.model, options.law = c.law;
    options.time_step = 1e-3, options.tolerance = 1e-11;
    World by_leg(walker(false), options), by_level(walker(true), options);
    for (World* w : {&by_leg, &by_level}) {
      for (int leg = 0; leg < 4; ++leg) w->set_control(leg, -40);
    }
    int contacts = 0;
    for (int step = 0; step < 300; ++step) {
      by_leg.step(), by_level.step();
      contacts += by_leg.report().contacts;
      const double energy = by_leg.kinetic_energy();
      ASSERT_NEAR(energy, by_level.kinetic_energy(), 1e-5 * (1 + energy)) << step;
      for (int leg = 0; leg < 4; ++leg) {
        for (const int part : {0, 1}) {
          const int a = 1 + 2 * leg + part, b = 1 + 4 * part + leg;
          ASSERT_NEAR(by_leg.joint_state(a).positions[0], by_level.joint_state(b).positions[0],
                      1e-5)
              << step;
          ASSERT_LT(norm(by_leg.body_state(a).position - by_level.body_state(b).position), 1e-5);
        }
      }
    }
    EXPECT_GT(contacts, 300);
  }
}

}  // namespace
}  // namespace abut
