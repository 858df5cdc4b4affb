#include "abut/io/model_file.hpp"

#include "abut/io/mjcf.hpp"

namespace abut {

Scene load_model(const std::string& path) {
  if (path.ends_with(".urdf")) fail_input("URDF is not read yet, only MJCF", {path, 0, ""});
  return load_mjcf(path);
}

}  // namespace abut
