#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "abut/core/error.hpp"
#include "abut/io/recording_writer.hpp"
#include "io/mjcf_testing.hpp"
#include "support/scenes.hpp"

namespace abut {

inline std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_bytes(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::set<std::string> names_in(const std::string& directory) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

/// What an action says when it fails, FileErrors marked; empty when it does not.
template <class Action>
std::string failure_of(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  } catch (const FileError& error) {
    return std::string("FileError: ") + error.what();
  }
  return "";
}

/// A few bodies that have fallen onto the ground and touch each other; one is fixed.
inline World touching_world(const WorldOptions& options = {}, int steps = 200) {
  Scene scene = clutter(6);
  SceneBody post;
  post.kind = BodyKind::fixed;
  post.name = "a \"post\", fixed";
  post.position = {0.3, 0.3, 0};
  scene.bodies.insert(scene.bodies.begin() + 2, post);
  for (SceneGeom& g : scene.geoms) {
    if (g.body >= 2) ++g.body;
  }
  SceneGeom pole;
  pole.body = 2;
  pole.shape = Shape::cylinder(0.05, 0.1);
  scene.geoms.push_back(pole);
  scene.bodies[0].name = "first, of all";
  World world(scene, options);
  for (int i = 0; i < steps; ++i) world.step();
  return world;
}

/// Boxes of edge 0.2 m that fall, the second 5 cm into the first along x, and a ball at rest on the
/// ground.
inline World overlapping_world(const WorldOptions& options = {}) {
  Scene scene;
  add_plane(scene);
  add_box(scene, 1, {0.1, 0.1, 0.1}, {0, 0, 5});
  add_box(scene, 1, {0.1, 0.1, 0.1}, {0.15, 0, 5});
  add_sphere(scene, 1, 0.1, {3, 0, 0.1});
  return World(scene, options);
}

/// A recording of `steps` steps of such a world.
inline void record_steps(const std::string& path, World& world, int steps, double frame_rate,
                         bool close = true) {
  RecordingWriter writer(path, world, {.frame_rate = frame_rate});
  for (int i = 0; i < steps; ++i) {
    world.step();
    writer.record(world);
  }
  if (close) writer.close();
}

}  // namespace abut
