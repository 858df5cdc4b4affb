#pragma once

#include <string>

#include "abut/sim/scene.hpp"

namespace abut {

/// The scene that a model file describes, by its suffix: all but .urdf is read as MJCF.
/// @throws as load_mjcf(); InputError for URDF, which is not read yet
Scene load_model(const std::string& path);

}  // namespace abut
