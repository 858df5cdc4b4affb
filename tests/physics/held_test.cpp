// What equality constraints and ropes hold: closed forms, rows against differences, no drift.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "abut/io/mjcf.hpp"
#include "abut/sim/world.hpp"

namespace abut {
namespace {

constexpr double g = 9.81;

Scene scene_of(const std::string& inside) {
  return load_mjcf_text("<mujoco><compiler angle='radian'/>" + inside + "</mujoco>", "held.xml");
}

World world_of(const std::string& inside, double dt, ContactModel model = ContactModel::sap) {
  WorldOptions o;
  o.time_step = dt;
  o.model = model;
  return World(scene_of(inside), o);
}

Vec3 point_of(const World& w, int body, const Vec3& x) {
  const BodyState s = w.body_state(body);
  return s.position + to_matrix(s.orientation) * x;
}

/// 1 kg about z, of inertia I about it.
std::string wheel(const std::string& name, double inertia) {
  const std::string i = std::to_string(inertia);
  return "<body name='" + name + "'><joint name='" + name +
         "' axis='0 0 1'/><inertial pos='0 0 0' mass='1' diaginertia='" + i + " " + i + " " + i +
         "'/></body>";
}

/// A ball on a rod of 1 m from the origin: the length between two sites is kept.
const std::string ball_on_a_rod =
    "<worldbody><site name='hook'/><body name='ball' pos='0 0 -1'><freejoint/>"
    "<geom size='0.01' mass='2'/><site name='eye'/></body></worldbody>"
    "<tendon><spatial name='rod'><site site='hook'/><site site='eye'/></spatial></tendon>"
    "<equality><tendon tendon1='rod' polycoef='0 0 0 0 0'/></equality>";

// 2 pi sqrt(L/g) (1 + th0^2/16); the rod gives way by its load over 1e7 N/m
TEST(Distance, SwingsAsAPendulum) {
  for (const double dt : {1e-3, 2e-4}) {
    World w = world_of(ball_on_a_rod, dt);
    const double start = 0.2;
    w.set_body_state(0, {{std::sin(start), 0, -std::cos(start)}, {}, {}, {}});
    double last = 1, first = -1, second = -1, off = 0;
    while (w.time() < 4) {
      ASSERT_EQ(w.step().solve.status, SolveStatus::converged);
      const Vec3 x = w.body_state(0).position;
      off = std::max(off, std::abs(norm(x) - 1));
      if (last > 0 && x.x <= 0) {
        const double crossing = w.time() - dt * x.x / (x.x - last);
        (first < 0 ? first : second) = crossing;
      }
      last = x.x;
    }
    const double period = 2 * std::numbers::pi * std::sqrt(1 / g) * (1 + start * start / 16);
    EXPECT_NEAR(second - first, period, 1e-3 * period);
    EXPECT_LT(off, 1e-5 + 3 * dt * dt) << dt;
  }
}

TEST(Distance, BearsItsLoadAsASpringOf1e7) {
  World w = world_of(ball_on_a_rod, 1e-3);
  for (int i = 0; i < 1000; ++i) w.step();
  EXPECT_NEAR(w.body_state(0).position.z, -1 - 2 * g / 1e7, 1e-9);
}

// slack it flies; where it is taut it loses what it has along the rope, and no more. At smaller
// steps the spring of 1e7 N/m, which then is one, gives some of it back.
TEST(Rope, TakesWhatPointsAlongIt) {
  for (const double dt : {1e-3, 4e-3}) {
    World w = world_of(
        "<option gravity='0 0 0'/><worldbody><site name='hook'/><body name='ball' pos='0 0 0'>"
        "<freejoint/><geom size='0.01' mass='2'/><site name='eye'/></body></worldbody>"
        "<tendon><spatial range='0 1' limited='true'><site site='hook'/><site site='eye'/>"
        "</spatial></tendon>",
        dt);
    w.set_body_state(0, {{0, 0.6, 0}, {}, {2, 0, 0}, {}});  // taut at (0.8, 0.6), after 0.4 s
    while (w.time() < 0.4 - 1.5 * dt) w.step();
    EXPECT_EQ(w.body_state(0).linear_velocity.x, 2);
    while (w.time() < 0.4 + 10 * dt) w.step();
    const BodyState s = w.body_state(0);
    const Vec3 along = (1 / norm(s.position)) * s.position;
    EXPECT_NEAR(dot(s.linear_velocity, along), 0, 0.03 * 1.6);
    EXPECT_NEAR(norm(s.linear_velocity), 2 * 0.6, 3 * dt);  // turned by v h, up to 10 times
    while (w.time() < 2) w.step();                          // round it goes
    EXPECT_NEAR(norm(w.body_state(0).position), 1, 2 * dt * dt);
    EXPECT_NEAR(norm(w.body_state(0).linear_velocity), 1.2, 3 * dt);
  }
}

// q_a = rho q_b: a torque on b moves both, I_b + rho^2 I_a
TEST(Gear, AcrossMechanismsAddsReflectedInertia) {
  const double rho = -3, torque = 0.7;
  for (const ContactModel model : convex_models) {
    World w = world_of("<worldbody>" + wheel("a", 0.2) + wheel("b", 0.5) +
                           "</worldbody><equality><joint joint1='a' joint2='b' "
                           "polycoef='0 -3 0 0 0'/></equality>",
                       1e-3, model);
    w.set_load(1, {}, {0, 0, torque});
    for (int i = 0; i < 1000; ++i) {
      w.step();
      ASSERT_NEAR(w.joint_position(0, 0), rho * w.joint_position(1, 0), 1e-6);
    }
    const double rate = torque / (0.5 + rho * rho * 0.2) * w.time();
    EXPECT_NEAR(w.joint_velocity(1, 0), rate, 1e-5);
    EXPECT_NEAR(w.joint_velocity(0, 0), rho * rate, 1e-5);
    w.set_load(1, {}, {});
    w.set_joint_state(0, {{0}, {0}});
    w.set_joint_state(1, {{0}, {0}});
    for (int i = 0; i < 100; ++i) w.step();
    EXPECT_NEAR(w.joint_position(0, 0) - rho * w.joint_position(1, 0), 0, 1e-8);  // at rest
  }
}

/// Two bodies and an arm, whose poses meet what joins them.
const std::string bodies =
    "<option gravity='0 0 0'/><worldbody>"
    "<body name='a' pos='.02 .01 .1' quat='.8 0 .6 0'><freejoint/>"
    "<geom type='box' size='.1 .2 .3' mass='2'/><site name='s' pos='.1 0 .2'/></body>"
    "<body name='b' pos='0 .9 .2' quat='.6 .8 0 0'><freejoint/>"
    "<geom type='box' size='.1 .1 .3' mass='1'/><site name='t' pos='0 .1 0'/></body>"
    "<body name='arm' pos='2 0 0'><joint name='shoulder' axis='0 1 0'/>"
    "<geom type='capsule' fromto='0 0 0 .4 0 0' size='.03' mass='1'/></body>"
    "<body name='other' pos='3 0 0'><joint name='wrist' axis='0 0 1'/>"
    "<geom type='box' size='.1 .05 .05' mass='1'/></body></worldbody>";

void set_velocities(World& w) {
  BodyState a = w.body_state(0), b = w.body_state(1);
  a.linear_velocity = {0.5, -1, 2}, a.angular_velocity = {1, 2, -1};
  b.linear_velocity = {-1, 0.3, 0.2}, b.angular_velocity = {-0.5, 1, 2};
  w.set_body_state(0, a);
  w.set_body_state(1, b);
  w.set_joint_state(2, {{0.4}, {1.5}});
  w.set_joint_state(3, {{-0.7}, {-2}});
}

/// What rows say the rates of their gaps are at the state's velocity, against the gaps' change in a
/// free flight of 1e-6 s.
template <class Gaps>
void expect_rates(const std::string& constraint, const Gaps& gaps) {
  SCOPED_TRACE(constraint);
  constexpr double h = 1e-6;
  World held = world_of(bodies + constraint, h), flying = world_of(bodies, h);
  set_velocities(held), set_velocities(flying);
  held.attempt(h);
  const ContactProblem& p = held.problem();
  const std::vector<double> before = gaps(flying);
  ASSERT_EQ(p.scalars.size(), std::ssize(before));
  flying.step();
  const std::vector<double> after = gaps(flying);
  for (int i = 0; i < p.scalars.size(); ++i) {
    double rate = 0;
    for (const RowEntry& e : p.scalars.row(i)) {
      rate += e.value * p.velocity[p.trees[e.tree].first_dof + e.dof];
    }
    EXPECT_NEAR((after[i] - before[i]) / h, rate, 3e-5) << i;
    EXPECT_GT(std::abs(rate), 0.05) << i;
  }
}

TEST(Equality, RowsAreTheGradientsOfTheirGaps) {
  expect_rates(
      "<equality><joint joint1='shoulder' joint2='wrist' polycoef='.1 .5 -.4 .2 .3'/></equality>",
      [](const World& w) {
        const double x = w.joint_position(3, 0);
        return std::vector{w.joint_position(2, 0) -
                           (0.1 + x * (0.5 + x * (-0.4 + x * (0.2 + x * 0.3))))};
      });
  expect_rates(
      "<tendon><spatial name='d'><site site='s'/><site site='t'/></spatial></tendon>"
      "<equality><tendon tendon1='d' polycoef='.1 0 0 0 0'/></equality>",
      [](const World& w) {
        return std::vector{norm(point_of(w, 0, {0.1, 0, 0.2}) - point_of(w, 1, {0, 0.1, 0}))};
      });
  const World start = world_of(bodies, 1e-3);
  const Vec3 anchor = point_of(start, 0, {0.3, -0.2, 0.5});
  const Mat3 B = to_matrix(start.body_state(1).orientation);
  const Vec3 in_b = transpose(B) * (anchor - start.body_state(1).position);
  expect_rates("<equality><connect body1='a' body2='b' anchor='.3 -.2 .5'/></equality>",
               [&](const World& w) {
                 const Vec3 d = point_of(w, 0, {0.3, -0.2, 0.5}) - point_of(w, 1, in_b);
                 return std::vector{d.x, d.y, d.z};
               });
  const Mat3 A = to_matrix(start.body_state(0).orientation);
  const Vec3 b_in_a = transpose(A) * (start.body_state(1).position - start.body_state(0).position);
  const Mat3 between = transpose(A) * B;
  expect_rates("<equality><weld body1='a' body2='b'/></equality>", [&](const World& w) {
    const BodyState b = w.body_state(1);
    const Vec3 d = point_of(w, 0, b_in_a) - b.position;  // where the lighter one has its center
    const Mat3 R =
        to_matrix(w.body_state(0).orientation) * between * transpose(to_matrix(b.orientation));
    const double x = (R.col[1].z - R.col[2].y) / 2, y = (R.col[2].x - R.col[0].z) / 2,
                 z = (R.col[0].y - R.col[1].x) / 2;  // a small rotation's vector
    return std::vector{d.x, d.y, d.z, x, y, z};
  });
}

// there is no stabilization by Baumgarte's constants: what is off is off by its load
TEST(Equality, DoesNotDriftIn100000Steps) {
  World w = world_of(
      "<worldbody><site name='hook' pos='4 0 0'/>" + wheel("a", 0.2) + wheel("b", 0.5) +
          "<body name='p' pos='1 0 0'><joint axis='0 1 0'/>"
          "<geom type='capsule' fromto='0 0 0 .4 0 0' size='.03' mass='1'/></body>"
          "<body name='q' pos='1.8 0 0'><freejoint/>"
          "<geom type='capsule' fromto='-.4 0 0 .4 0 0' size='.03' mass='1'/></body>"
          "<body name='r' pos='1.8 .3 0'><freejoint/><geom size='.1' mass='1'/></body>"
          "<body name='bob' pos='4.6 0 -.8'><freejoint/><geom size='.05' mass='2'/>"
          "<site name='eye'/></body></worldbody>"
          "<tendon><spatial name='rod'><site site='hook'/><site site='eye'/></spatial></tendon>"
          "<contact><exclude body1='p' body2='q'/><exclude body1='q' body2='r'/></contact>"
          "<equality><joint joint1='a' joint2='b' polycoef='0 -3 0 0 0'/>"
          "<connect body1='p' body2='q' anchor='.4 0 0'/><weld body1='q' body2='r'/>"
          "<tendon tendon1='rod' polycoef='0 0 0 0 0'/></equality>",
      1e-3);
  w.set_load(1, {}, {0, 0, 0.05});
  const auto most_in = [&](int steps) {
    double most = 0;
    for (int i = 0; i < steps; ++i) {
      EXPECT_EQ(w.step().solve.status, SolveStatus::converged);
      most = std::max(most, w.report().equality.size);
    }
    return most;
  };
  const double first = most_in(20000);  // of a chain that swings on and on, as its loads are
  most_in(60000);
  EXPECT_LE(most_in(20000), 1.5 * first);
  EXPECT_LT(first, 2e-4);
}

}  // namespace
}  // namespace abut
