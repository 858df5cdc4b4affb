// Bodies on surfaces whose force is given by points, from scene files.

#include <gtest/gtest.h>

#include <cmath>

#include "abut/io/scene_file.hpp"
#include "abut/sim/implied_contact.hpp"
#include "abut/sim/pair_kinds.hpp"
#include "abut/sim/world.hpp"

namespace abut {
namespace {

constexpr double g = 9.81;

/// A box of 2 kg on the ground under the law, with more said.
SceneFile box_on_ground(const std::string& world, const std::string& more) {
  return load_scene_text(
      "abut = 1\n[world]\nground = true\n" + world +
          "\n[[body]]\nname = 'box'\nposition = [0, 0, 0.0499]\nmass = 2\n"
          "shape = { type = 'box', half_extents = [0.1, 0.1, 0.05], material = 'felt' }\n"
          "[simulation]\nmodel = 'lagged'\n"
          "law = 'tabulated'\ntime_step = 1e-3\n" +
          more,
      "box.toml");
}

/// How deep its four corners are at rest, each of which bears m g/4 [m].
double depth_at_rest(const SceneFile& file, ContactModel model) {
  WorldOptions options = file.simulation.over({});
  options.model = model;
  options.tolerance = 1e-10;
  World world(file.scene, options);
  StepReport report;
  for (int i = 0; i < 4000; ++i) {
    report = world.step();
    EXPECT_EQ(report.solve.status, SolveStatus::converged);
  }
  EXPECT_LT(world.kinetic_energy(), 1e-12);
  return report.penetration;
}

constexpr ContactModel with_laws[] = {ContactModel::lagged, ContactModel::similar,
                                      ContactModel::anchored};
constexpr char felt[] = "force_table = [[0, 0], [1e-3, 2], [2e-3, 10]]\ndissipation = 20\n";

// 4.905 N: 1 mm + 2.905/8 mm of the table
TEST(TabulatedBox, RestsWhereThePairsTableBearsIt) {
  const SceneFile file = box_on_ground(
      "ground_material = 'floor'", std::string("[material.felt]\n[material.floor]\n[[pair]]\n") +
                                       "materials = ['felt', 'floor']\n" + felt);
  for (const ContactModel model : with_laws) {
    EXPECT_NEAR(depth_at_rest(file, model), 1.363125e-3, 1e-9) << to_string(model);
  }
}

// the felt gives way by 1.363 mm, the floor of 2000 N/m by 4.905/2000 m
TEST(TabulatedBox, DepthsOfTwoSurfacesAddUp) {
  const SceneFile file =
      box_on_ground("ground_material = 'floor'",
                    std::string("[material.floor]\nstiffness = 2000\n[material.felt]\n") + felt);
  EXPECT_NEAR(depth_at_rest(file, ContactModel::lagged), 1.363125e-3 + 4.905 / 2000, 1e-9);
}

TEST(TabulatedBox, TheWorldsTableIsOfPairsWithoutAnother) {
  const std::string table = "force_table = [[0, 0], [1e-3, 5]]";
  const SceneFile file = box_on_ground(table, "[material.felt]\ndissipation = 50\n");
  EXPECT_NEAR(depth_at_rest(file, ContactModel::lagged), 0.981e-3, 1e-9);
  const SceneFile both = box_on_ground(table, std::string("[material.felt]\n") + felt);
  EXPECT_NEAR(depth_at_rest(both, ContactModel::lagged), 1.363125e-3 + 4.905 / 2e7, 1e-9);
}

// what `abut info` says of one contact point that bears all of the weight
TEST(TabulatedBox, ImpliedDepthAndPeriodAreThoseOfTheTable) {
  const SceneFile file =
      box_on_ground("force_table = [[0, 0], [1e-3, 5], [3e-3, 25]]", "[material.felt]\n");
  const auto kinds = find_pair_kinds(file.scene, {});
  ASSERT_EQ(kinds.size(), 1u);
  const ImpliedContact implied =
      implied_contact(kinds[0].material, contact_settings(file.scene, file.simulation.over({})),
                      kinds[0].lightest, kinds[0].heaviest);
  EXPECT_NEAR(implied.depth, 1e-3 + (2 * g - 5) / 1e4, 1e-15);
  EXPECT_NEAR(implied.period, 2 * 3.14159265358979 * std::sqrt(2 / 1e4), 1e-12);
}

// dropped, it never has more energy than at the start
TEST(TabulatedBox, LosesEnergyOnly) {
  for (const ContactModel model : with_laws) {
    for (const double h : {1e-3, 5e-3}) {
      SceneFile file = box_on_ground("", std::string("[material.felt]\n") + felt);
      file.scene.bodies[0].position.z = 0.2;
      file.scene.bodies[0].angular_velocity = {2, 3, 1};
      file.scene.bodies[0].linear_velocity = {0.5, 0, 0};
      WorldOptions options = file.simulation.over({});
      options.model = model, options.time_step = h;
      World world(file.scene, options);
      const double start = world.kinetic_energy() + world.potential_energy();
      for (int i = 0; i < static_cast<int>(2 / h); ++i) {
        EXPECT_EQ(world.step().solve.status, SolveStatus::converged);
        EXPECT_LT(world.kinetic_energy() + world.potential_energy(), start * (1 + 1e-3));
      }
      EXPECT_TRUE(world.warnings().empty());
    }
  }
}

}  // namespace
}  // namespace abut
