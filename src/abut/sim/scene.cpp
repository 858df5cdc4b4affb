#include "abut/sim/scene.hpp"

namespace abut {

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

}  // namespace abut
