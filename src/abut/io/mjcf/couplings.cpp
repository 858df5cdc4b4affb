#include "abut/io/mjcf/couplings.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

#include "abut/io/mjcf/support.hpp"

namespace abut::mjcf {

namespace {

/// Spring, damper, dry friction or limit.
bool acts(const Spec& spec, const mjModel& m, int t) {
  const auto any = [&](mjtNum linear, const mjtNum* poly) {
    return linear != 0 || std::any_of(poly + mjNPOLY * t, poly + mjNPOLY * (t + 1),
                                      [](mjtNum x) { return x != 0; });
  };
  return (any(m.tendon_stiffness[t], m.tendon_stiffnesspoly) &&
          !is_disabled(spec, mjDSBL_SPRING)) ||
         (any(m.tendon_damping[t], m.tendon_dampingpoly) && !is_disabled(spec, mjDSBL_DAMPER)) ||
         (m.tendon_frictionloss[t] != 0 && !is_disabled(spec, mjDSBL_FRICTIONLOSS)) ||
         (m.tendon_limited[t] && !is_disabled(spec, mjDSBL_LIMIT)) || m.tendon_armature[t] != 0;
}

bool is_active(const Spec& spec, const mjModel& model, int equality) {
  return model.eq_active0[equality] && !is_disabled(spec, mjDSBL_EQUALITY);
}

class CouplingReader {
 public:
  /// `tendons`: places in the scene of those of the model.
  CouplingReader(const Spec& spec, const mjModel& model, const BodyMap& map,
                 const std::map<int, int>& tendons)
      : spec_(spec), m_(model), map_(map), tendons_(tendons) {}

  SceneEquality equality(int id, const Origin& at) const {
    SceneEquality e;
    e.origin = at;
    const int a = m_.eq_obj1id[id], b = m_.eq_obj2id[id];
    const mjtNum* data = m_.eq_data + std::ptrdiff_t{mjNEQDATA} * id;
    switch (m_.eq_type[id]) {
      case mjEQ_CONNECT: e.kind = EqualityKind::connect; break;
      case mjEQ_WELD: e.kind = EqualityKind::weld; break;
      case mjEQ_JOINT: joints(e, a, b, data, at); return e;
      case mjEQ_TENDON:
        e.kind = EqualityKind::tendon;
        e.tendon_a = tendon_place(a, at);
        e.reference_a = m_.tendon_length0[a];
        if (b >= 0) e.tendon_b = tendon_place(b, at), e.reference_b = m_.tendon_length0[b];
        std::copy_n(data, 5, e.polynomial);
        return e;
      default: fail_input("equality constraints of flexes are not simulated: remove it", at);
    }
    if (m_.eq_objtype[id] == mjOBJ_SITE) {
      place(m_.site_bodyid[a], site(a), e.body_a, e.pose_a);
      place(m_.site_bodyid[b], site(b), e.body_b, e.pose_b);
    } else if (e.kind == EqualityKind::connect) {
      place(a, {read_vector(data), Mat3::identity()}, e.body_a, e.pose_a);
      place(b, {read_vector(data + 3), Mat3::identity()}, e.body_b, e.pose_b);
    } else {
      place(a, {read_vector(data + 3), to_matrix(read_quaternion(data + 6))}, e.body_a, e.pose_a);
      place(b, {read_vector(data), Mat3::identity()}, e.body_b, e.pose_b);
    }
    return e;
  }

  /// Whether both sides are the same rigid body, or none moves.
  bool is_idle(const SceneEquality& e, const Scene& scene) const {
    const auto rigid = [&](int body) {
      return body == world_body || scene.bodies[body].kind == BodyKind::fixed ? world_body : body;
    };
    const bool poses = e.kind == EqualityKind::connect || e.kind == EqualityKind::weld;
    return poses && rigid(e.body_a) == rigid(e.body_b);
  }

  SceneTendon tendon(int id, const Origin& at) const {
    SceneTendon t;
    t.origin = at;
    const auto refuse = [&](const char* what) {
      fail_input(std::string("tendons ") + what + " are not simulated: remove it", at);
    };
    const auto curved = [&](const mjtNum* poly) {
      return std::any_of(poly + mjNPOLY * id, poly + mjNPOLY * (id + 1),
                         [](mjtNum x) { return x != 0; });
    };
    if (curved(m_.tendon_stiffnesspoly) || curved(m_.tendon_dampingpoly)) {
      refuse("with stiffness or damping beyond the linear term");
    }
    if (m_.tendon_armature[id] != 0) refuse("with armature");
    if (m_.tendon_springyield[id] != 0) refuse("with springyield");
    const int first = m_.tendon_adr[id];
    for (int w = first; w < first + m_.tendon_num[id]; ++w) {
      const int object = m_.wrap_objid[w];
      switch (m_.wrap_type[w]) {
        case mjWRAP_JOINT: t.joints.push_back(part(object, m_.wrap_prm[w], at)); break;
        case mjWRAP_SITE: {
          SceneTendon::Point point;
          Pose pose;
          place(m_.site_bodyid[object], site(object), point.body, pose);
          point.position = pose.p;
          t.points.push_back(point);
          break;
        }
        case mjWRAP_PULLEY: refuse("over pulleys"); break;
        default: refuse("that wrap around geoms");
      }
    }
    if (!is_disabled(spec_, mjDSBL_SPRING)) t.stiffness = m_.tendon_stiffness[id];
    t.lower_rest = m_.tendon_lengthspring[2 * id];
    t.upper_rest = m_.tendon_lengthspring[2 * id + 1];
    if (!is_disabled(spec_, mjDSBL_DAMPER)) t.damping = m_.tendon_damping[id];
    if (!is_disabled(spec_, mjDSBL_FRICTIONLOSS)) t.dry_friction = m_.tendon_frictionloss[id];
    t.limited = m_.tendon_limited[id] && !is_disabled(spec_, mjDSBL_LIMIT);
    t.lower = m_.tendon_range[2 * id];
    t.upper = m_.tendon_range[2 * id + 1];
    return t;
  }

 private:
  Pose site(int id) const {
    return {read_vector(m_.site_pos, id), to_matrix(read_quaternion(m_.site_quat, id))};
  }
  void place(int body, const Pose& pose, int& scene_body, Pose& in_body) const {
    scene_body = map_[body].scene_body;
    in_body = map_[body].pose * pose;
  }
  ScenePart part(int joint, double gear, const Origin& at) const {
    const int type = m_.jnt_type[joint], body = m_.jnt_bodyid[joint];
    if (type != mjJNT_HINGE && type != mjJNT_SLIDE) {
      fail_input("only hinges and slides can be coupled, not other joints: remove it", at);
    }
    return {map_[body].scene_body, joint - m_.body_jntadr[body], gear};
  }
  int tendon_place(int id, const Origin& at) const {
    const auto found = tendons_.find(id);
    if (found == tendons_.end()) {
      fail_input("one of its tendons joins points that do not move: remove it", at);
    }
    return found->second;
  }
  void joints(SceneEquality& e, int a, int b, const mjtNum* data, const Origin& at) const {
    e.kind = EqualityKind::joint;
    const ScenePart on_a = part(a, 1, at);
    e.body_a = on_a.body, e.joint_a = on_a.joint;
    e.reference_a = m_.qpos0[m_.jnt_qposadr[a]];
    if (b >= 0) {
      const ScenePart on_b = part(b, 1, at);
      e.body_b = on_b.body, e.joint_b = on_b.joint;
      e.reference_b = m_.qpos0[m_.jnt_qposadr[b]];
    }
    std::copy_n(data, 5, e.polynomial);
  }

  const Spec& spec_;
  const mjModel& m_;
  const BodyMap& map_;
  const std::map<int, int>& tendons_;
};

/// Those that do something, or that an active equality constraint holds.
bool is_needed(const Spec& spec, const mjModel& m, int tendon) {
  if (acts(spec, m, tendon)) return true;
  for (int e = 0; e < m.neq; ++e) {
    if (m.eq_type[e] != mjEQ_TENDON || !is_active(spec, m, e)) continue;
    if (m.eq_obj1id[e] == tendon || m.eq_obj2id[e] == tendon) return true;
  }
  return false;
}

void list_softness(const mjtNum* solref, const mjtNum* solimp, const Origin& at,
                   const std::string& name, NoticeList& notices) {
  constexpr mjtNum ref[] = {0.02, 1}, imp[] = {0.9, 0.95, 0.001, 0.5, 2};
  if (std::equal(ref, ref + 2, solref) && std::equal(imp, imp + 5, solimp)) return;
  notices.add("solref and solimp of equality constraints and tendons are not used: they are stiff",
              at, name);
}

}  // namespace

void read_couplings(const Source& source, const Spec& spec, const mjModel& model,
                    const BodyMap& map, Scene& scene, NoticeList& notices) {
  std::map<int, int> places;
  const CouplingReader reader(spec, model, map, places);
  const auto tendons = elements_by_id(spec, mjOBJ_TENDON, model.ntendon);
  for (int id = 0; id < model.ntendon; ++id) {
    const std::string name = name_of(tendons[id]);
    const Origin at = origin_of(source, "tendon", tendons[id], mjs_asTendon(tendons[id])->info);
    if (!is_needed(spec, model, id)) continue;
    SceneTendon tendon = reader.tendon(id, at);
    const bool moves =
        !tendon.joints.empty() ||
        std::any_of(
            tendon.points.begin(), tendon.points.end(), [&](const SceneTendon::Point& point) {
              return point.body != world_body && scene.bodies[point.body].kind != BodyKind::fixed;
            });
    if (!moves) {
      notices.add("tendons between points that do not move do nothing", at, name);
      continue;
    }
    list_softness(model.tendon_solref_lim + mjNREF * id, model.tendon_solimp_lim + mjNIMP * id, at,
                  name, notices);
    tendon.name = name;
    places[id] = static_cast<int>(scene.tendons.size());
    scene.tendons.push_back(std::move(tendon));
  }
  const auto equalities = elements_by_id(spec, mjOBJ_EQUALITY, model.neq);
  for (int id = 0; id < model.neq; ++id) {
    const std::string name = name_of(equalities[id]);
    const Origin at =
        origin_of(source, "equality", equalities[id], mjs_asEquality(equalities[id])->info);
    if (!is_active(spec, model, id)) {
      notices.add("equality constraints that are not active are left out", at, name);
      continue;
    }
    SceneEquality equality = reader.equality(id, at);
    if (reader.is_idle(equality, scene)) {
      notices.add("equality constraints within one rigid body do nothing", at, name);
      continue;
    }
    list_softness(model.eq_solref + mjNREF * id, model.eq_solimp + mjNIMP * id, at, name, notices);
    equality.name = name;
    scene.equalities.push_back(std::move(equality));
  }
}

}  // namespace abut::mjcf
