#pragma once

#include <string>
#include <string_view>

#include "abut/io/scene_file.hpp"

namespace abut {

/// A scene with its settings and controllers as bytes, for the same version of abut on a machine of
/// the same byte order. Meshes and height fields that shapes share are written once.
std::string encode(const SceneFile& scene);

/// The scene with the same bits. @throws InputError unless the bytes are what encode() gave
SceneFile decode_scene(std::string_view bytes);

}  // namespace abut
