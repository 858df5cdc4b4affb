#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "abut/linalg/vec3.hpp"

namespace abut::mesh {

constexpr std::size_t most_triangles = 5'000'000;

/// Each gives the corners of the triangles in a file's bytes; `path` is for messages.
/// @throws InputError
std::vector<Vec3> read_stl(std::string_view bytes, const std::string& path);
std::vector<Vec3> read_obj(std::string_view bytes, const std::string& path);
std::vector<Vec3> read_collada(std::string_view bytes, const std::string& path);

/// Throws if there are more triangles than are read.
void require_few_triangles(std::size_t count, const std::string& path);

}  // namespace abut::mesh
