// The scheme `accelerations` against closed forms: statics, sliding, curved paths, impacts.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "abut/core/error.hpp"
#include "abut/io/mjcf.hpp"
#include "abut/io/scene_file.hpp"
#include "abut/sim/world.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

constexpr double g = 9.81;

WorldOptions options(double time_step) {
  WorldOptions o;
  o.model = ContactModel::ncp;
  o.scheme = SteppingScheme::accelerations;
  o.time_step = time_step;
  return o;
}

void step_all(World& w, int count) {
  for (int i = 0; i < count; ++i) {
    ASSERT_EQ(w.step().solve.status, SolveStatus::converged) << "step " << i;
    ASSERT_LE(w.report().solve.certificate.step_error, 1e-8) << "step " << i;
  }
}

/// Normal force of a contact of the last step [N].
double normal_force(const World& w, int contact) {
  return dot(w.solution().impulse[contact], w.problem().contacts.normal[contact]) /
         w.problem().time_step;
}

TEST(Accelerations, ALadderBearsOnTheWall) {
  const Scene scene = load_mjcf(ABUT_EXAMPLES "/mechanisms/ladder.xml");
  const double r = 0.02, l = 4, angle = std::numbers::pi / 3;
  const double wall = 10 * g * l * std::cos(angle) / (2 * (r + l * std::sin(angle)));
  for (const double share : {0.99, 1.01}) {  // of the friction at which it slips
    WorldOptions o = options(5e-3);
    Scene s = scene;
    for (ScenePair& pair : s.pairs) {
      if (!pair.frictionless && pair.material.friction.value_or(0) > 0)
        pair.material.friction = share * wall / (10 * g);
    }
    World w(s, o);
    step_all(w, 1);
    ASSERT_EQ(w.problem().contacts.size(), 2);
    const int at_wall = std::abs(w.problem().contacts.normal[0].x) > 0.5 ? 0 : 1;
    if (share > 1) {
      EXPECT_NEAR(normal_force(w, at_wall), wall, 1e-9);
      EXPECT_NEAR(normal_force(w, 1 - at_wall), 10 * g, 1e-9);
    }
    step_all(w, 199);
    const double moved = std::abs(w.articulated_trees().tree(0).velocity()[0]);
    if (share > 1) {
      EXPECT_LT(moved, 1e-12);
    } else {
      EXPECT_GT(moved, 1e-3);
    }
    EXPECT_LT(w.report().penetration, 1e-3 * r);
  }
}

TEST(Accelerations, EachLevelOfAStackBearsWhatIsAboveIt) {
  const Scene scene = load_mjcf(ABUT_EXAMPLES "/mechanisms/stack.xml");
  for (const ContactModel model :
       {ContactModel::ncp, ContactModel::ccp, ContactModel::lcp, ContactModel::raisim}) {
    for (const double h : {1e-4, 5e-3, 2e-2}) {
      SCOPED_TRACE(testing::Message() << to_string(model) << ", " << h);
      WorldOptions o = options(h);
      o.model = model;
      World w(scene, o);
      step_all(w, 20);
      std::vector<double> borne(10, 0);
      for (int i = 0; i < w.problem().contacts.size(); ++i) {
        borne[std::lround(w.problem().contacts.point[i].z / 0.1)] += normal_force(w, i);
      }
      for (int level = 0; level < 10; ++level) EXPECT_NEAR(borne[level], (10 - level) * g, 1e-8);
    }
  }
}

// two planes that make the angle h with the vertical: m g / (2 sin h) each
TEST(Accelerations, ABallInAGrooveBearsOnBothSides) {
  const double h = 0.4, radius = 0.1;
  Scene s;
  for (const double side : {-1.0, 1.0}) add_plane(s, {}, {side * std::cos(h), 0, std::sin(h)});
  add_sphere(s, 2, radius, {0, 0, radius / std::sin(h)});
  set_friction(s, 0);
  World w(s, options(1e-3));
  step_all(w, 50);
  ASSERT_EQ(w.problem().contacts.size(), 2);
  for (const int i : {0, 1}) EXPECT_NEAR(normal_force(w, i), 2 * g / (2 * std::sin(h)), 1e-9);
}

// N = m (g cos a - v^2/(R + r)), and it leaves where cos a = 2/3: without (d/dt J) v it never would
TEST(Accelerations, ABallThatSlidesOffASphereLeavesItAtTwoThirds) {
  const double big = 1, small = 0.1, path = big + small, start = 0.2;
  Scene s;
  SceneGeom sphere;
  sphere.shape = Shape::sphere(big);
  s.geoms.push_back(sphere);
  add_sphere(s, 3, small, {path * std::sin(start), 0, path * std::cos(start)});
  set_friction(s, 0);
  World w(s, options(1e-3));
  double left = 0;
  for (int i = 0; i < 3000 && left == 0; ++i) {
    step_all(w, 1);
    const BodyState b = w.body_state(0);
    const double distance = norm(b.position), cosine = b.position.z / distance;
    if (w.solution().impulse.empty() || norm(w.solution().impulse[0]) == 0) {
      left = cosine;
      break;
    }
    const double speed2 = squared_norm(b.linear_velocity);
    EXPECT_NEAR(normal_force(w, 0), 3 * (g * cosine - speed2 / path), 0.15) << cosine;
    EXPECT_NEAR(speed2, 2 * g * path * (std::cos(start) - cosine), 0.02);
    EXPECT_NEAR(distance, path, 1e-3 * small);
  }
  EXPECT_NEAR(left, 2 * std::cos(start) / 3, 0.01);
}

// as soon as slip ends friction is static, at any step
TEST(Accelerations, ABlockStopsWhereCoulombSays) {
  for (const double step : {1e-3, 7e-3, 2e-2}) {
    Scene s;
    add_plane(s);
    add_box(s, 1, {0.1, 0.1, 0.1}, {0, 0, 0.1});
    set_friction(s, 0.4);
    World w(s, options(step));
    BodyState b = w.body_state(0);
    b.linear_velocity = {1, 0, 0};
    w.set_body_state(0, b);
    step_all(w, static_cast<int>(0.5 / step));
    EXPECT_NEAR(w.body_state(0).position.x, 1 / (2 * 0.4 * g), 1e-6);
    EXPECT_LT(norm(w.body_state(0).linear_velocity), 1e-6);
    EXPECT_LT(w.report().penetration, 1e-4);
  }
}

TEST(Accelerations, ABallBouncesAsHighAsRestitutionSays) {
  const double radius = 0.1, height = 0.5, e = 0.7;
  Scene s;
  add_plane(s);
  add_sphere(s, 1, radius, {0, 0, radius + height});
  WorldOptions o = options(5e-3);
  o.rigid.restitution = e;
  World w(s, o);
  double highest = 0, deepest = 0;
  int impacts = 0;
  const double fall = std::sqrt(2 * height / g);
  while (w.time() < fall * (1 + 1.9 * e)) {
    step_all(w, 1);
    impacts += w.report().events.impacts;
    deepest = std::max(deepest, radius - w.body_state(0).position.z);
    if (w.time() > fall) highest = std::max(highest, w.body_state(0).position.z - radius);
  }
  EXPECT_EQ(impacts, 1);
  EXPECT_NEAR(highest, e * e * height, 2e-3 * height);
  EXPECT_LT(deepest, 1e-3 * radius);
}

// the feet go up the wedges: tan 20 degrees times what these move in; by symmetry nothing goes
// aside
TEST(Accelerations, AJackLiftsAsTheSlopeOfItsWedgesSays) {
  SceneFile file = load_scene_file(ABUT_EXAMPLES "/mechanisms/jack.toml");
  World w(file.scene, file.simulation.over({}));
  const auto place = [&](const char* name) {
    for (int i = 0; i < std::ssize(file.scene.bodies); ++i) {
      if (file.scene.bodies[i].name == name) return w.body_state(i).position;
    }
    throw std::runtime_error(name);
  };
  double deepest = 0, lifted = 0;
  Vec3 wedge, load;
  for (int i = 0; i < 3000; ++i) {
    update_controls(file.controllers, w);
    ASSERT_EQ(w.step().solve.status, SolveStatus::converged) << i;
    deepest = std::max(deepest, w.report().penetration);
    if (i == 99) wedge = place("left"), load = place("load");  // it has settled
    if (i < 100) continue;
    const double in = place("left").x - wedge.x, up = place("load").z - load.z;
    EXPECT_NEAR(up, std::tan(std::numbers::pi / 9) * in, 2e-5) << i;
    EXPECT_LT(std::abs(place("cargo").x), 1e-5);
    lifted = std::max(lifted, up);
  }
  EXPECT_GT(lifted, 0.01);
  EXPECT_LT(deepest, 1e-3 * 0.04);
}

// statics of each step is another algorithm's: both modes come to the same end
TEST(Accelerations, ABlockFeederTakesOutABlockAtATime) {
  std::vector<double> x[2];
  for (const bool by_accelerations : {true, false}) {
    SceneFile file = load_scene_file(ABUT_EXAMPLES "/mechanisms/feeder.toml");
    WorldOptions o = file.simulation.over({});
    if (!by_accelerations) o.scheme = SteppingScheme::symplectic_euler;
    World w(file.scene, o);
    while (w.time() < file.simulation.duration.value()) {
      update_controls(file.controllers, w);
      ASSERT_EQ(w.step().solve.status, SolveStatus::converged) << w.time();
      ASSERT_LE(w.report().solve.certificate.step_error, 1e-6) << w.time();
      ASSERT_LT(w.report().penetration, 1e-3 * 0.1);
    }
    for (int i = 0; i < std::ssize(file.scene.bodies); ++i) {
      if (file.scene.bodies[i].name.starts_with("block")) {
        x[by_accelerations].push_back(w.body_state(i).position.x);
      }
    }
  }
  for (const auto& ends : x) {
    ASSERT_EQ(ends.size(), 6u);
    int out = 0;
    for (const double at : ends) out += at > 0.2;
    EXPECT_EQ(out, 4);  // a push every two seconds
  }
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(x[0][i], x[1][i], 5e-3) << i;
}

// a half circle as thick as this stands [Heyman: t/R >= 0.106 at the mean radius], and slides
// apart at its feet without friction
TEST(Accelerations, AnArchStandsByItsFriction) {
  for (const double friction : {0.7, 0.05}) {
    Scene s = load_mjcf(ABUT_EXAMPLES "/mechanisms/arch.xml");
    set_friction(s, friction);
    World w(s, options(2e-3));
    const double top = w.body_state(3).position.z;
    double deepest = 0;
    for (int i = 0; i < 150; ++i) {
      w.step();
      deepest = std::max(deepest, w.report().penetration);
    }
    const double fell = top - w.body_state(3).position.z;
    if (friction > 0.5) {
      EXPECT_LT(std::abs(fell), 1e-6);
      EXPECT_LT(deepest, 1e-3 * 0.2);
    } else {
      EXPECT_GT(fell, 0.05);
    }
  }
}

// Painleve's rod: its tip slides towards it, and at angles from 32.6 to 80.9 degrees no force holds
// the tip: an impulse against the slip does
TEST(Accelerations, ARodThatJamsIsGivenAnImpulse) {
  const double half = 0.25, m = 0.3, mu = 2.3, tip = 0.005, speed = 1;
  for (const double degrees : {20.0, 45.0, 70.0}) {
    for (const double side : {-1.0, 1.0}) {  // mirrored
      SCOPED_TRACE(testing::Message() << degrees << " degrees, side " << side);
      const double angle = degrees * std::numbers::pi / 180;
      Scene s;
      add_plane(s);
      const double inertia = m * half * half / 3;
      add_body(s, Shape::sphere(tip), m, {1e-3 * inertia, inertia, inertia},
               {0, 0, half * std::sin(angle) + tip}, exp_rotation({0, side * angle, 0}));
      s.geoms.back().pose.p = {side * half, 0, 0};  // the tip is ahead
      s.bodies[0].linear_velocity = {side * speed, 0, 0};
      set_friction(s, mu);
      World w(s, options(1e-4));
      const double before = w.kinetic_energy() + w.potential_energy();
      ASSERT_EQ(w.step().solve.status, SolveStatus::converged);
      EXPECT_EQ(w.report().events.rays > 0, degrees > 32.6) << w.report().events.rays;
      EXPECT_LE(w.kinetic_energy() + w.potential_energy(), before + 1e-9);
      const BodyState b = w.body_state(0);
      const Vec3 arm = to_matrix(b.orientation) * Vec3{side * half, 0, 0} - Vec3{0, 0, tip};
      const Vec3 at_tip = b.linear_velocity + cross(b.angular_velocity, arm);
      EXPECT_GE(at_tip.z, -1e-3);
      if (degrees > 32.6) {
        EXPECT_LT(std::abs(at_tip.x), 1e-2);
      }
    }
  }
}

// so many pairs and bodies that their loops are shared out; some roll into each other
TEST(Accelerations, ThreadsChangeNoBit) {
  Scene s;
  add_plane(s);
  for (int i = 0; i < 150; ++i) {
    add_sphere(s, 1, 0.1, {0.25 * (i % 15), 0.25 * (i / 15), 0.1});
    s.bodies[i].linear_velocity = {0.5 * (i % 3), 0.2 * (i % 2), 0};
  }
  WorldOptions o = options(5e-3);
  World one(s, o);
  for (int i = 0; i < 25; ++i) one.step();
  for (const int threads : {2, 3}) {
    o.threads = threads;
    o.share_all = true;
    World more(s, o);
    for (int i = 0; i < 25; ++i) more.step();
    EXPECT_EQ(more.state_hash(), one.state_hash()) << threads << " threads";
  }
  EXPECT_GT(one.problem().contacts.size(), 150) << "none has met another";
}

TEST(Accelerations, NeedARigidModel) {
  WorldOptions o = options(1e-3);
  o.model = ContactModel::sap;
  EXPECT_THROW(o.validate(), InputError);
}

}  // namespace
}  // namespace abut
