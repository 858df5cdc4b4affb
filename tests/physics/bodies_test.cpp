// Whole worlds of free bodies against closed forms.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "abut/sim/world.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

constexpr double g = 9.81, pi = 3.14159265358979323846;
constexpr auto models = convex_models;

void run(World& world, double seconds) {
  for (int i = 0; i < std::lround(seconds / world.time_step()); ++i) {
    const StepReport& r = world.step();
    ASSERT_EQ(r.solve.status, SolveStatus::converged) << "at t = " << world.time() << " s";
    ASSERT_LE(r.solve.certificate.momentum_error, world.options().tolerance);
  }
}

WorldOptions options(ContactModel model, double dt) {
  WorldOptions o;
  o.model = model;
  o.time_step = dt;
  return o;
}

/// Gravity tilted by `angle` instead of the ground, down along +x.
Vec3 tilted(double angle) {
  return {g * std::sin(angle), 0, -g * std::cos(angle)};
}

// a box that is set sliding: SAP and Similar throw it up at about mu |v_t|, Lagged and
// Anchored do not
TEST(Hop, OfABoxSetSliding) {
  for (const ContactModel model : models) {
    Scene s;
    add_plane(s);
    const int b = add_box(s, 1, {0.1, 0.1, 0.1}, {0, 0, 0.1});
    s.bodies[b].linear_velocity = {2, 0, 0};
    set_friction(s, 0.5);
    World w(s, options(model, 2e-3));
    w.step();
    const Vec3 v = w.body_state(b).linear_velocity;
    if (traits(model).lags_friction) {
      EXPECT_LT(v.z, 1e-2);
    } else {
      EXPECT_NEAR(v.z, 0.5 * v.x, 0.05) << to_string(model);
    }
  }
}

// a block on an incline sticks below its friction angle and slides with g (sin a - mu cos a) above
TEST(Incline, BlockSticksOrSlides) {
  for (const ContactModel model : models) {
    for (const double angle : {0.3, 0.6}) {
      Scene s;
      s.gravity = tilted(angle);
      add_plane(s);
      add_box(s, 2, {0.1, 0.1, 0.05}, {0, 0, 0.05});
      set_friction(s, 0.5);  // friction angle 0.4636
      WorldOptions o = options(model, 1e-3);
      o.pair.relaxation_time = 1e-4;
      World w(s, o);
      run(w, 1);
      const double a = g * (std::sin(angle) - 0.5 * std::cos(angle));
      const double x = w.body_state(0).position.x, v = w.body_state(0).linear_velocity.x;
      if (angle < std::atan(0.5)) {
        EXPECT_LT(std::abs(x), 3e-4) << to_string(model);
      } else {
        EXPECT_NEAR(v, a, 3e-3 * a) << to_string(model);
        EXPECT_NEAR(x, a / 2, 5e-3 * a) << to_string(model);
      }
      EXPECT_LT(norm(w.body_state(0).angular_velocity), 1e-2) << "it does not tip";
    }
  }
}

// a sphere rolls with 5/7 g sin a if tan a <= 3.5 mu, else slides and spins
TEST(Incline, SphereRollsOrSlips) {
  for (const ContactModel model : models) {
    for (const double angle : {0.3, 1.0}) {
      Scene s;
      s.gravity = tilted(angle);
      add_plane(s);
      add_sphere(s, 1, 0.1, {0, 0, 0.1});
      set_friction(s, 0.2);  // rolls up to 0.6107
      World w(s, options(model, 1e-4));
      run(w, 0.5);
      const bool rolls = std::tan(angle) <= 3.5 * 0.2;
      const double a =
          rolls ? 5.0 / 7 * g * std::sin(angle) : g * (std::sin(angle) - 0.2 * std::cos(angle));
      const double alpha = rolls ? a / 0.1 : 2.5 * 0.2 * g * std::cos(angle) / 0.1;
      EXPECT_NEAR(w.body_state(0).linear_velocity.x, 0.5 * a, 1e-3 * a) << to_string(model);
      EXPECT_NEAR(w.body_state(0).angular_velocity.y, 0.5 * alpha, 1e-3 * alpha)
          << to_string(model);
    }
  }
}

/// The falling sphere of ICFT IX-B: dropped from 5 cm with 2 m/s along x; the time from its release
/// until it rolls, and the largest friction over mu times the normal force.
struct FallingSphere {
  double roll_start = -1, final_speed = 0, friction_ratio = 0;
};
FallingSphere fall(ContactModel model, double dt, LaggedRule rule = LaggedRule::fixed_point) {
  Scene s;
  add_plane(s);
  add_sphere(s, 0.5, 0.025, {0, 0, 0.075});
  set_friction(s, 0.5);
  s.bodies[0].linear_velocity = {2, 0, 0};
  WorldOptions o = options(model, dt);
  o.pair.stiffness = 1e7;
  o.pair.dissipation = 500;
  o.tolerance = 1e-9;
  o.friction.lagged_rule = rule;
  World w(s, o);
  FallingSphere f;
  bool touched = false;
  for (int i = 0; i < std::lround(0.3 / dt); ++i) {
    w.step();
    const BodyState b = w.body_state(0);
    const double slip = b.linear_velocity.x - 0.025 * b.angular_velocity.y;
    if (!w.solution().impulse.empty()) {
      const Vec3 gamma = w.solution().impulse[0];
      touched = touched || norm(gamma) > 0;
      if (gamma.z > 0) {
        f.friction_ratio =
            std::max(f.friction_ratio, std::hypot(gamma.x, gamma.y) / (0.5 * gamma.z));
      }
    }
    if (f.roll_start < 0 && touched && std::abs(slip) < 1e-3) f.roll_start = w.time();
  }
  f.final_speed = w.body_state(0).linear_velocity.x;
  return f;
}

// the sphere of [ICFT IX-B]: it lands with 5/7 of its momentum left to rolling, whose start is 2
// U/(7 mu g) after the release, whatever the height
TEST(FallingSphere, RollsWhenTheClosedFormSays) {
  const double exact = 2 * 2 / (7 * 0.5 * g);
  for (const double dt : {1e-3, 1e-4}) {
    for (const ContactModel model : models) {
      const FallingSphere f = fall(model, dt);
      const double steps = model == ContactModel::sap ? 4 : 2;
      EXPECT_NEAR(f.roll_start, exact, (steps + 0.01) * dt) << to_string(model) << ", dt " << dt;
      EXPECT_NEAR(f.final_speed, 5.0 / 7 * 2, 1e-7) << to_string(model) << ", dt " << dt;
    }
  }
}

// the papers' rule takes the impact for friction's limit one step late, when the load has gone
TEST(FallingSphere, BreaksCoulombsLawAfterImpactWithTheStatesRule) {
  for (const double dt : {1e-3, 1e-4}) {
    EXPECT_LT(fall(ContactModel::lagged, dt, LaggedRule::fixed_point).friction_ratio, 1.01) << dt;
    EXPECT_GT(fall(ContactModel::lagged, dt, LaggedRule::state).friction_ratio, 5) << dt;
  }
}

// a heavy cube on a light one of 0.2 m, both 1 s at rest, no sinking
TEST(HeavyOnLight, Stands) {
  struct Case {
    double light, dt;
  };
  for (const auto& [light, dt] : {Case{1, 1e-2}, Case{1e-3, 1e-3}, Case{1e-3, 1e-2}}) {
    for (const ContactModel model : {ContactModel::sap, ContactModel::lagged}) {
      Scene s;
      add_plane(s);
      add_box(s, light, {0.1, 0.1, 0.1}, {0, 0, 0.1});
      add_box(s, 1000, {0.1, 0.1, 0.1}, {0, 0, 0.3});
      set_friction(s, 0.5);
      WorldOptions o = options(model, dt);
      o.pair.stiffness = 1e7;
      World w(s, o);
      double deepest = 0;
      for (int i = 0; i < std::lround(1 / dt); ++i) {
        const StepReport& r = w.step();
        ASSERT_EQ(r.solve.status, SolveStatus::converged);
        deepest = std::max(deepest, r.penetration);
      }
      EXPECT_LT(deepest, 0.5e-3) << to_string(model) << ", 1000 kg on " << light << " kg, " << dt;
      EXPECT_NEAR(w.body_state(1).position.z, 0.3 - 2 * 1000 * g / 4e7, 2e-4);
    }
  }
}

// ten boxes: each interface carries what is above it
/// A free body of 1 kg with the inertia of a box around the shape.
int add_convex(Scene& s, const Shape& shape, const Vec3& half, const Vec3& position) {
  const int b = add_box(s, 1, half, position);
  s.geoms.back().shape = shape;
  return b;
}

// hulls and ellipsoids on a plane, on a box and on each other
TEST(Convex, ShapesComeToRest) {
  std::vector<Vec3> pyramid = {{0, 0, 0.15}};
  for (const double x : {-0.1, 0.1}) {
    for (const double y : {-0.1, 0.1}) pyramid.push_back({x, y, -0.05});
  }
  std::vector<Vec3> brick;
  for (int k = 0; k < 8; ++k) {
    brick.push_back({k & 1 ? 0.1 : -0.1, k & 2 ? 0.08 : -0.08, k & 4 ? 0.05 : -0.05});
  }
  const Shape hull = Shape::convex(make_convex_hull(brick));
  for (const ContactModel model : models) {
    Scene s;
    add_plane(s);
    const int low = add_convex(s, hull, {0.1, 0.08, 0.05}, {0, 0, 0.0501});
    const int high = add_convex(s, hull, {0.1, 0.08, 0.05}, {0.02, 0.01, 0.1503});
    const int top = add_convex(s, Shape::convex(make_convex_hull(pyramid)), {0.1, 0.1, 0.1},
                               {0.02, 0.01, 0.2505});
    const int egg =
        add_convex(s, Shape::ellipsoid({0.1, 0.09, 0.05}), {0.1, 0.09, 0.05}, {0.5, 0, 0.0501});
    set_friction(s, 0.5);
    World w(s, options(model, 5e-3));
    run(w, 2);
    for (const int b : {low, high, top, egg}) {
      EXPECT_LT(norm(w.body_state(b).linear_velocity), 1e-3) << b;
      EXPECT_LT(norm(w.body_state(b).angular_velocity), 1e-2) << b;
    }
    EXPECT_NEAR(w.body_state(low).position.z, 0.05, 1e-4);
    EXPECT_NEAR(w.body_state(high).position.z, 0.15, 2e-4);
    EXPECT_NEAR(w.body_state(top).position.z, 0.25, 3e-4);
    EXPECT_NEAR(w.body_state(egg).position.z, 0.05, 1e-4);
  }
}

// bodies that begin in each other part slowly, and then rest as others do
TEST(Overlap, PartsWithoutAKick) {
  for (const ContactModel model : models) {
    Scene s;
    add_plane(s);
    const int low = add_box(s, 1, {0.1, 0.1, 0.1}, {0, 0, 0.07});      // 3 cm in the ground
    const int high = add_box(s, 1, {0.1, 0.1, 0.1}, {0, 0, 0.22});     // 5 cm in the other
    const int alone = add_box(s, 1, {0.1, 0.1, 0.1}, {1, 0, 0.0999});  // 0.1 mm: not thrown
    World w(s, options(model, 2e-3));
    EXPECT_EQ(w.step().overlaps, 2);
    EXPECT_NEAR(w.report().penetration, 0.05, 1e-9);
    double fastest = 0;
    for (int i = 0; i < 500; ++i) {
      ASSERT_EQ(w.step().solve.status, SolveStatus::converged);
      for (const int b : {low, high}) {
        fastest = std::max(fastest, norm(w.body_state(b).linear_velocity));
      }
    }
    EXPECT_LT(fastest, 0.25);  // the upper one rises with both
    EXPECT_EQ(w.report().overlaps, 0);
    EXPECT_NEAR(w.body_state(low).position.z, 0.1, 1e-3);
    EXPECT_NEAR(w.body_state(high).position.z, 0.3, 2e-3);
    EXPECT_NEAR(w.body_state(alone).position.z, 0.1, 1e-3);
  }
}

// a ball that a spring throws back, step by step: m (v - v0) = h k (x - h v), and x goes by the
// mean of both that the scheme says
TEST(Overlap, TakesNothingFromASpringThatMotionCompressed) {
  constexpr double k = 1e6, m = 2, radius = 0.1;
  for (const SteppingScheme scheme : velocity_schemes) {
    const double theta = traits(scheme).theta_vq;
    for (const double h : {1e-5, 5e-5, 2e-4}) {
      SCOPED_TRACE(testing::Message() << to_string(scheme) << ", " << h << " s");
      Scene s;
      s.gravity = {};
      add_plane(s);
      const int ball = add_sphere(s, m, radius, {0, 0, radius + 1e-3});
      s.bodies[ball].linear_velocity = {0, 0, -3};
      WorldOptions o = options(ContactModel::lagged, h);
      o.scheme = scheme;
      o.tolerance = 1e-12;
      o.pair = {.stiffness = k, .dissipation = 0, .relaxation_time = 0, .friction = 0};
      World w(s, o);
      double x = -1e-3, v = -3;  // depth; upwards
      for (int i = 0; i < std::lround(8e-3 / h); ++i) {
        const double next = std::max(v, (m * v + h * k * x) / (m + h * h * k));
        x -= h * ((1 - theta) * v + theta * next);
        v = next;
        w.step();
      }
      EXPECT_LT(x, 0) << "it has not left yet";
      EXPECT_NEAR(w.body_state(ball).linear_velocity.z, v, 1e-7 * std::abs(v));
    }
  }
}

// also where the static depth is more than what the pair parts by in a step
TEST(Overlap, EndsUnderWeightOnSoftGround) {
  Scene s;
  add_plane(s);
  const int b = add_box(s, 20, {0.1, 0.1, 0.1}, {0, 0, 0.07});
  WorldOptions o = options(ContactModel::sap, 1e-3);
  o.pair.stiffness = 1e5;
  World w(s, o);
  EXPECT_EQ(w.step().overlaps, 1);
  run(w, 5);
  EXPECT_EQ(w.report().overlaps, 0);
  EXPECT_NEAR(w.body_state(b).position.z, 0.1 - 20 * g / 4e5, 1e-5);
}

TEST(Stack, InterfacesCarryTheWeightAbove) {
  Scene s;
  add_plane(s);
  for (int i = 0; i < 10; ++i) add_box(s, 1, {0.1, 0.1, 0.1}, {0, 0, 0.1 + 0.2 * i});
  set_friction(s, 0.5);
  for (const ContactModel model : models) {
    WorldOptions o = options(model, 1e-3);
    o.tolerance = 1e-10;
    World w(s, o);
    run(w, 2);
    std::vector<double> load(10, 0.0);
    for (const Patch& patch : w.problem().patches) {
      for (int i = patch.begin; i < patch.end; ++i) {
        load[patch.tree_b] += w.solution().impulse[i].z / 1e-3;
      }
    }
    for (int i = 0; i < 10; ++i) {
      EXPECT_NEAR(load[i], (10 - i) * g, 1e-5) << to_string(model) << ", interface " << i;
    }
    for (int i = 0; i < 10; ++i) EXPECT_LT(norm(w.body_state(i).linear_velocity), 1e-5);
  }
}

// a box dropped on its edge and a tilted capsule come to rest on faces and lines, with no energy
// won
TEST(Rest, DroppedBodiesComeToRestAndNeverGainEnergy) {
  for (const ContactModel model : models) {
    Scene s;
    add_plane(s);
    add_box(s, 1, {0.1, 0.05, 0.15}, {0, 0, 0.4}, exp_rotation({0.5, 0.3, 0.2}));
    add_body(s, Shape::capsule(0.05, 0.1), 1, {5e-3, 5e-3, 1.5e-3}, {0.6, 0, 0.4},
             exp_rotation({0.9, 0, 0}));
    add_body(s, Shape::cylinder(0.08, 0.05), 1, {3e-3, 3e-3, 3.2e-3}, {-0.6, 0, 0.4},
             exp_rotation({0.4, 0.3, 0}));
    set_friction(s, 0.5);
    World w(s, options(model, 1e-3));
    double energy = w.kinetic_energy() + w.potential_energy();
    const double start = energy;
    for (int i = 0; i < 4000; ++i) {
      ASSERT_EQ(w.step().solve.status, SolveStatus::converged);
      const double now = w.kinetic_energy() + w.potential_energy();
      EXPECT_LE(now, start + 1e-3) << to_string(model) << " at " << w.time();
      energy = now;
    }
    EXPECT_LT(norm(w.body_state(0).linear_velocity), 1e-3) << to_string(model);
    EXPECT_LT(norm(w.body_state(2).linear_velocity), 1e-2) << to_string(model);
    EXPECT_NEAR(w.body_state(1).position.z, 0.05, 1e-4) << "the capsule lies";
  }
}

// a free body spins without gaining energy however large the step, and its angular momentum's error
// is of first order
TEST(FreeSpin, NeverGainsEnergy) {
  for (const double dt : {1e-3, 1e-2, 0.1}) {
    Scene s;
    s.gravity = {};
    add_box(s, 1, {0.02, 0.1, 0.3}, {});
    s.bodies[0].angular_velocity = {3, 20, 1};
    World w(s, options(ContactModel::sap, dt));
    double energy = w.kinetic_energy();
    for (int i = 0; i < 1000; ++i) {
      w.step();
      EXPECT_LE(w.kinetic_energy(), energy * (1 + 1e-12));
      energy = w.kinetic_energy();
    }
  }
}

TEST(FreeSpin, AngularMomentumConvergesWithFirstOrder) {
  const auto drift = [](double dt) {
    Scene s;
    s.gravity = {};
    add_box(s, 1, {0.05, 0.1, 0.15}, {});
    s.bodies[0].angular_velocity = {1, 2, 3};
    World w(s, options(ContactModel::sap, dt));
    const auto momentum = [&] {
      const BodyState b = w.body_state(0);
      const Mat3 R = to_matrix(b.orientation);
      return R * (s.bodies[0].inertia * transpose_times(R, b.angular_velocity));
    };
    const Vec3 before = momentum();
    for (int i = 0; i < std::lround(1 / dt); ++i) w.step();
    return norm(momentum() - before) / norm(before);
  };
  const double coarse = drift(1e-3), fine = drift(5e-4);
  EXPECT_LT(coarse, 1e-2);
  EXPECT_NEAR(coarse / fine, 2, 0.1);
}

// what moves less than its margin in a step passes no wall, however thin
TEST(Speculative, AFastSphereDoesNotPassAThinWall) {
  for (const ContactModel model : models) {
    for (const double travel : {0.5, 0.9}) {
      Scene s;
      s.gravity = {};
      add_body(s, Shape::box({1e-4, 1, 1}), 1, {1, 1, 1}, {0.5, 0, 0});
      s.bodies[0].kind = BodyKind::fixed;
      add_sphere(s, 1, 0.05, {0, 0, 0});
      const double way = 0.05 + 2e-3, dt = 1e-2;
      s.bodies[1].linear_velocity = {travel * way / dt, 0, 0};
      World w(s, options(model, dt));
      run(w, 1);
      EXPECT_LT(w.body_state(1).position.x, 0.5) << to_string(model) << ", " << travel;
    }
  }
}

// a pair that stays open changes nothing
TEST(Speculative, OpenPairsChangeNothing) {
  Scene near = clutter(0), far;
  add_plane(far);
  for (Scene* s : {&near, &far}) {
    add_box(*s, 1, {0.05, 0.05, 0.05}, {0, 0, 0.05});
    add_sphere(*s, 1, 0.05, {s == &near ? 0.101 : 5.0, 0, 0.05});
  }
  set_friction(near, 1);
  set_friction(far, 1);
  World a(near, options(ContactModel::lagged, 1e-3)), b(far, options(ContactModel::lagged, 1e-3));
  for (int i = 0; i < 200; ++i) {
    a.step();
    b.step();
    EXPECT_EQ(a.body_state(0).position, b.body_state(0).position);
    EXPECT_EQ(a.body_state(0).linear_velocity, b.body_state(0).linear_velocity);
  }
}

}  // namespace
}  // namespace abut
