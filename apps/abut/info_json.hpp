#pragma once

#include <string>

#include "abut/io/scene_file.hpp"

namespace abut::cli {

/// All that `abut info` tells, as JSON text: docs/formats/info.md.
std::string info_json(const std::string& path, const SceneFile& file, const WorldOptions& options);

}  // namespace abut::cli
