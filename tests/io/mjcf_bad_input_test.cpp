// The rows of the catalogue of bad input that concern numbers, masses, inertias, names and files.

#include <sys/stat.h>

#include <sstream>

#include "mjcf_testing.hpp"

namespace abut {
namespace {

std::string body_with(const std::string& attributes) {
  return scene_text("<body name='a' " + attributes + "><freejoint/><geom size='1'/></body>");
}
std::string geom_with(const std::string& attributes) {
  return scene_text("<geom name='g' size='1' " + attributes + "/>");
}
std::string inertial_with(const std::string& attributes) {
  return scene_text("<body name='a'><freejoint/>\n<inertial pos='0 0 0' " + attributes +
                    "/></body>");
}

TEST(BadNumbers, AreRefusedWithPlaceValueAndRule) {
  const std::string at = "s.xml:3: body 'a': pos = ";
  expect_errors({
      {body_with("pos='nan 0 0'"), at + "nan, must be a finite number"},
      {body_with("pos='0 NaN 0'"), at + "NaN, must be a finite number"},
      {body_with("pos='0 0 -inf'"), at + "-inf, must be a finite number"},
      {body_with("pos='infinity 0 0'"), at + "infinity, must be a finite number"},
      {body_with("pos='1e400 0 0'"), at + "1e400, must be a finite number"},
      {body_with("pos='-1e400 0 0'"), at + "-1e400, must be a finite number"},
      {body_with("pos='0x10 0 0'"), at + "0x10, must be a decimal number"},
      {body_with("pos='0x1p3 0 0'"), at + "0x1p3, must be a decimal number"},
      {body_with("pos='0.1x 0 0'"), at + "0.1x, must be a decimal number"},
      {body_with("pos='1e 0 0'"), at + "1e, must be a decimal number"},
      {body_with("pos='1e+ 0 0'"), at + "1e+, must be a decimal number"},
      {body_with("pos='1,5 0 0'"), at + "1,5, must be a decimal number"},
      {body_with("pos='1.2.3 0 0'"), at + "1.2.3, must be a decimal number"},
      {body_with("pos='--1 0 0'"), at + "--1, must be a decimal number"},
      {body_with("pos='+-1 0 0'"), at + "+-1, must be a decimal number"},
      {body_with("pos='. 0 0'"), at + "., must be a decimal number"},
      {body_with("pos='\xD9\xA3 0 0'"), at + "\xD9\xA3, must be a decimal number"},
      {body_with("pos=''"), "s.xml:3: body 'a': pos is empty, must be a number"},
      {body_with("pos=' \t '"), "s.xml:3: body 'a': pos is empty, must be a number"},
      {body_with("pos='1 2'"), "s.xml:3: body: attribute 'pos' does not have enough data"},
      {body_with("pos='1 2 3 4'"), "s.xml:3: body: attribute 'pos' has too much data"},
      {geom_with("contype='1.5'"), "s.xml:3: geom: bad format in attribute 'contype'"},
      {geom_with("contype='99999999999'"),
       "s.xml:3: geom: number is too large in attribute 'contype'"},
  });
}

TEST(BadNumbers, InEveryPartThatIsUsed) {
  const std::string rule = " = nan, must be a finite number";
  expect_errors({
      {scene_text("", "<option timestep='nan'/>"), "s.xml:1: option: timestep" + rule},
      {scene_text("", "<option gravity='0 0 nan'/>"), "s.xml:1: option: gravity" + rule},
      {geom_with("friction='nan'"), "s.xml:3: geom 'g': friction" + rule},
      {geom_with("solref='nan 1'"), "s.xml:3: geom 'g': solref" + rule},
      {geom_with("euler='0 0 nan'"), "s.xml:3: geom 'g': euler" + rule},
      {geom_with("mass='nan'"), "s.xml:3: geom 'g': mass" + rule},
      {inertial_with("mass='nan' diaginertia='1 1 1'"), "s.xml:4: inertial: mass" + rule},
      {inertial_with("mass='1' fullinertia='1 1 1 nan 0 0'"),
       "s.xml:4: inertial: fullinertia" + rule},
      {scene_text(free_ball, "", "<keyframe><key name='k' qpos='nan 0 0 1 0 0 0'/></keyframe>"),
       "s.xml:5: key 'k': qpos" + rule},
      {scene_text(free_ball, "", "<keyframe><key qvel='0 0 0 0 nan 0'/></keyframe>"),
       "s.xml:5: key: qvel" + rule},
      {scene_text("", "<default><geom friction='nan'/></default>"),
       "s.xml:1: geom: friction" + rule},
      {scene_text("<replicate count='nan'>" + free_ball + "</replicate>"),
       "s.xml:3: replicate: count" + rule},
  });
}

TEST(BadNumbers, TheLineIsTheAttributes) {
  EXPECT_EQ(error_of(scene_text("<geom\n size='1'\n friction='inf'/>")),
            "s.xml:5: geom: friction = inf, must be a finite number");
}

TEST(BadNumbers, LongOnesAreRefusedBriefly) {
  const std::string digits(1000000, '1');
  EXPECT_EQ(error_of(body_with("pos='" + digits + " 0 0'")),
            "s.xml:3: body 'a': pos = " + digits.substr(0, 64) +
                "..., must have at most 1024 characters");
}

TEST(GoodNumbers, InAllDecimalForms) {
  const Scene scene = load_mjcf_text(body_with("pos='+1.5e+0 .5 -5.' quat='1e0\n0\t0 0'"), "s.xml");
  EXPECT_EQ(scene.bodies[0].position, (Vec3{1.5, 0.5, -5}));
  EXPECT_EQ(load_mjcf_text(body_with("pos='1e-400 0 0'"), "s.xml").bodies[0].position, Vec3{});
  EXPECT_EQ(error_of(geom_with("contype='-1'")), "");  // all bits
}

TEST(GoodNumbers, NamesMayLookLikeNumbers) {
  EXPECT_EQ(error_of(scene_text("<geom name='nan' size='1'/><geom name='0x10' size='1'/>")), "");
}

TEST(BadTimeStep, IsRefusedWithTheLineOfTheOption) {
  const std::string rule = " s, must lie in [1e-9, 1]";
  expect_errors({
      {scene_text("", "\n<option timestep='0'/>"), "s.xml:2: option: time_step = 0" + rule},
      {scene_text("", "<option timestep='-1'/>"), "s.xml:1: option: time_step = -1" + rule},
      {scene_text("", "<option timestep='1.5'/>"), "s.xml:1: option: time_step = 1.5" + rule},
      {scene_text("",
                  "<option gravity='0 0 0'/>\n<option timestep='2'/>\n<option cone='elliptic'/>"),
       "s.xml:2: option: time_step = 2" + rule},
  });
  EXPECT_EQ(notices_of(scene_text("", "<option timestep='0.5'/>")),
            std::vector<std::string>{"s.xml:1: option timestep: a time step above 0.1 s: contacts "
                                     "last shorter than that"});
}

TEST(BadMass, IsRefusedWithTheBody) {
  const std::string give = ": give it an <inertial> element or a geom with mass";
  expect_errors({
      {inertial_with("mass='0' diaginertia='1 1 1'"),
       "s.xml:3: body 'a': mass = 0 kg, must be positive"},
      {inertial_with("mass='-1' diaginertia='1 1 1'"),
       "s.xml:3: body 'a': mass = -1 kg, must be positive"},
      {inertial_with("mass='inf' diaginertia='1 1 1'"),
       "s.xml:4: inertial: mass = inf, must be a finite number"},
      {scene_text("<body name='a'><freejoint/></body>"),
       "s.xml:3: body 'a': mass = 0 kg, must be positive" + give},
      {scene_text("<body name='a'><freejoint/><geom size='1' mass='0'/></body>"),
       "s.xml:3: body 'a': mass = 0 kg, must be positive" + give},
      {scene_text("<body name='a'><freejoint/><geom size='1' mass='-2'/></body>"),
       "s.xml:3: geom: mass = -2 kg, must not be negative"},
      {scene_text("<body name='a'><freejoint/><geom size='1' density='-2'/></body>"),
       "s.xml:3: geom: density = -2 kg/m^3, must not be negative"},
      {scene_text("<body name='a'><freejoint/><geom size='1e-6'/></body>"),
       "s.xml:3: body 'a': mass and inertia of moving bodies must be larger than 1e-15 (kg, kg "
       "m^2)"},
      {scene_text("<body name='a'><freejoint/><geom size='1e5' density='1e300'/></body>"),
       "s.xml:3: body 'a': mass = inf kg, must be finite"},
      {scene_text("<body name='a'><freejoint/>\n<body name='w'><inertial pos='0 0 0' mass='-1' "
                  "diaginertia='1 1 1'/></body><geom size='1'/></body>"),
       "s.xml:4: body 'w': mass = -1 kg, must not be negative"},
  });
}

TEST(BadMass, ZeroIsFineOnFixedAndWeldedBodies) {
  EXPECT_EQ(error_of(scene_text("<body name='a'><body name='b'/><geom size='1'/></body>")), "");
  EXPECT_EQ(error_of(scene_text("<body><freejoint/><geom size='1'/><body name='w'/></body>")), "");
  EXPECT_EQ(error_of(scene_text("<body><freejoint/><body><geom size='1'/></body></body>")), "");
}

TEST(BadInertia, IsRefusedWithThePrincipalMoments) {
  const std::string at = "s.xml:3: body 'a': principal moments of inertia = ";
  const std::string triangle = " kg m^2, none may exceed the sum of the others";
  expect_errors({
      {inertial_with("mass='1' diaginertia='1 1 5'"), at + "1, 1, 5" + triangle},
      {inertial_with("mass='1' diaginertia='5 1 1'"), at + "1, 1, 5" + triangle},
      {inertial_with("mass='1' diaginertia='-1 1 1'"), at + "-1, 1, 1 kg m^2, must be positive"},
      {inertial_with("mass='1' diaginertia='0 0 0'"), at + "0, 0, 0 kg m^2, must be positive"},
      {inertial_with("mass='1' fullinertia='1 1 1 2 0 0'"),  // not positive definite
       at + "-1, 1, 3 kg m^2, must be positive"},
      {inertial_with("mass='1' fullinertia='3 3 1 2 0 0'"), at + "1, 1, 5" + triangle},
      {inertial_with("mass='1'"),
       "s.xml:3: body 'a': principal moments of inertia = 0, 0, 0 kg "
       "m^2, must be positive"},
      {inertial_with("mass='1' diaginertia='1 1 2.00000001'"), at + "1, 1, 2.00000001" + triangle},
  });
}

TEST(BadInertia, RoundOffInTheTriangleRulePasses) {
  const Scene scene =
      load_mjcf_text(inertial_with("mass='1' diaginertia='1 2.000000001 1'"), "s.xml");
  EXPECT_NEAR(scene.bodies[0].inertia(1, 1), 2, 1e-8);
}

TEST(BadInertia, IsRepairedOnlyWhenTheFileAsksForIt) {
  const std::string bad = inertial_with("mass='1' diaginertia='1 1 5'");
  EXPECT_NE(error_of(bad), "");
  std::string asked = bad;
  asked.insert(asked.find('\n'), "<compiler balanceinertia='true'/>");
  EXPECT_EQ(notices_of(asked),
            std::vector<std::string>{"s.xml:1: compiler balanceinertia: changes masses or "
                                     "inertias, as MJCF says"});
}

TEST(BadQuaternion, OfNormZeroIsRefusedAndOthersNormalized) {
  expect_errors({
      {body_with("quat='0 0 0 0'"), "s.xml:3: body: zero quaternion is not allowed"},
      {body_with("quat='1e-20 0 0 0'"),
       "s.xml:3: body 'a': norm of orientation = 1e-20, must be 1 within 0.001"},
      {scene_text(free_ball, "", "<keyframe>\n<key name='k' qpos='0 0 0 0 0 0 0'/></keyframe>"),
       "s.xml:6: key 'k': norm of the quaternion of body 'ball' = 0, must not be zero"},
  });
  const Scene scene = load_mjcf_text(body_with("quat='2 2 0 0'"), "s.xml");
  EXPECT_NEAR(scene.bodies[0].orientation.x, std::sqrt(0.5), 1e-15);
}

TEST(BadSizes, AreRefusedWithTheGeom) {
  expect_errors({
      {scene_text("<geom name='g' size='0'/>"),
       "s.xml:3: geom 'g': radius = 0 m, must be positive and at most 1e9 m"},
      {scene_text("<geom name='g' size='-1'/>"),
       "s.xml:3: geom 'g': radius = -1 m, must be positive and at most 1e9 m"},
      {scene_text("<geom name='g' type='box' size='1 1'/>"),
       "s.xml:3: geom 'g': half_extents z = 0 m, must be positive and at most 1e9 m"},
      {scene_text("<geom name='g' type='capsule' size='1'/>"),
       "s.xml:3: geom 'g': half_length = 0 m, must be positive and at most 1e9 m"},
      {scene_text("<geom name='g' type='cylinder' size='1' fromto='1 1 1 1 1 1'/>"),
       "s.xml:3: geom 'g': fromto points too close in geom"},
      {scene_text("<body><freejoint/><geom name='g' type='plane' size='1 1 1'/></body>"),
       "s.xml:3: geom 'g': plane only allowed in static bodies"},
  });
}

TEST(BadNames, AreRefused) {
  const std::string long_name(1 << 20, 'n');
  expect_errors({
      {scene_text("<body name='a'/>\n<body name='a'/>"),
       "s.xml:4: body: repeated name 'a' in body"},
      {scene_text("<geom name='g' size='1'/>\n<geom name='g' size='1'/>"),
       "s.xml:4: geom: repeated name 'g' in geom"},
      {scene_text(free_ball, "", "<keyframe><key name='k'/><key name='k'/></keyframe>"),
       "s.xml:5: key: repeated name 'k' in key"},
      {scene_text("<body name='world'/>"),
       "s.xml:3: body 'world': name 'world' is reserved for the fixed surroundings"},
      {scene_text("<geom name='\xC3(' size='1'/>"),
       "s.xml:3: column 13: the value of attribute 'name' is not UTF-8"},
      {scene_text("<geom name='a&#10;b' size='1'/>"),
       "s.xml:3: geom 'a\\x0Ab': name 'a\\x0Ab' has a control character"},
      {scene_text("<body name='" + long_name + "'/>"),
       "s.xml:3: body '" + long_name.substr(0, 64) +
           "...': a name of 1048576 bytes, at most 1024 are allowed"},
      {scene_text(free_ball, "", "<contact><exclude body1='ball' body2='bal'/></contact>"),
       "s.xml:5: exclude: body 'bal' not found in bodypair 0"},
      {scene_text("<geom size='1' class='soft'/>"),
       "s.xml:3: geom: unknown default class name 'soft'"},
  });
}

TEST(GoodNames, MayBeEmptyOrOdd) {
  const Scene scene = load_mjcf_text(
      scene_text("<geom name='__proto__' size='1'/><geom name='' size='1'/>"
                 "<geom name='K\xC3\xB6rper &lt;1&gt;' size='1'/><geom name='world' size='1'/>"),
      "s.xml");
  EXPECT_EQ(scene.geoms[0].name, "__proto__");
  EXPECT_EQ(scene.geoms[1].name, "");
  EXPECT_EQ(scene.geoms[2].name, "K\xC3\xB6rper <1>");
}

TEST(UnknownKeys, AreRefusedWithTheNearestKnownOne) {
  expect_errors({
      {scene_text("<geom sise='1'/>"),
       "s.xml:3: geom: unrecognized attribute: 'sise', did you mean 'size'?"},
      {scene_text("<gom size='1'/>"), "s.xml:3: gom: unrecognized element, did you mean 'geom'?"},
      {scene_text("<body><freejoin/></body>"),
       "s.xml:3: freejoin: unrecognized element, did you mean 'freejoint'?"},
      {scene_text("<geom size='1' zzzzzz='1'/>"),
       "s.xml:3: geom: unrecognized attribute: 'zzzzzz'"},
      {scene_text("", "<option timestap='1'/>"),
       "s.xml:1: option: unrecognized attribute: 'timestap', did you mean 'timestep'?"},
      {scene_text("<geom size='1' type='cube'/>"), "s.xml:3: geom: invalid keyword: 'cube'"},
  });
}

TEST(BadFiles, GiveOneClearSentence) {
  const TemporaryFolder folder;
  EXPECT_EQ(folder.error_of("none.xml"),
            "FileError: cannot read 'none.xml': No such file or directory");
  EXPECT_EQ(folder.error_of(""), "FileError: cannot read '': it is a directory");
  folder.write("empty.xml", "");
  EXPECT_EQ(folder.error_of("empty.xml"), "empty.xml: the file is empty");
  folder.write("blank.xml", " \n\n");
  EXPECT_EQ(folder.error_of("blank.xml"), "blank.xml:3: column 1: the text has no element");
  folder.write("text.xml", "hello");
  EXPECT_EQ(folder.error_of("text.xml"), "text.xml:1: column 1: text 'hello' outside of a tag");
  folder.write("program.xml", std::string_view("\x7F"
                                               "ELF\0\1",
                                               6));
  EXPECT_EQ(folder.error_of("program.xml"),
            "program.xml:1: column 5: a zero byte: this is not an XML text");
  folder.write("utf16.xml", std::string_view("\xFF\xFE<\0m\0", 6));
  EXPECT_EQ(folder.error_of("utf16.xml"), "utf16.xml:1: column 1: UTF-16 text, only UTF-8 is read");
  folder.write("robot.urdf", "<robot name='r'/>");
  EXPECT_EQ(
      folder.error_of("robot.urdf"),
      "robot.urdf:1: robot 'r': the root element is 'robot', must be 'mujoco'; URDF is known by "
      "the suffix .urdf of its name");
  folder.write("dir/x.xml", "");
  EXPECT_EQ(folder.error_of("dir"), "FileError: cannot read 'dir': it is a directory");
  ASSERT_EQ(::mkfifo((folder / "fifo.xml").c_str(), 0600), 0);
  EXPECT_EQ(folder.error_of("fifo.xml"),
            "FileError: cannot read 'fifo.xml': it is a device, a socket or a pipe, not a file");
}

TEST(BadFiles, UrlsAndZeroBytesAreNoPaths) {
  EXPECT_THROW(load_mjcf("http://example.com/scene.xml"), FileError);
  EXPECT_THROW(load_mjcf(std::string("scene.xml\0", 10)), FileError);
  EXPECT_THROW(load_mjcf(""), FileError);
}

TEST(BadFiles, MeshFilesThatWeighAreLookedAtBeforeTheyAreRead) {
  const TemporaryFolder folder;
  const auto scene = [](const std::string& file, const std::string& mass = "1") {
    return "<mujoco><compiler meshdir='m'/>\n<asset>\n<mesh name='k' file='" + file +
           "'/></asset><worldbody><body><freejoint/><geom size='1'/><geom type='mesh' mesh='k' "
           "contype='0' conaffinity='0' mass='" +
           mass + "'/></body></worldbody></mujoco>";
  };
  folder.write("s.xml", scene("k.obj"));
  EXPECT_EQ(folder.error_of("s.xml"),
            "FileError: s.xml:3: mesh 'k': cannot read 'm/k.obj': No such file or directory");
  folder.write("s.xml", scene("/dev/zero"));
  EXPECT_EQ(folder.error_of("s.xml"),
            "FileError: s.xml:3: mesh 'k': cannot read '/dev/zero': it is a device, a socket or a "
            "pipe, not a file");
  folder.write("m/empty.obj", "");
  folder.write("s.xml", scene("empty.obj"));
  EXPECT_NE(folder.error_of("s.xml").find("s.xml:3: mesh 'k': "), std::string::npos);
  folder.write("m/tetrahedron.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  folder.write("s.xml", scene("tetrahedron.obj"));
  EXPECT_EQ(folder.error_of("s.xml"), "");
  folder.write("s.xml", scene("none.obj", "0"));  // only to look at
  EXPECT_EQ(folder.error_of("s.xml"), "");
}

TEST(GoodFiles, MeshesOfAttachedModelsAreFoundInTheirFolder) {
  const TemporaryFolder folder;
  folder.write("main.xml",
               "<mujoco><asset><model name='m' file='sub/m.xml'/></asset><worldbody><attach "
               "model='m' prefix='p_'/></worldbody></mujoco>");
  folder.write("sub/m.xml",
               "<mujoco>\n<compiler meshdir='meshes'/><asset><mesh name='k' file='k.obj'/></asset>"
               "<worldbody><body name='b'><freejoint/><geom type='mesh' mesh='k' contype='0' "
               "conaffinity='0'/></body></worldbody></mujoco>");
  EXPECT_EQ(folder.error_of("main.xml"),
            "FileError: sub/m.xml:2: mesh 'p_k': cannot read 'sub/meshes/k.obj': No such file or "
            "directory");
  folder.write("sub/meshes/k.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  EXPECT_NEAR(load_mjcf(folder / "main.xml").bodies[0].mass, 1000 / 6., 1e-3);
}

TEST(GoodFiles, ByteOrderMarkWindowsLinesAndLatinComments) {
  EXPECT_TRUE(notices_of("\xEF\xBB\xBF<mujoco/>").empty());
  EXPECT_EQ(error_of("<mujoco>\r\n<worldbody/>\r\n</mujoco>\r\n"), "");
  EXPECT_EQ(error_of("<mujoco><!-- 20 \xB0 -- hot --></mujoco>"), "");
  EXPECT_EQ(error_of("<?xml version='1.0' encoding='utf-8'?><mujoco model='m'/>"), "");
}

TEST(GoodFiles, PathsOfManySpellings) {
  const TemporaryFolder folder;
  folder.write("sub dir/s.xml", scene_text(free_ball));
  folder.write("x/y", "");
  EXPECT_EQ(load_mjcf(folder / "sub dir/s.xml").bodies.size(), 1u);
  EXPECT_EQ(load_mjcf(folder / "x/..//sub dir/./s.xml").bodies.size(), 1u);
  folder.write("no extension", scene_text(free_ball));
  EXPECT_EQ(load_mjcf(folder / "no extension").bodies.size(), 1u);
  folder.write("s.zip", scene_text(free_ball));
  EXPECT_EQ(load_mjcf(folder / "s.zip").bodies.size(), 1u);
  folder.write("K\xC3\xB6rper:\\1.xml", scene_text(free_ball));
  EXPECT_EQ(load_mjcf(folder / "K\xC3\xB6rper:\\1.xml").bodies.size(), 1u);
  EXPECT_EQ(load_mjcf_text(scene_text(free_ball), "").bodies.size(), 1u);
}

TEST(Excess, OfAttachedModelsIsRefused) {
  const TemporaryFolder folder;
  for (int i = 0; i < 10; ++i) {
    std::ostringstream name, text;
    name << "m" << i << ".xml";
    text << "<mujoco><asset><model name='n' file='m" << i + 1 << ".xml'/></asset><worldbody>";
    for (char letter = 'a'; letter < 'k'; ++letter) {
      text << "<attach model='n' prefix='" << letter << "'/>";
    }
    text << "</worldbody></mujoco>";
    folder.write(name.str(), text.str());
  }
  folder.write("m10.xml", "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>");
  EXPECT_EQ(folder.error_of("m0.xml"), "m4.xml: more than 1000000 elements with attached models");
  EXPECT_EQ(folder.error_of("m9.xml"), "");
}

TEST(Excess, OfBodiesIsRefusedBeforeTheyAreCompiled) {
  const auto nested = [](int outer, int inner) {
    return scene_text("<replicate count='" + std::to_string(outer) + "'>\n<replicate count='" +
                      std::to_string(inner) + "'>" + free_ball + "</replicate></replicate>");
  };
  const std::string rule =
      " (body_limit, --body-limit): MuJoCo's compiler takes time in proportion to their square";
  EXPECT_EQ(error_of(nested(200, 100)),
            "s.xml:3: replicate: 20000 bodies, must be at most 10000" + rule);
  const auto loads = [](const std::string& text, int limit) -> std::string {
    try {
      return std::to_string(load_mjcf_text(text, "s.xml", {.body_limit = limit}).bodies.size());
    } catch (const InputError& e) {
      return e.what();
    }
  };
  EXPECT_EQ(loads(nested(3, 4), 12), "12");
  EXPECT_EQ(loads(nested(3, 4), 11), "s.xml:3: replicate: 12 bodies, must be at most 11" + rule);
  EXPECT_EQ(loads(nested(3, 4), 0), "body_limit = 0, must be positive");
  const TemporaryFolder folder;
  folder.write("part.xml", nested(1, 4000));
  folder.write("host.xml",
               "<mujoco><asset><model name='p' file='part.xml'/></asset><worldbody><attach "
               "model='p' prefix='a'/><attach model='p' prefix='b'/><attach model='p' prefix='c'/>"
               "</worldbody></mujoco>");
  EXPECT_EQ(folder.error_of("host.xml"),
            "host.xml: 12000 bodies with attached models, must be at most 10000" + rule);
}

TEST(Excess, IsRefusedBeforeItTakesMemory) {
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "<body>";
  EXPECT_NE(error_of(scene_text(deep)).find("more than 256 nested elements"), std::string::npos);
  expect_errors({
      {scene_text("<replicate count='2000000000'>" + free_ball + "</replicate>"),
       "s.xml:3: replicate: more than 1000000 elements"},
      {scene_text("<replicate count='99999999999999999999'>" + free_ball + "</replicate>"),
       "s.xml:3: replicate: more than 1000000 elements"},
      {scene_text("<replicate count='1000'><replicate count='1000'>\n" + free_ball +
                  "</replicate></replicate>"),
       "s.xml:3: replicate: more than 1000000 elements"},
      {scene_text("", "<asset><hfield name='h' nrow='100000' ncol='2' size='1 1 1 1'/></asset>"),
       "s.xml:1: hfield 'h': nrow = 100000, must be at most 4096"},
      {scene_text("", "<asset><mesh name='m' builtin='plate' params='100000 2'/></asset>"),
       "s.xml:1: mesh 'm': params = 100000, must be at most 1000"},
  });
  // attached to itself, ten times in each of ten bodies
  std::string chain = "<body name='b0'><geom size='1'/></body>\n";
  for (int i = 1; i < 10; ++i) {
    std::ostringstream body;
    body << "<body name='b" << i << "'>";
    for (char letter = 'a'; letter < 'k'; ++letter) {
      body << "<attach body='b" << i - 1 << "' prefix='" << letter << "'/>";
    }
    chain += body.str() + "</body>\n";
  }
  EXPECT_EQ(error_of(scene_text(chain)),
            "s.xml:7: body 'b4': 11111 bodies, must be at most 10000 (body_limit, --body-limit): "
            "MuJoCo's compiler takes time in proportion to their square");
  // sizes of tables that only MuJoCo would fill are not handed to it
  EXPECT_EQ(error_of(scene_text(free_ball,
                                "<size nkey='2000000000' nuser_geom='2000000000' "
                                "memory='1000G'/>")),
            "");
  EXPECT_EQ(error_of(scene_text(free_ball,
                                "<asset><texture name='t' type='cube' builtin='flat' "
                                "width='100000' height='600000'/></asset>")),
            "");
}

// a normal of one number, which MuJoCo counts for three
TEST(BadFiles, OfMeshesAreNamedWhereMujocoDoesNot) {
  const TemporaryFolder folder;
  const std::string points = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
  const std::string faces = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  folder.write("bad.obj", points + "vn 1\n" + faces);
  folder.write("good.obj", points + faces);
  const auto scene = [](const std::string& meshes, const std::string& geoms) {
    return scene_text("<body><freejoint/>" + geoms + "</body>", "<asset>\n" + meshes + "</asset>");
  };
  const std::string bad = "<geom type='mesh' mesh='bad'/>",
                    good = "<geom type='mesh' mesh='good'/>";
  const std::string sentence =
      "Invalid model: mesh_facenormal normal index out of bounds. ('bad.obj')";
  folder.write("one.xml", scene("<mesh file='bad.obj'/>", bad));
  EXPECT_EQ(folder.error_of("one.xml"), "one.xml:2: mesh 'bad': " + sentence);
  folder.write("two.xml", scene("\n<mesh file='bad.obj'/>\n<mesh file='good.obj'/>", bad + good));
  EXPECT_EQ(folder.error_of("two.xml"),
            "two.xml:3: mesh 'bad': " + sentence + ", or in 'good.obj'");
}

// MuJoCo takes the name of an unknown class for a format string, and ends the process where a model
// has no file
TEST(Formats, InNamesOfClassesAreRefused) {
  const std::string rule = ", must be a name without % and character references";
  expect_errors({
      {scene_text("<light class='%s%s%s%s%s%s'/>"),
       "s.xml:3: light: class = '%s%s%s%s%s%s'" + rule},
      {scene_text("<geom name='g'\nclass='%n'/>"), "s.xml:4: geom 'g': class = '%n'" + rule},
      {scene_text("<body name='b' childclass='50%'/>"),
       "s.xml:3: body 'b': childclass = '50%'" + rule},
      {scene_text("<camera class='&#37;p'/>"), "s.xml:3: camera: class = '&#37;p'" + rule},
      {scene_text("<camera class='&#x25;p'/>"), "s.xml:3: camera: class = '&#x25;p'" + rule},
      {scene_text("", "<default><default class='%s'/></default>"),
       "s.xml:1: default: class = '%s'" + rule},
      {scene_text("", "<asset><model name='m'/></asset>"),
       "s.xml:1: model 'm': must have the attribute 'file'"},
      {scene_text("<light class='a&amp;b'/>"), "s.xml:3: light: unknown default class name 'a&b'"},
  });
  const TemporaryFolder folder;
  folder.write("outer.xml", "<mujoco><include file='inner.xml'/></mujoco>");
  folder.write("inner.xml", "<mujoco>\n<worldbody><frame childclass='%s'/></worldbody></mujoco>");
  EXPECT_EQ(folder.error_of("outer.xml"), "inner.xml:2: frame: childclass = '%s'" + rule);
  folder.write("host.xml", "<mujoco><asset><model name='m' file='inner.xml'/></asset></mujoco>");
  EXPECT_EQ(folder.error_of("host.xml"), "inner.xml:2: frame: childclass = '%s'" + rule);
}

// "%%" would come out as "%"
TEST(Formats, OtherAttributesOfAnyElementAreNone) {
  const auto collapses = [](const std::string& text) {
    const std::string error = error_of(text);
    const std::size_t found = error.find("Q%Q");
    return found != std::string::npos ? error : std::string();
  };
  const std::string bodies =
      "<body name='bQ%%Q'><joint name='jQ%%Q' axis='0 0 1'/><geom name='gQ%%Q' size='1'/>"
      "<site name='sQ%%Q'/></body>";
  const char* in_world[] = {"geom",  "site",   "camera",    "light",    "body",
                            "frame", "attach", "replicate", "composite"};
  const char* elsewhere[][2] = {
      {"asset", "mesh"},        {"asset", "hfield"},     {"asset", "texture"},
      {"asset", "material"},    {"asset", "model"},      {"contact", "pair"},
      {"contact", "exclude"},   {"equality", "connect"}, {"equality", "weld"},
      {"equality", "joint"},    {"equality", "tendon"},  {"tendon", "fixed"},
      {"tendon", "spatial"},    {"actuator", "general"}, {"actuator", "motor"},
      {"actuator", "position"}, {"actuator", "muscle"},  {"keyframe", "key"},
      {"deformable", "skin"},   {"extension", "other"},  {"worldbody", "unknown"},
      {"default", "geom"}};
  const char* attributes[] = {
      "name",    "class",     "type",   "joint",      "body",      "site",    "tendon",
      "mesh",    "hfield",    "file",   "material",   "texture",   "geom1",   "body1",
      "site1",   "joint1",    "target", "model",      "prefix",    "frame",   "mode",
      "dyntype", "refsite",   "sep",    "childclass", "cranksite", "builtin", "content_type",
      "active",  "inherited", "size",   "pos",        "qpos",      "unknown", "colorspace",
      "limited", "gaintype",  "input",  "slidersite", "inertia",   "tendon1", "role"};
  for (const char* attribute : attributes) {
    const std::string given = std::string(attribute) + "='Q%%Q'";
    for (const char* tag : in_world) {
      const std::string element = "<" + std::string(tag) + " " + given + "/>";
      EXPECT_EQ(collapses(scene_text(bodies + element)), "") << element;
      EXPECT_EQ(collapses(scene_text("<body name='oQ%%Q'>" + element + "</body>")), "") << element;
    }
    for (const auto& [section, tag] : elsewhere) {
      const std::string open = "<" + std::string(section) + ">", close = "</" + open.substr(1);
      const std::string element = open + "<" + tag + " " + given + "/>" + close;
      EXPECT_EQ(collapses(scene_text(bodies, element)), "") << element;
    }
  }
}

}  // namespace
}  // namespace abut
