// What holds has more friction than what slides: under the anchored model.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "abut/sim/world.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

constexpr double g = 9.81, mu_s = 0.6, mu = 0.4;

WorldOptions options(double time_step, ContactModel model = ContactModel::anchored) {
  WorldOptions o;
  o.model = model;
  o.time_step = time_step;
  o.tolerance = 1e-9;
  return o;
}

/// A box of 1 kg that lies on the ground, gravity turned by `slope` towards x.
Scene box_on_slope(double slope = 0) {
  Scene s;
  add_plane(s);
  add_box(s, 1, {0.1, 0.1, 0.02}, {0, 0, 0.02});
  for (SceneGeom& geom : s.geoms) {
    geom.material.friction = mu;
    geom.material.static_friction = mu_s;
  }
  s.gravity = {g * std::sin(slope), 0, -g * std::cos(slope)};
  return s;
}

void run(World& w, double seconds) {
  for (int i = 0; i < std::lround(seconds / w.time_step()); ++i) {
    ASSERT_EQ(w.step().solve.status, SolveStatus::converged);
  }
}

double speed(const World& w) {
  return w.body_state(0).linear_velocity.x;
}

TEST(StaticFriction, HoldsUpToItsLimitThenSlidesWithLess) {
  for (const double h : {1e-3, 1e-2}) {
    World w(box_on_slope(), options(h));
    run(w, 0.2);
    w.set_load(0, {0.98 * mu_s * g, 0, 0}, {});
    run(w, 2);
    EXPECT_LT(std::abs(speed(w)), 1e-9);
    w.set_load(0, {1.02 * mu_s * g, 0, 0}, {});
    run(w, 0.2);
    const double before = speed(w);
    run(w, 0.2);
    EXPECT_NEAR(speed(w) - before, 0.2 * (1.02 * mu_s - mu) * g, 1e-3) << h;
    w.set_load(0, {0.98 * mu_s * g, 0, 0}, {});  // what would have held it does not stop it
    const double fast = speed(w);
    run(w, 0.2);
    EXPECT_NEAR(speed(w) - fast, 0.2 * (0.98 * mu_s - mu) * g, 1e-3) << h;
    w.set_load(0, {0.9 * mu * g, 0, 0}, {});
    run(w, 10);
    EXPECT_LT(std::abs(speed(w)), 1e-9) << "it stops";
    w.set_load(0, {0.98 * mu_s * g, 0, 0}, {});
    run(w, 1);
    EXPECT_LT(std::abs(speed(w)), 1e-9) << "and holds again";
  }
}

// between both angles it stays where it is at rest, and goes on where it slides, from the start or
// from where it has landed
TEST(StaticFriction, DecidesOnASlopeByWhetherItSlides) {
  const double slope = std::atan(0.5 * (mu + mu_s));
  for (const double start : {0.0, 0.1}) {
    for (const double height : {0.0, 1e-4}) {
      Scene s = box_on_slope(slope);
      s.bodies[0].linear_velocity = {start, 0, 0};
      s.bodies[0].position.z += height;
      World w(s, options(1e-3));
      run(w, 1);
      const double a = g * (std::sin(slope) - mu * std::cos(slope));
      EXPECT_NEAR(speed(w), start + height > 0 ? start + a : 0, 0.02) << start << " " << height;
    }
  }
}

// 1 kg on a spring, on a belt: it rides along until the spring pulls with mu_s m g, and on until it
// slips by the stiction tolerance, slips back by an arc of its oscillation about mu m g/k, and
// rides again
TEST(StaticFriction, SlipsAndSticksOnABelt) {
  const double k = 100, belt = 0.05, omega = 10, weight = g;
  Scene s;
  add_plane(s);
  s.geoms[0].surface_velocity = transpose_times(s.geoms[0].pose.R, Vec3{belt, 0, 0});
  add_box(s, 1, {0.1, 0.1, 0.02}, {0, 0, 0.02});
  for (SceneGeom& geom : s.geoms) {
    geom.material.friction = mu;
    geom.material.static_friction = mu_s;
  }
  SceneJoint along, up;
  along.kind = up.kind = JointKind::slide;
  along.axis = {1, 0, 0}, up.axis = {0, 0, 1};
  along.stiffness = k;
  s.bodies[0].kind = BodyKind::linked;
  s.bodies[0].joints = {along, up};
  World w(s, options(2e-4));
  const double v_s = w.options().friction.stiction_tolerance;
  const double onset = std::sqrt(2 * v_s * belt / k);  // belt times t of k belt t^2/2 = v_s
  const double stick = mu_s * weight / k + onset, middle = mu * weight / k;
  const double arc = std::atan2(belt / omega, stick - middle);
  const double amplitude = std::hypot(stick - middle, belt / omega);
  const double period =
      2 * (stick - middle) / belt + (std::numbers::pi + 2 * arc) / omega;  // rides, slips
  double last = 0, most = 0, least = 1;
  std::vector<double> turns;  // when it comes to its farthest
  for (int i = 0; i < std::lround(6.0 / 2e-4); ++i) {
    ASSERT_EQ(w.step().solve.status, SolveStatus::converged);
    const double x = w.body_state(0).position.x, v = speed(w);
    if (w.time() > 2) most = std::max(most, x), least = std::min(least, x);
    if (last > 0 && v <= 0 && x > middle) turns.push_back(w.time());
    last = v;
  }
  EXPECT_NEAR(most, middle + amplitude, 0.01 * amplitude);
  EXPECT_NEAR(least, middle - amplitude, 0.02 * amplitude);
  ASSERT_GE(turns.size(), 4u);
  EXPECT_NEAR(turns.back() - turns[turns.size() - 2], period, 0.01 * period);
}

// the others hold nothing, and have one coefficient
TEST(StaticFriction, IsNotReadByTheOtherModels) {
  for (const ContactModel model :
       {ContactModel::sap, ContactModel::lagged, ContactModel::similar}) {
    Scene s = box_on_slope();
    World with(s, options(1e-3, model));
    for (SceneGeom& geom : s.geoms) geom.material.static_friction.reset();
    World without(s, options(1e-3, model));
    for (World* w : {&with, &without}) {
      w->set_load(0, {0.5 * g, 0, 0}, {});
      run(*w, 0.2);
    }
    EXPECT_EQ(with.state_hash(), without.state_hash());
  }
}

}  // namespace
}  // namespace abut
