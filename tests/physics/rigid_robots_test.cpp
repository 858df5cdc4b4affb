// Rigid models with mechanisms: robots at several steps; every kind of constraint, by two solvers
// each; units of mass.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "abut/io/mjcf.hpp"
#include "abut/sim/world.hpp"
#include "support/every_kind.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

WorldOptions rigid(ContactModel model, double time_step, double tolerance) {
  WorldOptions o;
  o.model = model;
  o.time_step = time_step;
  o.tolerance = tolerance;
  return o;
}

/// The largest distance between bodies of two worlds.
double distance(const World& a, const World& b) {
  double most = 0;
  for (int i = 0; i < std::ssize(a.scene().bodies); ++i) {
    if (a.scene().bodies[i].kind == BodyKind::fixed) continue;
    most = std::max(most, norm(a.body_state(i).position - b.body_state(i).position));
  }
  return most;
}

struct RobotCase {
  const char* name;
  ContactModel model;
};

class RigidRobots : public testing::TestWithParam<RobotCase> {};

// light links below heavy ones: an error that is small in energy may be large in momentum
TEST_P(RigidRobots, EveryStepConverges) {
  const auto [name, model] = GetParam();
  const Scene scene = load_mjcf(std::string(ABUT_SCENES) + "/" + name + ".xml");
  for (const double h : {5e-4, 2e-3, 1e-2}) {
    SCOPED_TRACE(h);
    World w(scene, rigid(model, h, 1e-6));
    w.set_keyframe(0);
    int contacts = 0;
    for (int i = 0; i < 200; ++i) {
      ASSERT_EQ(w.step().solve.status, SolveStatus::converged) << "step " << i;
      ASSERT_LE(w.report().solve.certificate.step_error, 1e-6);
      contacts += w.report().contacts;
    }
    EXPECT_GT(contacts, 100);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, RigidRobots,
    testing::Values(RobotCase{"solo12", ContactModel::ncp}, RobotCase{"talos", ContactModel::ncp},
                    RobotCase{"allegro", ContactModel::ncp}, RobotCase{"solo12", ContactModel::ccp},
                    RobotCase{"talos", ContactModel::ccp}, RobotCase{"allegro", ContactModel::ccp},
                    RobotCase{"solo12", ContactModel::lcp}, RobotCase{"talos", ContactModel::lcp},
                    RobotCase{"allegro", ContactModel::lcp}),
    [](const auto& info) {
      return std::string(info.param.name) + "_" + std::string(to_string(info.param.model));
    });

// connect, weld, joint and tendon equalities, limits, dry friction, tendons, servos, belts
TEST(RigidCrossing, TwoSolversOfAModelMoveEveryKindOfConstraintAlike) {
  struct Pair {
    ContactModel model;
    const char *first, *second;
  };
  for (const auto& [model, first, second] :
       {Pair{ContactModel::ncp, "interior-point", "admm"},
        Pair{ContactModel::ncp, "interior-point", "staggered"},
        Pair{ContactModel::ccp, "conic-interior-point", "admm"},
        Pair{ContactModel::lcp, "dantzig", "lemke"}}) {
    SCOPED_TRACE(std::string(first) + ", " + second);
    WorldOptions o = rigid(model, 2e-3, 1e-6);
    o.solver = first;
    World a(scene_of_every_kind(), o);
    o.solver = second;
    World b(scene_of_every_kind(), o);
    int contacts = 0;
    for (int i = 0; i < 30; ++i) {
      ASSERT_EQ(a.step().solve.status, SolveStatus::converged) << "step " << i;
      ASSERT_EQ(b.step().solve.status, SolveStatus::converged) << "step " << i;
      contacts += a.report().contacts;
    }
    EXPECT_GT(contacts, 30);
    EXPECT_LE(distance(a, b), 1e-6);
  }
}

// with gravity that differs in its last digits: each solver's own measure may be met where the
// certificate's is not yet, and then it is asked for more
TEST(RigidCrossing, LastDigitsOfASceneDecideNoStatus) {
  for (const auto& [model, solver] : {std::pair{ContactModel::ncp, "staggered"},
                                      {ContactModel::ncp, "admm"},
                                      {ContactModel::ccp, "admm"}}) {
    WorldOptions o = rigid(model, 2e-3, 1e-6);
    o.solver = solver;
    for (int k = 0; k < 12; ++k) {
      Scene scene = scene_of_every_kind();
      scene.gravity *= 1 + 1e-12 * k;
      World w(std::move(scene), o);
      for (int i = 0; i < 30; ++i) {
        ASSERT_EQ(w.step().solve.status, SolveStatus::converged)
            << solver << ", " << k << ", step " << i;
      }
    }
  }
}

/// Boxes and a sphere that fall on each other while they slide and turn.
Scene heap(double unit_of_mass) {
  Scene s;
  add_plane(s);
  for (int i = 0; i < 5; ++i) {
    const Vec3 position{0.05 * (i % 3), 0.04 * (i % 2), 0.12 + 0.21 * i};
    const double mass = unit_of_mass * (1 + i);
    const int b = i == 2 ? add_sphere(s, mass, 0.1, position)
                         : add_box(s, mass, {0.1, 0.08, 0.1}, position,
                                   exp_rotation({0.1 * i, 0.05, 0.2 - 0.1 * i}));
    s.bodies[b].linear_velocity = {1, 0.5, -1};
    s.bodies[b].angular_velocity = {1, 2, 0.5 * i};
  }
  set_friction(s, 0.6);
  return s;
}

TEST(RigidCrossing, MotionDoesNotDependOnTheMaterialsStiffness) {
  for (const ContactModel model : {ContactModel::ncp, ContactModel::ccp, ContactModel::lcp}) {
    SCOPED_TRACE(to_string(model));
    WorldOptions o = rigid(model, 5e-3, 1e-6);
    World a(heap(1), o);
    o.pair.stiffness = 1e3;
    World b(heap(1), o);
    for (int i = 0; i < 60; ++i) a.step(), b.step();
    EXPECT_EQ(distance(a, b), 0);
  }
}

// a rigid contact knows no force but those of its masses
TEST(RigidCrossing, MotionDoesNotDependOnTheUnitOfMass) {
  for (const ContactModel model : {ContactModel::ncp, ContactModel::ccp, ContactModel::lcp}) {
    for (const double unit : {0x1p-10, 0x1p20}) {
      SCOPED_TRACE(testing::Message() << to_string(model) << ", " << unit);
      const WorldOptions o = rigid(model, 5e-3, 1e-10);
      World a(heap(1), o), b(heap(unit), o);
      int contacts = 0;
      for (int i = 0; i < 60; ++i) {
        ASSERT_EQ(a.step().solve.status, SolveStatus::converged) << "step " << i;
        ASSERT_EQ(b.step().solve.status, SolveStatus::converged) << "step " << i;
        contacts += a.report().contacts;
      }
      EXPECT_GT(contacts, 100);
      EXPECT_LE(distance(a, b), 1e-8);
    }
  }
}

}  // namespace
}  // namespace abut
