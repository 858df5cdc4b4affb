// Scene::validate().

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <unordered_set>

#include "abut/core/text.hpp"
#include "abut/sim/mass_properties.hpp"
#include "abut/sim/scene_checks.hpp"

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
  require_speed(body.linear_velocity, "linear_velocity", "m/s", at);
  require_speed(body.angular_velocity, "angular_velocity", "rad/s", at);
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
    if (!body.any_inertia) {
      MassProperties{body.mass, body.center_of_mass, body.inertia}.validate(at, is_part);
    } else {
      require(is_part ? body.mass >= 0 : body.mass > 0, "mass", body.mass, "kg",
              is_part ? "must not be negative" : "must be positive", at);
      const Vec3 moments = principal_moments(body.inertia);
      require(is_finite(moments) && std::isfinite(body.mass), "inertia", norm(moments), "kg m^2",
              "must be finite", at);
    }
  } else {
    require(body.mass >= 0 && std::isfinite(body.mass), "mass", body.mass, "kg",
            "must be finite and not negative", at);
  }
}

void require_values(const std::vector<double>& values, int count, const char* name,
                    const Origin& at) {
  require(std::ssize(values) == count, name, static_cast<double>(values.size()), "values",
          "must be " + std::to_string(count) + " for its joints", at);
  for (const double x : values) require(std::isfinite(x), name, x, "", "must be finite", at);
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
    require_unit_quaternions(body, body.joint_positions, at);
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

void validate_material(const Material& material, const Origin& at) {
  require_parameter(material.stiffness, "stiffness", "N/m", false, at);
  require_parameter(material.dissipation, "dissipation", "s/m", true, at);
  require_parameter(material.relaxation_time, "relaxation_time", "s", true, at);
  require_parameter(material.friction, "friction", "", true, at);
  require_parameter(material.cross_friction, "cross_friction", "", true, at);
  if (material.cross_friction && !material.friction) {
    fail_input("cross_friction needs friction too", at);
  }
  require_parameter(material.static_friction, "static_friction", "", true, at);
  if (material.static_friction) {
    if (!material.friction) fail_input("static_friction needs friction too", at);
    if (material.cross_friction) {
      fail_input("static_friction and cross_friction exclude each other", at);
    }
    require(*material.static_friction >= *material.friction, "static_friction",
            *material.static_friction, "", "must not be less than friction", at);
  }
  if (const auto& t = material.thickness) {
    require(*t >= 1e-12 && *t <= 1e5, "thickness", *t, "m", "must lie in [1e-12, 1e5]", at);
  }
  if (material.table != nullptr) material.table->validate(at);
}

void validate_owner(const Scene& scene, int body, const Origin& at) {
  require(body >= world_body && body < std::ssize(scene.bodies), "body", body, "",
          "must be -1 (the world) or the index of a body", at);
}

void validate_visual(const Scene& scene, const SceneVisual& visual, const Origin& at) {
  validate_owner(scene, visual.body, at);
  if (visual.mesh == nullptr) visual.shape.validate(at);
  validate_pose(visual.pose, at);
}

void validate_geom(const Scene& scene, const SceneGeom& geom, const Origin& at) {
  validate_owner(scene, geom.body, at);
  geom.shape.validate(at);
  const bool moves = geom.body != world_body && scene.bodies[geom.body].kind != BodyKind::fixed;
  const ShapeKind kind = geom.shape.kind;
  if (moves && (kind == ShapeKind::plane || kind == ShapeKind::height_field)) {
    fail_input(std::string("a ") + to_string(kind) + " must belong to the world or to a fixed body",
               at);
  }
  validate_pose(geom.pose, at);
  validate_material(geom.material, at);
  require(std::abs(norm(geom.friction_axis) - 1) <= 1e-9, "norm of friction_axis",
          norm(geom.friction_axis), "", "must be 1", at);
  require_speed(geom.surface_velocity, "surface_velocity", "m/s", at);
  require_speed(geom.surface_angular_velocity, "surface_angular_velocity", "rad/s", at);
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
    require_speed(state.linear_velocity, "linear_velocity", "m/s", of_body);
    require_speed(state.angular_velocity, "angular_velocity", "rad/s", of_body);
    const SceneBody& body = scene.bodies[i];
    require_values(state.joint_positions, joint_positions(body), "joint_positions", of_body);
    require_unit_quaternions(body, state.joint_positions, of_body);
    require_values(state.joint_velocities, joint_velocities(body), "joint_velocities", of_body);
  }
}

}  // namespace

void Scene::validate() const {
  require_time_step(time_step, "time_step", settings_origin);
  require_finite(gravity, "gravity", "m/s^2", settings_origin);
  require(fluid_density >= 0 && std::isfinite(fluid_density), "fluid_density", fluid_density,
          "kg/m^3", "must be finite and not negative", settings_origin);
  require(fluid_viscosity >= 0 && std::isfinite(fluid_viscosity), "fluid_viscosity",
          fluid_viscosity, "Pa s", "must be finite and not negative", settings_origin);
  require_finite(wind, "wind", "m/s", settings_origin);
  if (force_table != nullptr) force_table->validate(settings_origin);

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
  for (std::size_t i = 0; i < visuals.size(); ++i) {
    validate_visual(*this, visuals[i], named_origin(visuals[i].origin, "visual", "", i));
  }
  for (std::size_t i = 0; i < keyframes.size(); ++i) {
    const Origin at = named_origin(keyframes[i].origin, "key", keyframes[i].name, i);
    key_names.add(keyframes[i].name, at);
    validate_keyframe(*this, keyframes[i], at);
  }
  for (const DragBox& box : drag_boxes) {
    require(box.body >= 0 && box.body < std::ssize(bodies), "drag box: body", box.body, "",
            "must be the index of a body");
    validate_pose(box.pose, {.file = {}, .line = 0, .element = "drag box"});
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
