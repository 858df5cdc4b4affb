#pragma once

#include <optional>
#include <string>
#include <vector>

#include "abut/io/notice_list.hpp"
#include "abut/io/urdf/file_finder.hpp"
#include "abut/io/xml_document.hpp"
#include "abut/sim/mass_properties.hpp"
#include "abut/sim/scene.hpp"

namespace abut::urdf {

/// A link's frame is that of the joint above it.
struct UrdfLink {
  std::string name;
  std::optional<MassProperties> inertial;  ///< in the link's frame
  std::vector<SceneGeom> collisions;       ///< posed in the link's frame
  std::vector<SceneVisual> visuals;        ///< posed in the link's frame
  Origin origin;
};

enum class UrdfJointKind { fixed, revolute, prismatic, ball, universal, planar, floating };

/// Coordinate = offset + multiplier times another's.
struct Mimic {
  std::string joint;
  double multiplier = 1, offset = 0;
};

struct UrdfJoint {
  std::string name;
  UrdfJointKind kind = UrdfJointKind::fixed;
  std::string parent, child;  ///< links
  Pose pose;                  ///< of the child in the parent at zero
  Vec3 axis{1, 0, 0};         ///< unit; in the child's frame
  Joint properties;           ///< damping, dry friction, armature, limits
  double effort = 0;          ///< largest force of its motor [N m or N]; 0: it has none
  double velocity = 0;        ///< up to which the motor drives [rad/s or m/s]; 0: any
  std::optional<Mimic> mimic;
  Origin origin;
};

struct UrdfRobot {
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
};

/// Links and joints as written, each by itself. Meshes are read.
/// @throws InputError, FileError
UrdfRobot read_robot(const XmlDocument& file, const FileFinder& files, NoticeList& notices);

/// <origin xyz rpy>: R = R_z(yaw) R_y(pitch) R_x(roll); the identity if it is missing.
Pose read_origin(const XmlElement& parent);

}  // namespace abut::urdf
