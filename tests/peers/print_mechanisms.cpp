// print_mechanisms: 100 random mechanisms (support/random_mechanism.hpp) in random states under
// weight, springs, dampers, motors and loads, one in a line of JSON, with what abut makes of them:
// mass matrix, bias forces, accelerations. Coordinates of joints as trees/joint.hpp has them.
// drake_mechanisms.py compares them.

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>

#include "abut/io/mjcf.hpp"
#include "support/random_mechanism.hpp"

namespace {

using namespace abut;
using nlohmann::json;

json numbers(const Vec3& v) {
  return {v.x, v.y, v.z};
}

/// Motors on every other hinge and slide.
void add_motors(std::mt19937& random, Scene& scene) {
  bool skip = false;
  std::normal_distribution<double> normal;
  for (const int b : linked_bodies(scene)) {
    for (int j = 0; j < std::ssize(scene.bodies[b].joints); ++j) {
      const JointKind kind = scene.bodies[b].joints[j].kind;
      if (kind != JointKind::hinge && kind != JointKind::slide) continue;
      skip = !skip;
      if (skip) continue;
      SceneActuator motor;
      motor.parts = {{b, j, normal(random)}};
      scene.actuators.push_back(motor);
    }
  }
}

/// A random state, loads and controls, as they are told; by linked body and by motor.
json set_inputs(std::mt19937& random, World& world) {
  json bodies = json::array(), motors = json::array();
  const Scene& scene = world.scene();
  const std::vector<int> linked = linked_bodies(scene);
  for (const int b : linked) {
    const JointState state = random_state(random, scene.bodies[b]);
    world.set_joint_state(b, state);
    const Vec3 force = 5 * random_vector(random), moment = random_vector(random);
    world.set_load(b, force, moment);
    bodies.push_back({{"positions", state.positions},
                      {"velocities", state.velocities},
                      {"center_of_mass", numbers(scene.bodies[b].center_of_mass)},
                      {"force", numbers(force)},
                      {"moment", numbers(moment)}});
  }
  std::normal_distribution<double> normal;
  for (int i = 0; i < world.actuators(); ++i) {
    const double control = normal(random);
    world.set_control(i, control);
    const ScenePart& part = scene.actuators[i].parts[0];
    const auto place = std::find(linked.begin(), linked.end(), part.body) - linked.begin();
    motors.push_back(
        {{"body", place}, {"joint", part.joint}, {"gear", part.gear}, {"control", control}});
  }
  return {{"bodies", bodies}, {"motors", motors}};
}

json mechanism(int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  const std::string text = random_mechanism(seed);
  Scene scene = load_mjcf_text(text, "mechanism.xml");
  scene.fluid_density = scene.fluid_viscosity = 0;  // Drake has no drag
  add_motors(random, scene);
  // of all forces at the step's start, M v' = f: the change of v in 1 s is v'
  World world(scene, {.scheme = SteppingScheme::explicit_euler});
  json result = set_inputs(random, world);
  result["mjcf"] = text;
  json trees = json::array();
  for (int t = 0; t < world.articulated_trees().size(); ++t) {
    const ArticulatedTree& tree = world.articulated_trees().tree(t);
    trees.push_back({{"mass_matrix", tree.mass_matrix()},
                     {"bias_forces", tree.bias_forces()},
                     {"velocity", tree.velocity()}});
  }
  result["trees"] = trees;
  world.attempt(1);
  result["next_velocity"] = world.problem().free_velocity;
  return result;
}

}  // namespace

int main() {
  for (int seed = 0; seed < 100; ++seed) std::cout << mechanism(seed) << '\n';
}
