#pragma once

#include <string>
#include <vector>

#include "abut/core/error.hpp"
#include "abut/linalg/vec3.hpp"

namespace abut {

/// The corners of a mesh's triangles, in the file's axes and, for Collada, in metres by its <unit>;
/// its up-axis is not looked at, as robots' files expect. Corners that triangles share may come
/// more than once.
///
/// Formats by the name's ending: .stl (binary or text), .obj, .dae. At most 256 MiB and 5 million
/// triangles. `at` is where the file is asked for.
/// @throws FileError if the file cannot be read; InputError naming it for what is in it: no
/// triangle, a number that is not finite, an index out of range, a file cut short
std::vector<Vec3> read_mesh_points(const std::string& path, const Origin& at = {});

}  // namespace abut
