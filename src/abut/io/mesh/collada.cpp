#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <utility>

#include "abut/core/error.hpp"
#include "abut/core/text.hpp"
#include "abut/io/mesh/readers.hpp"

namespace abut::mesh {

namespace {

/// The importer goes into nested elements by recursion.
void require_flat(std::string_view xml, const std::string& path) {
  constexpr int deepest = 256;
  int depth = 0;
  for (std::size_t at = xml.find('<'); at != std::string_view::npos; at = xml.find('<', at + 1)) {
    const char next = at + 1 < xml.size() ? xml[at + 1] : '\0';
    if (next == '/') {
      --depth;
    } else if (next != '?' && next != '!') {
      const std::size_t end = xml.find('>', at);
      const bool is_empty = end != std::string_view::npos && xml[end - 1] == '/';
      if (!is_empty && ++depth > deepest) {
        fail_input("more than 256 nested elements", {path, 0, {}});
      }
    }
  }
}

void add_triangles(const aiMesh& mesh, const aiMatrix4x4& pose, const std::string& path,
                   std::vector<Vec3>& corners) {
  for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
    const aiFace& face = mesh.mFaces[f];
    if (face.mNumIndices != 3) continue;  // points and lines
    for (unsigned k = 0; k < 3; ++k) {
      const aiVector3D v = pose * mesh.mVertices[face.mIndices[k]];
      corners.push_back({v.x, v.y, v.z});
      if (!is_finite(corners.back())) {
        fail_input("a vertex is not finite", {path, 0, {}});
      }
    }
  }
  require_few_triangles(corners.size() / 3, path);
}

}  // namespace

std::vector<Vec3> read_collada(std::string_view bytes, const std::string& path) {
  require_flat(bytes, path);
  Assimp::Importer importer;
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  const aiScene* scene =
      importer.ReadFileFromMemory(bytes.data(), bytes.size(), aiProcess_Triangulate, "dae");
  if (scene == nullptr || scene->mRootNode == nullptr) {
    fail_input("not a Collada file that can be read: " + quote(importer.GetErrorString(), 200),
               {path, 0, {}});
  }
  std::vector<Vec3> corners;
  std::vector<std::pair<const aiNode*, aiMatrix4x4>> open{{scene->mRootNode, {}}};
  while (!open.empty()) {
    const auto [node, above] = open.back();
    open.pop_back();
    const aiMatrix4x4 pose = above * node->mTransformation;
    for (unsigned m = 0; m < node->mNumMeshes; ++m) {
      add_triangles(*scene->mMeshes[node->mMeshes[m]], pose, path, corners);
    }
    for (unsigned c = 0; c < node->mNumChildren; ++c) open.emplace_back(node->mChildren[c], pose);
  }
  return corners;
}

}  // namespace abut::mesh
