// What URDF and SRDF say, and what is wrong with them.

#include "abut/io/urdf.hpp"

#include <gtest/gtest.h>

#include "abut/io/record.hpp"
#include "abut/sim/world.hpp"
#include "io/mjcf_testing.hpp"

namespace abut {
namespace {

const std::string mass =
    "<inertial><mass value='2'/><inertia ixx='.1' ixy='0' ixz='0' iyy='.1' iyz='0' "
    "izz='.1'/></inertial>";

std::string link(const std::string& name, const std::string& inside = mass) {
  return "<link name='" + name + "'>" + inside + "</link>\n";
}

std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child,
                  const std::string& inside =
                      "<limit lower='-1' upper='1' effort='5' "
                      "velocity='1'/>") {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent +
         "'/><child link='" + child + "'/>" + inside + "</joint>\n";
}

/// Its first line is <robot>; elements follow from line 2.
std::string robot(const std::string& inside) {
  return "<robot name='r'>\n" + inside + "</robot>\n";
}

Scene read(const std::string& inside, const UrdfOptions& options = {}) {
  return load_urdf_text(robot(inside), "r.urdf", options);
}

std::string urdf_error(const std::string& inside, const UrdfOptions& options = {}) {
  try {
    const World world(read(inside, options));
  } catch (const InputError& e) {
    return e.what();
  } catch (const FileError& e) {
    return std::string("FileError: ") + e.what();
  }
  return "";
}

bool has_notice(const Scene& scene, const std::string& text) {
  for (const Notice& notice : scene.notices) {
    if ((describe(notice.at) + notice.text).find(text) != std::string::npos) return true;
  }
  return false;
}

TEST(Urdf, LinksThatFixedJointsJoinAreOneBody) {
  const Scene s = read(
      link("base") + link("arm") +
      link("tool", mass + "<collision><origin xyz='0 0 1'/><geometry>"
                          "<sphere radius='.1'/></geometry></collision>") +
      joint("shoulder", "continuous", "base", "arm", "<origin xyz='1 0 0'/><axis xyz='0 0 2'/>") +
      joint("flange", "fixed", "arm", "tool",
            "<origin xyz='0 0 1' rpy='0 1.5707963267948966 0'/>"));
  ASSERT_EQ(s.bodies.size(), 2u);
  const SceneBody& arm = s.bodies[1];
  EXPECT_EQ(arm.mass, 4);
  EXPECT_LE(norm(arm.center_of_mass - Vec3{0, 0, 0.5}), 1e-15);
  EXPECT_NEAR(arm.inertia(0, 0), 0.2 + 2 * 2 * 0.25, 1e-15);  // two of 2 kg, 0.5 m off
  EXPECT_EQ(arm.joints[0].axis, (Vec3{0, 0, 1}));
  ASSERT_EQ(s.geoms.size(), 1u);
  EXPECT_EQ(s.geoms[0].body, 1);
  EXPECT_LE(norm(s.geoms[0].pose.p - Vec3{1, 0, 1}), 1e-15);  // z of the tool is x of the arm
}

TEST(Urdf, VisualsAreDrawnWhereTheirLinkIs) {
  const std::string look =
      "<visual><origin xyz='0 1 0'/><geometry><box size='.2 .4 .6'/></geometry>"
      "<material name='blue'/></visual>"
      "<visual><geometry><sphere radius='.1'/></geometry>"
      "<material name='own'><color rgba='1 0 0 .5'/></material></visual>"
      "<visual><geometry><sphere radius='.2'/></geometry><material name='unknown'/></visual>";
  const std::string blue = "<material name='blue'><color rgba='0 0 1 1'/></material>";
  const Scene s = read(link("base") + link("tool", mass + look) + blue +
                       joint("hold", "fixed", "base", "tool", "<origin xyz='0 0 2'/>"));
  ASSERT_EQ(s.visuals.size(), 3u);
  EXPECT_EQ(s.visuals[0].body, 0);
  EXPECT_EQ(s.visuals[0].pose.p, (Vec3{0, 1, 2}));
  EXPECT_EQ(s.visuals[0].shape.size, (Vec3{.1, .2, .3}));
  EXPECT_EQ(s.visuals[0].color, (Color{0, 0, 1, 1}));
  EXPECT_EQ(s.visuals[1].color, (Color{1, 0, 0, .5}));
  EXPECT_FALSE(s.visuals[2].color.has_value());
  EXPECT_TRUE(s.geoms.empty());
  EXPECT_TRUE(s.notices.size() == 1 && has_notice(s, "base is free"));
}

TEST(Urdf, AVisualThatIsWrongIsListedAndLeftOut) {
  for (const char* look :
       {"<visual/>", "<visual><geometry/></visual>",
        "<visual><geometry><sphere radius='x'/></geometry></visual>",
        "<visual><geometry><sphere radius='-1'/></geometry></visual>",
        "<visual><geometry><mesh filename='package://none/a.stl'/></geometry></visual>",
        "<visual><geometry><sphere radius='1'/></geometry>"
        "<material><color rgba='1 2 3'/></material></visual>"}) {
    const Scene s = read(link("base", mass + look));
    EXPECT_TRUE(s.visuals.empty()) << look;
    EXPECT_TRUE(has_notice(s, "a visual is not drawn")) << look;
  }
}

TEST(Urdf, BaseIsFixedOrFree) {
  const std::string arm = link("arm") + joint("j", "continuous", "base", "arm", "");
  EXPECT_EQ(read(link("base") + arm).bodies[0].kind, BodyKind::linked);  // with a free joint
  EXPECT_TRUE(
      has_notice(read(link("base") + arm), "r.urdf:2: link 'base': the robot's base is free"));
  EXPECT_EQ(World(read(link("base") + arm)).dofs(), 7);
  EXPECT_EQ(World(read(link("base"))).moving_bodies(), 1);
  EXPECT_EQ(read(link("base", "") + arm).bodies[0].kind, BodyKind::fixed);
  // a root without inertia, which some tools cannot have there, on a trunk that has it
  EXPECT_EQ(read(link("base", "") + link("trunk") + arm + joint("t", "fixed", "base", "trunk", ""))
                .bodies[0]
                .kind,
            BodyKind::linked);
  EXPECT_EQ(read(link("base") + arm, {.base = RobotBase::fixed}).bodies[0].kind, BodyKind::fixed);
  const Scene s =
      read(link("world", "") + link("base") + arm + joint("w", "fixed", "world", "base", ""));
  EXPECT_EQ(s.bodies[0].kind, BodyKind::fixed);
  EXPECT_EQ(World(s).dofs(), 1);
  EXPECT_EQ(urdf_error(link("world") + joint("j", "continuous", "world", "arm", "") + link("arm"),
                       {.base = RobotBase::free}),
            "r.urdf:2: link 'world': the root is the world itself: its base cannot be free");
}

// With the base fixed its first link has the world as parent, and still must not touch it.
TEST(Urdf, NeighboursDoNotTouch) {
  const std::string ball = "<collision><geometry><sphere radius='.2'/></geometry></collision>";
  const std::string text = link("base", mass + ball) + link("a", mass + ball) +
                           link("b", mass + ball) + joint("j", "continuous", "base", "a", "") +
                           joint("k", "continuous", "a", "b", "");
  for (const RobotBase base : {RobotBase::fixed, RobotBase::free}) {
    World w(read(text, {.base = base}));
    w.step();
    EXPECT_EQ(w.report().contacts, 1) << "base and b, which are not neighbours";
    World apart(read(text, {.base = base, .self_collision = false}));
    apart.step();
    EXPECT_EQ(apart.report().contacts, 0);
  }
}

TEST(Urdf, JointsHaveTheirProperties) {
  const Scene s = read(link("base") + link("arm") +
                       joint("j", "revolute", "base", "arm",
                             "<limit lower='-2' upper='1' effort='7' velocity='3'/>"
                             "<dynamics damping='.5' friction='.25'/>") +
                       "<transmission name='t'><type>simple</type><joint name='j'/><actuator "
                       "name='m'><drake:rotor_inertia value='.01'/><drake:gear_ratio value='10'/>"
                       "</actuator></transmission>");
  const SceneJoint& j = s.bodies[1].joints[0];
  EXPECT_EQ(j.kind, JointKind::hinge);
  EXPECT_EQ(j.axis, (Vec3{1, 0, 0}));
  EXPECT_TRUE(j.limited);
  EXPECT_EQ(j.lower, -2);
  EXPECT_EQ(j.upper, 1);
  EXPECT_EQ(j.damping, 0.5);
  EXPECT_EQ(j.dry_friction, 0.25);
  EXPECT_DOUBLE_EQ(j.armature, 1);  // ratio^2 inertia
  ASSERT_EQ(s.actuators.size(), 1u);
  EXPECT_EQ(s.actuators[0].name, "j");
  EXPECT_EQ(s.actuators[0].upper_force, 7);
  EXPECT_EQ(s.actuators[0].lower_control, -7);
  EXPECT_EQ(s.actuators[0].velocity_limit, 3);
}

TEST(Urdf, JointsStartWithinTheirLimits) {
  const Scene s = read(
      link("base") + link("a") + link("b") +
          joint("j", "revolute", "base", "a", "<limit lower='-2' upper='-1'/>") +
          joint("k", "continuous", "base", "b", "<mimic joint='j' multiplier='-3' offset='.5'/>"),
      {.base = RobotBase::fixed});
  const World w(s);
  EXPECT_EQ(w.joint_state(1).positions[0], -1);
  EXPECT_EQ(w.joint_state(2).positions[0], 3.5);
  EXPECT_TRUE(has_notice(s, "joint 'j': the joint starts at its limit: 0 is beyond it"));
}

TEST(Urdf, JointTypesHaveTheirDofs) {
  const auto dofs = [](const std::string& type) {
    return World(read(link("base") + link("arm") + joint("j", type, "base", "arm"),
                      {.base = RobotBase::fixed}))
        .dofs();
  };
  EXPECT_EQ(dofs("fixed"), 0);
  EXPECT_EQ(dofs("revolute"), 1);
  EXPECT_EQ(dofs("prismatic"), 1);
  EXPECT_EQ(dofs("universal"), 2);
  EXPECT_EQ(dofs("planar"), 3);
  EXPECT_EQ(dofs("ball"), 3);
  EXPECT_EQ(dofs("floating"), 6);
}

// A planar joint whose plane is vertical: it falls in it by g, and not out of it.
TEST(Urdf, PlanarJointMovesInItsPlane) {
  const Scene s = read(
      link("base") + link("disk") + joint("j", "planar", "base", "disk", "<axis xyz='0 1 0'/>"),
      {.base = RobotBase::fixed});
  World w(s);
  for (int i = 0; i < 500; ++i) w.step();
  const BodyState state = w.body_state(1);
  EXPECT_NEAR(state.linear_velocity.z, -9.81, 1e-9);
  EXPECT_EQ(state.position.y, 0);
  EXPECT_EQ(s.bodies[1].joints[2].axis, (Vec3{0, 1, 0}));
  EXPECT_EQ(s.bodies[1].joints[2].name, "j_theta");
}

TEST(Urdf, UniversalJointTurnsAboutXThenY) {
  World w(read(link("base") + link("arm") + joint("j", "universal", "base", "arm", ""),
               {.base = RobotBase::fixed}));
  w.set_joint_state(1, {{0.3, 0.4}, {0, 0}});
  const Vec3 z = to_matrix(w.body_state(1).orientation).col[2];
  // R_x(0.3) R_y(0.4) z
  EXPECT_NEAR(z.x, std::sin(0.4), 1e-15);
  EXPECT_NEAR(z.y, -std::sin(0.3) * std::cos(0.4), 1e-15);
  EXPECT_NEAR(z.z, std::cos(0.3) * std::cos(0.4), 1e-15);
}

TEST(Urdf, MimicFollowsItsLeader) {
  Scene s = read(link("base") + link("a") + link("b") +
                     joint("lead", "continuous", "base", "a",
                           "<axis xyz='0 0 1'/><limit effort='5' velocity='1'/>") +
                     joint("follow", "continuous", "base", "b",
                           "<axis xyz='0 0 1'/><mimic joint='lead' multiplier='-2' offset='0.0'/>"),
                 {.base = RobotBase::fixed});
  ASSERT_EQ(s.equalities.size(), 1u);
  ASSERT_EQ(s.actuators.size(), 1u);  // the follower has none
  World w(s);
  w.set_control(0, 1);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(w.step().solve.status, SolveStatus::converged);
  const double a = w.joint_state(1).positions[0], b = w.joint_state(2).positions[0];
  EXPECT_NEAR(b, -2 * a, 1e-6);
  // 1 N m on I + 4 I, with 0.1 kg m^2 each, for 0.4 s
  EXPECT_NEAR(w.joint_state(1).velocities[0], 0.4 / 0.5, 1e-6);
  EXPECT_TRUE(has_notice(read(link("base") + link("a") +
                              joint("j", "continuous", "base", "a", "<mimic joint='gone'/>")),
                         "joint 'j': a joint that mimics one that the robot does not have"));
}

TEST(Urdf, MimicsMayFollowEachOtherButNotInACircle) {
  const auto chain = [](const std::string& last) {
    return link("base") + link("a") + link("b") + link("c") +
           joint("ja", "continuous", "base", "a", "<mimic joint='jb'/>") +
           joint("jb", "continuous", "base", "b", "<mimic joint='jc' offset='1'/>") +
           joint("jc", "continuous", "base", "c", last);
  };
  const World w(read(chain(""), {.base = RobotBase::fixed}));
  EXPECT_EQ(w.joint_state(1).positions[0], 1);
  EXPECT_EQ(w.joint_state(2).positions[0], 1);
  EXPECT_EQ(urdf_error(chain("<mimic joint='ja'/>")),
            "r.urdf:6: joint 'ja': it mimics itself, by way of joint 'jb'");
  EXPECT_EQ(
      urdf_error(link("base") + link("a") + link("b") + joint("j", "continuous", "base", "a", "") +
                 joint("k", "planar", "base", "b", "<mimic joint='j'/>")),
      "r.urdf:6: joint 'k': only revolute, continuous and prismatic joints mimic each other");
}

TEST(Urdf, DrakesProximityPropertiesAreTheMaterial) {
  const Scene s = read(link(
      "base", mass +
                  "<collision name='c'><geometry><box size='2 4 6'/></geometry>"
                  "<drake:proximity_properties><drake:point_contact_stiffness value='3e5'/>"
                  "<drake:hunt_crossley_dissipation value='2'/><drake:relaxation_time value='.1'/>"
                  "<drake:mu_static value='.9'/><drake:mu_dynamic value='.7'/>"
                  "<drake:rigid_hydroelastic/></drake:proximity_properties></collision>"));
  const Material& m = s.geoms[0].material;
  EXPECT_EQ(s.geoms[0].name, "c");
  EXPECT_EQ(s.geoms[0].shape.half_extents(), (Vec3{1, 2, 3}));
  EXPECT_EQ(m.stiffness, 3e5);
  EXPECT_EQ(m.dissipation, 2);
  EXPECT_EQ(m.relaxation_time, 0.1);
  EXPECT_EQ(m.friction, 0.7);
  EXPECT_TRUE(has_notice(s, "drake:mu_static is not used"));
  EXPECT_TRUE(
      has_notice(s, "<drake:rigid_hydroelastic> in <drake:proximity_properties> is not read"));
}

TEST(Urdf, ImpossibleInertiaIsRefusedUnlessAccepted) {
  const std::string bad =
      "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='5'/>"
      "</inertial>";
  const std::string text =
      link("base") + link("arm", bad) + joint("j", "continuous", "base", "arm", "");
  EXPECT_EQ(urdf_error(text),
            "r.urdf:3: link 'arm': principal moments of inertia = 1, 1, 5 kg m^2, none may exceed "
            "the sum of the others");
  EXPECT_EQ(urdf_error(text, {.accept_inertia = true}), "");
  // a part of a body whose sum is fine
  EXPECT_EQ(urdf_error(link("base",
                            "<inertial><mass value='9'/><inertia ixx='9' ixy='0' ixz='0' "
                            "iyy='9' iyz='0' izz='9'/></inertial>") +
                       link("arm", bad) + joint("j", "fixed", "base", "arm", "")),
            "");
  const std::string negative =
      "<inertial><mass value='1'/><inertia ixx='-1' ixy='0' ixz='0' iyy='-1' iyz='0' izz='-1'/>"
      "</inertial>";
  EXPECT_EQ(
      urdf_error(link("base") + link("arm", negative) + joint("j", "continuous", "base", "arm", ""),
                 {.base = RobotBase::fixed, .accept_inertia = true}),
      "r.urdf:3: link 'arm': its joint moves no mass: give it a mass, or one that it "
      "carries, or the joint an armature");
}

TEST(Urdf, WrongInputIsNamed) {
  const std::string two = link("base") + link("arm");
  const auto with_joint = [&](const std::string& inside) {
    return two + joint("j", "revolute", "base", "arm", inside);
  };
  const BadCase cases[] = {
      {link("a") + link("a"), "r.urdf:3: link 'a': the name is already used in line 2"},
      {two,
       "r.urdf:3: link 'arm': neither it nor link 'base' is the child of a joint: a robot has one "
       "root"},
      {two + joint("j", "fixed", "base", "leg"),
       "r.urdf:4: joint 'j': child link 'leg' does not exist"},
      {two + joint("j", "fixed", "arm", "arm"), "r.urdf:4: joint 'j': it joins a link with itself"},
      {two + joint("j", "fixed", "base", "arm") + joint("k", "fixed", "arm", "base"),
       "r.urdf:2: link 'base': links make a cycle: 'arm', 'base'"},
      {two + link("c") + joint("j", "fixed", "base", "c") + joint("k", "fixed", "arm", "c"),
       "r.urdf:6: joint 'k': link 'c' has a parent already, by joint 'j': joints cannot describe a "
       "loop"},
      {two + joint("j", "screw", "base", "arm"),
       "r.urdf:4: joint 'j': type 'screw', must be fixed, revolute, continuous, prismatic, "
       "floating, planar, ball or universal"},
      {with_joint(""),
       "r.urdf:4: joint 'j': <limit> is missing: revolute joints need one "
       "(continuous ones do not)"},
      {with_joint("<limit lower='2' upper='1'/>"),
       "r.urdf:4: joint 'j': lower = 2, must not exceed upper"},
      {with_joint("<limit/><axis xyz='0 0 0'/>"),
       "r.urdf:4: joint 'j': the axis has no direction: its length is 0"},
      {with_joint("<limit/><axis xyz='0 0'/>"),
       "r.urdf:4: joint 'j': xyz = '0 0', must be three numbers"},
      {with_joint("<limit/><origin xyz='0 nan 0'/>"),
       "r.urdf:4: joint 'j': xyz = '0 nan 0', must be a finite number"},
      {with_joint("<limit upper='1e999'/>"),
       "r.urdf:4: joint 'j': upper = '1e999', must be a finite number"},
      {with_joint("<limit effort='0x10'/>"),
       "r.urdf:4: joint 'j': effort = '0x10', must be a decimal number"},
      {with_joint("<limit/><limit/>"), "r.urdf:4: joint 'j': <limit> is given twice"},
      {with_joint("<limit/><dynamics damping='-1'/>"),
       "r.urdf:4: joint 'j': damping = -1 N m s/rad, must not be negative"},
      {"<link/>", "r.urdf:2: link '': <link> has no name"},
      {link("a", "<inertial><mass value='1'/></inertial>"),
       "r.urdf:2: link 'a': <inertia> is missing"},
      {link("a", mass + "<collision/>"), "r.urdf:2: link 'a': <geometry> is missing"},
      {link("a", mass + "<collision><geometry><cone r='1'/></geometry></collision>"),
       "r.urdf:2: link 'a': <cone> is not a shape: must be box, sphere, cylinder, capsule, "
       "drake:ellipsoid or mesh"},
      {link("a", mass + "<collision><geometry><sphere radius='-1'/></geometry></collision>"),
       "r.urdf:2: sphere of link 'a': radius = -1 m, must be positive and at most 1e9 m"},
      {link("a", mass + "<collision><geometry><mesh filename='gone.stl'/></geometry></collision>"),
       "FileError: r.urdf:2: link 'a': cannot read 'gone.stl': No such file or directory"},
      {link("a", mass + "<collision><geometry><mesh filename='package://none/x.stl'/></geometry>"
                        "</collision>"),
       "r.urdf:2: link 'a': package 'none' is not in a folder above the file: name its folder by "
       "--package-path or ROS_PACKAGE_PATH"},
      {link("a", mass + "<collision><geometry><mesh filename='http://x/x.stl'/></geometry>"
                        "</collision>"),
       "r.urdf:2: link 'a': file 'http://x/x.stl': must be a path, package://, model:// or "
       "file://"},
      {"<xacro:macro name='m'/>",
       "r.urdf:2: a xacro macro: expand it first (xacro FILE > FILE.urdf)"},
      {"", "r.urdf:1: it has no <link>"},
      {link("world") + "<link name='x'>",
       "r.urdf:3: not well-formed: an element is not closed, or "
       "not opened"},
  };
  for (const auto& [text, error] : cases) EXPECT_EQ(urdf_error(text), error) << text;
  EXPECT_THROW(load_urdf_text("<mujoco/>", "r.urdf"), InputError);
  EXPECT_THROW(load_urdf_text("", "r.urdf"), InputError);
  EXPECT_THROW(load_urdf_text(std::string(100000, '<'), "r.urdf"), InputError);
}

TEST(Urdf, DeepNestingIsRefused) {
  std::string open, close;
  for (int i = 0; i < 100000; ++i) open += "<a>", close += "</a>";
  EXPECT_EQ(urdf_error(open + close), "r.urdf:2: not well-formed: elements are nested too deeply");
}

/// A robot in a package, with its SRDF.
class UrdfFiles : public testing::Test {
 protected:
  void SetUp() override {
    write(
        "pkg/urdf/r.urdf",
        robot(link("base", mass + "<collision><geometry><mesh "
                                  "filename='package://pkg/meshes/t.obj' scale='2 1 1'/>"
                                  "</geometry></collision>") +
              link("a", mass + ball) + link("b", mass + ball) +
              joint("j", "continuous", "base", "a", "") + joint("k", "continuous", "a", "b", "")));
    write("pkg/meshes/t.obj",
          "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  }
  void write(const std::string& name, const std::string& text) { folder.write(name, text); }
  std::string path(const std::string& name) const { return folder / name; }

  const std::string ball = "<collision><geometry><sphere radius='.05'/></geometry></collision>";
  TemporaryFolder folder;
};

TEST_F(UrdfFiles, PackagesAreFoundAboveTheFile) {
  const Scene s = load_urdf(path("pkg/urdf/r.urdf"));
  ASSERT_EQ(s.geoms[0].shape.kind, ShapeKind::hull);
  EXPECT_EQ(s.geoms[0].shape.hull->upper, (Vec3{2, 1, 1}));  // scaled
}

TEST_F(UrdfFiles, VisualsMayBeMeshes) {
  write("pkg/urdf/v.urdf",
        robot(link("base", mass + "<visual><geometry><mesh filename='package://pkg/meshes/t.obj' "
                                  "scale='2 1 1'/></geometry></visual>")));
  const Scene s = load_urdf(path("pkg/urdf/v.urdf"));
  ASSERT_EQ(s.visuals.size(), 1u);
  EXPECT_EQ(s.visuals[0].mesh->vertices.size(), 4u);
  EXPECT_EQ(s.visuals[0].mesh->triangles.size(), 4u);
  const RecordedScene r = record_scene(World(s));
  ASSERT_EQ(r.geoms.size(), 1u);
  EXPECT_TRUE(r.geoms[0].visual);
  EXPECT_EQ(r.meshes.at(r.geoms[0].mesh).triangles.size(), 4u);
}

TEST_F(UrdfFiles, PackagesAreFoundWhereSaid) {
  write("elsewhere/pkg2/meshes/t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\n");
  write("r2.urdf",
        robot(link("base", mass + "<collision><geometry><mesh filename="
                                  "'package://pkg2/meshes/t.obj'/></geometry></collision>")));
  EXPECT_THROW(load_urdf(path("r2.urdf")), InputError);
  EXPECT_NO_THROW(load_urdf(path("r2.urdf"), {.package_paths = {path("elsewhere")}}));
  EXPECT_NO_THROW(load_urdf(path("r2.urdf"), {.package_paths = {path("elsewhere/pkg2")}}));
}

TEST_F(UrdfFiles, StatesMoveWhatMimics) {
  write("m.urdf",
        robot(link("base") + link("a") + link("b") + joint("j", "continuous", "base", "a", "") +
              joint("k", "continuous", "base", "b", "<mimic joint='j' multiplier='2'/>")));
  write("m.srdf",
        "<robot><group_state name='s'><joint name='j' value='0.3'/></group_state></robot>");
  World w(load_urdf(path("m.urdf"), {.base = RobotBase::fixed}));
  w.set_keyframe(0);
  EXPECT_EQ(w.joint_state(2).positions[0], 0.6);
}

TEST_F(UrdfFiles, StatesOfJointsWithSeveralCoordinates) {
  write("p.urdf", robot(link("base") + link("a") + link("b") +
                        joint("p", "planar", "base", "a", "<axis xyz='0 0 1'/>") +
                        joint("r", "revolute", "base", "b")));
  const auto state = [&](const std::string& inside) {
    write("p.srdf", "<robot><group_state name='s'>" + inside + "</group_state></robot>");
    return load_urdf(path("p.urdf"), {.base = RobotBase::fixed});
  };
  World w(state("<joint name='p' value='1 2 0.5'/>"));
  w.set_keyframe(0);
  EXPECT_EQ(w.joint_state(1).positions, (std::vector<double>{1, 2, 0.5}));
  EXPECT_THROW(state("<joint name='r' value='1'/><joint name='r' value='1'/>"), InputError);
  EXPECT_THROW(state("<joint name='r' value='1 0'/>"), InputError) << "it has limits";
  write("q.urdf", robot(link("base") + link("a") + joint("j", "continuous", "base", "a", "")));
  write("q.srdf",
        "<robot><group_state name='s'><joint name='root_joint' value='0 0 0 0 0 0 0'/>"
        "</group_state></robot>");
  EXPECT_THROW(load_urdf(path("q.urdf")), InputError);
}

TEST_F(UrdfFiles, SrdfDisablesCollisionsAndNamesStates) {
  const Scene without = load_urdf(path("pkg/urdf/r.urdf"));
  EXPECT_TRUE(without.excluded_geoms.empty());
  write("pkg/srdf/r.srdf",
        "<robot name='r'>\n<disable_collisions link1='base' link2='b'/>\n"
        "<disable_collisions link1='base' link2='gone'/>\n"
        "<group_state name='home' group='all'><joint name='root_joint' value='1 2 3 0 0 1 0'/>"
        "<joint name='k' value='0.5'/><joint name='j' value='0 1'/></group_state></robot>");
  const Scene s = load_urdf(path("pkg/urdf/r.urdf"));
  ASSERT_EQ(s.excluded_geoms.size(), 1u);
  EXPECT_TRUE(has_notice(s, "collisions are disabled of a link that the robot does not have"));
  ASSERT_EQ(s.keyframes.size(), 1u);
  World w(s);
  w.set_keyframe(0);
  EXPECT_LE(norm(w.body_state(0).position - Vec3{1, 2, 3}), 1e-15);
  EXPECT_LE(norm(to_matrix(w.body_state(0).orientation).col[0] - Vec3{-1, 0, 0}),
            1e-15);                                                 // about z
  EXPECT_NEAR(w.joint_state(1).positions[0], std::acos(0), 1e-15);  // cosine 0, sine 1
  EXPECT_EQ(w.joint_state(2).positions[0], 0.5);
  write("pkg/srdf/r.srdf",
        "<robot><group_state name='home'><joint name='k' value='1 2 3'/>"
        "</group_state></robot>");
  EXPECT_THROW(load_urdf(path("pkg/urdf/r.urdf")), InputError);
  EXPECT_NO_THROW(load_urdf(path("pkg/urdf/r.urdf"), {.srdf = ""}));
  EXPECT_THROW(load_urdf(path("pkg/urdf/r.urdf"), {.srdf = path("pkg/urdf/r.urdf")}), InputError);
  write("pkg/urdf/other.urdf", robot(link("base")));
  EXPECT_TRUE(has_notice(load_urdf(path("pkg/urdf/other.urdf")),
                         "no SRDF has the name of this file; there is 'r.srdf'"));
}

}  // namespace
}  // namespace abut
