#pragma once

#include <random>
#include <string>
#include <vector>

#include "abut/sim/world.hpp"

namespace abut {

/// MJCF of a random mechanism that floats, for odd seeds, or of two fixed to the world: bodies with
/// up to three hinges, slides and balls, with armature, springs and dampers, others welded to their
/// parents; in a fluid.
std::string random_mechanism(int seed);

/// The linked bodies of a scene. Their joints are in MuJoCo's order: both go depth first.
std::vector<int> linked_bodies(const Scene& scene);

/// A state of its joints.
JointState random_state(std::mt19937& random, const SceneBody& body);

/// Three normally distributed numbers.
Vec3 random_vector(std::mt19937& random);

}  // namespace abut
