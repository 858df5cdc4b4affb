#include "abut/io/urdf.hpp"

#include <filesystem>

#include "abut/core/text.hpp"
#include "abut/io/input_file.hpp"
#include "abut/io/urdf/scene_builder.hpp"

namespace abut {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_file = std::size_t{64} << 20;  // bytes

/// NAME.srdf beside NAME.urdf, or in the folder srdf beside that; empty if there is none.
std::string find_srdf(const std::string& urdf) {
  const fs::path path(urdf);
  const std::string name = path.stem().string() + ".srdf";
  for (const fs::path& folder : {path.parent_path(), path.parent_path() / ".." / "srdf"}) {
    std::error_code error;
    if (fs::is_regular_file(folder / name, error)) return (folder / name).string();
  }
  return "";
}

}  // namespace

Scene load_urdf_text(const std::string& text, const std::string& name, const UrdfOptions& options) {
  NoticeList notices;
  const urdf::FileFinder files(name, options.package_paths);
  const XmlDocument file(text, name);
  const urdf::UrdfRobot robot = urdf::read_robot(file, files, notices);
  Scene scene;
  scene.file = name;
  urdf::SceneBuilder builder(robot, options, scene, notices);
  builder.add_links(urdf::arrange_links(robot));
  builder.add_motors();
  builder.add_mimics();
  builder.exclude_neighbours();
  const std::string srdf = options.srdf ? *options.srdf : find_srdf(name);
  if (!srdf.empty()) {
    const XmlDocument semantics(read_input_file(srdf, largest_file), srdf);
    builder.add_semantics(urdf::read_srdf(semantics, notices));
  }
  scene.validate();
  scene.notices = notices.take();
  return scene;
}

Scene load_urdf(const std::string& path, const UrdfOptions& options) {
  return load_urdf_text(read_input_file(path, largest_file), path, options);
}

}  // namespace abut
