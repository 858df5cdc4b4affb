#include "abut/io/mjcf/state.hpp"

#include "abut/core/text.hpp"

namespace abut::mjcf {

namespace {

/// Free joints of the whole scene, and of the scene's own file without attached models.
struct JointCount {
  int all = 0;
  int own = 0;
};

JointCount count_free_joints(const Spec& spec) {
  JointCount count;
  for_each(spec, mjOBJ_JOINT, mjs_asJoint, [&](mjsJoint*, mjsElement* element) {
    ++count.all;
    if (mjs_getOriginSpec(element) == spec.get()) ++count.own;
  });
  return count;
}

void check_size(const mjDoubleVec* values, const char* name, int per_joint,
                const JointCount& joints, const Origin& at) {
  int size = 0;
  mjs_getDouble(values, &size);
  if (size == 0 || size == per_joint * joints.all || size == per_joint * joints.own) return;
  fail_input(std::string(name) + " has " + std::to_string(size) + " numbers, must have " +
                 std::to_string(per_joint * joints.all) + " (" + std::to_string(per_joint) +
                 " for each of " + std::to_string(joints.all) + " free bodies)",
             at);
}

/// State of the free body of joint `joint`.
Keyframe::State read_state(const mjModel& model, int key, int joint, const SceneBody& body) {
  const mjtNum* q = model.key_qpos + key * model.nq + model.jnt_qposadr[joint];
  const mjtNum* v = model.key_qvel + key * model.nv + model.jnt_dofadr[joint];
  Keyframe::State state;
  state.position = read_vector(q);
  state.orientation = read_quaternion(q + 3);
  const Mat3 R_WB = to_matrix(state.orientation);
  state.angular_velocity = R_WB * read_vector(v + 3);
  // v_com = v_origin + omega x R c
  state.linear_velocity =
      read_vector(v) + cross(state.angular_velocity, R_WB * body.center_of_mass);
  return state;
}

/// MuJoCo takes a zero quaternion for the identity.
void check_quaternions(const mjsKey& key, const mjModel& model, const BodyMap& map,
                       const Scene& scene, const Origin& at) {
  int size = 0;
  const double* qpos = mjs_getDouble(key.qpos, &size);
  if (size != model.nq) return;
  for (int joint = 0; joint < model.njnt; ++joint) {
    const double* q = qpos + model.jnt_qposadr[joint] + 3;
    const double length = norm(Quaternion{q[0], q[1], q[2], q[3]});
    const int body = map[model.jnt_bodyid[joint]].scene_body;
    require(length > 1e-6, "norm of the quaternion of body " + quote(display_name(scene, body)),
            length, "", "must not be zero", at);
  }
}

}  // namespace

void check_key_sizes(const Source& source, const Spec& spec) {
  const JointCount joints = count_free_joints(spec);
  const std::vector<Origin> origins = key_origins(source, spec);
  std::size_t next = 0;
  for_each(spec, mjOBJ_KEY, mjs_asKey, [&](mjsKey* key, mjsElement*) {
    const Origin& at = origins[next++];
    check_size(key->qpos, "qpos", 7, joints, at);
    check_size(key->qvel, "qvel", 6, joints, at);
  });
}

void read_keyframes(const Source& source, const Spec& spec, const mjModel& model,
                    const BodyMap& map, Scene& scene) {
  const std::vector<Origin> origins = key_origins(source, spec);
  std::size_t next = 0;
  for_each(spec, mjOBJ_KEY, mjs_asKey, [&](mjsKey* description, mjsElement* element) {
    Keyframe key;
    key.name = name_of(element);
    key.origin = origins[next++];
    const int id = mjs_getId(element);
    key.time = model.key_time[id];
    check_quaternions(*description, model, map, scene, key.origin);
    for (const SceneBody& body : scene.bodies) {
      key.bodies.push_back(
          {body.position, body.orientation, body.linear_velocity, body.angular_velocity});
    }
    for (int joint = 0; joint < model.njnt; ++joint) {
      const int body = map[model.jnt_bodyid[joint]].scene_body;
      key.bodies[body] = read_state(model, id, joint, scene.bodies[body]);
    }
    scene.keyframes.push_back(std::move(key));
  });
}

}  // namespace abut::mjcf
