// Checks of actuators, equality constraints and tendons.

#include "abut/sim/scene_checks.hpp"

#include <cmath>
#include <set>

namespace abut {

namespace {

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

void validate_held(const Scene& scene, int body, const Origin& at) {
  require(body >= world_body && body < std::ssize(scene.bodies), "body", body, "",
          "must be -1 (the world) or the index of a body", at);
}

bool moves(const Scene& scene, int body) {
  return body != world_body && scene.bodies[body].kind != BodyKind::fixed;
}

}  // namespace

void fail_index(std::string_view kind, int index, std::size_t count) {
  std::string noun(kind);
  if (count != 1 && noun.ends_with('y')) {
    noun.replace(noun.size() - 1, 1, "ies");
  } else if (count != 1) {
    noun += 's';
  }
  fail_input(std::string(kind) + " " + std::to_string(index) + ": the scene has " +
             std::to_string(count) + " " + noun);
}

void require_finite(const Vec3& value, const char* name, const char* unit, const Origin& at) {
  for (int i = 0; i < 3; ++i) {
    const std::string component = std::string(name) + " " + "xyz"[i];
    require(std::isfinite(value[i]), component, value[i], unit, "must be finite", at);
  }
}

void require_speed(const Vec3& value, const char* name, const char* unit, const Origin& at) {
  require_finite(value, name, unit, at);
  for (int i = 0; i < 3; ++i) {
    const std::string component = std::string(name) + " " + "xyz"[i];
    require(std::abs(value[i]) <= 1e9, component, value[i], unit, "must lie in [-1e9, 1e9]", at);
  }
}

void require_time_step(double value, std::string_view name, const Origin& at) {
  require(value >= smallest_time_step && value <= 1, name, value, "s", "must lie in [1e-9, 1]", at);
}

void require_accuracy(double value, std::string_view name, const Origin& at) {
  // below, rounding would be taken for an error of the scheme
  require(value >= 1e-9 && value <= 1, name, value, "", "must lie in [1e-9, 1]", at);
}

void require_unit_quaternions(const SceneBody& body, const std::vector<double>& coordinates,
                              const Origin& at) {
  const double* next = coordinates.data();
  for (const SceneJoint& joint : body.joints) {
    const double* q = joint.kind == JointKind::free ? next + 3 : next;
    if (joint.kind == JointKind::free || joint.kind == JointKind::ball) {
      const double length = norm(Quaternion{q[0], q[1], q[2], q[3]});
      require(std::abs(length - 1) < 1e-3, "norm of quaternion", length, "", "must be 1", at);
    }
    next += position_count(joint.kind);
  }
}

void validate_pose(const Pose& pose, const Origin& at) {
  require_finite(pose.p, "position", "m", at);
  const Mat3 deviation = transpose_times(pose.R, pose.R) - Mat3::identity();
  double error = 0;
  for (const Vec3& column : deviation.col) error += squared_norm(column);
  require(error <= 1e-6 && determinant(pose.R) > 0, "deviation of the orientation",
          std::sqrt(error), "from a rotation", "must be at most 0.001", at);
}

void require_not_negative(double value, const char* name, const Origin& at) {
  require(value >= 0 && std::isfinite(value), name, value, "", "must be finite and not negative",
          at);
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
  if (!moves(scene, e.body_a) && !moves(scene, e.body_b)) {
    fail_input("one of its bodies must move", at);
  }
  for (const Pose* pose : {&e.pose_a, &e.pose_b}) {
    require_finite(pose->p, "position", "m", at);
    if (e.kind == EqualityKind::weld) validate_pose(*pose, at);
  }
}

void validate_tendon(const Scene& scene, const SceneTendon& t, const Origin& at) {
  if (t.joints.empty() == (t.points.size() < 2)) {
    fail_input("a tendon must run along joints, or else through two points or more", at);
  }
  for (const ScenePart& part : t.joints) validate_part(scene, part, at);
  bool any_moves = !t.joints.empty();
  for (const SceneTendon::Point& point : t.points) {
    validate_held(scene, point.body, at);
    require_finite(point.position, "position", "m", at);
    any_moves = any_moves || moves(scene, point.body);
  }
  if (!any_moves) fail_input("one of its bodies must move", at);
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
  for (const SceneActuator::Part& part : a.parts) validate_part(scene, part, at);
  for (int k = 0; k < 3; ++k) {
    require(std::isfinite(a.gain[k]), "gain", a.gain[k], "", "must be finite", at);
    require(std::isfinite(a.bias[k]), "bias", a.bias[k], "", "must be finite", at);
  }
  require(a.velocity_limit > 0, "velocity_limit", a.velocity_limit, "", "must be positive", at);
  const bool is_motor = a.gain[1] == 0 && a.gain[2] == 0 && a.bias[1] == 0 && a.bias[2] == 0;
  require(is_motor || std::isinf(a.velocity_limit), "velocity_limit", a.velocity_limit, "",
          "must not be given: the force depends on the motion", at);
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

}  // namespace abut
