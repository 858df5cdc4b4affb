#include <numbers>
#include <random>
#include <sstream>

#include "mjcf_testing.hpp"

namespace abut {
namespace {

void expect_near(const Vec3& a, const Vec3& b, double tolerance) {
  EXPECT_LE(norm(a - b), tolerance)
      << a.x << " " << a.y << " " << a.z << " instead of " << b.x << " " << b.y << " " << b.z;
}

void expect_near(const Mat3& a, const Mat3& b, double tolerance) {
  for (int column = 0; column < 3; ++column) {
    SCOPED_TRACE(testing::Message() << "column " << column);
    expect_near(a.col[column], b.col[column], tolerance);
  }
}

Mat3 rotation_of(const SceneBody& body) {
  return to_matrix(body.orientation);
}

TEST(MjcfBodies, FreeAndFixedOnesKeepNameAndPlace) {
  const Scene scene = load_mjcf_text(scene_text(R"(
    <body name="shelf" pos="1 2 3" euler="0 0 90">
      <geom size="1"/>
      <body name="board" pos="1 0 0" euler="0 90 0"><geom size="1"/></body>
    </body>
    <body pos="4 5 6" quat="1 1 0 0"><joint type="free" name="j"/><geom size="1"/></body>)"),
                                     "s.xml");
  ASSERT_EQ(scene.bodies.size(), 3u);
  EXPECT_EQ(scene.bodies[0].name, "shelf");
  EXPECT_EQ(scene.bodies[0].kind, BodyKind::fixed);
  EXPECT_EQ(scene.bodies[0].position, (Vec3{1, 2, 3}));
  EXPECT_EQ(scene.bodies[0].origin.line, 4);
  EXPECT_EQ(scene.bodies[1].kind, BodyKind::fixed);
  expect_near(scene.bodies[1].position, {1, 3, 3}, 1e-15);
  expect_near(rotation_of(scene.bodies[1]), {{{0, 0, -1}, {-1, 0, 0}, {0, 1, 0}}}, 1e-15);
  EXPECT_EQ(scene.bodies[2].name, "");
  EXPECT_EQ(scene.bodies[2].kind, BodyKind::free);
  EXPECT_EQ(scene.bodies[2].position, (Vec3{4, 5, 6}));
  expect_near(rotation_of(scene.bodies[2]).col[1], {0, 0, 1}, 1e-15);
  EXPECT_EQ(scene.bodies[2].linear_velocity, Vec3{});
  EXPECT_EQ(scene.geoms[1].body, 1);
  EXPECT_EQ(scene.geoms[2].body, 2);
}

TEST(MjcfBodies, MocapBodiesStayWhereTheyAre) {
  const std::string mocap = "<body name='m' mocap='true' pos='1 0 0'><geom size='.1'/></body>";
  for (const std::string& order : {mocap + free_ball, free_ball + mocap}) {
    const Scene s = load_mjcf_text(scene_text(order), "s.xml");
    ASSERT_EQ(s.bodies.size(), 2u);
    const SceneBody& m = s.bodies[s.bodies[0].name == "m" ? 0 : 1];
    EXPECT_EQ(m.kind, BodyKind::fixed);
    EXPECT_EQ(m.position, (Vec3{1, 0, 0}));
  }
}

TEST(MjcfBodies, GeomsOfTheWorldBelongToNoBody) {
  const Scene scene = load_mjcf_text(
      scene_text("<geom type='plane' size='1 1 1' pos='0 0 2' zaxis='1 0 0'/>"), "s.xml");
  ASSERT_EQ(scene.geoms.size(), 1u);
  EXPECT_EQ(scene.geoms[0].body, world_body);
  EXPECT_EQ(scene.geoms[0].shape.kind, ShapeKind::plane);
  EXPECT_EQ(scene.geoms[0].pose.p, (Vec3{0, 0, 2}));
  expect_near(scene.geoms[0].pose.R.col[2], {1, 0, 0}, 1e-15);  // the normal
}

TEST(MjcfBodies, InertialElementInItsOwnAxes) {
  const Scene scene = load_mjcf_text(scene_text(R"(
    <body><freejoint/>
      <inertial pos="0.1 0.2 0.3" mass="2" diaginertia="1 2 2.5" euler="0 0 90"/></body>
    <body><freejoint/><inertial pos="0 0 0" mass="1" fullinertia="3 2 4 0.1 -0.2 0.3"/></body>)"),
                                     "s.xml");
  EXPECT_EQ(scene.bodies[0].mass, 2);
  EXPECT_EQ(scene.bodies[0].center_of_mass, (Vec3{0.1, 0.2, 0.3}));
  expect_near(scene.bodies[0].inertia, Mat3::diagonal({2, 1, 2.5}), 1e-15);
  expect_near(scene.bodies[1].inertia, {{{3, 0.1, -0.2}, {0.1, 2, 0.3}, {-0.2, 0.3, 4}}}, 1e-14);
}

TEST(MjcfBodies, MassAndInertiaOfEachShape) {
  const Scene scene = load_mjcf_text(scene_text(R"(
    <body><freejoint/><geom type="sphere" size=".5" density="1000"/></body>
    <body><freejoint/><geom type="box" size=".1 .2 .3" mass="3"/></body>
    <body><freejoint/><geom type="cylinder" size=".2 .5" mass="4"/></body>
    <body><freejoint/><geom type="capsule" size=".2 .5" density="500"/></body>)"),
                                     "s.xml");
  const double pi = std::numbers::pi;
  const double ball = 1000 * 4 / 3. * pi * 0.125;
  EXPECT_NEAR(scene.bodies[0].mass, ball, 1e-12 * ball);
  expect_near(scene.bodies[0].inertia, 0.4 * ball * 0.25 * Mat3::identity(), 1e-12 * ball);
  // m/3 (y^2 + z^2) for half extents
  expect_near(scene.bodies[1].inertia, Mat3::diagonal({0.13, 0.10, 0.05}), 1e-15);
  // m (3 r^2 + 4 l^2)/12 for the half length l, m r^2/2
  expect_near(scene.bodies[2].inertia, Mat3::diagonal({4 * 1.12 / 12, 4 * 1.12 / 12, 4 * 0.04 / 2}),
              1e-15);
  // a cylinder of length 1 and two half balls, whose center lies 3/8 r beyond the flat side
  const double rod = 500 * pi * 0.04, caps = 500 * 4 / 3. * pi * 0.008;
  const double along = rod * 0.04 / 2 + 0.4 * caps * 0.04;
  const double across =
      rod * (3 * 0.04 + 1) / 12 + caps * (0.4 * 0.04 + 0.25 + 2 * 0.5 * 0.375 * 0.2);
  EXPECT_NEAR(scene.bodies[3].mass, rod + caps, 1e-12 * rod);
  expect_near(scene.bodies[3].inertia, Mat3::diagonal({across, across, along}), 1e-12 * rod);
}

TEST(MjcfBodies, WhatIsWeldedToAFreeBodyIsPartOfIt) {
  const Scene scene = load_mjcf_text(scene_text(R"(
    <body name="hammer" pos="0 0 1"><freejoint/>
      <geom name="handle" type="box" size=".1 .1 .5" mass="1"/>
      <body name="head" pos="0 0 .5" euler="0 90 0">
        <geom name="iron" type="box" size=".1 .1 .2" mass="3"/>
        <body name="tip" pos="0 0 1"><geom name="point" size=".1" mass="0"/></body>
      </body>
    </body>)"),
                                     "s.xml");
  ASSERT_EQ(scene.bodies.size(), 1u);
  const SceneBody& hammer = scene.bodies[0];
  EXPECT_EQ(hammer.name, "hammer");
  EXPECT_DOUBLE_EQ(hammer.mass, 4);
  expect_near(hammer.center_of_mass, {0, 0, 0.375}, 1e-15);
  // about y: handle (0.1^2 + 0.5^2)/3 + 0.375^2, head 3 (0.1^2 + 0.2^2)/3 + 3 (0.125)^2
  EXPECT_NEAR(hammer.inertia(1, 1), 0.26 / 3 + 0.140625 + 0.05 + 0.046875, 1e-15);
  ASSERT_EQ(scene.geoms.size(), 3u);
  for (const SceneGeom& geom : scene.geoms) EXPECT_EQ(geom.body, 0);
  expect_near(scene.geoms[1].pose.p, {0, 0, 0.5}, 1e-15);
  expect_near(scene.geoms[1].pose.R.col[2], {1, 0, 0}, 1e-15);
  expect_near(scene.geoms[2].pose.p, {1, 0, 0.5}, 1e-15);  // 1 along the head's own z
}

/// A free body with a random tree of welded bodies, each with an inertial element or geoms.
std::string random_composite(std::mt19937& random, int depth) {
  std::uniform_real_distribution<double> length(0.05, 0.5), position(-1, 1), angle(-180, 180);
  std::ostringstream text;
  text.precision(17);
  const auto vector = [&](auto& distribution) {
    text << "'" << distribution(random) << " " << distribution(random) << " "
         << distribution(random) << "'";
  };
  text << "<body pos=";
  vector(position);
  text << " euler=";
  vector(angle);
  text << ">" << (depth == 0 ? "<freejoint/>" : "");
  if (random() % 2 == 0) {
    const double a = length(random), b = length(random), c = length(random);
    text << "<inertial mass='" << length(random) << "' diaginertia='" << a + b << " " << b + c
         << " " << c + a << "' euler=";
    vector(angle);
    text << " pos=";
    vector(position);
    text << "/>";
  }
  for (int i = 0; i < 2; ++i) {
    text << "<geom type='box' euler=";
    vector(angle);
    text << " pos=";
    vector(position);
    text << " size=";
    vector(length);
    text << "/>";
  }
  for (unsigned i = 0; depth < 3 && i < random() % 3; ++i) {
    text << random_composite(random, depth + 1);
  }
  text << "</body>\n";
  return text.str();
}

// MuJoCo joins welded bodies itself when it is asked to; its numbers are the reference.
TEST(MjcfBodies, RandomCompositesAgreeWithMujocosOwnFusion) {
  std::mt19937 random(3);
  double worst = 0;
  for (int i = 0; i < 40; ++i) {
    std::string text = scene_text(random_composite(random, 0));
    const Scene ours = load_mjcf_text(text, "s.xml");
    text.insert(text.find('>') + 1, "<compiler fusestatic='true'/>");
    const Scene fused = load_mjcf_text(text, "s.xml");
    ASSERT_EQ(ours.bodies.size(), 1u);
    ASSERT_EQ(fused.bodies.size(), 1u);
    const SceneBody &a = ours.bodies[0], &b = fused.bodies[0];
    worst = std::max(
        {worst, std::abs(a.mass - b.mass) / b.mass, norm(a.center_of_mass - b.center_of_mass)});
    const Mat3 difference = a.inertia - b.inertia;
    const double scale = b.inertia(0, 0) + b.inertia(1, 1) + b.inertia(2, 2);
    for (const Vec3& column : difference.col) worst = std::max(worst, norm(column) / scale);
    ASSERT_EQ(ours.geoms.size(), fused.geoms.size());
    // the fused geoms come in another order
    for (const SceneGeom& geom : ours.geoms) {
      double nearest = 1;
      for (const SceneGeom& other : fused.geoms) {
        double distance = norm(geom.pose.p - other.pose.p);
        for (int k = 0; k < 3; ++k) {
          distance += norm(geom.pose.R.col[k] - other.pose.R.col[k]);
        }
        nearest = std::min(nearest, distance);
      }
      worst = std::max(worst, nearest);
    }
  }
  EXPECT_LT(worst, 1e-12);
}

TEST(MjcfBodies, DefaultsFramesAnglesAndFromto) {
  const Scene scene = load_mjcf_text(scene_text(R"(
    <frame pos="1 0 0" euler="0 0 1.5707963267948966">
      <body name="a" pos="1 0 0" childclass="soft"><freejoint/>
        <geom type="capsule" fromto="0 0 0 0 0 2"/></body>
    </frame>)",
                                                R"(<compiler angle="radian"/><default>
      <geom friction="0.3"/><default class="soft"><geom size="0.1" friction="0.7"/></default>
      </default>)"),
                                     "s.xml");
  expect_near(scene.bodies[0].position, {1, 1, 0}, 1e-15);
  const SceneGeom& rod = scene.geoms[0];
  EXPECT_EQ(rod.shape.kind, ShapeKind::capsule);
  EXPECT_DOUBLE_EQ(rod.shape.radius(), 0.1);
  EXPECT_DOUBLE_EQ(rod.shape.half_length(), 1);
  expect_near(rod.pose.p, {0, 0, 1}, 1e-15);
  EXPECT_DOUBLE_EQ(rod.material.friction.value_or(0), 0.7);
}

TEST(MjcfBodies, ReplicasShareALineAndHaveNamesOfTheirOwn) {
  const Scene scene = load_mjcf_text(
      scene_text("<replicate count='3' offset='1 0 0'>\n" + free_ball + "</replicate>"), "s.xml");
  ASSERT_EQ(scene.bodies.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(scene.bodies[i].name, "ball" + std::to_string(i));
    EXPECT_EQ(scene.bodies[i].origin.line, 4);
    EXPECT_DOUBLE_EQ(scene.bodies[i].position.x, i);
  }
}

TEST(MjcfBodies, AlignedFreeJointsMoveTheFrameToTheCenterOfMass) {
  const Scene scene = load_mjcf_text(
      scene_text("<body pos='1 0 0'><freejoint align='true'/><geom size='.1' pos='0 2 0'/></body>"),
      "s.xml");
  expect_near(scene.bodies[0].position, {1, 2, 0}, 1e-15);
  expect_near(scene.bodies[0].center_of_mass, {}, 1e-15);
  expect_near(scene.geoms[0].pose.p, {}, 1e-15);
}

TEST(MjcfSettings, GravityAndTimeStep) {
  const Scene scene =
      load_mjcf_text(scene_text("", "<option gravity='1 2 3' timestep='0.01'/>"), "s.xml");
  EXPECT_EQ(scene.gravity, (Vec3{1, 2, 3}));
  EXPECT_EQ(scene.time_step, 0.01);
  EXPECT_EQ(scene.file, "s.xml");
  const Scene standard = load_mjcf_text("<mujoco/>", "s.xml");
  EXPECT_EQ(standard.gravity, (Vec3{0, 0, -9.81}));
  EXPECT_EQ(standard.time_step, 0.002);
  EXPECT_TRUE(standard.notices.empty());
  EXPECT_EQ(
      load_mjcf_text(scene_text("", "<option><flag gravity='disable'/></option>"), "s.xml").gravity,
      Vec3{});
}

}  // namespace
}  // namespace abut
