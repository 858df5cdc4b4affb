#include "abut/io/urdf.hpp"

#include <filesystem>
#include <set>

#include "abut/core/text.hpp"
#include "abut/io/input_file.hpp"
#include "abut/io/urdf/scene_builder.hpp"

namespace abut {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_file = std::size_t{64} << 20;  // bytes

/// NAME.srdf beside NAME.urdf, or in the folder srdf beside that; empty if there is none. Others
/// that are there may be meant.
std::string find_srdf(const std::string& urdf, NoticeList& notices) {
  const fs::path path(urdf);
  const std::string name = path.stem().string() + ".srdf";
  const fs::path folders[] = {path.parent_path(), path.parent_path() / ".." / "srdf"};
  std::error_code error;
  for (const fs::path& folder : folders) {
    if (fs::is_regular_file(folder / name, error)) return (folder / name).string();
  }
  std::set<std::string> others;
  for (const fs::path& folder : folders) {
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      if (at->path().extension() == ".srdf") others.insert(at->path().filename().string());
    }
  }
  if (!others.empty()) {
    notices.add("no SRDF has the name of this file; there is " + quote(*others.begin()) +
                    ": --srdf takes one",
                {urdf, 0, {}});
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
  builder.add_links();
  builder.add_motors();
  builder.add_mimics();
  builder.exclude_self_collisions();
  const std::string srdf = options.srdf ? *options.srdf : find_srdf(name, notices);
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
