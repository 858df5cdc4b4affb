#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "abut/core/error.hpp"
#include "abut/linalg/vec3.hpp"

namespace abut {

using Triangle = std::array<std::int32_t, 3>;

/// A surface of triangles, counterclockwise seen from outside.
struct TriangleMesh {
  std::vector<Vec3> vertices;       ///< [m]
  std::vector<Triangle> triangles;  ///< indices of vertices
};

/// Throws InputError unless all coordinates are finite and at most 1e9 m.
void require_mesh_bounds(std::span<const Vec3> points, const Origin& at = {});

/// The surface whose triangles have these corners, three each, for a picture of it: corners at one
/// place become one vertex, and where there are more than `most_triangles`, those within a 64th of
/// its size too. Triangles without area go.
/// @throws InputError as require_mesh_bounds()
std::shared_ptr<const TriangleMesh> make_picture_mesh(std::span<const Vec3> corners,
                                                      const Origin& at = {},
                                                      std::size_t most_triangles = 5000);

}  // namespace abut
