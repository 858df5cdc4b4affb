#pragma once

#include <string>
#include <vector>

#include "abut/io/scene_file.hpp"

namespace abut {

struct Comparison {
  std::string title;
  std::vector<std::string> names;
  std::vector<std::string> recordings;
  std::string summary;
  std::vector<Camera> cameras = {};
};
inline void write_comparison(const Comparison&, const std::string&) {}

}  // namespace abut
