#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "abut/io/scene_file.hpp"
#include "abut/io/urdf.hpp"

namespace abut::cli {

/// The scene that a command is about, and what a URDF file does not say of it.
struct SceneArguments {
  std::string path;
  UrdfOptions urdf;
  MjcfOptions mjcf;

  void add_to(CLI::App& command);

  /// @throws InputError also for options that the file's format does not have
  SceneFile load() const;

 private:
  std::string urdf_flag_;  ///< one that was given
};

/// The scene's keyframe of this name. @throws InputError naming those there are
int find_keyframe(const Scene& scene, const std::string& name);

}  // namespace abut::cli
