// What can be asked of a world's state, and changed in it.

#include <algorithm>
#include <cmath>

#include "abut/core/hash.hpp"
#include "abut/sim/scene_checks.hpp"
#include "abut/sim/world.hpp"

namespace abut {
namespace {

double distance(const Quaternion& a, const Quaternion& b) {
  return norm(Quaternion{a.w - b.w, a.x - b.x, a.y - b.y, a.z - b.z});
}

}  // namespace

std::int32_t World::moving_body(int body) const {
  if (body < 0 || body >= std::ssize(scene_->bodies)) {
    fail_index("body", body, scene_->bodies.size());
  }
  return moving_[body];
}

BodyState World::body_state(int body) const {
  const int i = moving_body(body);
  const SceneBody& b = scene_->bodies[body];
  if (i == fixed_body) return {b.position, b.orientation, {}, {}};
  const Quaternion q = bodies_.orientation_of(i);
  return {bodies_.center[i] - to_matrix(q) * b.center_of_mass, q, bodies_.linear_velocity[i],
          bodies_.angular_velocity[i]};
}

void World::set_body_state(int body, const BodyState& state) {
  const int i = moving_body(body);
  const SceneBody& b = scene_->bodies[body];
  const std::string name = display_name(*scene_, body);
  if (i == fixed_body) fail_input("set_body_state: " + name + " is fixed");
  if (b.kind == BodyKind::linked) {
    fail_input("set_body_state: " + name + " is linked, set its joints' state");
  }
  const Origin at{.file = {}, .line = 0, .element = "body '" + name + "'"};
  const double length = norm(state.orientation);
  require(std::abs(length - 1) < 1e-3, "norm of orientation", length, "", "must be 1", at);
  require_finite(state.position, "position", "m", at);
  require_speed(state.linear_velocity, "linear_velocity", "m/s", at);
  require_speed(state.angular_velocity, "angular_velocity", "rad/s", at);
  const Quaternion q = normalized(state.orientation);
  const Vec3 center = state.position + to_matrix(q) * b.center_of_mass;
  constexpr double same = 1e-12;  // what body_state() gave, but for rounding
  const double far = norm(state.position) + norm(b.center_of_mass);
  const bool moves = norm(center - bodies_.center[i]) > same * far ||
                     distance(q, bodies_.orientation_of(i)) > same;
  if (moves) {
    query_.forget(bodies_.tree[i], state_.contacts);
    forget_couplings(bodies_.tree[i]);
  }
  drop_attempt();
  energy_is_known_ = false;
  FreeBodyState& s = state_.free_bodies[i];
  if (moves || state.linear_velocity != s.linear_velocity ||
      state.angular_velocity != s.angular_velocity) {
    first_guess_.forget(bodies_.tree[i], state_.courses);
  }
  s = {center, q, state.linear_velocity, state.angular_velocity};
  free_.update_kinematics(i, state_.free_bodies, bodies_);
}

/// State or inputs have changed: a step that was attempted does not follow from them.
void World::drop_attempt() {
  if (last_step_ == LastStep::attempted) last_step_ = LastStep::dropped;
}

/// What holds a tree begins anew.
void World::forget_couplings(int tree) {
  couplings_.forget(tree, {bodies_, articulated_}, state_.coupling_allowances);
  violations_.forget();
}

const JointPlace& World::joint_place(int body) const {
  moving_body(body);
  const JointPlace& place = joint_places_[body];
  if (place.tree < 0) fail_input(display_name(*scene_, body) + " is not linked: it has no joints");
  return place;
}

JointState World::joint_state(int body) const {
  const JointPlace& at = joint_place(body);
  const ArticulatedTree& tree = articulated_.tree(at.tree);
  std::vector<double> q(tree.positions()), v(tree.velocities());
  tree.to_joints(tree.coordinates(), tree.velocity(), q, v);
  const auto part = [](const std::vector<double>& x, int first, int count) {
    return std::vector<double>(x.begin() + first, x.begin() + first + count);
  };
  const SceneBody& b = scene_->bodies[body];
  return {part(q, at.position, joint_positions(b)), part(v, at.velocity, joint_velocities(b))};
}

JointTerm World::checked_term(int body, int joint) const {
  joint_place(body);
  const std::vector<SceneJoint>& joints = scene_->bodies[body].joints;
  const bool exists = joint >= 0 && joint < std::ssize(joints);
  require(exists && position_count(joints[joint].kind) == 1, "joint", joint, "",
          "must be a hinge or slide of the body");
  return joint_term({body, joint});
}

double World::joint_position(int body, int joint) const {
  const JointTerm t = checked_term(body, joint);
  return articulated_.tree(t.tree).coordinates()[t.position] + t.reference;
}

double World::joint_velocity(int body, int joint) const {
  const JointTerm t = checked_term(body, joint);
  return articulated_.tree(t.tree).velocity()[t.velocity];
}

void World::set_joint_state(int body, const JointState& state) {
  write_joint_state(body, state);
  update_kinematics();
}

/// Leaves the kinematics to be updated.
void World::write_joint_state(int body, const JointState& state) {
  const JointPlace& at = joint_place(body);
  const SceneBody& b = scene_->bodies[body];
  const Origin origin{
      .file = {}, .line = 0, .element = "body '" + display_name(*scene_, body) + "'"};
  const auto check = [&](const std::vector<double>& values, int count, const char* name) {
    require(std::ssize(values) == count, name, static_cast<double>(values.size()), "values",
            "must be " + std::to_string(count) + " for its joints", origin);
    for (const double x : values) require(std::isfinite(x), name, x, "", "must be finite", origin);
  };
  check(state.positions, joint_positions(b), "positions");
  check(state.velocities, joint_velocities(b), "velocities");
  require_unit_quaternions(b, state.positions, origin);
  const ArticulatedTree& tree = articulated_.tree(at.tree);
  const auto kept_q = articulated_.coordinates_of(at.tree, std::span(state_.coordinates));
  const auto kept_v = articulated_.velocities_of(at.tree, std::span(state_.velocities));
  std::vector<double> q(tree.positions()), v(tree.velocities());
  tree.to_joints(kept_q, kept_v, q, v);
  const int moved = bodies_.tree[moving_[body]];
  const bool has_place =
      std::equal(state.positions.begin(), state.positions.end(), q.begin() + at.position);
  if (!has_place ||
      !std::equal(state.velocities.begin(), state.velocities.end(), v.begin() + at.velocity)) {
    first_guess_.forget(moved, state_.courses);
  }
  if (!has_place) {
    query_.forget(moved, state_.contacts);
    const auto limits = articulated_.limits_of(at.tree, std::span(state_.limit_allowances));
    std::fill(limits.begin(), limits.end(), HUGE_VAL);
    forget_couplings(moved);
  }
  std::copy(state.positions.begin(), state.positions.end(), q.begin() + at.position);
  std::copy(state.velocities.begin(), state.velocities.end(), v.begin() + at.velocity);
  tree.from_joints(q, v, kept_q, kept_v);
  drop_attempt();
  energy_is_known_ = false;
}

void World::check_actuator(int actuator) const {
  if (actuator >= 0 && actuator < actuators_.size()) return;
  fail_index("actuator", actuator, actuators_.size());
}

const ActuatorState& World::actuator_state(int actuator) const {
  check_actuator(actuator);
  return actuators_.state(actuator);
}

void World::set_control(int actuator, double u) {
  check_actuator(actuator);
  require(std::isfinite(u), "control", u, "", "must be finite",
          {.file = {}, .line = 0, .element = "actuator " + std::to_string(actuator)});
  drop_attempt();
  inputs_.controls[actuator] = u;
}

void World::set_load(int body, const Vec3& force, const Vec3& moment) {
  const int i = moving_body(body);
  if (i == fixed_body) fail_input("set_load: " + display_name(*scene_, body) + " is fixed");
  if (!is_finite(force) || !is_finite(moment)) {
    fail_input("set_load: force or moment on " + display_name(*scene_, body) + " is not finite");
  }
  drop_attempt();
  inputs_.loads[i] = {force, moment};
}

void World::set_keyframe(int keyframe) {
  if (keyframe < 0 || keyframe >= std::ssize(scene_->keyframes)) {
    fail_index("keyframe", keyframe, scene_->keyframes.size());
  }
  const Keyframe& key = scene_->keyframes[keyframe];
  forget_last_step();
  violations_.forget();
  std::fill(state_.coupling_allowances.begin(), state_.coupling_allowances.end(), HUGE_VAL);
  std::fill(state_.limit_allowances.begin(), state_.limit_allowances.end(), HUGE_VAL);
  state_.time = {.start = key.time};
  state_.substep = state_.next_substep = 0;
  copy(ContactMemory{}, state_.contacts);  // keeps its room
  std::fill(state_.courses.begin(), state_.courses.end(), Course{});
  std::fill(state_.scalar_impulses.begin(), state_.scalar_impulses.end(), 0.0);
  std::fill(state_.activations.begin(), state_.activations.end(), 0.0);
  for (int b = 0; b < std::ssize(scene_->bodies); ++b) {
    const Keyframe::State& s = key.bodies[b];
    switch (scene_->bodies[b].kind) {
      case BodyKind::fixed: break;
      case BodyKind::free:
        set_body_state(b, {s.position, s.orientation, s.linear_velocity, s.angular_velocity});
        break;
      case BodyKind::linked: write_joint_state(b, {s.joint_positions, s.joint_velocities}); break;
    }
  }
  update_kinematics();
}

void World::restore(const Snapshot& snapshot) {
  const auto& [s, inputs] = snapshot;
  if (inputs.loads.size() != inputs_.loads.size()) {
    fail_input("restore: the snapshot has " + std::to_string(inputs.loads.size()) +
               " moving bodies, the world " + std::to_string(inputs_.loads.size()));
  }
  const auto same_size = [](const auto& a, const auto& b) { return a.size() == b.size(); };
  if (!same_size(s.free_bodies, state_.free_bodies) ||
      !same_size(s.coordinates, state_.coordinates) ||
      !same_size(s.velocities, state_.velocities) ||
      !same_size(s.limit_allowances, state_.limit_allowances) ||
      !same_size(s.coupling_allowances, state_.coupling_allowances) ||
      !same_size(s.activations, state_.activations) || !same_size(s.courses, state_.courses) ||
      !same_size(inputs.controls, inputs_.controls)) {
    fail_input(
        "restore: the snapshot and the world differ in their bodies, actuators or constraints");
  }
  if (s.contacts.impulses.size() != s.contacts.sources.size()) {
    fail_input("restore: the snapshot has " + std::to_string(s.contacts.impulses.size()) +
               " impulses for " + std::to_string(s.contacts.sources.size()) + " contacts");
  }
  const std::size_t anchors = s.contacts.anchors.size();
  if ((anchors != 0 && anchors != s.contacts.sources.size()) ||
      s.contacts.points.size() != anchors || s.contacts.slid.size() != anchors) {
    fail_input("restore: the snapshot has " + std::to_string(anchors) + " anchors for " +
               std::to_string(s.contacts.sources.size()) + " contacts");
  }
  const auto geoms = static_cast<std::int32_t>(scene_->geoms.size());
  const auto check_geoms = [&](const auto& list) {
    for (const auto& c : list) {
      if (c.geom_a < 0 || c.geom_b < 0 || c.geom_a >= geoms || c.geom_b >= geoms) {
        fail_input("restore: a contact of the snapshot names a geom that the scene does not have");
      }
    }
  };
  check_geoms(s.contacts.sources);
  check_geoms(s.contacts.pairs);
  forget_last_step();
  state_ = s;
  inputs_ = inputs;
  energy_is_known_ = false;
  violations_.forget();
  update_kinematics();
}

std::unique_ptr<World> World::clone() const {
  auto copy = std::make_unique<World>(*scene_, options_);
  copy->restore(snapshot());
  return copy;
}

std::uint64_t World::state_hash() const {
  StateHash hash;
  const auto add = [&](const Vec3& v) { hash.add(v.x), hash.add(v.y), hash.add(v.z); };
  for (int i = 0; i < bodies_.size(); ++i) {
    const Quaternion q = bodies_.orientation_of(i);
    add(bodies_.center[i]);
    hash.add(q.w), hash.add(q.x), hash.add(q.y), hash.add(q.z);
    add(bodies_.linear_velocity[i]);
    add(bodies_.angular_velocity[i]);
  }
  return hash.value();
}

}  // namespace abut
