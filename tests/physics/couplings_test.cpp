// Equality constraints and tendons against closed forms.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "abut/io/mjcf.hpp"
#include "abut/sim/world.hpp"

namespace abut {
namespace {

constexpr double g = 9.81, pi = 3.14159265358979323846;

World world_of(const std::string& bodies, const std::string& rest, double dt,
               ContactModel model = ContactModel::sap) {
  WorldOptions o;
  o.time_step = dt;
  o.model = model;
  return World(load_mjcf_text("<mujoco><compiler angle='radian'/><worldbody>" + bodies +
                                  "</worldbody>" + rest + "</mujoco>",
                              "c.xml"),
               o);
}

void run(World& w, double seconds) {
  const auto steps = std::lround(seconds / w.time_step());
  for (long i = 0; i < steps; ++i) ASSERT_EQ(w.step().solve.status, SolveStatus::converged);
}

Vec3 point_of(const World& w, int body, const Vec3& x) {
  const BodyState s = w.body_state(body);
  return s.position + to_matrix(s.orientation) * x;
}

/// A bob of 1 kg at 1 m below a hinge about y.
std::string bob(const std::string& name, double x, const std::string& more = "") {
  return "<body name='" + name + "' pos='" + std::to_string(x) + " 0 0'><joint name='" + name +
         "' axis='0 1 0'/><inertial pos='0 0 -1' mass='1' diaginertia='1e-6 1e-6 1e-6'/>" + more +
         "</body>";
}

// two pendulums and a rod between their bobs: its loop is closed by a connection. It moves sideways
// like the bobs, all of them as one pendulum of 1 m.
TEST(Connect, ClosesTheLoopOfAParallelogram) {
  const std::string rod =
      "<body name='rod' pos='0 0 -1'><joint axis='0 1 0'/>"
      "<inertial pos='0.25 0 0' mass='1' diaginertia='1e-2 1e-2 1e-2'/></body>";
  World w =
      world_of(bob("a", 0, rod) + bob("b", 0.5),
               "<equality><connect body1='rod' body2='b' anchor='0.5 0 0'/></equality>", 1e-3);
  ASSERT_EQ(w.articulated_trees().size(), 2);
  w.set_joint_state(0, {{0.1}, {0}});
  w.set_joint_state(1, {{-0.1}, {0}});
  w.set_joint_state(2, {{0.1}, {0}});
  double last = 0.1, crossing = -1;
  for (int i = 0; i < 4000; ++i) {
    ASSERT_EQ(w.step().solve.status, SolveStatus::converged);
    const double now = w.joint_state(2).positions[0];
    if (last < 0 && now >= 0 && crossing < 0) crossing = w.time();
    last = now;
    EXPECT_NEAR(w.joint_state(0).positions[0], now, 1e-4);
    EXPECT_LT(norm(point_of(w, 1, {0.5, 0, 0}) - point_of(w, 2, {0, 0, -1})), 1e-4);
  }
  EXPECT_NEAR(crossing, 0.75 * 2 * pi * std::sqrt(1 / g) * (1 + 0.01 / 16), 5e-3);
}

/// A straight chain of free links of 0.1 m and 0.5 kg from the origin on, its first one held there.
std::string chain_of(int links, const std::string& direction, const std::string& more = "") {
  std::string bodies, connections;
  for (int i = 0; i < links; ++i) {
    const std::string name = "b" + std::to_string(i);
    bodies += "<frame " + direction + "><body name='" + name + "' pos='" +
              std::to_string(0.1 * i + 0.05) +
              " 0 0'><freejoint/><inertial pos='0 0 0' mass='0.5' diaginertia='1e-4 5e-4 5e-4'/>"
              "</body></frame>";
    connections += "<connect body1='" + name + "'" +
                   (i > 0 ? " body2='b" + std::to_string(i - 1) + "'" : "") +
                   " anchor='-0.05 0 0'/>";
  }
  return "<mujoco><worldbody>" + bodies + "</worldbody><equality>" + connections + "</equality>" +
         more + "</mujoco>";
}

// as many trees as links, and each connection bears what hangs on it
TEST(Connect, BearsAChainOfFreeBodies) {
  constexpr int links = 60;
  Scene scene = load_mjcf_text(chain_of(links, "euler='0 90 0'"), "chain.xml");
  World w(std::move(scene));
  run(w, 1);  // its springs have swung out
  EXPECT_EQ(w.articulated_trees().size(), 0);
  const ScalarPool& s = w.problem().scalars;
  ASSERT_EQ(s.size(), 3 * links);
  for (int i = 0; i < links; ++i) {
    const double lifts = w.solution().scalar_impulse[3 * i + 2] / w.time_step();
    const double weight = 0.5 * g * (links - i);
    EXPECT_NEAR(lifts, weight, 1e-3 * weight) << "link " << i;
  }
  EXPECT_LT(norm(point_of(w, links - 1, {0.05, 0, 0}) - Vec3{0, 0, -0.1 * links}), 0.02);
}

// a chain of free bodies swings as the same chain made of joints
TEST(Connect, SwingsAsJointsDo) {
  constexpr int links = 6;
  World free(load_mjcf_text(chain_of(links, "euler='0 0 0'"), "chain.xml"), {.time_step = 1e-4});
  std::string tree = "<mujoco><worldbody>";
  for (int i = 0; i < links; ++i) {
    tree += "<body pos='" + std::to_string(i > 0 ? 0.1 : 0.05) +
            " 0 0'><joint type='ball' pos='-0.05 0 0'/>"
            "<inertial pos='0 0 0' mass='0.5' diaginertia='1e-4 5e-4 5e-4'/>";
  }
  for (int i = 0; i < links; ++i) tree += "</body>";
  World joints(load_mjcf_text(tree + "</worldbody></mujoco>", "tree.xml"), {.time_step = 1e-4});
  run(free, 0.5);
  run(joints, 0.5);
  for (int i = 0; i < links; ++i) {
    const Vec3 apart = free.body_state(i).position - joints.body_state(i).position;
    EXPECT_LT(norm(apart), 2e-3) << "link " << i;
    EXPECT_GT(norm(free.body_state(i).position - Vec3{0.1 * i + 0.05, 0, 0}), 0.04);
  }
}

// a tendon, and an actuator, along joints of two mechanisms
TEST(Tendon, PullsAtTwoMechanisms) {
  World w = world_of(bob("a", 0) + bob("b", 0.5),
                     "<tendon><fixed name='t'><joint joint='a' coef='1'/>"
                     "<joint joint='b' coef='-2'/></fixed></tendon>"
                     "<actuator><motor tendon='t' gear='3'/></actuator>",
                     1e-3);
  EXPECT_EQ(w.articulated_trees().size(), 2);
  w.set_control(0, 0.1);
  run(w, 0.01);  // from rest, with moments 0.3 and -0.6 N m on 1 kg m^2
  EXPECT_NEAR(w.joint_state(0).velocities[0], 0.3 * 0.01, 1e-5);
  EXPECT_NEAR(w.joint_state(1).velocities[0], -0.6 * 0.01, 1e-5);
  EXPECT_NEAR(w.actuator_state(0).velocity, 3 * (0.3 + 1.2) * 0.01, 1e-4);
}

// two bodies that fly and spin keep their relation, and momentum
TEST(Weld, HoldsTwoFreeBodiesTogether) {
  World w = world_of(
      "<body name='a'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='1'/></body>"
      "<body name='b' pos='0.4 0 0' euler='0 0 0.3'><freejoint/>"
      "<geom type='box' size='0.1 0.2 0.1' mass='2'/></body>",
      "<option gravity='0 0 0'/><equality><weld body1='a' body2='b'/></equality>", 1e-3);
  w.set_body_state(0, {{}, {}, {0.3, 0, 0.1}, {1, 2, 3}});
  const auto momentum = [&] {
    return w.body_state(0).linear_velocity + 2 * w.body_state(1).linear_velocity;
  };
  const Vec3 before = momentum();
  run(w, 2);
  EXPECT_LT(norm(momentum() - before), 1e-6);
  const BodyState a = w.body_state(0), b = w.body_state(1);
  const Mat3 A = to_matrix(a.orientation), B = to_matrix(b.orientation);
  EXPECT_LT(norm(transpose_times(A, b.position - a.position) - Vec3{0.4, 0, 0}), 1e-4);
  EXPECT_LT(norm(transpose_times(A, B).col[0] - Vec3{std::cos(0.3), std::sin(0.3), 0}), 1e-4);
  EXPECT_LT(norm(a.angular_velocity - b.angular_velocity), 1e-3);
  EXPECT_GT(norm(a.angular_velocity), 0.1);
}

// a weld to the world bears weight and moment
TEST(Weld, ToTheWorldHoldsABodyAtItsSide) {
  for (const double dt : {1e-3, 1e-2}) {
    World w = world_of(
        "<body name='a' pos='1 2 3'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='5' "
        "pos='0.5 0 0'/></body>",
        "<equality><weld body1='a'/></equality>", dt);
    run(w, 1);
    EXPECT_LT(norm(w.body_state(0).position - Vec3{1, 2, 3}), 1e-3);
    EXPECT_LT(norm(point_of(w, 0, {1, 0, 0}) - Vec3{2, 2, 3}), 3e-3);
    EXPECT_LT(norm(w.body_state(0).linear_velocity), 1e-5);
  }
}

// of two boxes welded together the one that is welded to the world bears m g L of the other
TEST(Weld, BearsTheMomentOfWhatHangsAtItsSide) {
  constexpr double length = 0.7, h = 1e-3;
  World w = world_of(
      "<body name='a'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='1'/></body>"
      "<body name='b' pos='0.7 0 0'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='2'/>"
      "</body>",
      "<equality><weld body1='a'/><weld body1='a' body2='b'/></equality>", h);
  run(w, 2);
  const ContactProblem& p = w.problem();
  double load[6] = {};  // force and moment on a, of rows that name no other body [N], [N m]
  for (int i = 0; i < p.scalars.size(); ++i) {
    const auto row = p.scalars.row(i);
    if (std::any_of(row.begin(), row.end(), [](const RowEntry& e) { return e.tree != 0; }))
      continue;
    for (const RowEntry& e : row) load[e.dof] += e.value * w.solution().scalar_impulse[i] / h;
  }
  const double expected[6] = {0, 0, 3 * g, 0, -2 * g * length, 0};
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(load[k], expected[k], 1e-5 * 3 * g) << k;
}

TEST(JointEquality, KeepsAPolynomial) {
  World w = world_of(bob("a", 0) + bob("b", 0.5),
                     "<equality><joint joint1='a' joint2='b' polycoef='0.2 0.5 -0.4 0 0'/>"
                     "</equality>",
                     1e-3);
  w.set_joint_state(0, {{0.2}, {0}});
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(w.step().solve.status, SolveStatus::converged);
    const double b = w.joint_state(1).positions[0];
    EXPECT_NEAR(w.joint_state(0).positions[0], 0.2 + 0.5 * b - 0.4 * b * b, 1e-4);
  }
  EXPECT_GT(std::abs(w.joint_state(1).velocities[0]), 1e-3);
}

TEST(JointEquality, AloneHoldsAJoint) {
  World w = world_of(bob("a", 0), "<equality><joint joint1='a' polycoef='0.7 0 0 0 0'/></equality>",
                     1e-3);
  run(w, 9);  // it comes from 0 at 0.1 rad/s
  EXPECT_NEAR(w.joint_state(0).positions[0], 0.7, 1e-4);
}

TEST(TendonEquality, CouplesTwoSums) {
  World w = world_of(
      bob("a", 0) + bob("b", 0.5),
      "<tendon><fixed name='s'><joint joint='a' coef='1'/><joint joint='b' coef='2'/></fixed>"
      "<fixed name='d'><joint joint='b' coef='1'/></fixed></tendon>"
      "<equality><tendon tendon1='s' tendon2='d' polycoef='0 3.5 0 0 0'/></equality>",
      1e-3);
  w.set_joint_state(0, {{0.3}, {0}});
  w.set_joint_state(1, {{0.2}, {0}});
  run(w, 1);  // a + 2 b = 3.5 b
  EXPECT_NEAR(w.joint_state(0).positions[0], 1.5 * w.joint_state(1).positions[0], 1e-4);
  EXPECT_GT(std::abs(w.joint_state(0).velocities[0]), 1e-3);
}

const std::string weight =
    "<site name='hook'/><body name='ball' pos='0.3 0 -0.2'><freejoint/>"
    "<geom size='0.05' mass='2'/><site name='eye' pos='0 0 0.05'/></body>";
const std::string string_to_eye = "<site site='hook'/><site site='eye'/></spatial></tendon>";

// a string goes slack, and taut
TEST(Tendon, IsNoLongerThanItsLimit) {
  World w = world_of(weight, "<tendon><spatial range='0 1' limited='true'>" + string_to_eye, 1e-3);
  double most = 0, least = 9;
  for (int i = 0; i < 8000; ++i) {
    ASSERT_EQ(w.step().solve.status, SolveStatus::converged);
    const double length = norm(point_of(w, 0, {0, 0, 0.05}));
    most = std::max(most, length), least = std::min(least, length);
  }
  EXPECT_LT(most, 1.005);
  EXPECT_LT(least, 0.4);
}

TEST(Tendon, HangsByItsSpring) {
  World w = world_of(
      weight, "<tendon><spatial stiffness='500' damping='40' springlength='0.5'>" + string_to_eye,
      1e-3);
  w.set_body_state(0, {{0, 0, -0.6}, {}, {}, {}});
  run(w, 4);
  EXPECT_NEAR(point_of(w, 0, {0, 0, 0.05}).z, -(0.5 + 2 * g / 500), 1e-4);
}

TEST(Tendon, SpringKeepsEnergy) {
  World w = world_of(weight, "<tendon><spatial stiffness='500' springlength='0.5'>" + string_to_eye,
                     1e-5);
  w.set_body_state(0, {{0.2, 0, -0.6}, {}, {}, {}});
  const double before = w.kinetic_energy() + w.potential_energy();
  run(w, 0.2);
  EXPECT_NEAR(w.kinetic_energy() + w.potential_energy(), before, 2e-3);
}

// of the pose at hand, whatever set it: also where a body was turned
TEST(Tendon, EnergyIsThatOfThePose) {
  World w = world_of(
      "<site name='hook'/><body name='box' pos='0 0 -1'><freejoint/>"
      "<geom type='box' size='0.1 0.1 0.1' mass='1'/><site name='eye' pos='0.3 0 0'/></body>",
      "<option gravity='0 0 0'/><tendon><spatial stiffness='100'>" + string_to_eye, 1e-3);
  const auto expect_spring_energy = [&] {
    const double rest = norm(Vec3{0.3, 0, -1});  // its length when the scene was read
    const double stretch = norm(point_of(w, 0, {0.3, 0, 0})) - rest;
    EXPECT_NEAR(w.potential_energy(), 50 * stretch * stretch, 1e-9);
  };
  w.set_body_state(0, {{0, 0, -1.2}, {std::cos(0.5), 0, std::sin(0.5), 0}, {}, {0, 20, 0}});
  expect_spring_energy();
  for (int i = 0; i < 5; ++i) {
    w.step();
    expect_spring_energy();
  }
  EXPECT_GT(w.potential_energy(), 1e-3);
  const std::unique_ptr<World> copy = w.clone();
  EXPECT_EQ(copy->potential_energy(), w.potential_energy());
}

// dL/dt = row v, with L measured from the bodies' poses
TEST(Tendon, ItsRowIsTheGradientOfItsLength) {
  const std::string bodies =
      "<site name='w' pos='0.3 0.2 1'/>"
      "<body name='a'><joint type='ball'/><geom size='0.1' pos='0.1 0 0.3'/>"
      "<site name='s' pos='0.1 0.2 0.3'/>"
      "<body name='b' pos='0 0 0.5'><joint axis='1 1 0'/><geom size='0.1' pos='0 0 0.4'/>"
      "<site name='t' pos='0.2 0 0.5'/></body></body>"
      "<body name='c' pos='1 0 0'><freejoint/><geom size='0.1'/><site name='u' pos='0 0.1 0'/>"
      "</body>";
  World w = world_of(bodies,
                     "<tendon><spatial frictionloss='1e-9'><site site='w'/><site site='s'/>"
                     "<site site='t'/><site site='u'/></spatial></tendon>",
                     1e-7);
  w.set_joint_state(0, {{0.9, 0.1, 0.3, 0.3}, {1, -2, 0.5}});
  w.set_joint_state(1, {{0.4}, {1.5}});
  w.set_body_state(2, {{1, 0.2, 0.1}, {0.8, 0, 0.6, 0}, {0.3, 0.7, -1}, {2, 1, -1}});
  const auto length = [&] {
    const Vec3 x[] = {{0.3, 0.2, 1},
                      point_of(w, 0, {0.1, 0.2, 0.3}),
                      point_of(w, 1, {0.2, 0, 0.5}),
                      point_of(w, 2, {0, 0.1, 0})};
    return norm(x[1] - x[0]) + norm(x[2] - x[1]) + norm(x[3] - x[2]);
  };
  const double before = length();
  w.step();
  const ContactProblem& p = w.problem();
  ASSERT_EQ(p.scalars.size(), 1);
  double rate = 0;
  for (const RowEntry& e : p.scalars.row(0)) {
    rate += e.value * w.solution().velocity[p.trees[e.tree].first_dof + e.dof];
  }
  EXPECT_NEAR((length() - before) / 1e-7, rate, 1e-5);
  EXPECT_GT(std::abs(rate), 0.1);
}

}  // namespace
}  // namespace abut
