#include "abut/io/urdf/robot.hpp"

#include <cmath>
#include <utility>

#include "abut/core/text.hpp"
#include "abut/io/urdf/geometry.hpp"

namespace abut::urdf {

namespace {

Mat3 to_rotation(const Vec3& rpy) {
  const double cr = std::cos(rpy.x), sr = std::sin(rpy.x), cp = std::cos(rpy.y),
               sp = std::sin(rpy.y), cy = std::cos(rpy.z), sy = std::sin(rpy.z);
  return {{{cy * cp, sy * cp, -sp},
           {cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr},
           {cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr}}};
}

MassProperties read_inertial(const XmlElement& inertial) {
  const XmlElement inertia = inertial.required_child("inertia");
  const auto moment = [&](const char* name) { return inertia.number(name); };
  const double xy = moment("ixy"), xz = moment("ixz"), yz = moment("iyz");
  const Mat3 I{{{moment("ixx"), xy, xz}, {xy, moment("iyy"), yz}, {xz, yz, moment("izz")}}};
  const MassProperties at_center{inertial.required_child("mass").number("value"), {}, I};
  return transformed(read_origin(inertial), at_center);
}

UrdfLink read_link(const XmlElement& e, GeometryReader& geometry, NoticeList& notices) {
  UrdfLink link;
  link.name = e.text("name");
  link.origin = e.origin();
  e.list_unknown(notices, {"name"}, {"inertial", "collision", "visual"});
  if (const auto inertial = e.child("inertial")) {
    inertial->list_unknown(notices, {}, {"origin", "mass", "inertia"});
    link.inertial = read_inertial(*inertial);
  }
  e.for_each_child([&](const XmlElement& part) {
    if (part.tag() == "collision") link.collisions.push_back(geometry.read_collision(part));
    if (part.tag() == "visual") {
      if (auto visual = geometry.read_visual(part)) link.visuals.push_back(std::move(*visual));
    }
  });
  return link;
}

/// URDF's types, and those of Drake's <drake:joint>.
UrdfJointKind kind_of(const XmlElement& e) {
  const std::string type = e.text("type");
  if (type == "fixed" || type == "weld") return UrdfJointKind::fixed;
  if (type == "revolute" || type == "continuous") return UrdfJointKind::revolute;
  if (type == "prismatic") return UrdfJointKind::prismatic;
  if (type == "floating") return UrdfJointKind::floating;
  if (type == "planar") return UrdfJointKind::planar;
  if (type == "ball" || type == "spherical") return UrdfJointKind::ball;
  if (type == "universal") return UrdfJointKind::universal;
  e.fail("type " + quote(type) +
         ", must be fixed, revolute, continuous, prismatic, floating, planar, ball or universal");
}

Vec3 read_axis(const XmlElement& joint) {
  const auto axis = joint.child("axis");
  const Vec3 direction = axis ? axis->vector("xyz", {1, 0, 0}) : Vec3{1, 0, 0};
  const double length = norm(direction);
  if (!(length > 1e-9)) axis->fail("the axis has no direction: its length is 0");
  return (1 / length) * direction;
}

void read_dynamics(const XmlElement& e, NoticeList& notices, UrdfJoint& joint) {
  if (const auto dynamics = e.child("dynamics")) {
    dynamics->list_unknown(notices, {"damping", "friction"}, {});
    joint.properties.damping = dynamics->number("damping", 0);
    joint.properties.dry_friction = dynamics->number("friction", 0);
    const Origin at = dynamics->origin();
    require(joint.properties.damping >= 0, "damping", joint.properties.damping, "N m s/rad",
            "must not be negative", at);
    require(joint.properties.dry_friction >= 0, "friction", joint.properties.dry_friction, "N m",
            "must not be negative", at);
  }
}

void read_limit(const XmlElement& e, NoticeList& notices, UrdfJoint& joint) {
  const auto limit = e.child("limit");
  const bool is_bounded = e.text("type") == "revolute" || joint.kind == UrdfJointKind::prismatic;
  if (!limit && is_bounded) {
    e.fail("<limit> is missing: " + e.text("type") + " joints need one (continuous ones do not)");
  }
  if (!limit) return;
  limit->list_unknown(notices, {"lower", "upper", "effort", "velocity"}, {});
  if (is_bounded) {
    joint.properties.limited = true;
    joint.properties.lower = limit->number("lower", 0);
    joint.properties.upper = limit->number("upper", 0);
    require(joint.properties.lower <= joint.properties.upper, "lower", joint.properties.lower, "",
            "must not exceed upper", limit->origin());
  }
  joint.effort = limit->number("effort", 0);
  require(joint.effort >= 0, "effort", joint.effort, "N m", "must not be negative",
          limit->origin());
  joint.velocity = limit->number("velocity", 0);
  require(joint.velocity >= 0, "velocity", joint.velocity, "rad/s", "must not be negative",
          limit->origin());
}

UrdfJoint read_joint(const XmlElement& e, NoticeList& notices) {
  UrdfJoint joint;
  joint.name = e.text("name");
  joint.origin = e.origin();
  joint.kind = kind_of(e);
  joint.parent = e.required_child("parent").text("link");
  joint.child = e.required_child("child").text("link");
  joint.pose = read_origin(e);
  e.list_unknown(notices, {"name", "type"},
                 {"parent", "child", "origin", "axis", "dynamics", "limit", "mimic", "calibration",
                  "safety_controller"});
  if (joint.kind == UrdfJointKind::fixed) return joint;
  joint.axis = read_axis(e);
  read_dynamics(e, notices, joint);
  read_limit(e, notices, joint);
  if (const auto mimic = e.child("mimic")) {
    joint.mimic = {mimic->text("joint"), mimic->number("multiplier", 1),
                   mimic->number("offset", 0)};
  }
  return joint;
}

/// Drake's rotors: <drake:rotor_inertia> and <drake:gear_ratio> of a transmission's actuator add
/// armature to its joint. Gears of others are about motors that are not simulated.
void read_transmission(const XmlElement& e, UrdfRobot& robot) {
  double inertia = 0, ratio = 1;
  std::string name;
  e.for_each_child([&](const XmlElement& part) {
    if (part.tag() == "joint" && part.has("name")) name = part.text("name");
    if (part.tag() != "actuator") return;
    if (const auto rotor = part.child("drake:rotor_inertia")) inertia = rotor->number("value");
    if (const auto gear = part.child("drake:gear_ratio")) ratio = gear->number("value");
  });
  if (inertia == 0) return;
  require(inertia > 0, "drake:rotor_inertia", inertia, "kg m^2", "must not be negative",
          e.origin());
  for (UrdfJoint& joint : robot.joints) {
    if (joint.name == name) {
      joint.properties.armature = ratio * ratio * inertia;
      return;
    }
  }
  e.fail("the robot has no joint " + quote(name) + ", which the transmission names");
}

}  // namespace

Pose read_origin(const XmlElement& parent) {
  const auto origin = parent.child("origin");
  if (!origin) return {};
  return {origin->vector("xyz", {}), to_rotation(origin->vector("rpy", {}))};
}

UrdfRobot read_robot(const XmlDocument& file, const FileFinder& files, NoticeList& notices) {
  const XmlElement root = file.root("robot");
  GeometryReader geometry(files, notices);
  root.for_each_child([&](const XmlElement& e) {
    if (e.tag() == "material") geometry.add_material(e);
  });
  UrdfRobot robot;
  root.for_each_child([&](const XmlElement& e) {
    const std::string_view tag = e.tag();
    const auto named = [&] { return e.has("name") ? e.named(e.text("name")) : e.named(""); };
    if (tag == "link") {
      robot.links.push_back(read_link(named(), geometry, notices));
    } else if (tag == "joint" || tag == "drake:joint") {
      robot.joints.push_back(read_joint(named(), notices));
    } else if (tag.starts_with("xacro:")) {
      e.fail("a xacro macro: expand it first (xacro FILE > FILE.urdf)");
    } else if (tag != "transmission" && tag != "material") {
      notices.add(bracketed(tag) + " is not read", e.origin());
    }
  });
  root.for_each_child([&](const XmlElement& e) {
    if (e.tag() == "transmission") {
      read_transmission(e.has("name") ? e.named(e.text("name")) : e, robot);
    }
  });
  if (robot.links.empty()) root.fail("it has no <link>");
  return robot;
}

}  // namespace abut::urdf
