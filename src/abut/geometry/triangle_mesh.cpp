#include "abut/geometry/triangle_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace abut {
namespace {

struct Bounds {
  Vec3 lower{INFINITY, INFINITY, INFINITY}, upper = -lower;
};

Bounds bounds_of(std::span<const Vec3> points) {
  Bounds b;
  for (const Vec3& p : points) {
    for (int k = 0; k < 3; ++k) {
      b.lower[k] = minimum(b.lower[k], p[k]);
      b.upper[k] = maximum(b.upper[k], p[k]);
    }
  }
  return b;
}

/// Corners in one cell of a grid become one vertex, in their middle.
class Grid {
 public:
  Grid(std::span<const Vec3> corners, double cells) {
    const Bounds b = bounds_of(corners);
    const Vec3 extent = b.upper - b.lower;
    lower_ = b.lower;
    scale_ = cells / maximum(maximum(extent.x, extent.y), maximum(extent.z, 1e-300));
  }

  std::int32_t add(const Vec3& corner) {
    std::uint64_t key = 0;
    for (int k = 0; k < 3; ++k) {
      key = key << 21 | static_cast<std::uint64_t>((corner[k] - lower_[k]) * scale_);
    }
    const auto [entry, is_new] = places_.try_emplace(key, std::ssize(sums_));
    if (is_new) sums_.emplace_back(), counts_.push_back(0);
    sums_[entry->second] += corner;
    ++counts_[entry->second];
    return entry->second;
  }

  std::vector<Vec3> vertices() const {
    std::vector<Vec3> all(sums_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = sums_[i] / counts_[i];
    return all;
  }

 private:
  Vec3 lower_;
  double scale_ = 1;
  std::unordered_map<std::uint64_t, std::int32_t> places_;
  std::vector<Vec3> sums_;
  std::vector<double> counts_;
};

}  // namespace

void require_mesh_bounds(std::span<const Vec3> points, const Origin& at) {
  for (const Vec3& p : points) {
    if (!is_finite(p)) fail_input("a mesh has a vertex that is not finite", at);
    if (!(std::abs(p.x) <= 1e9 && std::abs(p.y) <= 1e9 && std::abs(p.z) <= 1e9)) {
      fail_input("a mesh has a vertex farther than 1e9 m from its origin", at);
    }
  }
}

std::shared_ptr<const TriangleMesh> make_picture_mesh(std::span<const Vec3> corners,
                                                      const Origin& at,
                                                      std::size_t most_triangles) {
  require_mesh_bounds(corners, at);
  constexpr double fine = 0x1p20, coarse = 64;  // cells along the longest side
  const bool is_small = corners.size() / 3 <= most_triangles;
  auto mesh = std::make_shared<TriangleMesh>();
  Grid grid(corners, is_small ? fine : coarse);
  for (std::size_t k = 0; k + 2 < corners.size(); k += 3) {
    const Triangle t{grid.add(corners[k]), grid.add(corners[k + 1]), grid.add(corners[k + 2])};
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) mesh->triangles.push_back(t);
  }
  mesh->vertices = grid.vertices();
  // of those that fell onto each other one is enough
  const auto rotated = [](const Triangle& t) {
    Triangle r = t;
    std::rotate(r.begin(), std::min_element(r.begin(), r.end()), r.end());
    return r;
  };
  for (Triangle& t : mesh->triangles) t = rotated(t);
  std::sort(mesh->triangles.begin(), mesh->triangles.end());
  mesh->triangles.erase(std::unique(mesh->triangles.begin(), mesh->triangles.end()),
                        mesh->triangles.end());
  return mesh;
}

}  // namespace abut
