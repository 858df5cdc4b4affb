#include "abut/sim/scene_append.hpp"

#include <iterator>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "abut/core/text.hpp"

namespace abut {

namespace {

/// Moves a frame given in the world; by no rotation its quaternion keeps its bits.
void move(const Pose& pose, Vec3& position, Quaternion& orientation) {
  position = pose * position;
  if (pose.R == Mat3::identity()) return;
  orientation = normalized(to_quaternion(pose.R) * orientation);
}

/// A free joint's coordinates: position, quaternion; linear velocity in the world's axes.
void move_free_joint(const Pose& pose, std::vector<double>& q, std::vector<double>& v) {
  if (!q.empty()) {
    Vec3 position{q[0], q[1], q[2]};
    Quaternion orientation{q[3], q[4], q[5], q[6]};
    move(pose, position, orientation);
    q = {position.x,    position.y,    position.z,   orientation.w,
         orientation.x, orientation.y, orientation.z};
  }
  if (!v.empty()) {
    const Vec3 velocity = pose.R * Vec3{v[0], v[1], v[2]};
    for (int i = 0; i < 3; ++i) v[i] = velocity[i];
  }
}

/// The state of a body in the scene, or in a keyframe.
template <class State>
void move_state(const Pose& pose, const SceneBody& body, State& state) {
  if (body.parent != world_body) return;
  move(pose, state.position, state.orientation);
  state.linear_velocity = pose.R * state.linear_velocity;
  state.angular_velocity = pose.R * state.angular_velocity;
  if (!body.joints.empty() && body.joints.front().kind == JointKind::free) {
    move_free_joint(pose, state.joint_positions, state.joint_velocities);
  }
}

void move_scene(Scene& part, const Pose& pose) {
  for (Keyframe& key : part.keyframes) {
    for (std::size_t i = 0; i < key.bodies.size(); ++i) {
      move_state(pose, part.bodies[i], key.bodies[i]);
    }
  }
  for (SceneBody& body : part.bodies) move_state(pose, body, body);
  for (SceneGeom& geom : part.geoms) {
    if (geom.body == world_body) geom.pose = pose * geom.pose;
  }
  for (SceneVisual& visual : part.visuals) {
    if (visual.body == world_body) visual.pose = pose * visual.pose;
  }
  for (SceneEquality& e : part.equalities) {
    if (e.kind != EqualityKind::connect && e.kind != EqualityKind::weld) continue;
    if (e.body_a == world_body) e.pose_a = pose * e.pose_a;
    if (e.body_b == world_body) e.pose_b = pose * e.pose_b;
  }
  for (SceneTendon& tendon : part.tendons) {
    for (SceneTendon::Point& point : tendon.points) {
      if (point.body == world_body) point.position = pose * point.position;
    }
  }
}

/// What the parts' indices become.
struct Shift {
  int bodies, geoms, tendons;
  void body(int& index) const {
    if (index != world_body) index += bodies;
  }
  void parts(std::vector<ScenePart>& list) const {
    for (ScenePart& p : list) p.body += bodies;
  }
};

void shift_indices(Scene& part, const Shift& shift) {
  for (SceneBody& b : part.bodies) shift.body(b.parent);
  for (SceneGeom& g : part.geoms) shift.body(g.body);
  for (SceneVisual& v : part.visuals) shift.body(v.body);
  for (SceneActuator& a : part.actuators) shift.parts(a.parts);
  for (SceneEquality& e : part.equalities) {
    shift.body(e.body_a), shift.body(e.body_b);
    if (e.tendon_a >= 0) e.tendon_a += shift.tendons;
    if (e.tendon_b >= 0) e.tendon_b += shift.tendons;
  }
  for (SceneTendon& t : part.tendons) {
    shift.parts(t.joints);
    for (SceneTendon::Point& point : t.points) shift.body(point.body);
  }
  for (DragBox& box : part.drag_boxes) box.body += shift.bodies;
  for (auto& [a, b] : part.excluded_bodies) shift.body(a), shift.body(b);
  for (ScenePair& pair : part.pairs) pair.geom_a += shift.geoms, pair.geom_b += shift.geoms;
  for (auto& [a, b] : part.excluded_geoms) a += shift.geoms, b += shift.geoms;
}

/// Names get the prefix, and must be new.
template <class Elements>
void rename(const Elements& known, Elements& elements, const std::string& prefix,
            const char* kind) {
  std::unordered_set<std::string_view> names;
  for (const auto& e : known) names.insert(e.name);
  for (auto& e : elements) {
    if (e.name.empty()) continue;
    e.name.insert(0, prefix);
    if (!names.contains(e.name)) continue;
    fail_input(std::string(kind) + " " + quote(e.name) +
                   " exists already: give one of the models another name",
               e.origin);
  }
}

void rename_joints(const Scene& scene, Scene& part, const std::string& prefix) {
  std::unordered_set<std::string_view> names;
  for (const SceneBody& body : scene.bodies) {
    for (const SceneJoint& joint : body.joints) names.insert(joint.name);
  }
  for (SceneBody& body : part.bodies) {
    for (SceneJoint& joint : body.joints) {
      if (joint.name.empty()) continue;
      joint.name.insert(0, prefix);
      if (!names.contains(joint.name)) continue;
      fail_input(
          "joint " + quote(joint.name) + " exists already: give one of the models another name",
          joint.origin);
    }
  }
}

/// What does not touch the world does not touch the part's own world: other parts bring theirs.
void exclude_own_world(Scene& part) {
  std::vector<std::pair<int, int>> kept;
  for (const auto& [a, b] : part.excluded_bodies) {
    if (a != world_body && b != world_body) {
      kept.emplace_back(a, b);
      continue;
    }
    const int body = a == world_body ? b : a;
    for (int g = 0; g < std::ssize(part.geoms); ++g) {
      if (part.geoms[g].body != world_body) continue;
      for (int k = 0; k < std::ssize(part.geoms); ++k) {
        if (part.geoms[k].body == body) part.excluded_geoms.emplace_back(g, k);
      }
    }
  }
  part.excluded_bodies = std::move(kept);
}

/// Makes what filter_parents does explicit.
void exclude_parents(Scene& scene) {
  if (!scene.filter_parents) return;
  scene.filter_parents = false;
  for (int b = 0; b < std::ssize(scene.bodies); ++b) {
    const int parent = scene.bodies[b].parent;
    if (parent != world_body) scene.excluded_bodies.emplace_back(parent, b);
  }
}

bool has_fluid(const Scene& scene) {
  return scene.fluid_density > 0 || scene.fluid_viscosity > 0;
}

void merge_fluid(Scene& scene, const Scene& part) {
  if (!has_fluid(part)) return;
  if (has_fluid(scene) &&
      !(scene.fluid_density == part.fluid_density &&
        scene.fluid_viscosity == part.fluid_viscosity && scene.wind == part.wind)) {
    fail_input("its fluid (density, viscosity, wind) is not that of the other models",
               part.settings_origin);
  }
  scene.fluid_density = part.fluid_density;
  scene.fluid_viscosity = part.fluid_viscosity;
  scene.wind = part.wind;
}

void merge_table(Scene& scene, const Scene& part) {
  if (part.force_table == nullptr) return;
  if (scene.force_table != nullptr && !(*scene.force_table == *part.force_table)) {
    fail_input("its force_table is not that of the other models", part.settings_origin);
  }
  scene.force_table = part.force_table;
}

/// Lets the keyframes of both tell of all bodies.
void complete_keyframes(Scene& scene, Scene& part) {
  for (Keyframe& key : scene.keyframes) {
    for (const SceneBody& body : part.bodies) key.bodies.push_back(initial_state(body));
  }
  for (Keyframe& key : part.keyframes) {
    std::vector<Keyframe::State> all;
    all.reserve(scene.bodies.size() + key.bodies.size());
    for (const SceneBody& body : scene.bodies) all.push_back(initial_state(body));
    all.insert(all.end(), key.bodies.begin(), key.bodies.end());
    key.bodies = std::move(all);
  }
}

template <class T>
void append(std::vector<T>& list, std::vector<T>& more) {
  list.insert(list.end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
}

}  // namespace

void append_scene(Scene& scene, Scene part, const std::string& prefix, const Pose& pose) {
  rename(scene.bodies, part.bodies, prefix, "body");
  rename_joints(scene, part, prefix);
  rename(scene.geoms, part.geoms, prefix, "geom");
  rename(scene.actuators, part.actuators, prefix, "actuator");
  rename(scene.equalities, part.equalities, prefix, "equality");
  rename(scene.tendons, part.tendons, prefix, "tendon");
  rename(scene.pairs, part.pairs, prefix, "pair");
  rename(scene.keyframes, part.keyframes, prefix, "keyframe");
  merge_table(scene, part);
  merge_fluid(scene, part);  // the first change of the scene, after all that may be refused
  move_scene(part, pose);
  exclude_own_world(part);
  if (scene.filter_parents != part.filter_parents) {
    exclude_parents(scene);
    exclude_parents(part);
  }
  complete_keyframes(scene, part);
  shift_indices(part, {static_cast<int>(scene.bodies.size()), static_cast<int>(scene.geoms.size()),
                       static_cast<int>(scene.tendons.size())});
  append(scene.bodies, part.bodies);
  append(scene.geoms, part.geoms);
  append(scene.visuals, part.visuals);
  append(scene.actuators, part.actuators);
  append(scene.equalities, part.equalities);
  append(scene.tendons, part.tendons);
  append(scene.drag_boxes, part.drag_boxes);
  append(scene.excluded_bodies, part.excluded_bodies);
  append(scene.excluded_geoms, part.excluded_geoms);
  append(scene.pairs, part.pairs);
  append(scene.keyframes, part.keyframes);
  append(scene.notices, part.notices);
}

void start_at_keyframe(Scene& scene, int keyframe) {
  const Keyframe& key = scene.keyframes.at(static_cast<std::size_t>(keyframe));
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    SceneBody& body = scene.bodies[i];
    if (body.kind == BodyKind::fixed) continue;
    const Keyframe::State& state = key.bodies[i];
    if (body.kind == BodyKind::linked) {
      body.joint_positions = state.joint_positions;
      body.joint_velocities = state.joint_velocities;
      continue;
    }
    body.position = state.position;
    body.orientation = state.orientation;
    body.linear_velocity = state.linear_velocity;
    body.angular_velocity = state.angular_velocity;
  }
}

}  // namespace abut
