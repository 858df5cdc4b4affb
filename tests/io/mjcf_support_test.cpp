// What is refused and what is listed: the rows of docs/mjcf.md.

#include "mjcf_testing.hpp"

namespace abut {
namespace {

void expect_notice(const std::string& text, const std::string& notice) {
  EXPECT_EQ(notices_of(text), std::vector<std::string>{notice}) << text;
}

std::string flags(const std::string& attributes) {
  return "<option><flag " + attributes + "/></option>";
}

const std::string mesh = "<asset><mesh name='m' builtin='sphere' params='1'/></asset>";
const std::string sites = free_ball + "<site name='p'/><site name='q' pos='1 0 0'/>";

std::string tendon(const std::string& attributes) {
  return scene_text(sites, "",
                    "<tendon><spatial name='t' " + attributes +
                        "><site site='p'/><site site='q'/></spatial></tendon>");
}

TEST(Refused, JointsThatDoMoreThanOurs) {
  const auto joint = [](const std::string& attributes, const std::string& head = "") {
    return error_of(
        scene_text("<body><joint name='j' " + attributes + "/><geom size='1'/></body>", head));
  };
  const auto refused = [](const std::string& what, const std::string& kind) {
    return "s.xml:3: joint 'j': " + what + " of a " + kind + " joint is not simulated: set it to 0";
  };
  EXPECT_EQ(joint("damping='0 0 1'"), refused("damping beyond the linear term", "hinge"));
  EXPECT_EQ(joint("stiffness='1 1'"), refused("stiffness beyond the linear term", "hinge"));
  EXPECT_EQ(joint("type='ball' stiffness='0.1'"), refused("stiffness", "ball"));
  EXPECT_EQ(joint("type='free' springdamper='1 1'"), refused("springdamper", "free"));
  EXPECT_EQ(joint("type='ball' range='0 1' limited='true'"), refused("range", "ball"));
  EXPECT_EQ(joint("damping='0 1'", flags("damper='disable'")), "");
  EXPECT_EQ(joint("type='ball' stiffness='0.1'", flags("spring='disable'")), "");
  EXPECT_EQ(joint("type='ball' range='0 1' limited='true'", flags("limit='disable'")), "");
  expect_errors({{scene_text("<body name='a'>\n<freejoint/><freejoint/><geom size='1'/></body>"),
                  "s.xml:3: body 'a': more than 6 dofs in body 'a'"}});
}

TEST(Refused, BodiesMovedByOtherMeans) {
  expect_errors({
      {scene_text("<body name='a' gravcomp='0.5'><freejoint/><geom size='1'/></body>"),
       "s.xml:3: body 'a': gravcomp = 0.5, must be 0: compensation of gravity is not simulated"},
      {scene_text("<body><freejoint/><geom size='1'/>\n<body name='w' gravcomp='1'/></body>"),
       "s.xml:4: body 'w': gravcomp = 1, must be 0: compensation of gravity is not simulated"},
      {scene_text("<body name='a' sleep='init'><freejoint/><geom size='1'/></body>",
                  flags("sleep='enable'")),
       "s.xml:3: body 'a': bodies that start asleep are not simulated: remove sleep=\"init\""},
  });
  EXPECT_EQ(error_of(scene_text("<body gravcomp='1'><geom size='1'/></body>")), "");
  EXPECT_EQ(error_of(scene_text("<body sleep='init'><freejoint/><geom size='1'/></body>")), "");
}

TEST(Refused, ShapesThatCollide) {
  const std::string rest =
      " geoms that collide are not simulated: use spheres, capsules, cylinders, boxes, ellipsoids, "
      "meshes, height fields or planes, or set contype and conaffinity to 0";
  EXPECT_EQ(error_of(scene_text("<geom type='sdf' mesh='m'/>", mesh)),
            "s.xml:3: geom: signed distance field" + rest);
}

TEST(Listed, VisualShapes) {
  const std::string text = " left out";
  const std::string visual = "contype='0' conaffinity='0'";
  expect_notice(
      scene_text("<geom name='a' type='mesh' mesh='m' " + visual +
                     "/><geom name='b' type='mesh' mesh='m' " + visual + "/><geom size='1'/>",
                 mesh),
      "s.xml:3: geom 'a': visual geoms that are meshes or height fields are left out "
      "(2 elements: 'a', 'b')");
  const Scene scene = load_mjcf_text(
      scene_text("<geom type='mesh' mesh='m' " + visual + "/><geom size='1'/>", mesh), "s.xml");
  EXPECT_EQ(scene.geoms.size(), 1u);
  // no bit in common with any other geom
  EXPECT_EQ(error_of(scene_text("<geom type='mesh' mesh='m' contype='0' conaffinity='4'/>"
                                "<geom size='1'/>",
                                mesh)),
            "");
}

TEST(Listed, VisualMeshesStillWeigh) {
  const Scene scene = load_mjcf_text(
      scene_text("<body><freejoint/><geom type='mesh' mesh='m' contype='0' conaffinity='0' "
                 "mass='2'/></body>",
                 mesh),
      "s.xml");
  EXPECT_NEAR(scene.bodies[0].mass, 2, 1e-6);
  EXPECT_TRUE(scene.geoms.empty());
}

TEST(Refused, ContactThatGeomsDoNotDescribe) {
  expect_errors({
      {scene_text("<geom name='a' size='1' adhesion='2'/>"),
       "s.xml:3: geom 'a': adhesion = 2 N, must be 0: it is not simulated"},
  });
  EXPECT_EQ(error_of(scene_text("<geom size='1' contype='0' conaffinity='0' adhesion='2'/>")), "");
}

TEST(Listed, EqualityConstraintsThatAreNotActive) {
  const std::string two = free_ball + "<body name='b'><freejoint/><geom size='1'/></body>";
  const auto weld = [&](const std::string& attributes, const std::string& head = "") {
    return scene_text(
        two, head,
        "<equality>\n<weld name='e' body1='ball' body2='b' " + attributes + "/></equality>");
  };
  const Scene active = load_mjcf_text(weld(""), "s.xml");
  ASSERT_EQ(active.equalities.size(), 1u);
  EXPECT_EQ(active.equalities[0].name, "e");
  EXPECT_EQ(active.bodies[0].kind, BodyKind::free);
  const std::string listed =
      "s.xml:6: equality 'e': equality constraints that are not active are left out";
  expect_notice(weld("active='false'"), listed);
  expect_notice(weld("", flags("equality='disable'")), listed);
  expect_notice(weld("solref='0.1 1'"),
                "s.xml:6: equality 'e': solref and solimp of equality constraints and tendons are "
                "not used: they are stiff");
}

TEST(Refused, TendonsThatDoMoreThanOurs) {
  const auto refused = [](const std::string& what) {
    return "s.xml:5: tendon 't': tendons " + what + " are not simulated: remove it";
  };
  EXPECT_EQ(error_of(tendon("armature='1'")), refused("with armature"));
  EXPECT_EQ(error_of(tendon("stiffness='1 2'")),
            refused("with stiffness or damping beyond the linear term"));
  EXPECT_EQ(error_of(scene_text(sites, "",
                                "<tendon><spatial name='t' stiffness='1'><site site='p'/>"
                                "<site site='q'/><pulley divisor='2'/><site site='p'/>"
                                "<site site='q'/></spatial></tendon>")),
            refused("over pulleys"));
  EXPECT_EQ(error_of(scene_text(sites + "<geom name='w' size='0.1' pos='3 0 0'/>", "",
                                "<tendon><spatial name='t' stiffness='1'><site site='p'/>"
                                "<geom geom='w'/><site site='q'/></spatial></tendon>")),
            refused("that wrap around geoms"));
  for (const std::string attributes :
       {"stiffness='1'", "damping='1'", "frictionloss='1'", "range='0 1'"}) {
    expect_notice(tendon(attributes),
                  "s.xml:5: tendon 't': tendons between points that do not move do nothing");
    const Scene scene = load_mjcf_text(
        scene_text("<body><freejoint/><geom size='1'/><site name='p'/></body><site name='q'/>", "",
                   "<tendon><spatial " + attributes +
                       "><site site='p'/><site site='q'/></spatial></tendon>"),
        "s.xml");
    EXPECT_EQ(scene.tendons.size(), 1u) << attributes;
  }
  EXPECT_EQ(load_mjcf_text(tendon("limited='false' range='0 1'"), "s.xml").tendons.size(), 0u);
}

TEST(Refused, ActuatorsThatDoMoreThanOurs) {
  const auto actuator = [](const std::string& element, const std::string& head = "") {
    return scene_text(
        "<body><joint name='h'/><geom size='1'/><body><joint name='b' type='ball'/><geom size='1'/>"
        "</body></body><site name='s'/>",
        head, "<actuator>\n" + element + "</actuator>");
  };
  const auto refused = [](const std::string& what) {
    return "s.xml:6: actuator 'm': actuators " + what +
           " are not simulated: remove it, or set <flag actuation=\"disable\"/>";
  };
  const auto error = [&](const std::string& element) { return error_of(actuator(element)); };
  EXPECT_EQ(error("<motor name='m' joint='b' gear='0 0 1 0 0 0'/>"),
            refused("on a ball or free joint"));
  EXPECT_EQ(error("<motor name='m' site='s'/>"), refused("on a site"));
  EXPECT_EQ(error("<muscle name='m' joint='h' lengthrange='0 1'/>"), refused("like muscles"));
  EXPECT_EQ(error("<general name='m' joint='h' dyntype='user' actdim='2'/>"),
            refused("with other activation dynamics than integrators and filters"));
  EXPECT_EQ(error("<general name='m' joint='h' dyntype='filter' dynprm='0.1'/>"), "");
  EXPECT_EQ(error("<motor name='m' joint='h'/>"), "");
  const std::string listed = "s.xml:6: actuator 'm': actuators that are switched off are left out";
  const std::string ball = "<motor name='m' joint='b' gear='0 0 1 0 0 0' ";
  expect_notice(actuator(ball + "/>", flags("actuation='disable'")), listed);
  expect_notice(actuator(ball + "group='3'/>", "<option actuatorgroupdisable='3'/>"), listed);
  EXPECT_NE(error_of(actuator(ball + "group='2'/>", "<option actuatorgroupdisable='3'/>")), "");
}

TEST(Refused, DragOnEllipsoids) {
  const std::string body =
      "<body><freejoint/><geom name='e' size='1' fluidshape='ellipsoid'/></body>";
  EXPECT_EQ(error_of(scene_text(body, "<option density='1.2'/>")),
            "s.xml:3: geom 'e': drag on ellipsoids is not simulated: remove fluidshape, to have it "
            "on the bodies' boxes of inertia");
  EXPECT_EQ(error_of(scene_text(body)), "");
  EXPECT_EQ(error_of(scene_text(free_ball, "<option density='1.2' wind='1 0 0'/>")), "");
}

TEST(Refused, FlexibleBodiesAndPlugins) {
  expect_errors({
      {scene_text("<flexcomp name='f' type='grid' count='3 3 1' spacing='.1 .1 .1' mass='1'/>"),
       "s.xml:3: flexcomp 'f': flexible bodies are not simulated: remove it"},
      {scene_text("", "", "<deformable>\n<flex name='f'/></deformable>"),
       "s.xml:6: flex 'f': flexible bodies are not simulated: remove it"},
      {"<mujoco>\n<extension><plugin plugin='x'/></extension></mujoco>",
       "s.xml:2: plugin: plugins of MuJoCo's engine are not run: remove it"},
  });
}

TEST(Listed, SettingsOfMujocosAlgorithms) {
  EXPECT_EQ(
      notices_of(scene_text("",
                            "<option integrator='RK4' cone='elliptic' iterations='7' "
                            "tolerance='1e-9' noslip_iterations='3'>\n<flag "
                            "warmstart='disable' energy='enable' eulerdamp='disable'/>"
                            "</option>")),
      (std::vector<std::string>{
          "s.xml:1: option integrator: not used: abut has its own integrator, solver and "
          "collision detection (5 elements: 'integrator', 'cone', 'iterations', ...)",
          "s.xml:2: flag warmstart: not used: switches of MuJoCo's own algorithms (3 elements: "
          "'warmstart', 'eulerdamp', 'energy')"}));
  EXPECT_TRUE(notices_of(scene_text("", "<option integrator='Euler' cone='pyramidal'/>")).empty());
}

TEST(Listed, CompilerOptionsThatChangeMasses) {
  expect_notice(scene_text(free_ball, "<compiler boundmass='0.1' boundinertia='0.1'/>"),
                "s.xml:1: compiler boundmass: changes masses or inertias, as MJCF says (2 "
                "elements: 'boundmass', 'boundinertia')");
  const auto notices = notices_of(scene_text(free_ball, "<compiler settotalmass='5'/>"));
  ASSERT_EQ(notices.size(), 2u);  // and MuJoCo's own warning
  EXPECT_EQ(notices[1].substr(0, 31), "s.xml: the MJCF compiler warns:");
  EXPECT_DOUBLE_EQ(
      load_mjcf_text(scene_text(free_ball, "<compiler settotalmass='5'/>"), "s.xml").bodies[0].mass,
      5);
}

TEST(Listed, Sensors) {
  expect_notice(scene_text(sites, "",
                           "<sensor><gyro name='w' site='p'/>\n<accelerometer site='p'/>\n<clock "
                           "name='t'/></sensor>"),
                "s.xml:5: gyro 'w': sensors are not computed (3 elements: 'w', 't', ...)");
}

TEST(Listed, StrayPunctuation) {
  expect_notice(scene_text("<geom size='1'/>>"),
                "s.xml:3: characters outside of a tag are not read");
}

TEST(Silent, WhatDoesNotTouchTheMotion) {
  const std::string text = scene_text(
      free_ball +
          "<site name='p'/><camera name='c'/><light name='l'/>"
          "<geom size='1' rgba='1 0 0 1' material='red' user='1 2 3' group='3'/>",
      "<visual><map znear='0.1'/></visual><statistic extent='3'/><size memory='10M' njmax='5'/>"
      "<asset><texture name='t' type='2d' builtin='checker' width='9' height='9' rgb1='1 1 1'/>"
      "<material name='red' texture='t'/></asset>",
      "<custom><numeric name='n' data='1'/><text name='x' data='y'/></custom>");
  EXPECT_TRUE(notices_of(text).empty());
}

TEST(Silent, PicturesAreNotRead) {
  EXPECT_EQ(error_of(scene_text("<geom size='1' material='m'/>",
                                "<asset><texture name='t' type='2d' file='missing.png'/>"
                                "<texture name='u' type='cube' fileright='a.png' fileleft='b.png'/>"
                                "<texture type='skybox' builtin='gradient' rgb1='1 1 1' rgb2='0 0 "
                                "0' width='8' height='48'/>"
                                "<material name='m' texture='t'/></asset>")),
            "");
}

}  // namespace
}  // namespace abut
