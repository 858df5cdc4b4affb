#include "abut/io/record.hpp"

#include <cmath>

#include "abut/io/recording.hpp"
#include "abut/io/recording_csv.hpp"
#include "io/files_testing.hpp"
#include "support/every_kind.hpp"

namespace abut {
namespace {

/// A cart with a pendulum, driven; a tetrahedron that slides on the ground; a corrugated ground.
World machine(const WorldOptions& options = {}) {
  return World(load_mjcf_text(R"(<mujoco>
  <compiler angle="radian"/>
  <option timestep="0.001"/>
  <asset>
    <mesh name="tetra" vertex="0 0 0  0.3 0 0  0 0.3 0  0 0 0.3"
          face="0 2 1  0 1 3  0 3 2  1 2 3"/>
    <hfield name="hills" nrow="3" ncol="4" size="2 1 1 0.5"
            elevation="0 0 0 0  0 1 0.5 0  0 0 0 0"/>
    <material name="blue" rgba="0 0 1 1"/>
  </asset>
  <worldbody>
    <geom name="ground" type="plane" size="1 1 1" friction="0.25"/>
    <geom type="hfield" hfield="hills" pos="0 0 -5" surfacevel="1 2 0 0 0 3"/>
    <body name="cart" pos="0 0 2">
      <joint name="rail" type="slide" axis="1 0 0" ref="0.5"/>
      <geom type="box" size="0.1 0.1 0.1" mass="2" rgba="1 0 0 0.5"/>
      <body name="pendulum"><joint type="hinge" axis="0 1 0"/>
        <geom type="sphere" size="0.1" pos="0 0 -1" mass="1" material="blue"/></body>
    </body>
    <body name="sled" pos="3 0 0.1"><freejoint/>
      <geom type="mesh" mesh="tetra" mass="1" friction="0.25"/>
      <geom type="box" size="0.2 0.2 0.1" mass="1" friction="0.25"/></body>
    <body name="twin" pos="9 9 9"><freejoint/><geom type="mesh" mesh="tetra" mass="1"/></body>
  </worldbody>
  <actuator><motor name="drive" joint="rail" gear="2"/><motor joint="rail"/></actuator>
</mujoco>)",
                              "machine.xml"),
               options);
}

TEST(Record, ShapesAreThoseOfTheScene) {
  const World world = machine();
  const RecordedScene s = record_scene(world);
  ASSERT_EQ(s.geoms.size(), 7u);
  EXPECT_EQ(s.geoms[0].name, "ground");
  EXPECT_EQ(s.geoms[0].body, world_body);
  EXPECT_EQ(s.geoms[0].shape, ShapeKind::plane);
  EXPECT_FALSE(s.geoms[0].color.has_value());
  EXPECT_EQ(s.geoms[2].size, (Vec3{0.1, 0.1, 0.1}));
  EXPECT_EQ(s.geoms[2].color, (Color{1, 0, 0, 0.5f}));
  EXPECT_EQ(s.geoms[3].color, (Color{0, 0, 1, 1}));
  EXPECT_EQ(s.geoms[3].pose.p, (Vec3{0, 0, -1}));
  ASSERT_EQ(s.meshes.size(), 2u);  // the tetrahedra share theirs
  EXPECT_EQ(s.geoms[4].mesh, s.geoms[6].mesh);
  EXPECT_NE(s.geoms[4].mesh, s.geoms[1].mesh);
}

TEST(Record, KeepsHowSurfacesMove) {
  const RecordedScene s = record_scene(machine());
  std::vector<char> bytes;
  encode(s, bytes);
  RecordedScene read;
  ASSERT_TRUE(decode(std::string_view(bytes.data(), bytes.size()), read));
  EXPECT_EQ(read.geoms[1].surface_velocity, (Vec3{1, 2, 0}));
  EXPECT_EQ(read.geoms[1].surface_angular_velocity, (Vec3{0, 0, 3}));
  EXPECT_EQ(read.geoms[0].surface_velocity, Vec3{});
}

TEST(Record, AHullsMeshEnclosesItsVolume) {
  const RecordedScene s = record_scene(machine());
  const TriangleMesh& mesh = s.meshes[s.geoms[4].mesh];
  double volume = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    volume += dot(mesh.vertices[a], cross(mesh.vertices[b], mesh.vertices[c])) / 6;
  }
  EXPECT_NEAR(volume, 0.3 * 0.3 * 0.3 / 6, 1e-9);
}

TEST(Record, AHeightFieldsMeshCoversItAndLooksUp) {
  const RecordedScene s = record_scene(machine());
  const TriangleMesh& mesh = s.meshes[s.geoms[1].mesh];
  ASSERT_EQ(mesh.triangles.size(), 2 * 2 * 3u);
  double covered = 0, highest = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vec3 area =
        0.5 * cross(mesh.vertices[b] - mesh.vertices[a], mesh.vertices[c] - mesh.vertices[a]);
    EXPECT_GT(area.z, 0);
    covered += area.z;
  }
  for (const Vec3& v : mesh.vertices) highest = std::fmax(highest, v.z);
  EXPECT_NEAR(covered, 4 * 2, 1e-12);
  EXPECT_NEAR(highest, 1, 1e-12);
}

TEST(Record, JointsAndActuatorsAreRead) {
  const TemporaryFolder folder;
  World world = machine();
  world.set_control(0, 3);
  record_steps(folder / "r.bin", world, 100, 0);
  const Recording r = Recording::open(folder / "r.bin");
  ASSERT_EQ(r.scene().joints.size(), 2u);
  EXPECT_EQ(r.scene().joints[0].name, "rail");
  EXPECT_EQ(r.scene().joints[0].kind, JointKind::slide);
  EXPECT_EQ(r.scene().joints[1].name, "pendulum.0");
  EXPECT_EQ(r.scene().bodies[r.scene().joints[1].body].name, "pendulum");
  EXPECT_EQ(r.scene().actuators, (std::vector<std::string>{"drive", "actuator1"}));
  RecordedState s;
  r.read_state(0, s);
  EXPECT_DOUBLE_EQ(s.joints[0].position, 0.5);  // its reference
  EXPECT_EQ(s.actuations[0].control, 3);
  EXPECT_EQ(s.actuations[0].force, 0);
  r.read_state(100, s);
  const auto joint = [&](const char* body) {
    for (int b = 0; b < std::ssize(r.scene().bodies); ++b) {
      if (r.scene().bodies[b].name == body) return world.joint_state(b);
    }
    return JointState{};
  };
  EXPECT_EQ(s.joints[0].position, joint("cart").positions[0]);
  EXPECT_EQ(s.joints[0].velocity, joint("cart").velocities[0]);
  EXPECT_EQ(s.joints[1].position, joint("pendulum").positions[0]);
  EXPECT_EQ(s.joints[1].velocity, joint("pendulum").velocities[0]);
  EXPECT_GT(s.joints[0].position, 0.5);
  EXPECT_EQ(s.actuations[0].force, 3);
  EXPECT_DOUBLE_EQ(s.actuations[0].velocity, 2 * s.joints[0].velocity);
  EXPECT_EQ(s.actuations[1].control, 0);

  export_csv(r, folder / "");
  const std::string joints = read_bytes(folder / "joints.csv");
  EXPECT_EQ(joints.substr(0, joints.find("\n0,0,pendulum.0")),
            "step,time_s,joint,body,kind,position,velocity\n0,0,rail,cart,slide,0.5,0");
  EXPECT_EQ(read_bytes(folder / "actuators.csv").substr(0, 67),
            "step,time_s,actuator,control,force,length,velocity\n0,0,drive,3,0,0,");
}

TEST(Record, ASlidingContactHasTheBodysVelocityAndCoulombsForce) {
  WorldOptions options;
  options.model = ContactModel::lagged;  // does not lift what slides
  World world = machine(options);
  int sled = 0;
  while (world.scene().bodies[sled].name != "sled") ++sled;
  BodyState start = world.body_state(sled);
  start.linear_velocity = {0, 2, 0};
  world.set_body_state(sled, start);
  const StateRecorder recorder(world);
  RecordedState s;
  for (int i = 0; i < 50; ++i) world.step();
  recorder.record(world, true, s);
  const BodyState body = world.body_state(sled);
  int touching = 0;
  for (const RecordedContact& c : s.contacts) {
    if (norm(c.impulse) == 0) continue;
    ++touching;
    EXPECT_EQ(c.friction, 0.25);
    EXPECT_NEAR(c.velocity.y, body.linear_velocity.y, 0.05);
    EXPECT_NEAR(c.impulse.y, -0.25 * c.impulse.z, 1e-3 * c.impulse.z);
  }
  EXPECT_GE(touching, 4);
}

// boxes that do not turn: their overlap is 0.2 m less the distance of their centers
TEST(Record, AnOverlapHasItsTrueGapAndItsAllowance) {
  const TemporaryFolder folder;
  for (const ContactModel model : convex_models) {
    SCOPED_TRACE(to_string(model));
    WorldOptions options;
    options.model = model;
    World world = overlapping_world(options);
    RecordingWriter writer(folder / "r.bin", world, {.frame_rate = 0});
    std::vector<double> overlap, penetration;
    std::vector<std::vector<double>> solved;
    for (int i = 0; i < 20; ++i) {
      overlap.push_back(0.2 - (world.body_state(1).position.x - world.body_state(0).position.x));
      penetration.push_back(world.step().penetration);
      solved.push_back(world.problem().contacts.gap);
      writer.record(world);
    }
    writer.close();
    EXPECT_NEAR(overlap[0], 0.05, 1e-15);
    EXPECT_LT(overlap[19], overlap[0]) << "it is let go of";
    const Recording r = Recording::open(folder / "r.bin");
    RecordedState s;
    for (std::size_t i = 0; i < 20; ++i) {
      r.read_state(i + 1, s);
      ASSERT_EQ(s.contacts.size(), solved[i].size());
      int of_boxes = 0, of_ball = 0;
      for (std::size_t k = 0; k < s.contacts.size(); ++k) {
        const RecordedContact& c = s.contacts[k];
        EXPECT_EQ(c.gap + c.allowance, solved[i][k]);
        if (c.body_a == world_body) {
          ++of_ball;
          EXPECT_EQ(c.allowance, 0);
          continue;
        }
        ++of_boxes;
        EXPECT_NEAR(c.gap, -overlap[i], 1e-12);
        EXPECT_GT(c.allowance, 0.04);
        EXPECT_LE(c.allowance, overlap[i] + 1e-12);
        EXPECT_GE(c.gap, -penetration[i]);
      }
      EXPECT_EQ(of_boxes, 4);
      EXPECT_EQ(of_ball, 1);
      EXPECT_NEAR(penetration[i], overlap[i], 1e-12);
    }
  }
}

// bodies, joints, controls and energies of every kind
TEST(Record, HoldsEveryKindOfElement) {
  const TemporaryFolder folder;
  World world(scene_of_every_kind());
  for (int a = 0; a < world.actuators(); ++a) world.set_control(a, 0.3 + 0.1 * a);
  record_steps(folder / "r.bin", world, 30, 0);
  const Recording r = Recording::open(folder / "r.bin");
  RecordedState s;
  r.read_state(30, s);
  EXPECT_EQ(s.state_hash, world.state_hash());
  std::size_t body = 0, joint = 0;
  for (int b = 0; b < std::ssize(world.scene().bodies); ++b) {
    const SceneBody& scene_body = world.scene().bodies[b];
    if (scene_body.kind == BodyKind::fixed) continue;
    EXPECT_EQ(s.bodies[body].position, world.body_state(b).position) << b;
    EXPECT_EQ(s.bodies[body++].angular_velocity, world.body_state(b).angular_velocity) << b;
    for (int k = 0; k < std::ssize(scene_body.joints); ++k) {
      if (position_count(scene_body.joints[k].kind) != 1) continue;
      EXPECT_EQ(r.scene().joints[joint].body, b);
      EXPECT_EQ(r.scene().joints[joint].name, scene_body.joints[k].name);
      EXPECT_EQ(s.joints[joint].position, world.joint_position(b, k));
      EXPECT_EQ(s.joints[joint++].velocity, world.joint_velocity(b, k));
    }
  }
  EXPECT_EQ(body, s.bodies.size());
  EXPECT_EQ(joint, s.joints.size());
  ASSERT_EQ(static_cast<int>(s.actuations.size()), world.actuators());
  for (int a = 0; a < world.actuators(); ++a) {
    EXPECT_EQ(r.scene().actuators[a], world.scene().actuators[a].name);
    EXPECT_EQ(s.actuations[a].control, world.controls()[a]);
    EXPECT_EQ(s.actuations[a].force, world.actuator_state(a).force);
    EXPECT_EQ(s.actuations[a].length, world.actuator_state(a).length);
  }
  EXPECT_EQ(r.step(29).potential_energy, world.potential_energy());
  EXPECT_EQ(static_cast<int>(s.contacts.size()), world.report().contacts);
}

TEST(World, GivesCoordinatesOfHingesAndSlidesOnly) {
  const World world = machine();
  int cart = 0;
  while (world.scene().bodies[cart].name != "cart") ++cart;
  EXPECT_DOUBLE_EQ(world.joint_position(cart, 0), 0.5);
  EXPECT_THROW(static_cast<void>(world.joint_position(cart, 1)), InputError);
  EXPECT_THROW(static_cast<void>(world.joint_velocity(cart, -1)), InputError);
  EXPECT_THROW(static_cast<void>(world.joint_position(99, 0)), InputError);
}

}  // namespace
}  // namespace abut
