#include "abut/io/mjcf/state.hpp"

#include "abut/core/text.hpp"
#include "abut/io/mjcf/joints.hpp"

namespace abut::mjcf {

namespace {

/// Coordinates of the whole scene, and of the scene's own file without attached models.
struct Sizes {
  int positions = 0, velocities = 0;
  int own_positions = 0, own_velocities = 0;
};

Sizes count(const Spec& spec) {
  Sizes sizes;
  for_each(spec, mjOBJ_JOINT, mjs_asJoint, [&](mjsJoint* joint, mjsElement* element) {
    const JointKind kind = kind_of(joint->type);
    sizes.positions += position_count(kind);
    sizes.velocities += velocity_count(kind);
    if (mjs_getOriginSpec(element) != spec.get()) return;
    sizes.own_positions += position_count(kind);
    sizes.own_velocities += velocity_count(kind);
  });
  return sizes;
}

void check_size(const mjDoubleVec* values, const char* name, int all, int own, const Origin& at) {
  int size = 0;
  mjs_getDouble(values, &size);
  if (size == 0 || size == all || size == own) return;
  fail_input(std::string(name) + " has " + std::to_string(size) + " numbers, must have " +
                 std::to_string(all) + ", as many as the joints have coordinates or velocities",
             at);
}

/// State of the free body of joint `joint`.
Keyframe::State read_free_state(const mjModel& model, int key, int joint, const SceneBody& body) {
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

/// Appends the state of one joint of a linked body.
void add_joint_state(const mjModel& model, int key, int joint, Keyframe::State& state) {
  const JointKind kind = kind_of(model.jnt_type[joint]);
  const mjtNum* q = model.key_qpos + key * model.nq + model.jnt_qposadr[joint];
  const mjtNum* v = model.key_qvel + key * model.nv + model.jnt_dofadr[joint];
  state.joint_positions.insert(state.joint_positions.end(), q, q + position_count(kind));
  state.joint_velocities.insert(state.joint_velocities.end(), v, v + velocity_count(kind));
}

/// MuJoCo takes a zero quaternion for the identity.
void check_quaternions(const mjsKey& key, const mjModel& model, const BodyMap& map,
                       const Scene& scene, const Origin& at) {
  int size = 0;
  const double* qpos = mjs_getDouble(key.qpos, &size);
  if (size != model.nq) return;
  for (int joint = 0; joint < model.njnt; ++joint) {
    const int type = model.jnt_type[joint];
    if (type != mjJNT_FREE && type != mjJNT_BALL) continue;
    const double* q = qpos + model.jnt_qposadr[joint] + (type == mjJNT_FREE ? 3 : 0);
    const double length = norm(Quaternion{q[0], q[1], q[2], q[3]});
    const int body = map[model.jnt_bodyid[joint]].scene_body;
    require(length > 1e-6, "norm of the quaternion of body " + quote(display_name(scene, body)),
            length, "", "must not be zero", at);
  }
}

}  // namespace

void check_key_sizes(const Source& source, const Spec& spec) {
  const Sizes sizes = count(spec);
  const std::vector<Origin> origins = key_origins(source, spec);
  std::size_t next = 0;
  for_each(spec, mjOBJ_KEY, mjs_asKey, [&](mjsKey* key, mjsElement*) {
    const Origin& at = origins[next++];
    check_size(key->qpos, "qpos", sizes.positions, sizes.own_positions, at);
    check_size(key->qvel, "qvel", sizes.velocities, sizes.own_velocities, at);
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
      key.bodies.push_back({.position = body.position,
                            .orientation = body.orientation,
                            .linear_velocity = body.linear_velocity,
                            .angular_velocity = body.angular_velocity,
                            .joint_positions = {},
                            .joint_velocities = {}});
    }
    for (int joint = 0; joint < model.njnt; ++joint) {
      const int body = map[model.jnt_bodyid[joint]].scene_body;
      if (scene.bodies[body].kind == BodyKind::free) {
        key.bodies[body] = read_free_state(model, id, joint, scene.bodies[body]);
      } else {
        add_joint_state(model, id, joint, key.bodies[body]);
      }
    }
    scene.keyframes.push_back(std::move(key));
  });
}

}  // namespace abut::mjcf
