#include "abut/io/mesh_file.hpp"

#include <algorithm>
#include <cctype>

#include "abut/core/text.hpp"
#include "abut/io/input_file.hpp"
#include "abut/io/mesh/readers.hpp"

namespace abut {

namespace {

constexpr std::size_t largest_file = std::size_t{256} << 20;  // bytes

std::string ending_of(const std::string& path) {
  const std::size_t dot = path.find_last_of("./");
  std::string ending = dot == std::string::npos || path[dot] == '/' ? "" : path.substr(dot);
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

}  // namespace

void mesh::require_few_triangles(std::size_t count, const std::string& path) {
  require(count <= most_triangles, "triangles", static_cast<double>(count), "",
          "must be at most 5 million", {path, 0, {}});
}

std::vector<Vec3> read_mesh_points(const std::string& path, const Origin& at) {
  using Reader = std::vector<Vec3> (*)(std::string_view, const std::string&);
  const std::string ending = ending_of(path);
  const Reader read = ending == ".stl"   ? mesh::read_stl
                      : ending == ".obj" ? mesh::read_obj
                      : ending == ".dae" ? mesh::read_collada
                                         : Reader{};
  if (read == nullptr) {
    fail_input("mesh " + quote(path, 1024) + ": meshes are read from .stl, .obj and .dae", at);
  }
  std::vector<Vec3> corners = read(read_input_file(path, largest_file, at), path);
  if (corners.empty()) fail_input("it has no triangle", {path, 0, {}});
  return corners;
}

}  // namespace abut
