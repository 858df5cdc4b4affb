// Steps in substeps whose error is controlled, against closed forms and fixed small steps.

#include "abut/sim/error_control.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "abut/core/error.hpp"
#include "abut/io/mjcf.hpp"
#include "abut/io/snapshot_bytes.hpp"
#include "abut/sim/world.hpp"
#include "support/every_kind.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

constexpr double g = 9.81;  // [m/s^2]

WorldOptions options(std::optional<double> accuracy, double dt) {
  WorldOptions o;
  o.accuracy = accuracy;
  o.time_step = dt;
  return o;
}

void run_to(World& w, double end) {
  while (w.time() < end - 0.5 * w.time_step()) w.step();
}

TEST(ErrorControl, RadiusHoldsAllGeomsOfABody) {
  Scene s;
  const int ball = add_sphere(s, 1, 0.1, {});
  SceneGeom knob;
  knob.body = ball;
  knob.shape = Shape::box({0.01, 0.02, 0.02});
  knob.pose.p = {0.3, 0, 0};
  s.geoms.push_back(knob);
  s.bodies[ball].center_of_mass = {0.1, 0, 0};
  SceneBody bare;  // of a hollow sphere, 2/3 m r^2
  bare.mass = 3;
  bare.inertia = Mat3::diagonal({2 * 0.04, 2 * 0.04, 2 * 0.04});
  s.bodies.push_back(bare);
  const ErrorControl control(s, {0, 1});
  EXPECT_NEAR(control.radius()[0], 0.2 + std::sqrt(0.0009), 1e-15);
  EXPECT_NEAR(control.radius()[1], 0.2, 1e-15);
}

TEST(ErrorControl, MeasuresPlacesRelativeToTheRadius) {
  Scene s;
  add_sphere(s, 1, 0.1, {});
  add_sphere(s, 1, 2, {});
  const ErrorControl fresh(s, {0, 1});
  MovingBodies bodies;
  bodies.add(0), bodies.add(1);
  bodies.orientation.resize(2);  // both are free
  ErrorControl control = fresh;
  control.set_whole(bodies);
  EXPECT_EQ(control.compare(bodies).size, 0);
  EXPECT_EQ(control.compare(bodies).body, -1);
  MovingBodies moved = bodies;
  moved.center[0] = {0.003, 0, 0.004};
  moved.center[1] = {0, 0.02, 0};
  moved.orientation[1] = {std::cos(0.015), 0, std::sin(0.015), 0};
  EXPECT_NEAR(control.compare(moved).size, 0.05, 1e-15);
  EXPECT_EQ(control.compare(moved).body, 0);                        // the other has 0.01 + 0.03
  moved.orientation[1] = {-std::cos(0.03), 0, -std::sin(0.03), 0};  // the same as its negative
  EXPECT_NEAR(control.compare(moved).size, 0.07, 1e-15);
  EXPECT_EQ(control.compare(moved).body, 1);
  moved.center[0].x = std::nan("");
  EXPECT_EQ(control.compare(moved).size, HUGE_VAL);
}

TEST(ErrorControl, SizesOfSubsteps) {
  EXPECT_EQ(next_substep(1e-3, 0, 1e-4), 5e-3);
  EXPECT_NEAR(next_substep(1e-3, 1e-6, 4e-6), 1.8e-3, 1e-15);
  EXPECT_NEAR(next_substep(1e-3, 1e-6, 1e-6), 0.9e-3, 1e-15);
  EXPECT_NEAR(next_substep(1e-3, 3e-6, 1e-6), 0.3e-3, 1e-15);
  EXPECT_NEAR(next_substep(1e-3, 1.01e-6, 1e-6), 0.5e-3, 1e-15);
  EXPECT_NEAR(next_substep(1e-3, HUGE_VAL, 1e-6), 1e-4, 1e-15);
}

// one step of symplectic Euler falls h^2 g from rest, two of h/2 3/4 of that, the truth is 1/2
TEST(Substeps, EstimateTheErrorOfAFall) {
  Scene s;
  add_sphere(s, 1, 0.1, {0, 0, 5});
  const double h = 4e-3;
  World w(s, options(1e-3, h));
  w.step();
  EXPECT_EQ(w.report().error.substeps, 2);
  EXPECT_NEAR(w.report().error.error, g * h * h / 4 / 0.1, 1e-12);
  EXPECT_EQ(w.report().error.smallest, h / 2);
  EXPECT_EQ(w.report().error.body, 0);
  EXPECT_NEAR(w.body_state(0).position.z, 5 - 0.75 * g * h * h, 1e-12);
  World coarse(s, options(1e-3, 0.1));
  coarse.step();
  const ErrorReport& e = coarse.report().error;
  EXPECT_GT(e.rejected, 0);
  EXPECT_LE(e.error, 1e-3);
  EXPECT_TRUE(e.is_met);
  EXPECT_GT(e.error, 0.5e-3) << "the step could be larger";
  EXPECT_NEAR(coarse.body_state(0).position.z, 5 - g * 0.1 * 0.1 / 2,
              0.1 * e.substeps * 1e-3);  // each two substeps leave as much as their estimate
}

TEST(Substeps, EndWhereTheStepEnds) {
  const Scene s = scene_of_every_kind();
  World fixed(s, options({}, 0.01)), controlled(s, options(1e-3, 0.01));
  for (int i = 0; i < 50; ++i) {
    fixed.step();
    controlled.step();
    EXPECT_EQ(fixed.time(), controlled.time());
    EXPECT_EQ(fixed.steps(), controlled.steps());
  }
  controlled.step(3e-3);
  fixed.step(3e-3);
  EXPECT_EQ(fixed.time(), controlled.time());
}

TEST(Substeps, AreTwoWhereNothingMoves) {
  Scene s;
  add_plane(s);
  add_box(s, 1, {0.1, 0.1, 0.1}, {0, 0, 0.0999999});
  World w(s, options(1e-4, 0.01));
  run_to(w, 0.5);
  for (int i = 0; i < 20; ++i) {
    w.step();
    EXPECT_EQ(w.report().error.substeps, 2);
    EXPECT_EQ(w.report().error.rejected, 0);
  }
}

/// Largest distance of any body, of its radius, from where steps of 0.02 ms lead.
double distance_to(const World& w, const World& truth) {
  double most = 0;
  for (int b = 0; b < std::ssize(w.scene().bodies); ++b) {
    most = std::max(most, norm(w.body_state(b).position - truth.body_state(b).position));
  }
  return most;
}

Scene double_pendulum() {
  return load_mjcf_text(R"(<mujoco><option><flag contact="disable"/></option><worldbody>
      <body><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".03" mass="1"/>
      <body pos=".4 0 0"><joint axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 .4 0 0" size=".03" mass="1"/></body></body>
      </worldbody></mujoco>)",
                        "pendulum.xml");
}

// of a scheme of first order the error of a substep is that of its square, and there are as many
// as go into a second: the whole error goes with the root of the accuracy
TEST(Substeps, AreAsManyAsTheAccuracyAsksFor) {
  const Scene s = double_pendulum();
  WorldOptions fine = options({}, 1e-5);
  fine.scheme = SteppingScheme::midpoint;
  World truth(s, fine);
  run_to(truth, 1);
  for (const SteppingScheme scheme :
       {SteppingScheme::symplectic_euler, SteppingScheme::implicit_euler, SteppingScheme::midpoint,
        SteppingScheme::explicit_euler}) {
    SCOPED_TRACE(to_string(scheme));
    std::vector<double> error, substeps;
    for (const double accuracy : {1e-3, 1e-5, 1e-7}) {
      WorldOptions o = options(accuracy, 0.05);
      o.scheme = scheme;
      World w(s, o);
      double sum = 0;
      while (w.time() < 0.99) {
        w.step();
        sum += w.report().error.substeps;
        EXPECT_LE(w.report().error.error, accuracy);
      }
      error.push_back(distance_to(w, truth)), substeps.push_back(sum);
    }
    for (int i = 0; i < 2; ++i) {
      const double gain = error[i] / error[i + 1], cost = substeps[i + 1] / substeps[i];
      const double order = std::log(gain) / std::log(cost);
      // symplectic Euler, whose Coriolis forces depend on the step, is between
      EXPECT_GT(order, scheme == SteppingScheme::midpoint ? 1.75 : 0.75);
      if (scheme == SteppingScheme::implicit_euler || scheme == SteppingScheme::explicit_euler) {
        EXPECT_LT(order, 1.25);
      }
    }
  }
}

// without dissipation it comes back to where it fell from, but for what an implicit spring takes,
// which goes with the size of the substeps
TEST(Substeps, ResolveABounce) {
  Scene s;
  add_plane(s);
  add_sphere(s, 1, 0.1, {0, 0, 0.6});
  std::vector<double> lost;
  for (const double accuracy : {1e-3, 1e-5, 1e-7}) {
    WorldOptions o = options(accuracy, 0.01);
    o.model = ContactModel::lagged;
    o.pair.stiffness = 1e5;
    o.pair.dissipation = 0;
    World w(s, o);
    double highest = 0;
    while (w.time() < 0.7) {
      w.step();
      if (w.time() > 0.4) highest = std::max(highest, w.body_state(0).position.z);
    }
    lost.push_back(1 - (highest - 0.1) / 0.5);
  }
  EXPECT_LT(lost[2], 5e-3);
  EXPECT_LT(lost[1], 0.3 * lost[0]);
  EXPECT_LT(lost[2], 0.15 * lost[1]);  // a tenth, in the end
  EXPECT_GT(lost[2], 0);
}

// a step that looks at where its contacts begin sees no edge: one of 0.1 s flies on over it
TEST(Substeps, SeeAnEdgeWithinTheStep) {
  Scene s;
  SceneGeom table;
  table.shape = Shape::box({1, 1, 0.5});
  table.pose.p = {-1, 0, -0.5};
  s.geoms.push_back(table);
  const int ball = add_sphere(s, 1, 0.1, {-0.21, 0, 0.1});
  s.bodies[ball].linear_velocity = {3, 0, 0};  // v^2 > g r: it leaves the edge at once
  set_friction(s, 0);
  const double flight = 0.2 - 0.07;
  for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
    World w(s, options(accuracy, 0.1));
    w.step(), w.step();
    EXPECT_NEAR(w.body_state(0).position.z, 0.1 - g * flight * flight / 2,
                0.3 * std::sqrt(accuracy))
        << accuracy;
  }
}

TEST(Substeps, ThatAreNotTakenLeaveNoTrace) {
  Scene s;
  add_box(s, 1, {0.1, 0.2, 0.3}, {0, 0, 1});
  s.bodies[0].angular_velocity = {0.3, 12, 0.2};  // about the middle axis: it tumbles
  World fixed(s, options({}, 0.1)), controlled(s, options(1e-3, 0.1));
  int rejected = 0;
  for (int i = 0; i < 5; ++i) {
    fixed.step();
    rejected += controlled.step().error.rejected;
  }
  EXPECT_EQ(fixed.warnings().size(), 1u);  // turns too far
  EXPECT_GT(rejected, 0);
  EXPECT_TRUE(controlled.warnings().empty());
}

TEST(Substeps, LeaveTheStateWhereTheyEndInAnError) {
  Scene s;
  add_plane(s);
  for (int i = 0; i < 4; ++i) add_box(s, 1, {0.1, 0.1, 0.1}, {0.3 * i, 0, 0.15 + 0.05 * i});
  WorldOptions o = options(1e-3, 0.1);
  o.contact_limit = 6;
  World w(s, o);
  std::string before;
  const auto step_on = [&] {
    for (int i = 0; i < 20; ++i) {
      before = encode(w.snapshot());
      w.step();
    }
  };
  EXPECT_THROW(step_on(), InputError);
  EXPECT_EQ(encode(w.snapshot()), before);
}

TEST(Substeps, AreTheSameAfterASnapshotAndForAnyNumberOfThreads) {
  for (const ContactModel model : convex_models) {
    WorldOptions o = options(1e-3, 5e-3);
    o.model = model;
    World one(scene_of_every_kind(), o);
    o.threads = 2;
    World two(scene_of_every_kind(), o);
    for (int i = 0; i < 30; ++i) one.step(), two.step();
    const Snapshot middle = decode_snapshot(encode(one.snapshot()));
    for (int i = 0; i < 30; ++i) one.step(), two.step();
    EXPECT_EQ(one.state_hash(), two.state_hash()) << to_string(model);
    World later(scene_of_every_kind(), o);
    later.restore(middle);
    for (int i = 0; i < 30; ++i) later.step();
    EXPECT_EQ(encode(one.snapshot()), encode(later.snapshot())) << to_string(model);
  }
}

// the force of a contact that rests is its weight, whatever the size of the substep that ends last
TEST(Substeps, EndWithTheForcesOfTheLast) {
  Scene s;
  add_plane(s);
  add_sphere(s, 2, 0.1, {0, 0, 0.1});
  World w(s, options(1e-3, 0.02));
  run_to(w, 1);
  EXPECT_NEAR(w.solution().impulse[0].z / w.problem().time_step, 2 * g, 1e-4);
}

TEST(Substeps, OfTheSmallestSizeAreTakenAsTheyCome) {
  Scene s;
  add_plane(s);
  add_sphere(s, 1, 0.1, {0, 0, 0.1 + 1e-5});
  s.bodies[0].linear_velocity = {0, 0, -10};
  WorldOptions o = options(1e-9, 1e-3);
  o.pair.stiffness = 1e12;
  World w(s, o);
  const ErrorReport& e = w.step().error;
  EXPECT_FALSE(e.is_met);
  EXPECT_GT(e.error, 1e-9);
  EXPECT_GE(e.smallest, smallest_time_step);
  EXPECT_LT(e.smallest, 5e-9);
  EXPECT_EQ(w.step(2e-9).error.substeps, 1);  // no step is smaller than a nanosecond
  EXPECT_EQ(w.time(), 1e-3 + 2e-9);
}

TEST(Substeps, AccuracyOutOfRangeIsAnInputError) {
  for (const double accuracy : {0.0, -1.0, 2.0, 1e-10, std::nan("")}) {
    EXPECT_THROW(World(Scene(), options(accuracy, 0.01)), InputError) << accuracy;
  }
}

}  // namespace
}  // namespace abut
