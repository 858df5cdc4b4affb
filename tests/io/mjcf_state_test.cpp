#include <numbers>

#include "mjcf_testing.hpp"

namespace abut {
namespace {

void expect_near(const Vec3& a, const Vec3& b) {
  EXPECT_LE(norm(a - b), 1e-14) << a.x << " " << a.y << " " << a.z;
}

// A body whose center of mass lies at c = (0, 0.5, 0), turned a quarter about z by the keyframe:
// R c = (-0.5, 0, 0).
TEST(MjcfKeyframes, VelocitiesAreOfTheCenterOfMassInWorldAxes) {
  const Scene scene = load_mjcf_text(
      scene_text("<body name='f' pos='9 9 9'><geom size='1'/></body>"
                 "<body name='a'><freejoint/><geom size='.1' pos='0 .5 0'/></body>",
                 "",
                 "<keyframe><key name='k' time='1.5' qpos='1 2 3 1 0 0 1' qvel='10 20 30 1 2 "
                 "3'/></keyframe>"),
      "s.xml");
  ASSERT_EQ(scene.keyframes.size(), 1u);
  const Keyframe& key = scene.keyframes[0];
  EXPECT_EQ(key.name, "k");
  EXPECT_EQ(key.time, 1.5);
  EXPECT_EQ(describe(key.origin), "s.xml:5: key 'k': ");
  ASSERT_EQ(key.bodies.size(), 2u);
  EXPECT_EQ(key.bodies[0].position, (Vec3{9, 9, 9}));  // fixed
  EXPECT_EQ(key.bodies[0].linear_velocity, Vec3{});
  const Keyframe::State& state = key.bodies[1];
  EXPECT_EQ(state.position, (Vec3{1, 2, 3}));
  EXPECT_NEAR(state.orientation.w, std::numbers::sqrt2 / 2, 1e-15);
  EXPECT_NEAR(state.orientation.z, std::numbers::sqrt2 / 2, 1e-15);
  expect_near(state.angular_velocity, {-2, 1, 3});  // (1, 2, 3) of the body's axes
  // omega x R c = (-2, 1, 3) x (-0.5, 0, 0) = (0, -1.5, 0.5)
  expect_near(state.linear_velocity, {10, 18.5, 30.5});
}

TEST(MjcfKeyframes, MissingVectorsAreTheInitialState) {
  const Scene scene = load_mjcf_text(
      scene_text("<body pos='1 2 3' quat='0 1 0 0'><freejoint/><geom size='1'/></body>", "",
                 "<keyframe><key/><key qvel='1 0 0 0 0 0'/></keyframe>"),
      "s.xml");
  ASSERT_EQ(scene.keyframes.size(), 2u);
  EXPECT_EQ(scene.keyframes[0].name, "");
  EXPECT_EQ(scene.keyframes[0].bodies[0].position, (Vec3{1, 2, 3}));
  EXPECT_EQ(scene.keyframes[0].bodies[0].orientation, (Quaternion{0, 1, 0, 0}));
  EXPECT_EQ(scene.keyframes[1].bodies[0].linear_velocity, (Vec3{1, 0, 0}));
}

TEST(MjcfKeyframes, OfWrongSizeAreRefused) {
  const std::string two = free_ball + "<body><freejoint/><geom size='1'/></body>";
  const auto key = [&](const std::string& attributes) {
    return error_of(
        scene_text(two, "", "<keyframe>\n<key/>\n<key " + attributes + "/></keyframe>"));
  };
  EXPECT_EQ(key("qpos='1 2 3'"),
            "s.xml:7: key: qpos has 3 numbers, must have 14, as many as the joints "
            "have coordinates or velocities");
  EXPECT_EQ(key("name='k' qpos='0 0 0 1 0 0 0 0 0 0 1 0 0 0 5'"),
            "s.xml:7: key 'k': qpos has 15 numbers, must have 14, as many as the joints "
            "have coordinates or velocities");
  EXPECT_EQ(key("qvel='1'"),
            "s.xml:7: key: qvel has 1 numbers, must have 12, as many as the joints "
            "have coordinates or velocities");
}

TEST(MjcfKeyframes, FieldsOfOtherThingsAreListed) {
  const std::string text =
      scene_text(free_ball, "<option><flag actuation='disable'/></option>",
                 "<actuator><motor name='m' tendon='t'/></actuator><tendon><spatial name='t'><site "
                 "site='p'/><site site='q'/></spatial></tendon>\n"
                 "<keyframe><key name='k' ctrl='1'/></keyframe>");
  std::string with_sites = text;
  with_sites.insert(with_sites.find("</worldbody>"),
                    "<site name='p'/><site name='q' pos='1 0 0'/>");
  const auto notices = notices_of(with_sites);
  EXPECT_NE(std::find(notices.begin(), notices.end(),
                      "s.xml:6: key 'k': of a keyframe, only time, qpos and qvel are used"),
            notices.end())
      << testing::PrintToString(notices);
}

TEST(MjcfKeyframes, OfAttachedModelsCountTheWholeScene) {
  const TemporaryFolder folder;
  folder.write("m.xml",
               "<mujoco><worldbody><body name='b'><freejoint/><geom size='1'/></body></worldbody>"
               "<keyframe><key name='own' qpos='5 6 7 1 0 0 0'/></keyframe></mujoco>");
  folder.write("main.xml",
               "<mujoco><asset><model name='m' file='m.xml'/></asset><worldbody>" + free_ball +
                   "<attach model='m' prefix='p_'/></worldbody>\n"
                   "<keyframe><key name='k' qpos='1 2 3 1 0 0 0'/></keyframe></mujoco>");
  const Scene scene = load_mjcf(folder / "main.xml");
  ASSERT_EQ(scene.keyframes.size(), 2u);
  EXPECT_EQ(scene.keyframes[0].name, "k");
  EXPECT_EQ(scene.keyframes[0].origin.line, 2);
  EXPECT_EQ(scene.keyframes[0].bodies[0].position, (Vec3{1, 2, 3}));
  EXPECT_EQ(scene.keyframes[1].name, "p_own");
  EXPECT_EQ(scene.keyframes[1].bodies[1].position, (Vec3{5, 6, 7}));
}

}  // namespace
}  // namespace abut
