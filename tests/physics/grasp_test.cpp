// What friction holds and lets slip, by all that can press; `make grasps` has the whole table.

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace abut
