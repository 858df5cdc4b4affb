#pragma once

#include <string>

#include "abut/io/scene_file.hpp"
#include "run_options.hpp"

namespace abut::cli {

/// Prints "note: ..." to the standard error.
void note(const std::string& text);

/// What is not simulated as the scene's file says, a scene without ground.
void print_scene_notes(const SceneFile& file);

/// The same, and options that do nothing.
void print_notes(const SceneFile& file, const SimulationArguments& simulation,
                 const WorldOptions& options);

/// Of what the first step found out of place: overlaps, limits, equality constraints.
void print_start_notes(const World& world);

/// Which constraints are not going to be met, at the end of a run (docs/constraints.md).
void print_unmet(const World& world);

}  // namespace abut::cli
