// Friction that depends on the direction, between bodies: on slopes, obliquely, turned, combined.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "abut/sim/world.hpp"
#include "support/model_case.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

constexpr double g = 9.81, along = 0.6, across = 0.2;
constexpr double pi = std::numbers::pi;

WorldOptions options(ContactModel model, double time_step) {
  WorldOptions o;
  o.model = model;
  o.time_step = time_step;
  o.tolerance = 1e-9;
  return o;
}

/// A box on the ground, the axis of whose surface is turned by `turn` about z; the other surface is
/// without friction, and of less priority.
Scene box_on_ground(double turn, bool on_box = false) {
  Scene s;
  add_plane(s);
  s.geoms[0].pose = {};
  add_box(s, 1, {0.1, 0.1, 0.02}, {0, 0, 0.02});
  SceneGeom& rough = s.geoms[on_box ? 1 : 0];
  rough.material.friction = along;
  rough.material.cross_friction = across;
  rough.friction_axis = {std::cos(turn), std::sin(turn), 0};
  rough.friction_priority = 1;
  s.geoms[on_box ? 0 : 1].material.friction = 0;
  return s;
}

void run(World& w, double seconds) {
  for (int i = 0; i < std::lround(seconds / w.time_step()); ++i) {
    ASSERT_EQ(w.step().solve.status, SolveStatus::converged);
  }
}

Vec3 velocity(const World& w) {
  return w.body_state(0).linear_velocity;
}

// g (sin - mu cos) along each axis
TEST(Ellipse, SlidesDownASlopeByTheCoefficientAlongIt) {
  const double slope = 0.7;
  for (const ContactModel model : convex_models) {
    for (const bool on_box : {false, true}) {
      for (const double turn : {0.0, 0.5 * pi}) {
        SCOPED_TRACE(testing::Message() << to_string(model) << ", " << on_box << ", " << turn);
        Scene s = box_on_ground(turn, on_box);
        s.gravity = {g * std::sin(slope), 0, -g * std::cos(slope)};
        World w(s, options(model, 1e-3));
        run(w, 0.2);
        const Vec3 before = velocity(w);
        run(w, 0.3);
        const double mu = turn == 0 ? along : across;
        const double a = g * (std::sin(slope) - mu * std::cos(slope));
        EXPECT_NEAR((velocity(w) - before).x, 0.3 * a, 2e-3 * g * 0.3);
        EXPECT_NEAR(velocity(w).y, 0, 1e-6);
      }
    }
  }
}

// dv/dt = -g M^2 v / |M v|: it turns towards the axis of less friction
TEST(Ellipse, CurvesTheWayOfWhatSlidesObliquely) {
  const double turn = 0.3, m1 = along * along, m2 = across * across;
  const Vec3 t{std::cos(turn), std::sin(turn), 0}, s{-t.y, t.x, 0};
  const auto rate = [&](const Vec3& v) {
    const double a = dot(t, v), b = dot(s, v), power = std::sqrt(m1 * a * a + m2 * b * b);
    return -g / power * (m1 * a * t + m2 * b * s);
  };
  Vec3 v{1, 1, 0}, x{};
  const double h = 1e-4;
  for (int i = 0; i < 2500; ++i) {
    const Vec3 a = rate(v), b = rate(v + 0.5 * h * a), c = rate(v + 0.5 * h * b),
               d = rate(v + h * c);
    x += h * v + h * h / 6 * (a + b + c);
    v += h / 6 * (a + 2 * b + 2 * c + d);
  }
  EXPECT_GT(std::abs(std::atan2(v.y, v.x) - pi / 4), 0.2) << "it turns";
  for (const ContactModel model : {ContactModel::lagged, ContactModel::anchored}) {
    for (const bool on_box : {false, true}) {
      Scene scene = box_on_ground(turn, on_box);
      scene.bodies[0].linear_velocity = {1, 1, 0};
      World w(scene, options(model, 1e-4));
      run(w, 0.25);
      EXPECT_LT(norm(velocity(w) - v), 2e-3) << to_string(model);
      const Vec3 p = w.body_state(0).position;
      EXPECT_LT(norm(Vec3{p.x, p.y, 0} - x), 1e-3) << to_string(model);
    }
  }
}

// the largest load along d that holds: 1/sqrt((d_t/mu)^2 + (d_s/mu_c)^2) times the weight
TEST(Ellipse, HoldsWithinAndSlipsOutside) {
  for (const ContactModel model : convex_models) {
    for (const double way : {0.0, 0.4, 0.9, 1.4, 0.5 * pi, 2.5}) {
      const double turn = 0.25;
      const double limit =
          g / std::hypot(std::cos(way - turn) / along, std::sin(way - turn) / across);
      for (const double load : {0.93, 1.07}) {
        SCOPED_TRACE(testing::Message() << to_string(model) << ", " << way << ", " << load);
        World w(box_on_ground(turn), options(model, 1e-3));
        run(w, 0.1);
        w.set_load(0, load * limit * Vec3{std::cos(way), std::sin(way), 0}, {});
        run(w, 0.5);
        const double speed = norm(velocity(w));
        if (load > 1) {
          EXPECT_GT(speed, 0.02);
        } else {
          EXPECT_LT(speed, model == ContactModel::anchored ? 1e-6 : 2e-3);
        }
      }
    }
  }
}

// a skate lets go along its blade, and holds across it, whichever way it stands
TEST(Ellipse, TurnsWithTheBody) {
  for (const double yaw : {0.0, 0.5 * pi, 0.8}) {
    Scene s = box_on_ground(0.5 * pi, true);  // little friction along the box's x
    s.geoms[1].material.cross_friction = 0.01;
    s.bodies[0].orientation = exp_rotation({0, 0, yaw});
    World w(s, options(ContactModel::anchored, 1e-3));
    run(w, 0.1);
    const Vec3 blade{std::cos(yaw), std::sin(yaw), 0}, side{-blade.y, blade.x, 0};
    w.set_load(0, 0.3 * g * blade, {});
    run(w, 0.2);
    EXPECT_NEAR(dot(blade, velocity(w)), 0.29 * g * 0.2, 0.01 * g * 0.2) << yaw;
    EXPECT_NEAR(dot(side, velocity(w)), 0, 1e-4) << yaw;
    w.set_load(0, {}, {});
    w.set_body_state(0, {{0, 0, 0.02}, exp_rotation({0, 0, yaw}), {}, {}});
    run(w, 0.1);
    w.set_load(0, 0.3 * g * side, {});
    run(w, 0.2);
    EXPECT_LT(norm(velocity(w)), 1e-5) << yaw;
  }
}

// the axis of a pair's coefficients is that of the geom it names first, whichever is searched first
TEST(Ellipse, OfAPairIsAlongTheAxisOfTheGeomItNamesFirst) {
  for (const bool box_first : {false, true}) {
    Scene s = box_on_ground(0);
    s.geoms[0].friction_axis = {1, 0, 0}, s.geoms[1].friction_axis = {0, 1, 0};
    ScenePair pair;
    pair.geom_a = box_first ? 1 : 0, pair.geom_b = box_first ? 0 : 1;
    pair.material.friction = along, pair.material.cross_friction = across;
    s.pairs.push_back(pair);
    s.bodies[0].linear_velocity = {1, 0, 0};
    World w(s, options(ContactModel::lagged, 1e-3));
    run(w, 0.1);
    EXPECT_NEAR(velocity(w).x, 1 - 0.1 * g * (box_first ? across : along), 0.02 * g * 0.1);
  }
}

// the same in all directions, said otherwise: to the last bit
TEST(Ellipse, OfACircleIsFrictionAsEver) {
  Scene plain = clutter(12), said = plain;
  for (SceneGeom& geom : said.geoms) {
    geom.material.cross_friction = geom.material.friction;
    geom.friction_axis = {0, 0.6, 0.8};
  }
  for (const ContactModel model : convex_models) {
    World a(plain, options(model, 2e-3)), b(said, options(model, 2e-3));
    for (int i = 0; i < 100; ++i) a.step(), b.step();
    EXPECT_EQ(a.state_hash(), b.state_hash()) << to_string(model);
  }
}

// a heap of things that all have axes: every step converges, none gains energy
TEST(Ellipse, AHeapConverges) {
  Scene s = clutter(20);
  for (std::size_t k = 0; k < s.geoms.size(); ++k) {
    s.geoms[k].material.friction = 0.3 + 0.05 * static_cast<double>(k % 10);
    s.geoms[k].material.cross_friction = 0.08 * static_cast<double>((k + 3) % 7);
    const Vec3 axis{std::sin(static_cast<double>(k)), std::cos(2 * static_cast<double>(k)), 0.5};
    s.geoms[k].friction_axis = axis / norm(axis);
  }
  for (const ContactModel model : convex_models) {
    World w(s, options(model, 2e-3));
    int contacts = 0, failed = 0;
    for (int i = 0; i < 400; ++i) {
      const StepReport& r = w.step();
      contacts += r.contacts;
      failed += r.solve.status != SolveStatus::converged;
    }
    EXPECT_EQ(failed, 0) << to_string(model);
    EXPECT_TRUE(w.warnings().empty()) << describe(s, w.warnings().front());
    EXPECT_GT(contacts, 4000);
  }
}

}  // namespace
}  // namespace abut
