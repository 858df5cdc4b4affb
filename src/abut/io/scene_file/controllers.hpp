#pragma once

#include <cstdint>
#include <vector>

#include "abut/control/controller.hpp"
#include "abut/io/scene_file/draft.hpp"

namespace abut::scene_file {

/// [[controller]]. What they need of actuators is added to the scene.
std::vector<Controller> read_controllers(Table& root, Draft& draft, std::uint64_t seed);

}  // namespace abut::scene_file
