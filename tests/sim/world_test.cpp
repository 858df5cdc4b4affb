// A world as its caller sees it: state in and out, snapshots, copies, loads, edge cases.

#include "abut/sim/world.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "support/every_kind.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

void step(World& w, int steps) {
  for (int i = 0; i < steps; ++i) w.step();
}

WorldOptions options(ContactModel model = ContactModel::sap) {
  WorldOptions o;
  o.model = model;
  o.time_step = 5e-3;
  return o;
}

TEST(Snapshot, ContinuesWithTheSameBits) {
  for (const ContactModel model :
       {ContactModel::sap, ContactModel::lagged, ContactModel::similar}) {
    World w(clutter(12), options(model));
    step(w, 60);  // in the middle of the collisions: contacts remember impulses
    const Snapshot half = w.snapshot();
    step(w, 60);
    const std::uint64_t end = w.state_hash();
    w.restore(half);
    EXPECT_EQ(w.steps(), 60u);
    step(w, 60);
    EXPECT_EQ(w.state_hash(), end) << to_string(model);

    World other(clutter(12), options(model));  // one that never saw the past
    other.restore(half);
    step(other, 60);
    EXPECT_EQ(other.state_hash(), end) << to_string(model);
  }
}

TEST(Snapshot, OfAnotherSceneIsRefused) {
  World small(clutter(3), options()), large(clutter(4), options());
  EXPECT_THROW(small.restore(large.snapshot()), InputError);
}

TEST(Snapshot, OfASceneOfAsManyBodiesIsRefusedToo) {
  World boxes(clutter(4), options());
  Scene s;
  add_plane(s);
  for (int i = 0; i < 4; ++i) add_sphere(s, 1, 0.1, {0.3 * i, 0, 1});
  World spheres(s, options());
  step(boxes, 100);
  EXPECT_THROW(spheres.restore(boxes.snapshot()), InputError) << "it has fewer geoms";
  Snapshot torn = boxes.snapshot();
  torn.inputs.loads.pop_back();
  EXPECT_THROW(boxes.restore(torn), InputError);
}

TEST(Keyframe, SetsStateAndTimeAndForgetsContacts) {
  Scene s;
  add_plane(s);
  const int b = add_sphere(s, 1, 0.1, {0, 0, 0.1});
  Keyframe key;
  key.time = 3;
  key.bodies.resize(1);
  key.bodies[0].position = {1, 2, 0.1};
  s.keyframes.push_back(key);
  World w(s, options());
  step(w, 10);
  w.set_keyframe(0);
  EXPECT_EQ(w.time(), 3);
  EXPECT_EQ(w.steps(), 10u);
  EXPECT_EQ(norm(w.body_state(b).position - Vec3{1, 2, 0.1}), 0);
  w.step();
  EXPECT_NEAR(w.time(), 3 + w.time_step(), 1e-15);
  EXPECT_EQ(w.problem().contacts.previous_impulse[0], (Vec3{})) << "not that of another place";
  const auto copy = w.clone();
  EXPECT_EQ(copy->time(), w.time());
  EXPECT_THROW(w.set_keyframe(1), InputError);
  EXPECT_THROW(w.set_keyframe(-1), InputError);
  EXPECT_THROW(w.body_state(7), InputError);
  EXPECT_THROW(w.set_load(-1, {}, {}), InputError);
}

// beside another box, then on top of it: the side that it was on is no way out any more
TEST(BodyState, APlacedBodyForgetsItsSide) {
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k) {
    corners.push_back({k & 1 ? 0.1 : -0.1, k & 2 ? 0.1 : -0.1, k & 4 ? 0.1 : -0.1});
  }
  const Shape brick = Shape::convex(make_convex_hull(corners));
  for (const double turn : {0.0, 0.3, 0.7}) {
    Scene s;
    add_body(s, brick, 1, {1e-2, 1e-2, 1e-2}, {0, 0, 0.1});
    const int b = add_body(s, brick, 1, {1e-2, 1e-2, 1e-2}, {0.2005, 0, 0.1});
    s.gravity = {};
    World w(s, options());
    w.step();
    const Quaternion q = exp_rotation({0, 0, turn});
    w.set_body_state(b, {{0.01, 0.02, 0.3}, q, {}, {}});
    w.step();
    EXPECT_LT(w.report().penetration, 1e-6) << turn;
    EXPECT_TRUE(w.overlaps().empty()) << turn;
    // at the same place it keeps what it knew, but for rounding of its place
    const BodyState state = w.body_state(b);
    const auto copy = w.clone();
    w.set_body_state(b, state);
    w.step(), copy->step();
    EXPECT_EQ(w.state_hash(), copy->state_hash()) << turn;
  }
}

TEST(Clone, IsEqualAndIndependent) {
  World w(clutter(12), options());
  step(w, 60);
  const auto copy = w.clone();
  EXPECT_EQ(copy->state_hash(), w.state_hash());
  step(w, 40);
  const std::uint64_t end = w.state_hash();
  EXPECT_NE(copy->state_hash(), end);
  step(*copy, 40);
  EXPECT_EQ(copy->state_hash(), end);
}

// what a pair apart remembers must not depend on how it came to be looked at
TEST(Clone, GoesOnAlikeAfterPairsWereNearEachOther) {
  for (int seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const auto any = [&] {
      return normalized(Quaternion{normal(random), normal(random), normal(random), 1});
    };
    Scene s;
    s.gravity = {};
    s.time_step = 5e-3;
    const Shape shape = Shape::ellipsoid({0.1, 0.06, 0.07});
    add_body(s, shape, 1, {1e-3, 2e-3, 2e-3}, {0, 0, 0}, any());
    add_body(s, shape, 1, {1e-3, 2e-3, 2e-3}, {0.23, 0.02, 0.01}, any());
    World world(s);
    const auto push = [](World& w, const Vec3& velocity, const Vec3& spin) {
      BodyState state = w.body_state(1);
      state.linear_velocity = velocity, state.angular_velocity = spin;
      w.set_body_state(1, state);
    };
    push(world, {-3, 0, 0}, {});
    for (int i = 0; i < 3; ++i) world.step();
    push(world, {3, 0, 0}, {});
    for (int i = 0; i < 4; ++i) world.step();
    push(world, {}, {});
    world.step();
    const auto copy = world.clone();
    for (World* w : {&world, copy.get()}) push(*w, {-2, 0.3, -0.2}, {5, 3, 1});
    for (int i = 0; i < 60; ++i) {
      world.step();
      copy->step();
      ASSERT_EQ(world.state_hash(), copy->state_hash()) << "seed " << seed << ", step " << i;
    }
  }
}

TEST(Clone, KeepsContactIds) {
  Scene s;
  add_plane(s);
  add_box(s, 1, {0.1, 0.1, 0.1}, {0, 0, 0.1});
  World w(s, options());
  step(w, 10);
  const auto copy = w.clone();
  w.step();
  copy->step();
  ASSERT_EQ(w.contact_sources().size(), 4u);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(w.contact_sources()[i].id, copy->contact_sources()[i].id);
  }
}

TEST(StateHash, SeesTheLastBitOfEveryNumber) {
  World w(clutter(2), options());
  const std::uint64_t before = w.state_hash();
  const BodyState s = w.body_state(1);
  const auto changed = [&](auto change) {
    BodyState t = s;
    change(t);
    w.set_body_state(1, t);
    const bool differs = w.state_hash() != before;
    w.set_body_state(1, s);
    return differs;
  };
  const auto next = [](double& x) { x = std::nextafter(x, 10.0); };
  EXPECT_EQ(w.state_hash(), before);
  EXPECT_TRUE(changed([&](BodyState& t) { next(t.position.x); }));
  EXPECT_TRUE(changed([&](BodyState& t) { next(t.linear_velocity.y); }));
  EXPECT_TRUE(changed([&](BodyState& t) { next(t.angular_velocity.z); }));
}

TEST(BodyState, RoundTripsThroughAnOffsetCenterOfMass) {
  Scene s;
  const int b = add_box(s, 1, {0.1, 0.1, 0.1}, {1, 2, 3});
  s.bodies[b].center_of_mass = {0.02, -0.01, 0.03};
  World w(s, options());
  const Quaternion q = exp_rotation({0.3, -0.2, 0.9});
  w.set_body_state(b, {{4, 5, 6}, q, {1, 0, 0}, {0, 1, 0}});
  const BodyState r = w.body_state(b);
  EXPECT_LT(norm(r.position - Vec3{4, 5, 6}), 1e-14);
  EXPECT_LT(norm(to_matrix(r.orientation) * Vec3{1, 2, 3} - to_matrix(q) * Vec3{1, 2, 3}), 1e-14);
}

TEST(BodyState, RefusesWhatIsNoState) {
  World w(clutter(1), options());
  const BodyState good = w.body_state(0);
  const std::uint64_t before = w.state_hash();
  BodyState bad = good;
  bad.position.x = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(w.set_body_state(0, bad), InputError);
  bad = good;
  bad.orientation = {2, 0, 0, 0};
  EXPECT_THROW(w.set_body_state(0, bad), InputError);
  bad = good;
  bad.angular_velocity.z = std::numeric_limits<double>::infinity();
  EXPECT_THROW(w.set_body_state(0, bad), InputError);
  bad = good;
  bad.linear_velocity.y = -1e160;  // its square is not finite
  EXPECT_THROW(w.set_body_state(0, bad), InputError);
  EXPECT_THROW(w.set_load(0, {0, 0, std::nan("")}, {}), InputError);
  EXPECT_EQ(w.state_hash(), before) << "a refused state changes nothing";
}

TEST(World, CallsNoStepASuccessThatIsNotFinite) {
  for (const ContactModel model : convex_models) {
    WorldOptions o = options();
    o.model = model;
    World fast(clutter(1), o);
    fast.set_load(0, {0, 0, 1e300}, {});
    EXPECT_EQ(fast.step().solve.status, SolveStatus::numerical_failure);
    World lost(clutter(1), o);
    Snapshot s = lost.snapshot();
    s.state.free_bodies[0].center.x = std::nan("");
    lost.restore(s);
    EXPECT_EQ(lost.step().solve.status, SolveStatus::numerical_failure);
    EXPECT_EQ(lost.step().solve.status, SolveStatus::numerical_failure);
  }
}

// though it has rehearsed its first steps
TEST(World, IsNewWhenItIsMade) {
  for (const ContactModel model : convex_models) {
    WorldOptions o;
    o.model = model;
    World w(scene_of_every_kind(), o);
    EXPECT_EQ(w.steps(), 0u);
    EXPECT_EQ(w.time(), 0);
    EXPECT_EQ(w.report().contacts, 0);
    EXPECT_EQ(w.problem().contacts.size(), 0);
    EXPECT_TRUE(w.solution().velocity.empty() && w.solution().islands.empty());
    EXPECT_TRUE(w.contact_sources().empty());
    EXPECT_TRUE(w.warnings().empty() && w.overlaps().empty());
    // as that of a world which does not rehearse
    WorldOptions rigid = o;
    rigid.model = ContactModel::ncp;
    const World other_kind(scene_of_every_kind(), rigid);
    const State &s = w.state(), &fresh = other_kind.state();
    EXPECT_EQ(s.time, fresh.time);
    EXPECT_EQ(s.substep, fresh.substep);
    EXPECT_EQ(s.next_substep, fresh.next_substep);
    EXPECT_EQ(s.coordinates, fresh.coordinates);
    EXPECT_EQ(s.velocities, fresh.velocities);
    EXPECT_EQ(s.limit_allowances, fresh.limit_allowances);
    EXPECT_EQ(s.coupling_allowances, fresh.coupling_allowances);
    EXPECT_EQ(s.activations, fresh.activations);
    EXPECT_EQ(s.scalar_impulses, fresh.scalar_impulses);
    EXPECT_EQ(s.contacts.ids, fresh.contacts.ids);
    EXPECT_TRUE(s.contacts.pairs.empty() && s.contacts.sources.empty());
    ASSERT_EQ(s.courses.size(), fresh.courses.size());
    for (const Course& c : s.courses) EXPECT_EQ(c.is_known, 0);
    EXPECT_THROW(w.accept(), InputError);
    ASSERT_GT(w.actuators(), 0);
    for (int i = 0; i < w.actuators(); ++i) EXPECT_EQ(w.actuator_state(i).length, 0);
    ASSERT_FALSE(w.violations().empty());
    for (const Violation& v : w.violations()) EXPECT_EQ(v.size, 0);
    // the first step is that of a world which was put back to its beginning
    World other(scene_of_every_kind(), o);
    const Snapshot start = other.snapshot();
    step(other, 20);
    other.restore(start);
    w.step();
    other.step();
    EXPECT_EQ(w.state_hash(), other.state_hash());
    EXPECT_GT(w.report().contacts, 0);
  }
}

TEST(World, IsMadeThoughItCannotStep) {
  WorldOptions o = options();
  o.contact_limit = 1;
  Scene s;
  add_plane(s);
  add_box(s, 1, {0.1, 0.1, 0.1}, {0, 0, 0.1});
  World w(s, o);
  const std::uint64_t start = w.state_hash();
  EXPECT_THROW(w.step(), InputError);
  EXPECT_EQ(w.state_hash(), start);
}

// symplectic Euler: v = F t / m after any number of steps, x = F h^2 n (n + 1) / (2 m)
TEST(Load, AcceleratesAndSpins) {
  Scene s;
  s.gravity = {};
  const int b = add_sphere(s, 2, 0.1, {});
  World w(s, options());
  w.set_load(b, {4, 0, 0}, {0, 0, 0.008});
  step(w, 100);
  const double h = 5e-3, t = 100 * h;
  EXPECT_NEAR(w.body_state(b).linear_velocity.x, 2 * t, 1e-13);
  EXPECT_NEAR(w.body_state(b).position.x, 2 * h * h * 100 * 101 / 2, 1e-13);
  EXPECT_NEAR(w.body_state(b).angular_velocity.z, 0.008 / (0.4 * 2 * 0.01) * t, 1e-12);
  w.set_load(b, {}, {});
  w.step();
  EXPECT_NEAR(w.body_state(b).linear_velocity.x, 2 * t, 1e-13);
}

TEST(World, WithoutBodiesOrWithFixedOnesOnly) {
  World empty(Scene{}, options());
  EXPECT_EQ(empty.step().solve.status, SolveStatus::converged);
  Scene s;
  add_plane(s);
  SceneBody wall;
  wall.name = "wall";
  wall.kind = BodyKind::fixed;
  s.bodies.push_back(wall);
  World fixed(s, options());
  EXPECT_EQ(fixed.step().solve.status, SolveStatus::converged);
  EXPECT_EQ(fixed.dofs(), 0);
  EXPECT_EQ(fixed.report().contacts, 0);
  EXPECT_THROW(fixed.set_load(0, {1, 0, 0}, {}), InputError);
}

TEST(World, SaysHowManyThereAre) {
  World w(clutter(1), options());
  const World two(clutter(2), options());
  const auto refusal = [](const auto& ask) {
    try {
      ask();
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal([&] { w.body_state(-1); }), "body -1: the scene has 1 body");
  EXPECT_EQ(refusal([&] { w.set_control(3, 0); }), "actuator 3: the scene has 0 actuators");
  EXPECT_EQ(refusal([&] { w.set_keyframe(0); }), "keyframe 0: the scene has 0 keyframes");
  EXPECT_EQ(refusal([&] { two.body_state(2); }), "body 2: the scene has 2 bodies");
}

TEST(World, RefusesOptionsOutOfRange) {
  const auto refused = [](auto change) {
    WorldOptions o = options();
    change(o);
    try {
      World w(clutter(1), o);
    } catch (const InputError&) {
      return true;
    }
    return false;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(refused([](WorldOptions& o) { o.time_step = 0; }));
  EXPECT_TRUE(refused([&](WorldOptions& o) { o.time_step = nan; }));
  EXPECT_TRUE(refused([](WorldOptions& o) { o.time_step = 1.5; }));
  EXPECT_TRUE(refused([](WorldOptions& o) { o.margin = -1e-3; }));
  EXPECT_TRUE(refused([](WorldOptions& o) { o.tolerance = 0; }));
  EXPECT_TRUE(refused([](WorldOptions& o) { o.threads = 0; }));
  EXPECT_TRUE(refused([](WorldOptions& o) { o.pair.stiffness = -1; }));
  EXPECT_TRUE(refused([](WorldOptions& o) { o.pair.friction = -0.1; }));
  EXPECT_TRUE(refused([](WorldOptions& o) { o.solver = "magic"; }));
  EXPECT_TRUE(refused([](WorldOptions& o) { o.friction.sigma = 0; }));
  EXPECT_TRUE(refused([](WorldOptions& o) { o.friction.stiction_tolerance = 0; }));
  EXPECT_TRUE(refused([&](WorldOptions& o) { o.friction.beta = nan; }));
}

// one step of a settled heap in a turned and in a far frame: the same accelerations
TEST(World, TurnedSceneGivesTurnedVelocities) {
  const Quaternion q = exp_rotation({0.4, -1.1, 0.7});
  const Mat3 R = to_matrix(q);
  for (const ContactModel model :
       {ContactModel::sap, ContactModel::lagged, ContactModel::similar}) {
    World w(clutter(12), options(model));
    step(w, 150);
    Scene turned = w.scene();
    turned.gravity = R * turned.gravity;
    for (SceneGeom& g : turned.geoms) {
      if (g.body == world_body) g.pose = {R * g.pose.p, R * g.pose.R};
    }
    for (std::size_t b = 0; b < turned.bodies.size(); ++b) {
      const BodyState s = w.body_state(static_cast<int>(b));
      turned.bodies[b].position = R * s.position;
      turned.bodies[b].orientation = normalized(q * s.orientation);
      turned.bodies[b].linear_velocity = R * s.linear_velocity;
      turned.bodies[b].angular_velocity = R * s.angular_velocity;
    }
    WorldOptions o = options(model);
    o.tolerance = 1e-12;
    World here(w.scene(), o), there(turned, o);
    for (std::size_t b = 0; b < turned.bodies.size(); ++b) {
      here.set_body_state(static_cast<int>(b), w.body_state(static_cast<int>(b)));
    }
    here.step();
    there.step();
    ASSERT_EQ(here.report().contacts, there.report().contacts);
    ASSERT_GT(here.report().contacts, 15);
    for (std::size_t b = 0; b < turned.bodies.size(); ++b) {
      const BodyState x = here.body_state(static_cast<int>(b)),
                      y = there.body_state(static_cast<int>(b));
      EXPECT_LT(norm(R * x.linear_velocity - y.linear_velocity), 1e-9) << to_string(model);
      EXPECT_LT(norm(R * x.angular_velocity - y.angular_velocity), 1e-7) << to_string(model);
    }
  }
}

TEST(World, FarFromTheOriginKeepsItsContactForces) {
  const Vec3 far{1000, -1000, 1000};
  Scene s;
  add_plane(s);
  add_box(s, 1, {0.1, 0.1, 0.1}, {0, 0, 0.0999999});
  Scene moved = s;
  moved.geoms[0].pose.p += far;
  moved.bodies[0].position += far;
  WorldOptions o = options();
  o.pair.stiffness = 1e7;
  o.friction.beta = 0;  // the given stiffness
  o.tolerance = 1e-12;
  World here(s, o), there(moved, o);
  here.step();
  there.step();
  ASSERT_EQ(there.report().contacts, 4);
  for (int i = 0; i < 4; ++i) {
    const double difference = norm(here.solution().impulse[i] - there.solution().impulse[i]);
    // the last bit of 1 km is 1.1e-13 m: at 1e7 N/m about 1e-6 N
    EXPECT_LT(difference / 5e-3, 5e-6);
  }
}

}  // namespace
}  // namespace abut
