#include "abut/io/model_file.hpp"

namespace abut {

Scene load_model(const std::string& path, const UrdfOptions& urdf, const MjcfOptions& mjcf) {
  const Origin at{path, 0, {}};
  if (path.ends_with(".xacro"))
    fail_input("a xacro file: expand it first (xacro FILE > FILE.urdf)", at);
  for (const char* other : {".sdf", ".srdf", ".csv", ".stl", ".obj", ".dae"}) {
    if (path.ends_with(other)) {
      fail_input("models are read from MJCF (.xml) and URDF (.urdf), scenes from .toml", at);
    }
  }
  return is_urdf(path) ? load_urdf(path, urdf) : load_mjcf(path, mjcf);
}

}  // namespace abut
