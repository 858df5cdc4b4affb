#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "abut/io/scene_file.hpp"

// Parts of a scene as Python sees them: places in it, which keep it alive and are looked up each
// time, so that adding more never leaves one dangling.

namespace abut::python {

/// A scene as Python sees it.
struct PythonScene : SceneFile {
  bool of_world = false;  ///< what a World was made of: it would not follow a change

  /// The scene, to be changed. @throws nb::attribute_error if it is a World's
  Scene& change();
};
using SceneOwner = std::shared_ptr<PythonScene>;

template <class T, std::vector<T> Scene::*items>
struct Part {
  SceneOwner scene;
  std::size_t index = 0;
  const T& get() const { return (scene->scene.*items).at(index); }
  T& change() const { return (scene->change().*items).at(index); }
};
using Body = Part<SceneBody, &Scene::bodies>;
using Geom = Part<SceneGeom, &Scene::geoms>;
using ActuatorPart = Part<SceneActuator, &Scene::actuators>;

/// A joint of a body of a scene, or one that is not yet in any.
struct JointPart {
  std::shared_ptr<SceneJoint> own;
  SceneOwner scene;
  std::size_t body = 0, index = 0;
  const SceneJoint& get() const {
    return own ? *own : scene->scene.bodies.at(body).joints.at(index);
  }
  SceneJoint& change() const {
    return own ? *own : scene->change().bodies.at(body).joints.at(index);
  }
};

/// A name or an index.
using Key = std::variant<std::string, int>;

/// The index of what `key` names. @throws InputError "no KIND 'x'; is it 'y'?"
int find_part(const Key& key, const std::vector<std::string>& names, const char* kind);

std::vector<std::string> body_names(const Scene& scene);  ///< display_name()
std::vector<std::string> geom_names(const Scene& scene);
std::vector<std::string> actuator_names(const Scene& scene);

ContactModel parse_model(const std::string& name);
NormalLawKind parse_law(const std::string& name);
JointKind parse_joint(const std::string& kind);

}  // namespace abut::python
