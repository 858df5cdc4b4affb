#pragma once

#include <vector>

#include "abut/io/mjcf/model.hpp"
#include "abut/sim/scene.hpp"

namespace abut::mjcf {

/// Where a body of MuJoCo's model went, by its id.
struct BodyMap {
  struct Entry {
    int scene_body = world_body;
    Pose pose;  ///< X_SB, of the model's body in the scene's
  };
  std::vector<Entry> bodies;

  const Entry& operator[](int model_body) const { return bodies[model_body]; }
};

/// The entry `index` of an array of vectors or of quaternions. A quaternion that is not unit stays
/// as it is, for Scene::validate() to refuse.
Vec3 read_vector(const mjtNum* array, int index = 0);
Quaternion read_quaternion(const mjtNum* array, int index = 0);

/// Judges masses and inertias of bodies that move as written, before MuJoCo does, which does not
/// print the values. A largest moment that exceeds the sum of the others by no more than 1e-9 of it
/// is lowered to that sum, which MuJoCo asks for exactly.
/// @throws InputError
void check_masses(const Source& source, Spec& spec);

/// The surrounding fluid, and the boxes with each body's inertia on which it drags.
void read_fluid(const Spec& spec, const mjModel& model, const BodyMap& map, Scene& scene);

/// Free bodies with all that is welded to them, and fixed ones.
BodyMap read_bodies(const Source& source, const Spec& spec, const mjModel& model, Scene& scene);

}  // namespace abut::mjcf
