// [[controller]] of scene files, and the tables of trajectories.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "abut/io/scene_file.hpp"
#include "abut/io/trajectory_csv.hpp"

namespace abut {
namespace {

class SceneControllers : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("abut-scene-controllers-test-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    write("arm.xml", R"(<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody>
<body><joint name="a" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0.4 0 0"/>
<body pos="0.4 0 0"><joint name="b" axis="0 1 0" range="-2 1" limited="true"/>
<geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0"/></body></body>
<body name="free" pos="0 1 0"><joint name="ball" type="ball"/><geom size="0.1"/></body></worldbody>
<actuator><motor name="m" joint="a" ctrlrange="-3 2" ctrllimited="true"/>
<motor name="n" joint="b"/></actuator></mujoco>)");
    write("walk.csv", "# a comment\ntime, b ,a\n\n0,0,0\r\n1,-0.5,1e-1\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  SceneFile load(const std::string& text) const {
    const std::string model = "abut = 1\nmodel = [{ file = 'arm.xml', name = 'r' }]\n";
    write("s.toml", model + text);
    return load_scene_file((folder_ / "s.toml").string());
  }
  std::string error_of(const std::string& text) const {
    try {
      load(text);
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

  std::filesystem::path folder_;
};

TEST_F(SceneControllers, ReadEveryKindOfSignal) {
  const SceneFile file = load(R"(
[simulation]
seed = 5
[[controller]]
type = "pd"
model = "r"
kp = 100
kd = 3
effort_limit = 20
trajectory = "walk.csv"
[[controller]]
type = "effort"
constant = { "r/b" = 2, "r/a" = 1 }
[[controller]]
type = "control"
sine = { names = ["r/n"], amplitude = 2, frequency = 3, phase = 0.5, offset = 1 }
[[controller]]
type = "control"
random = { interval = 0.2 }
)");
  ASSERT_EQ(file.controllers.size(), 4u);
  EXPECT_EQ(file.scene.actuators.size(), 2u + 2 + 2);
  const Controller& pd = file.controllers[0];
  EXPECT_EQ(pd.kind, ControllerKind::pd);
  EXPECT_EQ(pd.kp, 100);
  EXPECT_EQ(pd.kd, 3);
  ASSERT_EQ(pd.actuators, (std::vector<int>{2, 3}));
  EXPECT_EQ(file.scene.actuators[2].parts[0].body, 1) << "the first column is b";
  EXPECT_EQ(file.scene.actuators[2].upper_force, 20);
  EXPECT_EQ(value_at(pd.signal, 0, 0.5), -0.25);
  EXPECT_DOUBLE_EQ(value_at(pd.signal, 1, 0.5), 0.05);
  const Controller& effort = file.controllers[1];
  EXPECT_EQ(value_at(effort.signal, effort.joints[0].body == 0 ? 0 : 1, 0), 1);
  EXPECT_EQ(file.scene.actuators[4].bias[1], 0);
  const Controller& sine = file.controllers[2];
  EXPECT_EQ(sine.actuators, (std::vector<int>{1}));
  EXPECT_NEAR(value_at(sine.signal, 0, 0.1), 1 + 2 * std::sin(0.6 * 3.14159265358979 + 0.5), 1e-12);
  const Controller& random = file.controllers[3];
  EXPECT_EQ(random.actuators, (std::vector<int>{0})) << "what has a control range";
  double least = 9, most = -9;
  for (int i = 0; i < 1000; ++i) {
    const double u = value_at(random.signal, 0, 0.2 * i + 0.1);
    least = std::min(least, u), most = std::max(most, u);
  }
  EXPECT_NEAR(least, -3, 0.05);
  EXPECT_NEAR(most, 2, 0.05);
}

TEST_F(SceneControllers, MoveTheRobot) {
  SceneFile file = load(R"(
[world]
gravity = [0, 0, 0]
[[controller]]
type = "pd"
model = "r"
kp = 1000
kd = 50
constant = { a = 0.4, b = -0.7 }
)");
  World w(file.scene);
  for (int i = 0; i < 2000; ++i) {
    update_controls(file.controllers, w);
    w.step();
  }
  EXPECT_NEAR(w.joint_state(0).positions[0], 0.4, 1e-6);
  EXPECT_NEAR(w.joint_state(1).positions[0], -0.7, 1e-6);
}

// joint b reaches from -2 to 1
TEST_F(SceneControllers, TargetsBeyondAJointsRangeAreToldOf) {
  const auto notices = [&](const std::string& signal) {
    const std::string pd = "controller = [{ type = 'pd', model = 'r', kp = 1, ";
    std::vector<Notice> list = load(pd + signal + " }]").scene.notices;
    std::erase_if(list, [](const Notice& n) { return n.text.find("target") == std::string::npos; });
    return list;
  };
  for (const char* reachable :
       {"constant = { a = 9, b = 1 }", "random = { names = ['b'] }", "trajectory = 'walk.csv'",
        "sine = { names = ['b'], amplitude = 1.5, frequency = 1, offset = -0.5 }"}) {
    EXPECT_TRUE(notices(reachable).empty()) << reachable;
  }
  write("far.csv", "time,b\n0,0\n1,-2.5\n2,0\n");
  for (const auto& [target, range] :
       {std::pair{"constant = { b = 1.1 }", "from 1.1 to 1.1"},
        {"sine = { names = ['b'], amplitude = -1.6, frequency = 1, offset = -0.5 }",
         "from -2.1 to 1.1"},
        {"random = { names = ['b'], lower = -3, upper = 0 }", "from -3 to 0"},
        {"trajectory = 'far.csv'", "from -2.5 to 0"}}) {
    const std::vector<Notice> list = notices(target);
    ASSERT_EQ(list.size(), 1u) << target;
    EXPECT_EQ(list[0].text, std::string("the target of joint 'r/b' goes ") + range +
                                ", beyond its range, -2 to 1");
    EXPECT_EQ(list[0].at.line, 3);
  }
}

TEST_F(SceneControllers, OfDifferentSeedsAndPlacesDiffer) {
  const std::string random =
      "[[controller]]\ntype = 'effort'\nrandom = { names = ['r/a'], lower = 0, "
      "upper = 1 }\n";
  const auto value = [&](const std::string& text, std::size_t controller) {
    return value_at(load(text).controllers[controller].signal, 0, 0);
  };
  const std::string seed = "[simulation]\nseed = 1\n";
  EXPECT_EQ(value(random, 0), value(random, 0));
  EXPECT_NE(value(random, 0), value(seed + random, 0));
  EXPECT_NE(value(random + random, 0), value(random + random, 1));
}

TEST_F(SceneControllers, AreRefusedWithPlaceAndRule) {
  const std::string at = "s.toml:3: controller: ";
  const auto controller = [](const std::string& rest) { return "[[controller]]\n" + rest; };
  const std::string pd = "type = 'pd'\nkp = 1\n";
  const std::pair<std::string, std::string> refusals[] = {
      {"", at + "it needs the key 'type'"},
      {"type = 'pid'", "s.toml:4: controller: type = 'pid', must be one of pd, effort, control"},
      {"type = 'pd'\nconstant = { 'r/a' = 1 }", at + "it needs the key 'kp'"},
      {"type = 'effort'\nkp = 1\nconstant = { 'r/a' = 1 }",
       "s.toml:5: controller: key 'kp' is not known: must be one of type, model, effort_limit, "
       "constant, "
       "trajectory, sine, random"},
      {pd, at + "it needs one of constant, sine, trajectory, random"},
      {pd + "constant = { 'r/a' = 1 }\nrandom = {}",
       at + "it needs one of constant, sine, trajectory, random"},
      {pd + "constant = {}", at + "it controls no joint"},
      {pd + "constant = { 'r/aa' = 1 }",
       "s.toml:6: controller: joint 'r/aa' does not exist, did you mean 'r/a'?"},
      {pd + "constant = { 'r/ball' = 1 }",
       "s.toml:6: controller: joint 'r/ball' must be a hinge or a slide"},
      {pd + "constant = { 'r/a' = nan }",
       "s.toml:6: controller: r/a = nan rad or m, must be finite"},
      {"type = 'pd'\nkp = 0\nconstant = { 'r/a' = 1 }",
       at + "kp = 0 N m/rad, must be positive where kd is 0"},
      {"type = 'pd'\nkp = -1\nconstant = { 'r/a' = 1 }",
       "s.toml:5: controller: kp = -1 N m/rad, must not be negative"},
      {pd + "effort_limit = 0\nconstant = { 'r/a' = 1 }",
       "s.toml:6: controller: effort_limit = 0 N m, must be positive"},
      {pd + "sine = { names = ['r/a'], amplitude = 1 }",
       "s.toml:6: sine: it needs the key 'frequency'"},
      {pd + "random = { names = ['r/a'] }",
       "s.toml:6: random: it needs lower and upper: not all that it acts on has a range"},
      {pd + "random = { names = ['r/b'], lower = 2 }", at + "lower = 2, must not exceed upper"},
      {pd + "trajectory = 'no.csv'",
       "s.toml:6: controller: cannot read 'no.csv': No such file or directory"},
      {pd + "trajectory = 'walk.csv'",
       "s.toml:6: controller: joint 'b' does not exist: must be one of r/a, r/b"},
      {"type = 'control'\nconstant = { 'r/x' = 1 }",
       "s.toml:5: controller: actuator 'r/x' does not exist, did you mean 'r/m'?"},
      {"type = 'control'\nconstant = { 'r/m' = 1 }\n[[controller]]\ntype = 'control'\nrandom = {}",
       "s.toml:6: controller: actuator 'r/m' is given a control twice"},
  };
  for (const auto& [text, message] : refusals) EXPECT_EQ(error_of(controller(text)), message);
}

TEST_F(SceneControllers, TablesOfTrajectoriesAreChecked) {
  const std::pair<std::string, std::string> refusals[] = {
      {"", "t.csv: it has no row of values"},
      {"time,a\n", "t.csv: it has no row of values"},
      {"a,time\n0,0", "t.csv:1: the first column is 'a', must be time"},
      {"time\n0", "t.csv:1: it has no column but time"},
      {"time" + std::string(10000, ',') + "\n", "t.csv:1: it has more than 10000 columns"},
      {"time,a,a\n0,0,0", "t.csv:1: column 'a' appears twice"},
      {"time,a,\n0,0,0", "t.csv:1: a column has no name"},
      {"time,a\n0,0,0", "t.csv:2: 3 cells, must have 2, one for each column"},
      {"time,a\n0", "t.csv:2: 1 cells, must have 2, one for each column"},
      {"time,a\n0,x", "t.csv:2: a = 'x', must be a decimal number"},
      {"time,a\n0,", "t.csv:2: a = '', must be a decimal number"},
      {"time,a\n0,nan", "t.csv:2: a = 'nan', must be a finite number"},
      {"time,a\ninf,0", "t.csv:2: time = 'inf', must be a finite number"},
      {"time,a\n0,1e999", "t.csv:2: a = '1e999', must be a finite number"},
      {"time,a\n0,0\n\n0,1", "t.csv:4: time = 0 s, must be later than the one before"},
  };
  for (const auto& [text, message] : refusals) {
    write("t.csv", text);
    EXPECT_EQ(error_of("[[controller]]\ntype = 'effort'\ntrajectory = 't.csv'"), message);
  }
}

}  // namespace
}  // namespace abut
