#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "abut/io/notice_list.hpp"
#include "abut/io/urdf/file_finder.hpp"
#include "abut/io/xml_document.hpp"
#include "abut/sim/scene.hpp"

namespace abut::urdf {

/// Reads <collision> and <visual> elements; each mesh file once for either.
class GeometryReader {
 public:
  GeometryReader(const FileFinder& files, NoticeList& notices) : files_(files), notices_(notices) {}

  /// The geom in the link's frame.
  /// @throws InputError, FileError
  SceneGeom read_collision(const XmlElement& collision);

  /// A <material> outside of links, for visuals that name it.
  void add_material(const XmlElement& material);

  /// The visual in the link's frame. What is wrong with it is listed, and it is left out: it does
  /// not change the motion.
  std::optional<SceneVisual> read_visual(const XmlElement& visual);

 private:
  using MeshKey = std::tuple<std::string, double, double, double>;  ///< path and scale
  Shape read_shape(const XmlElement& geometry);
  Shape read_hull(const XmlElement& mesh);
  Material read_material(const XmlElement& properties);
  MeshKey find_mesh(const XmlElement& mesh) const;
  std::shared_ptr<const TriangleMesh> read_surface(const XmlElement& mesh);
  std::optional<Color> read_color(const XmlElement& material) const;

  const FileFinder& files_;
  NoticeList& notices_;
  std::map<MeshKey, std::shared_ptr<const ConvexHull>> hulls_;
  std::map<MeshKey, std::shared_ptr<const TriangleMesh>> surfaces_;
  std::map<std::string, Color> colors_;  ///< by material
};

}  // namespace abut::urdf
