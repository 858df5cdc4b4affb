#include "abut/io/mjcf/joints.hpp"

#include "abut/io/mjcf/bodies.hpp"
#include "abut/io/mjcf/support.hpp"

namespace abut::mjcf {

namespace {

/// Whether nothing resists the motion of a body with this joint.
bool is_plain_free(const mjModel& model, int joint) {
  if (model.jnt_type[joint] != mjJNT_FREE) return false;
  const int dof = model.jnt_dofadr[joint];
  for (int i = dof; i < dof + 6; ++i) {
    if (model.dof_armature[i] != 0 || model.dof_damping[i] != 0 || model.dof_frictionloss[i] != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace

JointKind kind_of(int type) {
  switch (type) {
    case mjJNT_FREE: return JointKind::free;
    case mjJNT_BALL: return JointKind::ball;
    case mjJNT_SLIDE: return JointKind::slide;
    default: return JointKind::hinge;
  }
}

std::vector<BodyKind> body_kinds(const mjModel& model) {
  std::vector<BodyKind> kinds(static_cast<std::size_t>(model.nbody), BodyKind::fixed);
  for (int body = 1; body < model.nbody; ++body) {
    if (model.body_dofnum[body] == 0) continue;
    const int joint = model.body_jntadr[body];
    const bool alone = model.body_jntnum[body] == 1 && is_plain_free(model, joint);
    kinds[body] = alone ? BodyKind::free : BodyKind::linked;
    for (int up = model.body_parentid[body]; up > 0; up = model.body_parentid[up]) {
      if (model.body_dofnum[up] > 0) kinds[up] = BodyKind::linked;
    }
  }
  return kinds;
}

std::vector<SceneJoint> read_joints(const Source& source, const Spec& spec, const mjModel& model,
                                    int body, const std::vector<mjsElement*>& elements) {
  std::vector<SceneJoint> joints;
  for (int j = model.body_jntadr[body]; j < model.body_jntadr[body] + model.body_jntnum[body];
       ++j) {
    SceneJoint joint;
    joint.name = name_of(elements[j]);
    joint.origin = origin_of_joint(source, *mjs_asJoint(elements[j]), elements[j]);
    joint.kind = kind_of(model.jnt_type[j]);
    const int q = model.jnt_qposadr[j], v = model.jnt_dofadr[j];
    if (joint.kind != JointKind::free) joint.anchor = read_vector(model.jnt_pos, j);
    joint.armature = model.dof_armature[v];
    if (!is_disabled(spec, mjDSBL_DAMPER)) joint.damping = model.dof_damping[v];
    if (!is_disabled(spec, mjDSBL_FRICTIONLOSS)) joint.dry_friction = model.dof_frictionloss[v];
    if (joint.kind == JointKind::hinge || joint.kind == JointKind::slide) {
      joint.axis = read_vector(model.jnt_axis, j);
      joint.reference = model.qpos0[q];
      if (!is_disabled(spec, mjDSBL_SPRING)) joint.stiffness = model.jnt_stiffness[j];
      joint.spring_reference = model.qpos_spring[q];
      joint.limited = model.jnt_limited[j] && !is_disabled(spec, mjDSBL_LIMIT);
      joint.lower = model.jnt_range[2 * j];
      joint.upper = model.jnt_range[2 * j + 1];
    }
    joints.push_back(std::move(joint));
  }
  return joints;
}

Origin origin_of_joint(const Source& source, const mjsJoint& joint, mjsElement* element) {
  Origin at = origin_of(source, "joint", element, joint.info);
  if (at.line == 0) {
    const mjsBody* body = mjs_getParent(element);
    at.line = origin_of(source, "body", body->element, body->info).line;
  }
  return at;
}

}  // namespace abut::mjcf
