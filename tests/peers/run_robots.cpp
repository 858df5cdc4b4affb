// run_robots hold|fall STEP FILE.urdf ...: simulates robots' files, a line for each.
//
// hold  The base is fixed, the robot does not touch itself, its joints have no dry friction. Motors
//       that know its weight (gravity compensation) and PD control bring each joint to the middle
//       of its range, from 0.05 beside it, and keep it there; 5 s. Prints the largest deviation at
//       the end [rad or m].
// fall  On the ground, with all its own shapes: a free base 1 cm above it, in the first state of
// the
//       SRDF if there is one; the same PD control without gravity compensation; 3 s.
//
// Both print the steps that did not converge.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "abut/io/urdf.hpp"
#include "abut/sim/world.hpp"
#include "support/number_argument.hpp"

namespace {

using namespace abut;

double middle(const SceneJoint& joint) {
  return joint.limited ? 0.5 * (joint.lower + joint.upper) : 0;
}

/// Of the joints with one coordinate; free and ball joints stay as they are.
JointState middle_state(const SceneBody& body, const JointState& now) {
  JointState state = now;
  std::size_t at = 0;
  for (const SceneJoint& joint : body.joints) {
    if (position_count(joint.kind) == 1) state.positions[at] = middle(joint);
    at += static_cast<std::size_t>(position_count(joint.kind));
  }
  return state;
}

/// PD control of each hinge and slide that follows no other, at 20 rad/s, critically damped, of the
/// inertia that it moves in the state of `world`, stiffer where the joint damps more than that;
/// with the bias forces there if asked.
void add_controllers(const World& world, bool knows_weight, Scene& scene) {
  constexpr double frequency = 20;  // rad/s
  scene.actuators.clear();
  std::map<std::pair<int, int>, SceneActuator> servos;
  for (int b = 0; b < std::ssize(scene.bodies); ++b) {
    if (scene.bodies[b].kind != BodyKind::linked) continue;
    const JointPlace& place = world.joint_place(b);
    const ArticulatedTree& tree = world.articulated_trees().tree(place.tree);
    int dof = place.velocity;
    for (int k = 0; k < std::ssize(scene.bodies[b].joints); ++k) {
      const SceneJoint& joint = scene.bodies[b].joints[k];
      const auto at = static_cast<std::size_t>(dof);
      dof += velocity_count(joint.kind);
      if (velocity_count(joint.kind) != 1) continue;
      const auto stride = static_cast<std::size_t>(tree.velocities()) + 1;
      const double inertia = tree.mass_matrix()[at * stride];
      const double kp = std::max(inertia * frequency, joint.damping) * frequency;
      SceneActuator& servo = servos[{b, k}];
      servo.parts = {{b, k, 1}};
      servo.gain[0] = kp;
      servo.bias[0] = knows_weight ? tree.bias_forces()[at] : 0;
      servo.bias[1] = -kp, servo.bias[2] = -2 * inertia * frequency;
    }
  }
  for (const SceneEquality& e : scene.equalities) {  // a follower's weight is on its leader
    const auto follower = servos.find({e.body_a, e.joint_a});
    const auto leader = servos.find({e.body_b, e.joint_b});
    if (follower == servos.end() || leader == servos.end()) continue;
    leader->second.bias[0] += e.polynomial[1] * follower->second.bias[0];
    servos.erase(follower);
  }
  for (const auto& [place, servo] : servos) scene.actuators.push_back(servo);
}

void set_middle(World& world) {
  const Scene& scene = world.scene();
  for (int b = 0; b < std::ssize(scene.bodies); ++b) {
    if (scene.bodies[b].kind != BodyKind::linked) continue;
    world.set_joint_state(b, middle_state(scene.bodies[b], world.joint_state(b)));
  }
  for (const SceneEquality& e : scene.equalities) {
    JointState state = world.joint_state(e.body_a);
    state.positions[e.joint_a] =
        e.polynomial[0] +
        e.polynomial[1] *
            world.joint_state(e.body_b).positions[static_cast<std::size_t>(e.joint_b)];
    world.set_joint_state(e.body_a, state);
  }
}

WorldOptions options_of(double step) {
  WorldOptions options;
  options.time_step = step;
  return options;
}

void hold(const std::string& path, double step) {
  Scene scene = load_urdf(
      path,
      {.base = RobotBase::fixed, .self_collision = false, .accept_inertia = true, .srdf = ""});
  for (SceneBody& body : scene.bodies) {
    for (SceneJoint& joint : body.joints) joint.dry_friction = 0;
  }
  World at_rest(scene, options_of(step));
  set_middle(at_rest);
  add_controllers(at_rest, true, scene);
  World world(scene, options_of(step));
  set_middle(world);
  for (int a = 0; a < world.actuators(); ++a) {
    const ScenePart& part = scene.actuators[a].parts.front();
    const SceneJoint& joint = scene.bodies[part.body].joints[part.joint];
    world.set_control(a, middle(joint));
    JointState state = world.joint_state(part.body);
    const double room = joint.limited ? joint.upper - joint.lower : 1;
    state.positions[part.joint] += std::min(0.05, 0.25 * room);
    world.set_joint_state(part.body, state);
  }
  int failed = 0;
  for (int i = 0; i < static_cast<int>(5 / step); ++i) {
    failed += world.step().solve.status != SolveStatus::converged;
  }
  double worst = 0;
  for (int a = 0; a < world.actuators(); ++a) {
    const ScenePart& part = scene.actuators[a].parts.front();
    const double q = world.joint_state(part.body).positions[part.joint];
    worst = std::fmax(worst, std::abs(q - middle(scene.bodies[part.body].joints[part.joint])));
  }
  std::printf("%s: %d joints held, %d steps failed, %.1e from the pose\n", path.c_str(),
              world.actuators(), failed, worst);
}

/// Height of the lowest shape, by boxes.
double lowest(const World& world) {
  double low = HUGE_VAL;
  for (const SceneGeom& geom : world.scene().geoms) {
    if (geom.shape.kind == ShapeKind::plane) continue;
    Pose body;
    if (geom.body != world_body) {
      const BodyState state = world.body_state(geom.body);
      body = {state.position, to_matrix(state.orientation)};
    }
    low = std::fmin(low, bounding_box(geom.shape, body * geom.pose).lower.z);
  }
  return low < HUGE_VAL ? low : 0;
}

void fall(const std::string& path, double step) {
  Scene scene = load_urdf(
      path, {.base = RobotBase::automatic, .self_collision = true, .accept_inertia = true});
  SceneGeom ground;
  ground.shape = Shape::plane();
  const auto place = [&](World& world) {
    world.scene().keyframes.empty() ? set_middle(world) : world.set_keyframe(0);
  };
  {
    World still(scene, options_of(step));
    place(still);
    ground.pose.p.z = lowest(still) - 0.01;
    add_controllers(still, false, scene);
  }
  scene.geoms.push_back(ground);
  World world(scene, options_of(step));
  place(world);
  for (int a = 0; a < world.actuators(); ++a) {
    const ScenePart& part = scene.actuators[a].parts.front();
    world.set_control(a, world.joint_state(part.body).positions[part.joint]);
  }
  int failed = 0, contacts = 0, overlaps = 0;
  double iterations = 0, deepest = 0;
  const int steps = static_cast<int>(3 / step);
  for (int i = 0; i < steps; ++i) {
    const StepReport& report = world.step();
    failed += report.solve.status != SolveStatus::converged;
    contacts = std::max(contacts, report.contacts);
    overlaps = std::max(overlaps, report.overlaps);
    iterations += report.solve.iterations;
    if (i > steps / 2) deepest = std::fmax(deepest, report.penetration);
  }
  std::printf(
      "%s: %d steps failed, up to %d contacts, %.1f iterations, %d overlaps at first, "
      "%.2g mm deep in the last half, %.2g J\n",
      path.c_str(), failed, contacts, iterations / steps, overlaps, 1e3 * deepest,
      world.kinetic_energy());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 2 ? argv[1] : "";
  if (what != "hold" && what != "fall") {
    std::fprintf(stderr, "usage: run_robots hold|fall STEP FILE.urdf ...\n");
    return 2;
  }
  for (int i = 3; i < argc; ++i) {
    try {
      (what == "hold" ? hold : fall)(argv[i], number_argument(argv[2]));
    } catch (const std::exception& e) {
      std::printf("%s\n", e.what());
    }
    std::fflush(stdout);
  }
}
