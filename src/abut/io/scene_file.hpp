#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abut/control/controller.hpp"
#include "abut/io/mjcf.hpp"
#include "abut/io/urdf.hpp"
#include "abut/sim/scene.hpp"
#include "abut/sim/world.hpp"

namespace abut {

/// Settings of a simulation as far as a file gives them; its time step is the scene's.
struct SimulationSettings {
  std::optional<ContactModel> model;
  std::optional<NormalLawKind> law;
  std::optional<SteppingScheme> scheme;
  std::optional<std::string> solver;
  std::optional<double> tolerance;      ///< of each island's step error [-]
  std::optional<double> accuracy;       ///< of substeps, of a body's radius [-]
  std::optional<double> lag_tolerance;  ///< of Lagged friction [-]
  std::optional<double> restitution;    ///< of rigid models [-]
  std::optional<double> baumgarte;      ///< of rigid models, a share of the overlap [-]
  std::optional<int> contact_limit;     ///< contacts of a step
  std::optional<double> duration;       ///< simulated time [s]
  std::uint64_t seed = 0;               ///< of random controllers

  /// The settings of `options`, replaced as far as these are given.
  WorldOptions over(WorldOptions options) const;
};

/// A point of view. Nothing draws it yet.
struct Camera {
  std::string name;
  Vec3 position;               ///< [m]
  Vec3 target;                 ///< what is in the middle of the picture [m]
  Vec3 up{0, 0, 1};            ///< points up in the picture
  double field_of_view = 0.8;  ///< vertical [rad]
};

/// What a run leaves behind.
struct OutputSettings {
  std::string directory;             ///< empty: as the program likes
  std::optional<double> frame_rate;  ///< recorded states per simulated second; 0: every step
};

/// All that a scene file says (docs/formats/scene.md).
struct SceneFile {
  Scene scene;
  SimulationSettings simulation;
  std::vector<Controller> controllers;  ///< the scene has their actuators
  std::vector<Camera> cameras;
  OutputSettings output;
};

/// A scene file (.toml), or a model file with nothing but its scene, for which `urdf` says what
/// URDF does not, and `mjcf` holds for each MJCF file without a limit of its own. Paths in a scene
/// file are relative to it.
/// @throws FileError if a file cannot be read; InputError "file:line: table: ..." for bad content;
/// OutOfMemory
SceneFile load_scene_file(const std::string& path, const UrdfOptions& urdf = {},
                          const MjcfOptions& mjcf = {});

/// A scene file's text in memory. `name` stands for the path.
SceneFile load_scene_text(std::string_view text, const std::string& name,
                          const MjcfOptions& mjcf = {});

}  // namespace abut
