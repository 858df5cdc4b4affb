#include "abut/sim/scene.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_set>

#include "abut/core/text.hpp"
#include "abut/sim/mass_properties.hpp"

namespace abut {

namespace {

constexpr std::size_t longest_name = 1024;  // bytes

/// Where an element came from; "kind 'name'" when its description does not say.
Origin named_origin(const Origin& origin, std::string_view kind, const std::string& name,
                    std::size_t index) {
  Origin at = origin;
  if (at.element.empty()) {
    at.element = std::string(kind) + " " + (name.empty() ? std::to_string(index) : quote(name));
  }
  return at;
}

void require_finite(const Vec3& value, const char* name, const char* unit, const Origin& at) {
  for (int i = 0; i < 3; ++i) {
    const std::string component = std::string(name) + " " + "xyz"[i];
    require(std::isfinite(value[i]), component, value[i], unit, "must be finite", at);
  }
}

/// Absent is fine; otherwise finite and not negative, or positive.
void require_parameter(const std::optional<double>& value, const char* name, const char* unit,
                       bool zero_allowed, const Origin& at) {
  if (!value) return;
  require(std::isfinite(*value) && (*value > 0 || (zero_allowed && *value == 0)), name, *value,
          unit, zero_allowed ? "must be finite and not negative" : "must be positive and finite",
          at);
}

void require_unit(const Quaternion& q, const Origin& at) {
  const double length = norm(q);
  require(std::abs(length - 1) <= 1e-3, "norm of orientation", length, "", "must be 1 within 0.001",
          at);
}

/// Names of one kind of element: well-formed, and each given once.
class NameCheck {
 public:
  explicit NameCheck(std::string_view reserved = {}) : reserved_(reserved) {}

  void add(const std::string& name, const Origin& at) {
    if (name.empty()) return;
    if (name.size() > longest_name) {
      fail_input("a name of " + std::to_string(name.size()) + " bytes, at most " +
                     std::to_string(longest_name) + " are allowed",
                 at);
    }
    if (find_invalid_utf8(name) != std::string_view::npos) {
      fail_input("name " + quote(name) + " is not UTF-8", at);
    }
    const auto is_control = [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; };
    if (std::any_of(name.begin(), name.end(), is_control)) {
      fail_input("name " + quote(name) + " has a control character", at);
    }
    if (name == reserved_) fail_input("name " + quote(name) + " is reserved for the world", at);
    if (!seen_.insert(name).second) fail_input("name " + quote(name) + " is used twice", at);
  }

 private:
  std::string_view reserved_;
  std::unordered_set<std::string_view> seen_;
};

void validate_body(const SceneBody& body, const Origin& at) {
  require_finite(body.position, "position", "m", at);
  require_unit(body.orientation, at);
  require_finite(body.linear_velocity, "linear_velocity", "m/s", at);
  require_finite(body.angular_velocity, "angular_velocity", "rad/s", at);
  require_finite(body.center_of_mass, "center_of_mass", "m", at);
  if (body.kind != BodyKind::fixed) {
    const Mat3 skew = body.inertia - transpose(body.inertia);
    const Vec3 off_diagonal{skew(2, 1), skew(0, 2), skew(1, 0)};
    const double trace = body.inertia(0, 0) + body.inertia(1, 1) + body.inertia(2, 2);
    const double asymmetry = trace > 0 ? norm(off_diagonal) / trace : norm(off_diagonal);
    require(!(asymmetry > 1e-9), "asymmetry of inertia", asymmetry, "of its trace",
            "must be below 1e-9", at);
    // a link may be massless if others that it carries are not
    const bool is_part = body.kind == BodyKind::linked;
    MassProperties{body.mass, body.center_of_mass, body.inertia}.validate(at, is_part);
  } else {
    require(body.mass >= 0 && std::isfinite(body.mass), "mass", body.mass, "kg",
            "must be finite and not negative", at);
  }
}

void require_values(const std::vector<double>& values, int count, const char* name,
                    const Origin& at) {
  require(std::ssize(values) == count, name, static_cast<double>(values.size()), "values",
          "must be as many as its joints have", at);
  for (const double x : values) require(std::isfinite(x), name, x, "", "must be finite", at);
}

void require_not_negative(double value, const char* name, const Origin& at) {
  require(value >= 0 && std::isfinite(value), name, value, "", "must be finite and not negative",
          at);
}

void validate_joint(const SceneJoint& joint, const Origin& at) {
  const bool has_axis = joint.kind == JointKind::hinge || joint.kind == JointKind::slide;
  if (has_axis) {
    require(std::abs(norm(joint.axis) - 1) <= 1e-9, "norm of axis", norm(joint.axis), "",
            "must be 1", at);
  }
  require_finite(joint.anchor, "anchor", "m", at);
  require(std::isfinite(joint.reference), "reference", joint.reference, "", "must be finite", at);
  require_not_negative(joint.armature, "armature", at);
  require_not_negative(joint.damping, "damping", at);
  require_not_negative(joint.stiffness, "stiffness", at);
  require(joint.stiffness == 0 || has_axis, "stiffness", joint.stiffness, "",
          "must be 0: only hinges and slides have springs", at);
  require_not_negative(joint.dry_friction, "dry_friction", at);
  if (joint.limited) {
    require(has_axis, "limited", 1, "", "must be false: only hinges and slides have limits", at);
    require(std::isfinite(joint.lower) && std::isfinite(joint.upper), "limit",
            joint.upper - joint.lower, "", "must be finite", at);
    require(joint.lower <= joint.upper, "lower limit", joint.lower, "",
            "must not exceed the upper one", at);
    require(joint.limit_stiffness > 0 && std::isfinite(joint.limit_stiffness), "limit_stiffness",
            joint.limit_stiffness, "", "must be positive and finite", at);
  }
  require(std::isfinite(joint.spring_reference), "spring_reference", joint.spring_reference, "",
          "must be finite", at);
}

/// What a body says of its place in a tree.
void validate_link(const Scene& scene, std::size_t index, const Origin& at) {
  const SceneBody& body = scene.bodies[index];
  if (!body.joint_positions.empty()) {
    require_values(body.joint_positions, joint_positions(body), "joint_positions", at);
  }
  if (!body.joint_velocities.empty()) {
    require_values(body.joint_velocities, joint_velocities(body), "joint_velocities", at);
  }
  if (body.kind != BodyKind::linked) {
    require(body.parent == world_body, "parent", body.parent, "",
            "must be -1 (the world) for a body that is not linked", at);
    if (!body.joints.empty()) fail_input("only linked bodies have joints", at);
    return;
  }
  require(body.parent >= world_body && body.parent < static_cast<int>(index), "parent", body.parent,
          "", "must be -1 (the world) or an earlier body", at);
  if (body.parent != world_body && scene.bodies[body.parent].kind != BodyKind::linked) {
    fail_input("its parent must be linked too, or the world", at);
  }
  if (body.joints.empty()) fail_input("a linked body must have a joint", at);
  for (std::size_t k = 0; k < body.joints.size(); ++k) {
    const SceneJoint& joint = body.joints[k];
    Origin here = joint.origin;
    if (here.element.empty()) {
      here = at;
      here.element += ", joint " + std::to_string(k);
    }
    validate_joint(joint, here);
    if (joint.kind == JointKind::free && (body.joints.size() > 1 || body.parent != world_body)) {
      fail_input("a free joint must be the only one of its body, and the world its parent", here);
    }
  }
}

void validate_part(const Scene& scene, const ScenePart& part, const Origin& at) {
  require(part.body >= 0 && part.body < std::ssize(scene.bodies), "body", part.body, "",
          "must be the index of a body", at);
  const SceneBody& body = scene.bodies[part.body];
  require(part.joint >= 0 && part.joint < std::ssize(body.joints), "joint", part.joint, "",
          "must be the index of a joint of its body", at);
  const JointKind kind = body.joints[part.joint].kind;
  if (kind != JointKind::hinge && kind != JointKind::slide) {
    fail_input("it must act on hinges and slides", at);
  }
  require(std::isfinite(part.gear), "gear", part.gear, "", "must be finite", at);
}

/// A body that equality constraints and tendons may hold: its velocity is in a mechanism, or zero.
void validate_held(const Scene& scene, int body, const Origin& at) {
  require(body >= world_body && body < std::ssize(scene.bodies), "body", body, "",
          "must be -1 (the world) or the index of a body", at);
  if (body != world_body && scene.bodies[body].kind == BodyKind::free) {
    fail_input("body '" + display_name(scene, body) +
                   "' must be linked, by a free joint if it moves freely",
               at);
  }
}

bool is_linked(const Scene& scene, int body) {
  return body != world_body && scene.bodies[body].kind == BodyKind::linked;
}

void validate_equality(const Scene& scene, const SceneEquality& e, const Origin& at) {
  require(e.stiffness > 0 && std::isfinite(e.stiffness), "stiffness", e.stiffness, "N/m",
          "must be positive and finite", at);
  if (e.kind == EqualityKind::joint || e.kind == EqualityKind::tendon) {
    if (e.kind == EqualityKind::joint) {
      validate_part(scene, {e.body_a, e.joint_a, 1}, at);
      if (e.body_b != world_body) validate_part(scene, {e.body_b, e.joint_b, 1}, at);
    } else {
      const auto count = static_cast<int>(scene.tendons.size());
      require(e.tendon_a >= 0 && e.tendon_a < count, "tendon_a", e.tendon_a, "",
              "must be the index of a tendon", at);
      require(e.tendon_b >= -1 && e.tendon_b < count, "tendon_b", e.tendon_b, "",
              "must be -1 (none) or the index of a tendon", at);
    }
    require(std::isfinite(e.reference_a), "reference_a", e.reference_a, "", "must be finite", at);
    require(std::isfinite(e.reference_b), "reference_b", e.reference_b, "", "must be finite", at);
    for (const double c : e.polynomial) {
      require(std::isfinite(c), "polynomial", c, "", "must be finite", at);
    }
    return;
  }
  validate_held(scene, e.body_a, at);
  validate_held(scene, e.body_b, at);
  if (!is_linked(scene, e.body_a) && !is_linked(scene, e.body_b)) {
    fail_input("one of its bodies must be linked", at);
  }
  for (const Pose* pose : {&e.pose_a, &e.pose_b}) require_finite(pose->p, "position", "m", at);
}

void validate_tendon(const Scene& scene, const SceneTendon& t, const Origin& at) {
  if (t.joints.empty() == (t.points.size() < 2)) {
    fail_input("a tendon must run along joints, or else through two points or more", at);
  }
  for (const ScenePart& part : t.joints) validate_part(scene, part, at);
  bool moves = !t.joints.empty();
  for (const SceneTendon::Point& point : t.points) {
    validate_held(scene, point.body, at);
    require_finite(point.position, "position", "m", at);
    moves = moves || is_linked(scene, point.body);
  }
  if (!moves) fail_input("one of its bodies must be linked", at);
  require_not_negative(t.stiffness, "stiffness", at);
  require_not_negative(t.damping, "damping", at);
  require_not_negative(t.dry_friction, "dry_friction", at);
  require(t.lower_rest <= t.upper_rest, "lower_rest", t.lower_rest, "m",
          "must not exceed upper_rest", at);
  require(!t.limited || t.lower <= t.upper, "lower", t.lower, "m", "must not exceed upper", at);
  require(t.limit_stiffness > 0 && std::isfinite(t.limit_stiffness), "limit_stiffness",
          t.limit_stiffness, "N/m", "must be positive and finite", at);
}

void validate_actuator(const Scene& scene, const SceneActuator& a, const Origin& at) {
  if (a.parts.empty()) fail_input("an actuator must act on a joint", at);
  int root = -1;
  for (const SceneActuator::Part& part : a.parts) {
    validate_part(scene, part, at);
    int top = part.body;
    while (scene.bodies[top].parent != world_body) top = scene.bodies[top].parent;
    if (root >= 0 && top != root) fail_input("an actuator must act on joints of one tree", at);
    root = top;
  }
  for (int k = 0; k < 3; ++k) {
    require(std::isfinite(a.gain[k]), "gain", a.gain[k], "", "must be finite", at);
    require(std::isfinite(a.bias[k]), "bias", a.bias[k], "", "must be finite", at);
  }
  require(a.lower_force <= a.upper_force, "lower_force", a.lower_force, "N",
          "must not exceed upper_force", at);
  require(
      a.activation != Activation::filter || (a.time_constant > 0 && std::isfinite(a.time_constant)),
      "time_constant", a.time_constant, "s", "must be positive and finite", at);
  require(!a.activation_limited || a.lower_activation <= a.upper_activation, "lower_activation",
          a.lower_activation, "", "must not exceed upper_activation", at);
  require(!a.control_limited || a.lower_control <= a.upper_control, "lower_control",
          a.lower_control, "", "must not exceed upper_control", at);
}

void validate_material(const Material& material, const Origin& at) {
  require_parameter(material.stiffness, "stiffness", "N/m", false, at);
  require_parameter(material.dissipation, "dissipation", "s/m", true, at);
  require_parameter(material.relaxation_time, "relaxation_time", "s", true, at);
  require_parameter(material.friction, "friction", "", true, at);
}

void validate_geom(const Scene& scene, const SceneGeom& geom, const Origin& at) {
  const int bodies = static_cast<int>(scene.bodies.size());
  require(geom.body >= world_body && geom.body < bodies, "body", geom.body, "",
          "must be -1 (the world) or the index of a body", at);
  geom.shape.validate(at);
  const bool moves = geom.body != world_body && scene.bodies[geom.body].kind != BodyKind::fixed;
  const ShapeKind kind = geom.shape.kind;
  if (moves && (kind == ShapeKind::plane || kind == ShapeKind::height_field)) {
    fail_input(std::string("a ") + to_string(kind) + " must belong to the world or to a fixed body",
               at);
  }
  require_finite(geom.pose.p, "position", "m", at);
  const Mat3 deviation = transpose_times(geom.pose.R, geom.pose.R) - Mat3::identity();
  double error = 0;
  for (const Vec3& column : deviation.col) error += squared_norm(column);
  require(error <= 1e-6 && determinant(geom.pose.R) > 0, "deviation of the orientation",
          std::sqrt(error), "from a rotation", "must be at most 0.001", at);
  validate_material(geom.material, at);
}

/// Two geoms that can meet: of different bodies, not both at rest.
void validate_pair(const Scene& scene, const ScenePair& pair, const Origin& at) {
  const auto moves = [&](int geom) {
    const int body = scene.geoms[geom].body;
    return body != world_body && scene.bodies[body].kind != BodyKind::fixed;
  };
  for (const int geom : {pair.geom_a, pair.geom_b}) {
    require(geom >= 0 && geom < std::ssize(scene.geoms), "geom", geom, "",
            "must be the index of a geom", at);
  }
  if (scene.geoms[pair.geom_a].body == scene.geoms[pair.geom_b].body) {
    fail_input("its geoms must belong to different bodies", at);
  }
  if (!moves(pair.geom_a) && !moves(pair.geom_b)) fail_input("one of its geoms must move", at);
  validate_material(pair.material, at);
}

void validate_keyframe(const Scene& scene, const Keyframe& key, const Origin& at) {
  require(std::isfinite(key.time), "time", key.time, "s", "must be finite", at);
  if (key.bodies.size() != scene.bodies.size()) {
    fail_input(std::to_string(key.bodies.size()) + " states for " +
                   std::to_string(scene.bodies.size()) + " bodies, must have one for each",
               at);
  }
  for (std::size_t i = 0; i < key.bodies.size(); ++i) {
    const Keyframe::State& state = key.bodies[i];
    Origin of_body = at;
    of_body.element += ", body " + quote(display_name(scene, static_cast<int>(i)));
    require_finite(state.position, "position", "m", of_body);
    require_unit(state.orientation, of_body);
    require_finite(state.linear_velocity, "linear_velocity", "m/s", of_body);
    require_finite(state.angular_velocity, "angular_velocity", "rad/s", of_body);
    const SceneBody& body = scene.bodies[i];
    require_values(state.joint_positions, joint_positions(body), "joint_positions", of_body);
    require_values(state.joint_velocities, joint_velocities(body), "joint_velocities", of_body);
  }
}

}  // namespace

int joint_positions(const SceneBody& body) {
  int count = 0;
  for (const SceneJoint& joint : body.joints) count += position_count(joint.kind);
  return count;
}

int joint_velocities(const SceneBody& body) {
  int count = 0;
  for (const SceneJoint& joint : body.joints) count += velocity_count(joint.kind);
  return count;
}

Keyframe::State initial_state(const SceneBody& body) {
  Keyframe::State state{.position = body.position,
                        .orientation = body.orientation,
                        .linear_velocity = body.linear_velocity,
                        .angular_velocity = body.angular_velocity,
                        .joint_positions = body.joint_positions,
                        .joint_velocities = body.joint_velocities};
  const auto append = [&](std::initializer_list<double> values) {
    state.joint_positions.insert(state.joint_positions.end(), values);
  };
  if (state.joint_positions.empty()) {
    const Vec3& p = body.position;
    const Quaternion& q = body.orientation;
    for (const SceneJoint& joint : body.joints) {
      switch (joint.kind) {
        case JointKind::free: append({p.x, p.y, p.z, q.w, q.x, q.y, q.z}); break;
        case JointKind::ball: append({1, 0, 0, 0}); break;
        case JointKind::slide:
        case JointKind::hinge: append({joint.reference}); break;
      }
    }
  }
  if (state.joint_velocities.empty()) state.joint_velocities.resize(joint_velocities(body));
  return state;
}

std::string display_name(const Scene& scene, int body) {
  if (body == world_body) return "world";
  const std::string& name = scene.bodies[body].name;
  return name.empty() ? "body" + std::to_string(body) : name;
}

void Scene::validate() const {
  require(time_step > 0 && time_step <= 1, "time_step", time_step, "s",
          "must be positive and at most 1 s", settings_origin);
  require_finite(gravity, "gravity", "m/s^2", settings_origin);
  require(fluid_density >= 0 && std::isfinite(fluid_density), "fluid_density", fluid_density,
          "kg/m^3", "must be finite and not negative", settings_origin);
  require(fluid_viscosity >= 0 && std::isfinite(fluid_viscosity), "fluid_viscosity",
          fluid_viscosity, "Pa s", "must be finite and not negative", settings_origin);
  require_finite(wind, "wind", "m/s", settings_origin);

  NameCheck body_names("world"), joint_names, actuator_names, geom_names, pair_names, key_names;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Origin at = named_origin(bodies[i].origin, "body", bodies[i].name, i);
    body_names.add(bodies[i].name, at);
    validate_body(bodies[i], at);
    validate_link(*this, i, at);
    for (std::size_t k = 0; k < bodies[i].joints.size(); ++k) {
      const SceneJoint& joint = bodies[i].joints[k];
      joint_names.add(joint.name, named_origin(joint.origin, "joint", joint.name, k));
    }
  }
  for (std::size_t i = 0; i < actuators.size(); ++i) {
    const Origin at = named_origin(actuators[i].origin, "actuator", actuators[i].name, i);
    actuator_names.add(actuators[i].name, at);
    validate_actuator(*this, actuators[i], at);
  }
  for (std::size_t i = 0; i < tendons.size(); ++i) {
    validate_tendon(*this, tendons[i],
                    named_origin(tendons[i].origin, "tendon", tendons[i].name, i));
  }
  for (std::size_t i = 0; i < equalities.size(); ++i) {
    validate_equality(*this, equalities[i],
                      named_origin(equalities[i].origin, "equality", equalities[i].name, i));
  }
  for (std::size_t i = 0; i < geoms.size(); ++i) {
    const Origin at = named_origin(geoms[i].origin, "geom", geoms[i].name, i);
    geom_names.add(geoms[i].name, at);
    validate_geom(*this, geoms[i], at);
  }
  for (std::size_t i = 0; i < keyframes.size(); ++i) {
    const Origin at = named_origin(keyframes[i].origin, "key", keyframes[i].name, i);
    key_names.add(keyframes[i].name, at);
    validate_keyframe(*this, keyframes[i], at);
  }
  for (const DragBox& box : drag_boxes) {
    require(box.body >= 0 && box.body < std::ssize(bodies), "drag box: body", box.body, "",
            "must be the index of a body");
    require_finite(box.pose.p, "drag box: position", "m", {});
    require_finite(box.sides, "drag box: sides", "m", {});
  }
  std::set<std::pair<int, int>> paired;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Origin at = named_origin(pairs[i].origin, "pair", pairs[i].name, i);
    pair_names.add(pairs[i].name, at);
    validate_pair(*this, pairs[i], at);
    if (!paired.insert(std::minmax(pairs[i].geom_a, pairs[i].geom_b)).second) {
      fail_input("its two geoms have a pair already", at);
    }
  }
  for (const auto& [a, b] : excluded_geoms) {
    for (const int geom : {a, b}) {
      require(geom >= 0 && geom < std::ssize(geoms), "excluded geom", geom, "",
              "must be the index of a geom");
    }
  }
  for (const auto& [a, b] : excluded_bodies) {
    const int count = static_cast<int>(bodies.size());
    for (const int body : {a, b}) {
      require(body >= world_body && body < count, "excluded body", body, "",
              "must be -1 (the world) or the index of a body");
    }
  }
}

}  // namespace abut
