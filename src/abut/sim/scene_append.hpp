#pragma once

#include <string>

#include "abut/sim/scene.hpp"

namespace abut {

/// Adds all of `part` to `scene`, moved by `pose` with everything that refers to the world (fixed
/// bodies, roots of mechanisms, free bodies, shapes and anchors on the world, keyframes), its
/// names with `prefix` in front. Keyframes of either leave the other's bodies where they start.
///
/// Gravity, time step and friction rule stay those of `scene`; the fluid is that of the one that
/// has one. @throws InputError at the first name that both have, and if both have fluids that
/// differ
void append_scene(Scene& scene, Scene part, const std::string& prefix, const Pose& pose);

/// Lets the scene start where a keyframe (an index) has its bodies; time stays 0.
void start_at_keyframe(Scene& scene, int keyframe);

}  // namespace abut
