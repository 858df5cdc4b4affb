#pragma once

#include <string>

#include "abut/io/mjcf.hpp"
#include "abut/io/urdf.hpp"
#include "abut/sim/scene.hpp"

namespace abut {

/// The scene that a model file describes, by its suffix: .urdf is read as URDF, all else as MJCF.
/// @throws as load_mjcf() and load_urdf()
Scene load_model(const std::string& path, const UrdfOptions& urdf = {},
                 const MjcfOptions& mjcf = {});

inline bool is_urdf(const std::string& path) {
  return path.ends_with(".urdf");
}

}  // namespace abut
