#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "abut/io/notice_list.hpp"
#include "abut/io/urdf/file_finder.hpp"
#include "abut/io/xml_document.hpp"
#include "abut/sim/scene.hpp"

namespace abut::urdf {

/// Reads <collision> elements; each mesh file once.
class CollisionReader {
 public:
  CollisionReader(const FileFinder& files, NoticeList& notices)
      : files_(files), notices_(notices) {}

  /// The geom in the link's frame.
  /// @throws InputError, FileError
  SceneGeom read(const XmlElement& collision);

 private:
  Shape read_shape(const XmlElement& geometry);
  Shape read_mesh(const XmlElement& mesh);
  Material read_material(const XmlElement& properties);

  const FileFinder& files_;
  NoticeList& notices_;
  std::map<std::tuple<std::string, double, double, double>, std::shared_ptr<const ConvexHull>>
      hulls_;  ///< by path and scale
};

}  // namespace abut::urdf
