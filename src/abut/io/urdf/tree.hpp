#pragma once

#include <vector>

#include "abut/io/urdf/robot.hpp"

namespace abut::urdf {

constexpr int no_joint = -1;

/// A link and the joint above it.
struct LinkPlace {
  int link = 0;
  int joint = no_joint;  ///< of the root: none
};

/// The links of the tree that the joints make of them, parents first and each followed by all that
/// hangs on it, siblings in the order of their joints.
/// @throws InputError naming the links or joints if names repeat, a joint's link is missing, or the
/// joints make a cycle or several trees
std::vector<LinkPlace> arrange_links(const UrdfRobot& robot);

}  // namespace abut::urdf
