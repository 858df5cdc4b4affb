#pragma once

#include "abut/io/mjcf/bodies.hpp"

namespace abut::mjcf {

/// MuJoCo fills up vectors of a keyframe that are too short. To be called before compiling.
/// @throws InputError unless qpos and qvel have one entry for each coordinate, or none at all
void check_key_sizes(const Source& source, const Spec& spec);

/// Keyframes, in the velocities of the scene. MJCF has for a free joint the position of the body's
/// frame and its quaternion, then the linear velocity of the frame's origin in world axes and the
/// angular velocity in the body's axes.
/// @throws InputError for a quaternion of norm zero
void read_keyframes(const Source& source, const Spec& spec, const mjModel& model,
                    const BodyMap& map, Scene& scene);

}  // namespace abut::mjcf
