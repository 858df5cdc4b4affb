// What friction holds and lets slip, by all that can press; `make grasps` has the whole table.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "abut/io/scene_file.hpp"
#include "support/grasp.hpp"

namespace abut {
namespace {

void expect_coulomb(Press press, ContactModel model) {
  for (const double load : {0.5, 0.9, 1.1}) {
    const Grasp grasp{.press = press, .model = model, .load = load};
    const GraspResult r = run_grasp(grasp);
    SCOPED_TRACE(testing::Message()
                 << to_string(press) << ", " << to_string(model) << ", load " << load);
    if (load < 1) {
      EXPECT_TRUE(holds(grasp, r)) << 1e3 * r.way << " mm, creep " << 1e3 * r.creep << " mm";
    } else {
      EXPECT_TRUE(slips(r)) << r.speed << " m/s, closed form " << r.exact_speed << " m/s";
    }
  }
}

TEST(Grasp, HoldsAndSlipsAsCoulombSaysWhereFrictionKnowsThePressure) {
  for (const Press press : presses) {
    expect_coulomb(press, ContactModel::sap);
    expect_coulomb(press, ContactModel::similar);
  }
}

TEST(Grasp, HoldsAndSlipsUnderLaggedByForcesAndSprings) {
  for (const Press press : {Press::motor, Press::spring}) {
    expect_coulomb(press, ContactModel::lagged);
  }
}

// a servo, a weld, a limit press with impulses of constraints, which friction has to know of
TEST(Grasp, HoldsAndSlipsUnderLaggedByConstraints) {
  for (const Press press : {Press::servo, Press::weld, Press::limit}) {
    expect_coulomb(press, ContactModel::lagged);
  }
}

// it is lifted to 0.23 m
TEST(Grasp, TheGripperHoldsWithAnyFriction) {
  for (const ContactModel model : convex_models) {
    for (const double mu : {0.2, 0.3, 0.4, 0.6, 0.8}) {
      EXPECT_GT(gripper_height(ABUT_EXAMPLES "/gripper.toml", model, mu), 0.229)
          << to_string(model) << ", mu " << mu;
    }
  }
}

// impulses that bear each other leave nothing but their rounding as momentum
TEST(Grasp, AtRestEveryStepConverges) {
  for (const ContactModel model : convex_models) {
    for (const Press press : presses) {
      EXPECT_EQ(run_grasp({.press = press, .model = model, .load = 0}).not_converged, 0)
          << to_string(press) << ", " << to_string(model);
    }
  }
}

// servos press its feet down
TEST(Trot, CoversTheSameWayUnderAllModels) {
  std::vector<double> ways;
  for (const ContactModel model : convex_models) {
    SceneFile f = load_scene_file(ABUT_EXAMPLES "/trot.toml");
    f.simulation.model = model;
    World w(f.scene, f.simulation.over({}));
    const double start = w.body_state(0).position.x;
    while (w.time() < 5 - 0.5 * w.time_step()) {
      update_controls(f.controllers, w);
      ASSERT_EQ(w.step().solve.status, SolveStatus::converged);
    }
    ways.push_back(w.body_state(0).position.x - start);
  }
  const auto [least, most] = std::minmax_element(ways.begin(), ways.end());
  EXPECT_LE(*most, 1.05 * *least) << "sap " << ways[0] << " m, lagged " << ways[1] << " m, similar "
                                  << ways[2] << " m";
}

}  // namespace
}  // namespace abut
