#include "mjcf_testing.hpp"

namespace abut {
namespace {

SceneGeom only_geom(const std::string& attributes, const std::string& head = "") {
  return load_mjcf_text(scene_text("<geom size='1' " + attributes + "/>", head), "s.xml")
      .geoms.at(0);
}

TEST(MjcfMaterial, StandardGeomHasOnlyFriction) {
  const SceneGeom geom = only_geom("");
  EXPECT_EQ(geom.material.friction, 1.0);
  EXPECT_FALSE(geom.material.stiffness);
  EXPECT_FALSE(geom.material.dissipation);
  EXPECT_FALSE(geom.material.relaxation_time);
  EXPECT_FALSE(geom.frictionless);
  EXPECT_EQ(geom.friction_priority, 0);
  EXPECT_EQ(geom.contact_type, 1u);
  EXPECT_EQ(geom.contact_affinity, 1u);
}

TEST(MjcfMaterial, FrictionCombinesByPriorityThenMaximum) {
  const Scene scene = load_mjcf_text(
      scene_text("<geom size='1' friction='0.4 1 1' priority='2'/><geom size='1' friction='0'/>"),
      "s.xml");
  EXPECT_EQ(scene.friction_rule, FrictionRule::maximum);
  EXPECT_EQ(scene.geoms[0].material.friction, 0.4);
  EXPECT_EQ(scene.geoms[0].friction_priority, 2);
  EXPECT_EQ(scene.geoms[1].material.friction, 0.0);
}

TEST(MjcfMaterial, DirectSolrefIsStiffnessAndDamping) {
  const SceneGeom geom = only_geom("solref='-2e5 -50'");
  EXPECT_EQ(geom.material.stiffness, 2e5);
  EXPECT_DOUBLE_EQ(geom.material.relaxation_time.value_or(0), 50 / 2e5);
  EXPECT_FALSE(geom.material.dissipation);
  EXPECT_EQ(only_geom("solref='-1e6 0'").material.relaxation_time, 0.0);
  EXPECT_EQ(notices_of(scene_text("<geom size='1' solref='-1 -1'/>")),
            std::vector<std::string>{
                "s.xml:3: geom: negative solref is read as stiffness [N/m] and damping [N s/m] of "
                "one contact point, two geoms as springs in series (MuJoCo: 1/s^2 and 1/s, the "
                "stiffer counts)"});
}

TEST(MjcfMaterial, SolrefOfTimeAndRatioIsTheDefaultMaterial) {
  EXPECT_FALSE(only_geom("solref='0.01 1'").material.stiffness);
  EXPECT_EQ(notices_of(scene_text("<geom name='a' size='1' solref='0.01'/>\n"
                                  "<geom name='b' size='1' solref='0.02 0.5'/>\n"
                                  "<geom name='c' size='1' solref='0.02 1'/>")),
            std::vector<std::string>{
                "s.xml:3: geom 'a': positive solref (time, ratio) is not a property of a material: "
                "the default material is used; give -stiffness -damping to set one (2 elements: "
                "'a', 'b')"});
}

TEST(MjcfMaterial, SolrefOfMixedSignOrNoStiffnessIsRefused) {
  EXPECT_EQ(error_of(scene_text("<geom name='g' size='1' solref='-100 1'/>")),
            "s.xml:3: geom 'g': solref = -100 1, both must be positive (time, ratio) or neither "
            "(-stiffness, -damping)");
  EXPECT_EQ(error_of(scene_text("<geom name='g' size='1' solref='0 -1'/>")),
            "s.xml:3: geom 'g': stiffness = 0 N/m, must be positive and finite (solref = "
            "-stiffness -damping)");
}

TEST(MjcfMaterial, CondimOneIsFrictionlessOthersAreThree) {
  EXPECT_TRUE(only_geom("condim='1'").frictionless);
  EXPECT_FALSE(only_geom("condim='6'").frictionless);
  EXPECT_EQ(notices_of(scene_text("<geom name='a' size='1' condim='4'/>"
                                  "<geom name='b' size='1' condim='6'/>")),
            std::vector<std::string>{"s.xml:3: geom 'a': condim 4 and 6 run as 3: no torsional and "
                                     "rolling friction (2 elements: 'a', 'b')"});
  EXPECT_EQ(error_of(scene_text("<geom size='1' condim='2'/>")),
            "s.xml:3: geom: invalid condim in geom");
}

TEST(MjcfMaterial, WhatHasNoPartInItIsListed) {
  const auto notices =
      notices_of(scene_text("<geom size='1' solimp='0.8 0.9 0.01' solmix='2' margin='0.01' "
                            "gap='0.02'/>"));
  EXPECT_EQ(notices, (std::vector<std::string>{
                         "s.xml:3: geom: solimp is not used: contacts have no impedance",
                         "s.xml:3: geom: solmix is not used: stiffness combines as springs in "
                         "series",
                         "s.xml:3: geom: margin is not used: contact forces begin where surfaces "
                         "meet",
                         "s.xml:3: geom: gap is not used"}));
}

TEST(MjcfMaterial, ThousandsOfGeomsMakeOneNotice) {
  std::string geoms;
  for (int i = 0; i < 3000; ++i) geoms += "<geom size='1' condim='4'/>\n";
  const auto notices = notices_of(scene_text(geoms));
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_NE(notices[0].find("(3000 elements)"), std::string::npos);
}

TEST(MjcfMaterial, OverrideTakesThePlaceOfAllGeoms) {
  const std::string head =
      "<option o_solref='-1000 -2' o_friction='0.3 0.3 0 0 0' o_margin='0.1'>"
      "<flag override='enable'/></option>";
  const SceneGeom geom = only_geom("solref='-5 -5' friction='0.9' margin='0'", head);
  EXPECT_EQ(geom.material.stiffness, 1000.0);
  EXPECT_EQ(geom.material.relaxation_time, 0.002);
  EXPECT_EQ(geom.material.friction, 0.3);
  const auto notices = notices_of(scene_text("<geom size='1'/>", head));
  ASSERT_EQ(notices.size(), 2u);
  EXPECT_EQ(notices[0].substr(0, 43), "s.xml:1: flag: negative solref is read as s");
  EXPECT_EQ(notices[1],
            "s.xml:1: flag: margin is not used: contact forces begin where surfaces meet");
  // without the flag the values mean nothing
  EXPECT_FALSE(only_geom("", "<option o_solref='-1000 -2'/>").material.stiffness);
}

TEST(MjcfMaterial, VisualGeomsNeedNone) {
  EXPECT_EQ(notices_of(scene_text("<geom size='1' contype='0' conaffinity='0' solref='1 1' "
                                  "condim='4'/>")),
            std::vector<std::string>{});
  const SceneGeom geom = only_geom("contype='0' conaffinity='0'");
  EXPECT_EQ(geom.contact_type, 0u);
  EXPECT_EQ(geom.contact_affinity, 0u);
}

TEST(MjcfGeoms, ShapesAndMasks) {
  const Scene scene = load_mjcf_text(scene_text(R"(
    <geom type="box" size="1 2 3" contype="2" conaffinity="5"/>
    <geom type="cylinder" size="1 2" contype="-1" conaffinity="2147483647"/>
    <geom type="plane" size="0 0 1"/>)"),
                                     "s.xml");
  EXPECT_EQ(scene.geoms[0].shape.half_extents(), (Vec3{1, 2, 3}));
  EXPECT_EQ(scene.geoms[0].contact_type, 2u);
  EXPECT_EQ(scene.geoms[0].contact_affinity, 5u);
  EXPECT_EQ(scene.geoms[1].shape.kind, ShapeKind::cylinder);
  EXPECT_EQ(scene.geoms[1].shape.radius(), 1);
  EXPECT_EQ(scene.geoms[1].shape.half_length(), 2);
  EXPECT_EQ(scene.geoms[1].contact_type, 0xFFFFFFFFu);
  EXPECT_EQ(scene.geoms[1].contact_affinity, 0x7FFFFFFFu);
  EXPECT_EQ(scene.geoms[2].shape.kind, ShapeKind::plane);
}

TEST(MjcfGeoms, PrimitivesFittedToAMeshHaveItsSize) {
  const std::string corners = "-1 -2 -3  1 -2 -3  -1 2 -3  -1 -2 3  1 2 3  1 2 -3  1 -2 3  -1 2 3";
  const std::string triangles =
      "0 2 5  0 5 1  3 6 4  3 4 7  0 1 6  0 6 3  2 7 4  2 4 5  0 3 7  0 7 2  1 5 4  1 4 6";
  const std::string mesh = "<mesh name='m' vertex='" + corners + "' ";
  const auto text = [&](const std::string& rest) {
    return scene_text("<geom type='box' mesh='m'/>",
                      "<compiler fitaabb='true'/><asset>" + mesh + rest + "/></asset>");
  };
  const Scene scene = load_mjcf_text(text("face='" + triangles + "'"), "s.xml");
  Vec3 size = scene.geoms[0].shape.half_extents();  // axes in the order of the moments of inertia
  if (size.x > size.z) std::swap(size.x, size.z);
  EXPECT_LE(norm(size - Vec3{1, 2, 3}), 1e-6);
  EXPECT_EQ(error_of(text("")),
            "s.xml:1: mesh 'm': convex hulls are not computed: give the mesh faces, and no "
            "inertia=\"convex\"");
  EXPECT_NE(error_of(text("inertia='convex' face='" + triangles + "'")), "");
}

TEST(MjcfGeoms, MeshesCollideAsTheirHulls) {
  // an L of two boxes; its hull has the corner that is missing cut off
  const std::string assets =
      "<asset><mesh name='l' vertex='0 0 0  3 0 0  3 1 0  1 1 0  1 2 0  0 2 0  "
      "0 0 1  3 0 1  3 1 1  1 1 1  1 2 1  0 2 1' face='"
      "0 2 1  0 3 2  0 5 3  3 5 4  6 7 8  6 8 9  6 9 11  9 10 11  "
      "0 1 7  0 7 6  1 2 8  1 8 7  2 3 9  2 9 8  3 4 10  3 10 9  4 5 11  4 11 10  5 0 6  5 6 11"
      "'/></asset>";
  const Scene scene = load_mjcf_text(
      scene_text("<body><freejoint/><geom type='mesh' mesh='l' mass='1' conaffinity='0'/></body>"
                 "<body pos='9 0 0'><freejoint/><geom type='mesh' mesh='l' mass='1'/></body>",
                 assets),
      "s.xml");
  ASSERT_EQ(scene.geoms.size(), 2u);
  EXPECT_EQ(scene.geoms[0].contact_type, 1u);
  EXPECT_EQ(scene.geoms[0].contact_affinity, 0u);
  const SceneGeom& geom = scene.geoms[1];
  EXPECT_EQ(geom.contact_affinity, 1u);
  ASSERT_EQ(geom.shape.kind, ShapeKind::hull);
  EXPECT_EQ(geom.shape.hull, scene.geoms[0].shape.hull);  // one for both
  EXPECT_EQ(geom.shape.hull->vertices.size(), 10u);
  EXPECT_EQ(geom.shape.hull->faces.size(), 7u);
  Vec3 lower{9, 9, 9}, upper{-9, -9, -9};
  for (const Vec3& v : geom.shape.hull->vertices) {
    const Vec3 x = geom.pose * v;
    for (int k = 0; k < 3; ++k) {
      lower[k] = std::min(lower[k], x[k]), upper[k] = std::max(upper[k], x[k]);
    }
  }
  EXPECT_LE(norm(upper - lower - Vec3{3, 2, 1}), 1e-5);
}

const std::string three_bodies =
    "<body name='a'><freejoint/><geom size='1'/>"
    "<body name='w'><geom size='1'/><body name='v'><geom size='1' contype='0' conaffinity='0'/>"
    "</body></body></body>\n"
    "<body name='b'><freejoint/><geom size='1'/></body>\n"
    "<body name='f'><geom size='1'/></body>";

std::vector<std::pair<int, int>> excluded(const std::string& excludes) {
  return load_mjcf_text(scene_text(three_bodies, "", "<contact>" + excludes + "</contact>"),
                        "s.xml")
      .excluded_bodies;
}

TEST(MjcfExcludes, NameBodiesAndTheWorld) {
  using Pairs = std::vector<std::pair<int, int>>;
  EXPECT_EQ(excluded("<exclude body1='b' body2='f'/>"), (Pairs{{1, 2}}));
  EXPECT_EQ(excluded("<exclude body1='world' body2='b'/>"), (Pairs{{world_body, 1}}));
  EXPECT_EQ(excluded("<exclude body1='b' body2='f'/><exclude body1='f' body2='b'/>"),
            (Pairs{{1, 2}}));
  EXPECT_EQ(excluded("<exclude body1='b' body2='b'/>"), Pairs{});
  EXPECT_EQ(excluded("<exclude body1='a' body2='w'/>"), Pairs{});  // one rigid body
}

// MuJoCo excludes the geoms of the named bodies, not those of bodies welded to them.
TEST(MjcfExcludes, OfWeldedBodiesNameParts) {
  const auto load = [](const std::string& excludes) {
    return load_mjcf_text(scene_text(three_bodies, "", "<contact>" + excludes + "</contact>"),
                          "s.xml");
  };
  using Pairs = std::vector<std::pair<int, int>>;
  const Scene part = load("<exclude body1='a' body2='b'/>");
  EXPECT_EQ(part.excluded_bodies, Pairs{});
  EXPECT_EQ(part.excluded_geoms, (Pairs{{0, 3}}));  // not w's, which is a part of a
  const Scene whole = load("<exclude body1='a' body2='b'/><exclude body1='b' body2='w'/>");
  EXPECT_EQ(whole.excluded_bodies, (Pairs{{0, 1}}));
  EXPECT_EQ(whole.excluded_geoms, Pairs{});
}

}  // namespace
}  // namespace abut
