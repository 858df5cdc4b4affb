// Scene files: what they make, and what is refused with which words.

#include "abut/io/scene_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "abut/core/text.hpp"
#include "abut/solvers/contact_solver.hpp"

namespace abut {
namespace {

SceneFile load(const std::string& text) {
  return load_scene_text("abut = 1\n" + text, "s.toml");
}

std::string error_of(const std::string& text) {
  try {
    load_scene_text(text, "s.toml");
  } catch (const InputError& e) {
    return e.what();
  } catch (const FileError& e) {
    return std::string("FileError ") + e.what();
  }
  return "";
}

struct Refusal {
  std::string text, message;
};
void expect_errors(const std::vector<Refusal>& list) {
  for (const auto& [text, message] : list) EXPECT_EQ(error_of("abut = 1\n" + text), message);
}

/// A folder with a model in it.
class Models : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("abut-scene-file-test-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    write("arm.xml", R"(<mujoco><compiler angle="radian"/><option timestep="0.001"/><worldbody>
<geom name="table" type="box" size="1 1 0.1" pos="0 0 -0.1"/>
<body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0"/>
<geom name="rod" type="capsule" size="0.02" fromto="0 0 0 0.4 0 0" mass="1" friction="0.7"/>
<body name="lower" pos="0.4 0 0"><joint name="elbow" axis="0 1 0" range="-2 2" limited="true"/>
<geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0" mass="0.5"/></body></body></worldbody>
<actuator><motor name="m" joint="elbow"/></actuator>
<keyframe><key name="up" qpos="-1 0.5" qvel="0.1 0.2"/></keyframe></mujoco>)");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  /// Of a scene file in the folder; messages without the folder's name.
  std::string error_in_folder(const std::string& text) const {
    write("s.toml", "abut = 1\n" + text);
    try {
      load_scene_file((folder_ / "s.toml").string());
    } catch (const std::exception& e) {
      std::string message = e.what();
      const std::string prefix = folder_.string() + "/";
      for (std::size_t at; (at = message.find(prefix)) != std::string::npos;) {
        message.erase(at, prefix.size());
      }
      return message;
    }
    return "";
  }
  SceneFile load_in_folder(const std::string& text) const {
    write("s.toml", "abut = 1\n" + text);
    return load_scene_file((folder_ / "s.toml").string());
  }

  std::filesystem::path folder_;
};

TEST(SceneFile, OfNothingIsAnEmptyScene) {
  const SceneFile file = load("");
  EXPECT_TRUE(file.scene.bodies.empty());
  EXPECT_EQ(file.scene.gravity, (Vec3{0, 0, -9.81}));
  EXPECT_EQ(file.scene.time_step, Scene{}.time_step);
  EXPECT_EQ(file.scene.friction_rule, FrictionRule::harmonic);
  EXPECT_FALSE(file.simulation.model);
}

TEST(SceneFile, MovesSurfaces) {
  const Scene s = load(R"(
[world]
ground = true
[[body]]
fixed = true
shape = {name = "belt", type = "box", half_extents = [1, 1, 1], surface_velocity = [1, 2, 3]}
[[body]]
fixed = true
shape = {name = "table", type = "box", half_extents = [1, 1, 1], surface_angular_velocity = [4, 5, 6]}
[[surface]]
geoms = ["ground", "table"]
surface_velocity = [7, 8, 9]
)")
                      .scene;
  EXPECT_EQ(s.geoms[0].surface_velocity, (Vec3{7, 8, 9}));
  EXPECT_EQ(s.geoms[1].surface_velocity, (Vec3{1, 2, 3}));
  EXPECT_EQ(s.geoms[1].surface_angular_velocity, Vec3{});
  EXPECT_EQ(s.geoms[2].surface_velocity, (Vec3{7, 8, 9}));
  EXPECT_EQ(s.geoms[2].surface_angular_velocity, Vec3{}) << "its own is gone";
  const auto error = [](const std::string& text) {
    try {
      load(text);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(error("[[surface]]\nsurface_velocity = [1, 0, 0]\n").find("needs the names of geoms"),
            std::string::npos);
  EXPECT_NE(error("[[surface]]\ngeoms = ['x']\n").find("geom 'x' does not exist"),
            std::string::npos);
  EXPECT_NE(error("[world]\nground = true\n[[surface]]\ngeoms = ['ground']\n"
                  "surface_velocity = [1e200, 0, 0]\n")
                .find("surface_velocity"),
            std::string::npos);
}

TEST(SceneFile, MakesBodiesOfShapes) {
  const SceneFile file = load(R"(
[world]
gravity = [0, 0, -1.62]
ground = true
ground_material = "dust"
[material.dust]
stiffness = 1e6
dissipation = 2
relaxation_time = 1e-3
friction = 0.4
[[body]]
name = "hammer"
position = [1, 2, 3]
orientation = [0, 1, 0, 0]
linear_velocity = [1, 0, 0]
angular_velocity = [0, 2, 0]
mass = 3
[[body.shape]]
type = "cylinder"
radius = 0.02
half_length = 0.2
[[body.shape]]
name = "head"
type = "box"
half_extents = [0.02, 0.03, 0.04]
position = [0, 0, 0.2]
rpy = [0, 0, 1.5707963267948966]
material = "dust"
[[body]]
name = "post"
fixed = true
shape = {type = "ellipsoid", radii = [0.1, 0.2, 0.3]}
)");
  const Scene& s = file.scene;
  ASSERT_EQ(s.bodies.size(), 2u);
  ASSERT_EQ(s.geoms.size(), 4u);
  EXPECT_EQ(s.gravity, (Vec3{0, 0, -1.62}));
  EXPECT_EQ(s.geoms[0].name, "ground");
  EXPECT_EQ(s.geoms[0].material.relaxation_time, 1e-3);
  EXPECT_EQ(s.geoms[2].material.stiffness, 1e6);
  EXPECT_EQ(s.geoms[2].material.dissipation, 2);
  EXPECT_EQ(s.geoms[2].material.friction, 0.4);
  EXPECT_FALSE(s.geoms[1].material.friction);
  EXPECT_EQ(s.geoms[2].shape.half_extents(), (Vec3{0.02, 0.03, 0.04}));
  EXPECT_NEAR(s.geoms[2].pose.R(1, 0), 1, 1e-15) << "turned by 90 degrees about z";
  const SceneBody& hammer = s.bodies[0];
  EXPECT_EQ(hammer.kind, BodyKind::free);
  EXPECT_EQ(hammer.position, (Vec3{1, 2, 3}));
  EXPECT_EQ(hammer.orientation, (Quaternion{0, 1, 0, 0}));
  EXPECT_EQ(hammer.linear_velocity, (Vec3{1, 0, 0}));
  EXPECT_EQ(hammer.angular_velocity, (Vec3{0, 2, 0}));
  EXPECT_DOUBLE_EQ(hammer.mass, 3);
  const double handle = 3.14159265358979 * 4e-4 * 0.4, head = 8 * 0.02 * 0.03 * 0.04;  // volumes
  EXPECT_NEAR(hammer.center_of_mass.z, 0.2 * head / (handle + head), 1e-14);
  EXPECT_EQ(s.bodies[1].kind, BodyKind::fixed);
  EXPECT_EQ(s.bodies[1].origin.line, 30);
}

TEST(SceneFile, TakesMassesInEveryWay) {
  const std::string shape = "\nshape = {type = 'box', half_extents = [0.1, 0.2, 0.3]}\n";
  const auto body = [&](const std::string& rest) {
    return load("[[body]]\n" + rest).scene.bodies[0];
  };
  EXPECT_NEAR(body(shape).mass, 48, 1e-12) << "1000 kg/m^3";
  EXPECT_NEAR(body("density = 500" + shape).mass, 24, 1e-12);
  const SceneBody m = body("mass = 6" + shape);
  EXPECT_NEAR(m.mass, 6, 1e-15);
  EXPECT_NEAR(m.inertia(0, 0), 2 * 0.13, 1e-15);
  const SceneBody given =
      body("mass = 2\ncenter_of_mass = [0, 0, 0.1]\ninertia = [1, 2, 2.5, 0.1, 0.2, 0.3]");
  EXPECT_EQ(given.center_of_mass.z, 0.1);
  EXPECT_EQ(given.inertia(1, 1), 2);
  EXPECT_EQ(given.inertia(0, 1), 0.1);
  EXPECT_EQ(given.inertia(2, 0), 0.2);
  EXPECT_EQ(given.inertia(1, 2), 0.3);
}

TEST(SceneFile, CopiesBodies) {
  const Scene s = load(R"([[body]]
name = "d"
copies = 3
spacing = [0.1, 0, 0]
position = [1, 0, 0]
shape = {name = "g", type = "sphere", radius = 0.01})")
                      .scene;
  ASSERT_EQ(s.bodies.size(), 3u);
  EXPECT_EQ(s.bodies[2].name, "d2");
  EXPECT_NEAR(s.bodies[2].position.x, 1.2, 1e-15);
  EXPECT_EQ(s.geoms[2].name, "g2");
  EXPECT_EQ(s.geoms[2].body, 2);
}

// R = Rz(yaw) Ry(pitch) Rx(roll)
TEST(SceneFile, TurnsByRollPitchYaw) {
  const Scene s =
      load("[[body]]\nrpy = [0.3, -0.4, 0.5]\nshape = {type = 'sphere', radius = 1}").scene;
  const double a = 0.3, b = -0.4, c = 0.5;
  const Mat3 Rx{{{1, 0, 0}, {0, std::cos(a), std::sin(a)}, {0, -std::sin(a), std::cos(a)}}};
  const Mat3 Ry{{{std::cos(b), 0, -std::sin(b)}, {0, 1, 0}, {std::sin(b), 0, std::cos(b)}}};
  const Mat3 Rz{{{std::cos(c), std::sin(c), 0}, {-std::sin(c), std::cos(c), 0}, {0, 0, 1}}};
  const Mat3 d = to_matrix(s.bodies[0].orientation) - Rz * Ry * Rx;
  for (const Vec3& column : d.col) EXPECT_LT(norm(column), 1e-15);
}

TEST(SceneFile, KeepsSettingsCamerasAndOutput) {
  const SceneFile file = load(R"(
[simulation]
model = "lagged"
law = "hertz"
scheme = "midpoint"
solver = "newton-paper"
time_step = 0.005
duration = 2.5
tolerance = 1e-8
accuracy = 1e-4
contact_limit = 77
[output]
directory = "out"
frame_rate = 30
[[camera]]
name = "front"
position = [2, 0, 1]
target = [0, 0, 0.5]
field_of_view = 1
)");
  EXPECT_EQ(file.scene.time_step, 0.005);
  EXPECT_EQ(file.simulation.duration, 2.5);
  EXPECT_EQ(file.simulation.over({}).scheme, SteppingScheme::midpoint);
  const WorldOptions o = file.simulation.over({});
  EXPECT_EQ(o.model, ContactModel::lagged);
  EXPECT_EQ(o.law, NormalLawKind::hertz);
  EXPECT_EQ(o.solver, "newton-paper");
  EXPECT_EQ(o.tolerance, 1e-8);
  EXPECT_EQ(o.accuracy, 1e-4);
  EXPECT_EQ(o.contact_limit, 77);
  EXPECT_EQ(file.output.directory, "out");
  EXPECT_EQ(file.output.frame_rate, 30);
  ASSERT_EQ(file.cameras.size(), 1u);
  EXPECT_EQ(file.cameras[0].name, "front");
  EXPECT_EQ(file.cameras[0].target.z, 0.5);
}

TEST_F(Models, ArePlacedNamedAndStarted) {
  const SceneFile file = load_in_folder(R"(
[[model]]
file = "arm.xml"
name = "left"
position = [0, 1, 0]
keyframe = "up"
joints = { elbow = 0.25 }
[[model]]
file = "arm.xml"
name = "right"
position = [0, -1, 0]
rpy = [0, 0, 3.141592653589793]
material = "soft"
[material.soft]
stiffness = 1e5
[material.hard]
geoms = ["left/rod"]
bodies = ["right/lower"]
friction = 0.2
[[exclude]]
bodies = ["left/lower", "right/lower", "world"]
[[exclude]]
geoms = ["left/table", "right/rod"]
)");
  const Scene& s = file.scene;
  EXPECT_EQ(s.time_step, 0.001) << "the models'";
  EXPECT_EQ(s.friction_rule, FrictionRule::maximum) << "MJCF's";
  ASSERT_EQ(s.bodies.size(), 4u);
  EXPECT_EQ(s.bodies[2].name, "right/upper");
  EXPECT_EQ(s.bodies[2].joints[0].name, "right/shoulder");
  EXPECT_EQ(s.bodies[2].position, (Vec3{0, -1, 1}));
  EXPECT_EQ(s.geoms[1].material.friction, 0.2);
  EXPECT_FALSE(s.geoms[1].material.stiffness);
  EXPECT_EQ(s.geoms[4].material.stiffness, 1e5);
  EXPECT_FALSE(s.geoms[4].material.friction);
  EXPECT_EQ(s.geoms[5].material.friction, 0.2);
  EXPECT_EQ(s.excluded_bodies,
            (std::vector<std::pair<int, int>>{{1, 3}, {1, world_body}, {3, world_body}}));
  EXPECT_EQ(s.excluded_geoms, (std::vector<std::pair<int, int>>{{0, 4}}));
  const World w(s);
  EXPECT_EQ(w.joint_state(0).positions[0], -1);
  EXPECT_EQ(w.joint_state(0).velocities[0], 0.1);
  EXPECT_EQ(w.joint_state(1).positions[0], 0.25);
  EXPECT_EQ(w.joint_state(1).velocities[0], 0.2);
  EXPECT_EQ(w.joint_state(2).positions[0], 0);
  // shoulder -1, elbow 0.25: the elbow is at (0.4 cos 1, 1, 1 + 0.4 sin 1)
  EXPECT_LT(norm(w.body_state(1).position - Vec3{0.4 * std::cos(1), 1, 1 + 0.4 * std::sin(1)}),
            1e-12);
}

TEST(SceneFile, SaysWhatCountsBetweenMaterialsAndGeoms) {
  const std::string text = R"(
[material.ice]
[material.steel]
[[body]]
name = "floor"
fixed = true
shape = {name = "floor", type = "plane", material = "ice"}
[[body]]
name = "puck"
copies = 2
spacing = [1, 0, 0]
shape = {name = "puck", type = "sphere", radius = 0.1, material = "steel"}
[[pair]]
materials = ["steel", "ice"]
friction = 0.02
stiffness = 1e5
law = "hertz"
[[pair]]
materials = ["steel", "steel"]
dissipation = 3
[[pair]]
geoms = ["puck1", "floor"]
friction = 0.1
relaxation_time = 0.01
forced = true
)";
  const Scene s = load(text).scene;
  ASSERT_EQ(s.pairs.size(), 3u);  // floor 0, pucks 1 and 2
  const auto is = [&](int i, int a, int b) {
    const auto [low, high] = std::minmax(s.pairs[i].geom_a, s.pairs[i].geom_b);
    return low == a && high == b;
  };
  EXPECT_TRUE(is(0, 0, 1) && is(1, 0, 2) && is(2, 1, 2));
  EXPECT_EQ(s.pairs[0].material.friction, 0.02);
  EXPECT_EQ(s.pairs[0].material.stiffness, 1e5);
  EXPECT_EQ(s.pairs[0].law, NormalLawKind::hertz);
  EXPECT_EQ(s.pairs[0].origin.line, 14);
  EXPECT_FALSE(s.pairs[1].material.stiffness) << "the later one counts";
  EXPECT_FALSE(s.pairs[1].law);
  EXPECT_EQ(s.pairs[1].material.relaxation_time, 0.01);
  EXPECT_TRUE(s.pairs[1].forced);
  EXPECT_EQ(s.pairs[2].material.dissipation, 3);
  EXPECT_FALSE(s.pairs[2].forced);
  const auto error = [&](const std::string& pair) {
    return error_of("abut = 1" + text + "[[pair]]\n" + pair);
  };
  const std::string at = "s.toml:26: pair: ";
  EXPECT_EQ(error(""), at + "it needs the names of two materials, or of two geoms");
  EXPECT_EQ(error("materials = ['ice']\ngeoms = ['floor']"),
            at + "it needs the names of two materials, or of two geoms");
  EXPECT_EQ(error("materials = ['ice', 'steal']"),
            "s.toml:27: pair: material 'steal' does not exist, did you mean 'steel'?");
  EXPECT_EQ(error("geoms = ['floor', 'flor']"),
            "s.toml:27: pair: geom 'flor' does not exist, did you mean 'floor'?");
  EXPECT_EQ(error("geoms = ['floor', 'floor']"),
            "s.toml:27: pair: its geoms never meet: neither moves, or one body has both");
  EXPECT_EQ(error("geoms = ['floor', 'puck0']\nfriction = -1"),
            "s.toml:28: pair: friction = -1, must not be negative");
  EXPECT_EQ(error("geoms = ['floor', 'puck0']\nlaw = 'herz'"),
            "s.toml:28: pair: law = 'herz', must be one of kelvin-voigt, hunt-crossley, hertz, "
            "tabulated, log-barrier, ipc-barrier");
}

TEST(SceneFile, ReadsForceTables) {
  const std::string text = R"(
[world]
ground = true
ground_material = "floor"
force_table = [[0, 0], [2, 3]]
[material.floor]
force_table = [[0, 0.0], [1e-3, 0], [2e-3, 7]]
[[body]]
name = "ball"
shape = {name = "ball", type = "sphere", radius = 0.1}
[[pair]]
geoms = ["ground", "ball"]
)";
  const Scene s = load(text + "force_table = [[0, 0], [4, 5.5]]").scene;
  EXPECT_EQ(*s.force_table, (ForceTable{{0, 2}, {0, 3}}));
  ASSERT_EQ(s.geoms.size(), 2u);
  EXPECT_EQ(*s.geoms[0].material.table, (ForceTable{{0, 1e-3, 2e-3}, {0, 0, 7}}));
  EXPECT_EQ(s.geoms[1].material.table, nullptr);
  ASSERT_EQ(s.pairs.size(), 1u);
  EXPECT_EQ(*s.pairs[0].material.table, (ForceTable{{0, 4}, {0, 5.5}}));
  const auto error = [&](const std::string& table) {
    return error_of("abut = 1" + text + "force_table = " + table);
  };
  const std::string at = "s.toml:13: pair: force_table";
  const std::string shape = "must be an array of pairs [depth, force]";
  EXPECT_TRUE(error("3").find(shape) != std::string::npos) << error("3");
  EXPECT_TRUE(error("[[0, 0], [1]]").find(shape) != std::string::npos);
  EXPECT_TRUE(error("[[0, 0], [1, 'a']]").starts_with("s.toml:13: pair: force_table"));
  EXPECT_EQ(error("[]"),
            "s.toml:13: pair: force_table has 0 depths and 0 forces, must have as many "
            "of each, and two");
  EXPECT_EQ(error("[[0, 1], [1, 2]]"), at + ": its first force = 1 N, must be 0");
  EXPECT_EQ(error("[[0, 0], [1, 2], [3, 1]]"),
            at + ": force = 1 N, must not be less than the one before, and at most 1e100");
}

TEST_F(Models, StartEachJointOfABody) {
  write("two.xml", R"(<mujoco><compiler angle="radian"/><worldbody><body>
<joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
<geom size="0.1"/></body></worldbody></mujoco>)");
  const SceneFile file = load_in_folder("[[model]]\nfile = 'two.xml'\njoints = {z = 0.5}");
  const World w(file.scene);
  EXPECT_EQ(w.joint_state(0).positions, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(w.body_state(0).position.z, 0.5);
}

TEST_F(Models, KeepTheirPairsForced) {
  write("pair.xml", R"(<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1" contype="0"
conaffinity="0"/><body><freejoint/><geom name="ball" size="0.1"/></body></worldbody>
<contact><pair geom1="floor" geom2="ball" condim="1"/></contact></mujoco>)");
  const SceneFile file = load_in_folder(
      "[[model]]\nfile = 'pair.xml'\n[[pair]]\ngeoms = ['ball', 'floor']\nfriction = 0.3");
  ASSERT_EQ(file.scene.pairs.size(), 1u);
  EXPECT_TRUE(file.scene.pairs[0].forced);
  EXPECT_FALSE(file.scene.pairs[0].frictionless);
  EXPECT_EQ(file.scene.pairs[0].material.friction, 0.3);
}

TEST_F(Models, LoseTheirGravityNotSilently) {
  write("moon.xml", "<mujoco><option gravity='0 0 -1.62'/></mujoco>");
  const SceneFile file = load_in_folder("[[model]]\nfile = 'moon.xml'");
  ASSERT_EQ(file.scene.notices.size(), 1u);
  EXPECT_EQ(file.scene.notices[0].text,
            "its gravity 0, 0, -1.62 m/s^2 is not used: that of [world] counts");
  EXPECT_EQ(file.scene.notices[0].at.line, 2);
}

TEST_F(Models, OfUrdfSayWhatUrdfDoesNot) {
  write("bot.urdf", R"(<robot><link name="base"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="3"/></inertial></link></robot>)");
  const std::string bot = "[[model]]\nfile = 'bot.urdf'\nname = 'bot'\nposition = [0, 0, 2]\n";
  EXPECT_EQ(error_in_folder(bot).substr(0, 27), "bot.urdf:1: link 'base': pr");
  const Scene free = load_in_folder(bot + "accept_inertia = true").scene;
  EXPECT_EQ(free.bodies[0].kind, BodyKind::free);
  EXPECT_EQ(free.bodies[0].name, "bot/base");
  EXPECT_EQ(free.bodies[0].position.z, 2);
  EXPECT_EQ(free.friction_rule, FrictionRule::harmonic);
  EXPECT_EQ(load_in_folder(bot + "base = 'fixed'").scene.bodies[0].kind, BodyKind::fixed);
  EXPECT_EQ(error_in_folder(bot + "base = 'loose'").substr(0, 30),
            "s.toml:6: model 'bot': base = ");
  EXPECT_EQ(error_in_folder("[[model]]\nfile = 'arm.xml'\nbase = 'free'"),
            "s.toml:4: model: base is for URDF files only");
  EXPECT_EQ(error_in_folder(bot + "accept_inertia = true\nsrdf = 'no.srdf'"),
            "s.toml:7: model 'bot': cannot read 'no.srdf': No such file or directory");
}

TEST_F(Models, BodiesMayBeHullsOfMeshes) {
  write("wedge.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const std::string mesh =
      "[[body]]\nshape = {type = 'mesh', file = 'wedge.obj', scale = [2, 1, 3]";
  const Scene s = load_in_folder(mesh + "}").scene;
  EXPECT_NEAR(s.bodies[0].mass, 1000, 1e-9) << "a sixth of 6 m^3";
  EXPECT_LE(norm(s.bodies[0].center_of_mass - Vec3{0.5, 0.25, 0.75}), 1e-14);
  EXPECT_EQ(error_in_folder("[[body]]\nshape = {type = 'mesh', file = 'no.obj'}"),
            "s.toml:3: shape: cannot read 'no.obj': No such file or directory");
  EXPECT_EQ(
      error_in_folder("[[body]]\nshape = {type = 'mesh', file = 'wedge.obj', scale = [1, 0, 1]}"),
      "s.toml:3: shape: scale = 0, must not be zero");
}

TEST_F(Models, ThatCannotBeAreRefused) {
  const std::string arm = "[[model]]\nfile = 'arm.xml'\n";
  EXPECT_EQ(error_in_folder("[[model]]\nfile = 'no.xml'"),
            "s.toml:3: model: cannot read 'no.xml': No such file or directory");
  EXPECT_EQ(error_in_folder("[[model]]\nfile = 's.toml'"),
            "s.toml:3: model: file = 's.toml', a scene cannot be a part of another");
  EXPECT_EQ(error_in_folder("[[model]]\nname = 'a'"),
            "s.toml:2: model 'a': it needs the key 'file'");
  EXPECT_EQ(error_in_folder(arm + arm),
            "arm.xml:3: body 'upper': body 'upper' exists already: give one of the models "
            "another name");
  EXPECT_EQ(error_in_folder(arm + "joints = {elbow = 90}"),
            "s.toml:4: model: joints: elbow = 90, must be in its range, -2 to 2");
  EXPECT_EQ(error_in_folder(arm + "keyframe = 'down'"),
            "s.toml:4: model: keyframe 'down' does not exist: must be one of up");
  EXPECT_EQ(error_in_folder(arm + "joints = {elbwo = 1}"),
            "s.toml:4: model: joint 'elbwo' does not exist, did you mean 'elbow'?");
  EXPECT_EQ(error_in_folder(arm + "material = 'x'"),
            "s.toml:4: model: material 'x' does not exist: there is none");
  EXPECT_EQ(error_in_folder("[[model]]\nfile = 'a.urdf'"),
            "s.toml:3: model: cannot read 'a.urdf': No such file or directory");
  write("a.urdf", "<robot/>");
  EXPECT_EQ(error_in_folder("[[model]]\nfile = 'a.urdf'"), "a.urdf:1: it has no <link>");
}

TEST(SceneFile, OfTheDocumentationRuns) {
  std::ifstream page(ABUT_DOCS "/formats/scene.md");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  const std::string fence = "```toml title=\"scene.toml\"\n";
  ASSERT_NE(text.find(fence), std::string::npos);
  const std::size_t begin = text.find(fence) + fence.size(), end = text.find("```", begin);
  const SceneFile file =
      load_scene_text(text.substr(begin, end - begin), ABUT_EXAMPLES "/documented.toml");
  World w(file.scene, file.simulation.over({}));
  EXPECT_EQ(w.options().model, ContactModel::lagged);
  EXPECT_EQ(w.moving_bodies(), 9 + 3 + 1);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(w.step().solve.status, SolveStatus::converged);
}

TEST(SceneFile, IsRefusedWithoutItsVersion) {
  EXPECT_EQ(error_of(""), "s.toml:1: a scene file begins with abut = 1, the version of its format");
  EXPECT_EQ(error_of("\nabut = 2"),
            "s.toml:2: abut = 2, must be 1, the version of the format that this program reads");
  EXPECT_EQ(error_of("abut = '1'"), "s.toml:1: abut is a string, must be a whole number");
}

TEST(SceneFile, ThatIsNoTomlIsRefusedWithItsLine) {
  for (const std::string text : {"x = ", "\nx = [1, 2", "[a\n", "a = 1\na = 2", "x = \"\x80\"",
                                 "\xFF", "= 1", "[[body]]\n[body]", "[{ a = 1 }]"}) {
    const std::string message = error_of("abut = 1\n" + text);
    EXPECT_EQ(message.rfind("s.toml:", 0), 0u) << message;
    EXPECT_NE(message.find(": is not valid TOML: "), std::string::npos) << message;
  }
}

// what would exhaust the stack
TEST(SceneFile, NestedWithoutEndIsRefused) {
  std::string dots = "a";
  for (int i = 0; i < 100000; ++i) dots += ".a";
  EXPECT_EQ(error_of("abut = 1\n" + dots + " = 1"), "s.toml:2: more than 200 dots: break the line");
  EXPECT_EQ(error_of("a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = 1"),
            "s.toml:1: values are nested more than 16 deep");
  EXPECT_NE(error_of("a = " + std::string(100000, '[')), "");
}

TEST(SceneFile, RefusesWhatItDoesNotKnow) {
  expect_errors({
      {"[wrold]", "s.toml:2: key 'wrold' is not known, did you mean 'world'?"},
      {"xyz = 1",
       "s.toml:2: key 'xyz' is not known: must be one of abut, material, world, model, body, "
       "surface, exclude, "
       "pair, simulation, controller, camera, output"},
      {"[[body]]\nname = 'a'\nfrction = 1\nmass = 1\nshape = {type = 'sphere', radius = 1}",
       "s.toml:4: body 'a': key 'frction' is not known: must be one of name, fixed, position, rpy, "
       "orientation, linear_velocity, angular_velocity, shape, mass, density, center_of_mass, "
       "inertia, copies, spacing"},
      {"[[body]]\nshape = {type = 'sphere', radius = 1, half_length = 2}",
       "s.toml:3: shape: key 'half_length' is not known: must be one of name, position, rpy, "
       "orientation, material, surface_velocity, surface_angular_velocity, friction_axis, type, "
       "radius"},
      {"[[body]]\nshape = {type = 'box', size = [1, 1, 1]}",
       "s.toml:3: shape: key 'size' is not known: must be one of name, position, rpy, orientation, "
       "material, surface_velocity, surface_angular_velocity, friction_axis, type, half_extents"},
      {"[[body]]\nshape = {type = 'capsule', radius = 1, length = 1}",
       "s.toml:3: shape: key 'length' is not known: must be one of name, position, rpy, "
       "orientation, "
       "material, surface_velocity, surface_angular_velocity, friction_axis, type, radius, "
       "half_length"},
      {"[material.steel]\nfrictoin = 1",
       "s.toml:3: material 'steel': key 'frictoin' is not known, did you mean 'friction'?"},
      {"[simulation]\nmodel = 'sab'",
       "s.toml:3: simulation: model = 'sab', must be one of sap, lagged, similar, anchored, "
       "ncp, ccp, lcp, raisim"},
      {"[simulation]\nsolver = 'x'",
       "s.toml:3: simulation: solver = 'x', must be one of " + list_names(solver_names())},
      {"[[body]]\nshape = {type = 'cube'}",
       "s.toml:3: shape: type = 'cube', must be one of plane, sphere, box, capsule, cylinder, "
       "ellipsoid, mesh"},
      {"[material.ice]\nfriction = 0\n[[body]]\nshape = {type = 'sphere', radius = 1, material = "
       "'icy'}",
       "s.toml:5: shape: material 'icy' does not exist, did you mean 'ice'?"},
      {"[[exclude]]\nbodies = ['a', 'b']",
       "s.toml:3: exclude: body 'a' does not exist: there is none"},
  });
}

TEST(SceneFile, RefusesWrongTypes) {
  expect_errors({
      {"[[world]]", "s.toml:2: world is an array, must be a table"},
      {"[body]", "s.toml:2: body is a table, must be an array of tables: [[body]]"},
      {"body = [1]", "s.toml:2: body is a whole number, must be an array of tables: [[body]]"},
      {"material = 3",
       "s.toml:2: material is a whole number, must be tables with names: "
       "[material.NAME]"},
      {"[world]\ngravity = 9.81",
       "s.toml:3: world: gravity is a number, must be an array of three numbers"},
      {"[world]\ngravity = [0, 0]",
       "s.toml:3: world: gravity is an array, must be an array of three numbers"},
      {"[world]\ngravity = [0, 0, 'g']", "s.toml:3: world: gravity is a string, must be a number"},
      {"[world]\nground = 1", "s.toml:3: world: ground is a whole number, must be true or false"},
      {"[simulation]\nduration = 07:32:00",
       "s.toml:3: simulation: duration is a date or time, must be a number"},
      {"[[body]]\nname = 3", "s.toml:3: body: name is a whole number, must be a string"},
      {"[[exclude]]\nbodies = 'a'",
       "s.toml:3: exclude: bodies is a string, must be an array of "
       "strings"},
  });
}

TEST(SceneFile, RefusesWrongNumbers) {
  const std::string ball = "shape = {type = 'sphere', radius = 1}\n";
  const std::string body = "[[body]]\n" + ball;
  expect_errors({
      {"[world]\ngravity = [0, 0, nan]", "s.toml:3: world: gravity = nan m/s^2, must be finite"},
      {"[material.a]\nfriction = -0.1",
       "s.toml:3: material 'a': friction = -0.1, must not be negative"},
      {"[material.a]\nstiffness = 0",
       "s.toml:3: material 'a': stiffness = 0 N/m, must be positive"},
      {"[material.a]\ndissipation = inf",
       "s.toml:3: material 'a': dissipation = inf s/m, must be finite"},
      {"[simulation]\ntime_step = 2",
       "s.toml:3: simulation: time_step = 2 s, must lie in [1e-9, 1]"},
      {"[simulation]\naccuracy = 2", "s.toml:3: simulation: accuracy = 2, must lie in [1e-9, 1]"},
      {"[simulation]\ntolerance = 1", "s.toml:3: simulation: tolerance = 1, must be below 1"},
      {"[simulation]\nduration = -1",
       "s.toml:3: simulation: duration = -1 s, must not be negative"},
      {body + "mass = 0", "s.toml:4: body: mass = 0 kg, must be positive"},
      {body + "mass = 1\ndensity = 2",
       "s.toml:5: body: it has both mass and density, must have one of them"},
      {body + "center_of_mass = [0, 0, 1]",
       "s.toml:4: body: center_of_mass needs inertia too: it is that of the shapes otherwise"},
      {body + "inertia = [1, 1, 1]", "s.toml:2: body: it needs the key 'mass'"},
      {body + "mass = 1\ninertia = [1, 1]",
       "s.toml:5: body: inertia = 2 numbers, must have 3 (xx, yy, zz) or 6 (and xy, xz, yz)"},
      {body + "mass = 1\ninertia = [1, 1, 3]",
       "s.toml:2: body: principal moments of inertia = 1, 1, 3 kg m^2, none may exceed the sum of "
       "the others"},
      {body + "orientation = [2, 0, 0, 0]",
       "s.toml:4: body: norm of orientation = 2, must be 1 within 0.001"},
      {body + "orientation = [1, 0, 0]",
       "s.toml:4: body: orientation = 3 numbers, must have 4: a quaternion w, x, y, z"},
      {body + "orientation = [1, 0, 0, 0]\nrpy = [0, 0, 0]",
       "s.toml:5: body: it has both orientation and rpy, must have one of them"},
      {body + "copies = 3", "s.toml:2: body: it needs the key 'spacing'"},
      {body + "inertai = [1, 1, 1]",
       "s.toml:4: body: key 'inertai' is not known, did you mean 'inertia'?"},
      {body + "copies = 1000000", "s.toml:4: body: copies = 1e+06, must lie in [1, 100000]"},
      {body + "fixed = true\nlinear_velocity = [1, 0, 0]",
       "s.toml:2: body: it has a velocity, and is fixed"},
      {"[[body]]\nname = 'a'",
       "s.toml:2: body 'a': it has no shape with a volume: give mass and "
       "inertia"},
      {"[[body]]\nmass = 1\ninertia = [1, 1, 1]\nshape = {type = 'plane'}",
       "s.toml:5: shape: a plane must belong to the world or to a fixed body"},
      {"[[body]]\nshape = {type = 'box', half_extents = [1, 0, 1]}",
       "s.toml:3: shape: half_extents = 0 m, must be positive"},
      {"[[body]]\nshape = {type = 'box'}", "s.toml:3: shape: it needs the key 'half_extents'"},
      {"[[body]]\nname = 'a'\n" + ball + "[[body]]\nname = 'a'\n" + ball,
       "s.toml:5: body 'a': name 'a' is used twice"},
      {"[[body]]\nname = ''\n" + ball, "s.toml:3: body: name is empty"},
      {"[[exclude]]\nbodies = []",
       "s.toml:2: exclude: it needs the names of two bodies or two geoms, or more"},
      {"[[camera]]\nposition = [0, 0, 0]\ntarget = [0, 0, 1]",
       "s.toml:2: camera: angle of up and view = 0 rad, must not be zero"},
      {"[world]\nground_material = 'a'", "s.toml:3: world: ground_material needs ground = true"},
  });
}

}  // namespace
}  // namespace abut
