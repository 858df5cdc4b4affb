#pragma once

#include <string>

#include "abut/sim/scene.hpp"

namespace abut::cli {

/// "40 free bodies, 1 mechanism of 13 links, 267 dofs".
std::string describe_trees(const Scene& scene);

std::string describe_joint(const SceneJoint& joint);

}  // namespace abut::cli
