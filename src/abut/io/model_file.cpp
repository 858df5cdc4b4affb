#include "abut/io/model_file.hpp"

#include "abut/io/mjcf.hpp"

namespace abut {

Scene load_model(const std::string& path, const UrdfOptions& urdf) {
  return is_urdf(path) ? load_urdf(path, urdf) : load_mjcf(path);
}

}  // namespace abut
