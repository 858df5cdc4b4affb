#include "abut/sim/pair_kinds.hpp"

#include <gtest/gtest.h>

#include "support/scenes.hpp"

namespace abut {
namespace {

std::vector<double> frictions(const Scene& s) {
  std::vector<double> list;
  for (const PairKind& kind : find_pair_kinds(s, {})) list.push_back(kind.material.friction);
  return list;
}

/// A floor of friction 0.9 and boxes of 0.3.
Scene floor_and_boxes(int boxes) {
  Scene s;
  s.friction_rule = FrictionRule::maximum;
  add_plane(s);
  s.geoms[0].material.friction = 0.9;
  for (int i = 0; i < boxes; ++i) {
    const int body = add_box(s, 1 + i, {0.1, 0.1, 0.1}, {});
    s.geoms.back().material.friction = 0.3;
    s.bodies[body].name = std::string(1, static_cast<char>('a' + i));
  }
  return s;
}

TEST(PairKinds, OfOneBoxIsTheFloor) {
  EXPECT_EQ(frictions(floor_and_boxes(1)), std::vector{0.9});
}

TEST(PairKinds, OfTwoBoxesAreTheFloorAndEachOther) {
  EXPECT_EQ(frictions(floor_and_boxes(2)), (std::vector{0.3, 0.9}));
}

TEST(PairKinds, AFixedBodyDoesNotHideTheFreeOnesOfItsMaterial) {
  for (const int fixed : {0, 1, 2}) {
    Scene s = floor_and_boxes(3);
    s.bodies[fixed].kind = BodyKind::fixed;
    EXPECT_EQ(frictions(s), (std::vector{0.3, 0.9})) << fixed;
  }
}

TEST(PairKinds, FixedBodiesTouchNothingFixed) {
  Scene s = floor_and_boxes(2);
  for (SceneBody& body : s.bodies) body.kind = BodyKind::fixed;
  EXPECT_TRUE(frictions(s).empty());
}

TEST(PairKinds, ExcludedBodiesHaveNone) {
  Scene s = floor_and_boxes(2);
  s.excluded_bodies = {{1, 0}};
  EXPECT_EQ(frictions(s), std::vector{0.9});
  s.excluded_bodies = {{0, world_body}, {1, world_body}};
  EXPECT_EQ(frictions(s), std::vector{0.3});
}

TEST(PairKinds, MassesAreOfTheBodiesThatMayTouch) {
  Scene s = floor_and_boxes(3);
  s.excluded_bodies = {{2, world_body}};  // the one of 3 kg
  const std::vector<PairKind> kinds = find_pair_kinds(s, {});
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0].lightest, 1);
  EXPECT_EQ(kinds[0].heaviest, 3);
  EXPECT_EQ(kinds[1].lightest, 1);
  EXPECT_EQ(kinds[1].heaviest, 2);
}

TEST(PairKinds, MasksKeepApart) {
  Scene s = floor_and_boxes(2);
  for (int g : {1, 2}) {
    s.geoms[g].contact_affinity = 2;
    s.geoms[g].contact_type = 1;
  }
  EXPECT_EQ(frictions(s), std::vector{0.9});
}

}  // namespace
}  // namespace abut
