#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abut/sim/scene.hpp"

namespace abut {

/// How a robot stands in the world, of which URDF says nothing.
enum class RobotBase {
  automatic,  ///< fixed if the root link is called "world" or has no mass, else free
  fixed,
  free,
};

struct UrdfOptions {
  RobotBase base = RobotBase::automatic;
  bool self_collision = true;
  /// Takes inertias that no body can have (a moment larger than the sum of the others), as long as
  /// the mechanism's mass matrix is positive definite.
  bool accept_inertia = false;
  std::vector<std::string> package_paths = {};  ///< folders in which packages lie
  /// Whose disabled collisions and group states are used; if absent, NAME.srdf beside NAME.urdf or
  /// in ../srdf, if there is one.
  std::optional<std::string> srdf = {};
};

/// Reads a robot: links, joints, collision shapes (meshes as their convex hulls), with Drake's
/// proximity properties; of SRDF, disabled collisions, and group states as keyframes. Each joint
/// with an effort limit has a motor of the joint's name, whose control is its force and which
/// drives no faster than the velocity limit. docs/urdf.md has the table of what is used, listed in
/// Scene::notices and refused.
///
/// @throws FileError if a file cannot be read; InputError "file:line: element: ..." for bad content
Scene load_urdf(const std::string& path, const UrdfOptions& options = {});

/// The same for text in memory. `name` stands for the path, in messages and for the files that the
/// text refers to.
Scene load_urdf_text(const std::string& text, const std::string& name,
                     const UrdfOptions& options = {});

}  // namespace abut
