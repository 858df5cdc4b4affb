#include <cmath>

#include "abut/sim/contact_material.hpp"
#include "abut/sim/world.hpp"
#include "mjcf_testing.hpp"

namespace abut {
namespace {

/// A floor and a ball that nothing but `pairs` lets touch.
std::string pair_text(const std::string& pairs, const std::string& head = "") {
  return scene_text(
      "<geom name='floor' type='plane' size='1 1 1' contype='0' conaffinity='0'/>"
      "<body name='b' pos='0 0 .1'><freejoint/><geom name='skin' size='.1' mass='1' "
      "contype='0' conaffinity='0' solref='-500 -1'/></body>",
      head, "<contact>\n" + pairs + "</contact>");
}

ScenePair only_pair(const std::string& attributes, const std::string& head = "") {
  const std::string pair = "<pair name='p' geom1='floor' geom2='skin' " + attributes + "/>";
  return load_mjcf_text(pair_text(pair, head), "s.xml").pairs.at(0);
}

TEST(MjcfPair, IsAbsoluteAndForced) {
  const ScenePair p = only_pair("friction='0.3 0.3'");
  EXPECT_TRUE(p.forced);
  EXPECT_FALSE(p.frictionless);
  EXPECT_EQ(p.name, "p");
  EXPECT_EQ(p.geom_a, 0);
  EXPECT_EQ(p.geom_b, 1);
  EXPECT_EQ(p.material.friction, 0.3);
  EXPECT_EQ(p.material.stiffness, PairMaterial{}.stiffness);  // not the geom's 500 N/m
  EXPECT_EQ(p.material.relaxation_time, PairMaterial{}.relaxation_time);
  EXPECT_EQ(only_pair("").material.friction, 1.0);
  EXPECT_EQ(only_pair("solref='-2e5 -50'").material.stiffness, 2e5);
  EXPECT_DOUBLE_EQ(only_pair("solref='-2e5 -50'").material.relaxation_time.value_or(0), 50 / 2e5);
  EXPECT_TRUE(only_pair("condim='1'").frictionless);
  EXPECT_EQ(only_pair("", "<default><pair friction='0.7 0.7'/></default>").material.friction, 0.7);
  EXPECT_EQ(only_pair("", "<option o_friction='0.1 0.1 1 1 1'><flag override='enable'/></option>")
                .material.friction,
            0.1);
}

// The geoms keep their own masks: nothing else touches them.
TEST(MjcfPair, MakesVisualGeomsTouchEachOtherAlone) {
  const Scene scene = load_mjcf_text(pair_text("<pair geom1='floor' geom2='skin'/>"), "s.xml");
  for (const SceneGeom& geom : scene.geoms) {
    EXPECT_EQ(geom.contact_type, 0u);
    EXPECT_EQ(geom.contact_affinity, 0u);
  }
  const auto height = [](const Scene& s) {
    World w(s, {});
    for (int i = 0; i < 200; ++i) w.step();
    return w.body_state(0).position.z;
  };
  EXPECT_NEAR(height(scene), 0.1, 1e-4);
  EXPECT_LT(height(load_mjcf_text(pair_text(""), "s.xml")), -0.1);
}

// A mesh that nothing but a pair lets collide is read, by our own hull.
TEST(MjcfPair, HoldsMeshes) {
  const std::string mesh =
      "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 0 3 2 1 2 "
      "3'/></asset>";
  const Scene scene = load_mjcf_text(
      scene_text("<geom name='floor' type='plane' size='1 1 1'/><body><freejoint/><geom name='m' "
                 "type='mesh' mesh='m' contype='0' conaffinity='0'/></body>",
                 mesh, "<contact><pair geom1='floor' geom2='m'/></contact>"),
      "s.xml");
  ASSERT_EQ(scene.geoms.size(), 2u);
  EXPECT_EQ(scene.geoms[1].shape.kind, ShapeKind::hull);
  EXPECT_EQ(scene.geoms[1].contact_type, 0u);
  EXPECT_EQ(scene.pairs.at(0).geom_b, 1);
}

TEST(MjcfPair, OfWhatCannotTouchIsRefused) {
  expect_errors({
      {pair_text("<pair name='p' geom1='floor' geom2='x'/>"),
       "s.xml:6: pair 'p': geom 'x' not found"},
      {pair_text("<pair name='p' geom1='skin' geom2='skin'/>"),
       "s.xml:6: pair 'p': its geoms must belong to different bodies"},
      {pair_text("<pair name='p' geom1='skin' geom2='floor'/><pair name='q' geom1='floor' "
                 "geom2='skin'/>"),
       "s.xml:6: pair 'q': its two geoms have a pair already"},
      {pair_text("<pair name='p' geom1='skin' geom2='floor' friction='-1'/>"),
       "s.xml:6: pair 'p': friction = -1, must not be negative"},
      {pair_text("<pair name='p' geom1='skin' geom2='floor' solref='-1 1'/>"),
       "s.xml:6: pair 'p': solref = -1 1, both must be positive (time, ratio) or neither "
       "(-stiffness, -damping)"},
  });
}

TEST(MjcfPair, WhatIsNotUsedIsListed) {
  const std::vector<std::string> notices =
      notices_of(pair_text("<pair name='p' geom1='floor' geom2='skin' condim='4' margin='0.1' "
                           "gap='0.01' friction='1 0.5' solreffriction='-1 -1' solref='-9 0'/>"));
  const auto lists = [&](const std::string& text) {
    for (const std::string& notice : notices) {
      if (notice.find("s.xml:6: pair 'p': " + text) == 0) return true;
    }
    return false;
  };
  EXPECT_TRUE(lists("condim 4 and 6 run as 3"));
  EXPECT_TRUE(lists("margin is not used"));
  EXPECT_TRUE(lists("gap is not used"));
  EXPECT_TRUE(lists("of the friction coefficients of a pair only the first is used"));
  EXPECT_TRUE(lists("solreffriction of a pair is not used"));
  EXPECT_TRUE(lists("negative solref of a pair is read as stiffness"));
}

}  // namespace
}  // namespace abut
