#include "abut/sim/scene.hpp"

namespace abut {

std::string display_name(const Scene& scene, int body) {
  if (body == world_body) return "world";
  const std::string& name = scene.bodies[body].name;
  return name.empty() ? "body" + std::to_string(body) : name;
}

void Scene::validate() const {}

}  // namespace abut
