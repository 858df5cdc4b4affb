#include "abut/io/mjcf/actuators.hpp"

#include <algorithm>

#include "abut/io/mjcf/support.hpp"

namespace abut::mjcf {

namespace {

class ActuatorReader {
 public:
  ActuatorReader(const mjModel& model, const BodyMap& map, int id, const Origin& at)
      : m_(model), map_(map), id_(id), at_(at) {}

  SceneActuator read() {
    refuse_unknown();
    SceneActuator a;
    a.origin = at_;
    read_transmission(a);
    const mjtNum *gain = m_.actuator_gainprm + mjNGAIN * id_,
                 *bias = m_.actuator_biasprm + mjNBIAS * id_;
    const bool affine = m_.actuator_gaintype[id_] == mjGAIN_AFFINE;
    a.gain[0] = gain[0];
    for (int k = 1; k < 3; ++k) a.gain[k] = affine ? gain[k] : 0;
    if (m_.actuator_biastype[id_] == mjBIAS_AFFINE) std::copy_n(bias, 3, a.bias);
    if (m_.actuator_forcelimited[id_]) limit(a, m_.actuator_forcerange + 2 * id_, 1);
    const int control = m_.actuator_ctrladr[id_];
    a.control_limited = m_.actuator_ctrllimited[control];
    a.lower_control = m_.actuator_ctrlrange[2 * control];
    a.upper_control = m_.actuator_ctrlrange[2 * control + 1];
    limit_by_joint(a);
    read_activation(a);
    return a;
  }

 private:
  [[noreturn]] void refuse(const std::string& which) const {
    fail_input("actuators " + which +
                   " are not simulated: remove it, or set <flag actuation=\"disable\"/>",
               at_);
  }

  void refuse_unknown() const {
    if (m_.actuator_plugin[id_] >= 0) refuse("by plugins");
    switch (m_.actuator_dyntype[id_]) {
      case mjDYN_NONE:
      case mjDYN_INTEGRATOR:
      case mjDYN_FILTER:
      case mjDYN_FILTEREXACT: break;
      case mjDYN_MUSCLE: refuse("like muscles");
      default: refuse("with other activation dynamics than integrators and filters");
    }
    if (m_.actuator_actnum[id_] > 1) refuse("with more than one activation");
    const int gain = m_.actuator_gaintype[id_], bias = m_.actuator_biastype[id_];
    if (gain != mjGAIN_FIXED && gain != mjGAIN_AFFINE) refuse("with a gain that is not affine");
    if (bias != mjBIAS_NONE && bias != mjBIAS_AFFINE) refuse("with a bias that is not affine");
    if (m_.actuator_ctrlnum[id_] != 1 || m_.actuator_outnum[id_] != 1) {
      refuse("with more than one control or force");
    }
    if (m_.actuator_delay[id_] != 0 || m_.actuator_historyadr[id_] >= 0) refuse("with a delay");
    const mjtNum* poly = m_.actuator_dampingpoly + mjNPOLY * id_;
    const bool damps = m_.actuator_damping[id_] != 0 ||
                       std::any_of(poly, poly + mjNPOLY, [](mjtNum x) { return x != 0; });
    if (damps || m_.actuator_armature[id_] != 0) refuse("with damping or armature");
  }

  void read_activation(SceneActuator& a) const {
    const int type = m_.actuator_dyntype[id_];
    if (type == mjDYN_NONE) return;
    a.activation = type == mjDYN_INTEGRATOR ? Activation::integrator : Activation::filter;
    a.time_constant = std::max(m_.actuator_dynprm[mjNDYN * id_], 1e-10);  // MuJoCo's least
    a.activation_limited = m_.actuator_actlimited[id_];
    a.lower_activation = m_.actuator_actrange[2 * id_];
    a.upper_activation = m_.actuator_actrange[2 * id_ + 1];
    a.activation_early = m_.actuator_actearly[id_];
  }

  void add(SceneActuator& a, int joint, double gear) const {
    const int type = m_.jnt_type[joint], body = m_.jnt_bodyid[joint];
    if (type != mjJNT_HINGE && type != mjJNT_SLIDE) refuse("on a ball or free joint");
    a.parts.push_back({map_[body].scene_body, joint - m_.body_jntadr[body], gear});
  }

  void read_transmission(SceneActuator& a) const {
    const int target = m_.actuator_trnid[2 * id_];
    const double gear = m_.actuator_gear[6 * m_.actuator_outadr[id_]];
    switch (m_.actuator_trntype[id_]) {
      case mjTRN_JOINT:
      case mjTRN_JOINTINPARENT: add(a, target, gear); break;
      case mjTRN_TENDON: {
        const int first = m_.tendon_adr[target];
        for (int w = first; w < first + m_.tendon_num[target]; ++w) {
          if (m_.wrap_type[w] != mjWRAP_JOINT) refuse("on a spatial tendon");
          add(a, m_.wrap_objid[w], gear * m_.wrap_prm[w]);
        }
        break;
      }
      case mjTRN_SLIDERCRANK: refuse("by a slider-crank");
      case mjTRN_SITE: refuse("on a site");
      case mjTRN_BODY: refuse("by adhesion");
      default: refuse("with such a transmission");
    }
  }

  static void limit(SceneActuator& a, const mjtNum* range, double gear) {
    const double lower = std::min(range[0] / gear, range[1] / gear);
    const double upper = std::max(range[0] / gear, range[1] / gear);
    a.lower_force = std::max(a.lower_force, lower);
    a.upper_force = std::min(a.upper_force, upper);
  }

  /// A joint's bound on all its actuators' force, where there is one actuator.
  void limit_by_joint(SceneActuator& a) const {
    for (int j = 0; j < m_.njnt; ++j) {
      if (!m_.jnt_actfrclimited[j]) continue;
      const int body = m_.jnt_bodyid[j];
      for (const SceneActuator::Part& part : a.parts) {
        if (part.body != map_[body].scene_body || part.joint != j - m_.body_jntadr[body]) continue;
        if (actuators_of(j) > 1 || a.parts.size() > 1 || part.gear == 0) {
          refuse("that share a joint with actuatorfrcrange, or act on others too,");
        }
        limit(a, m_.jnt_actfrcrange + 2 * j, part.gear);
      }
    }
    if (a.lower_force > a.upper_force) refuse("with bounds of force that exclude each other");
  }

  int actuators_of(int joint) const {
    int count = 0;
    for (int i = 0; i < m_.nactuator; ++i) {
      const int type = m_.actuator_trntype[i], target = m_.actuator_trnid[2 * i];
      if (type == mjTRN_JOINT || type == mjTRN_JOINTINPARENT) count += target == joint;
      if (type != mjTRN_TENDON) continue;
      for (int w = m_.tendon_adr[target]; w < m_.tendon_adr[target] + m_.tendon_num[target]; ++w) {
        count += m_.wrap_type[w] == mjWRAP_JOINT && m_.wrap_objid[w] == joint;
      }
    }
    return count;
  }

  const mjModel& m_;
  const BodyMap& map_;
  int id_;
  Origin at_;
};

bool is_switched_off(const Spec& spec, const mjsActuator& actuator) {
  if (is_disabled(spec, mjDSBL_ACTUATION)) return true;
  return actuator.group >= 0 && actuator.group < 31 &&
         (spec->option.disableactuator >> actuator.group & 1) != 0;
}

}  // namespace

void read_actuators(const Source& source, const Spec& spec, const mjModel& model,
                    const BodyMap& map, Scene& scene, NoticeList& notices) {
  const auto elements = elements_by_id(spec, mjOBJ_ACTUATOR, model.nactuator);
  for (int id = 0; id < model.nactuator; ++id) {
    const mjsActuator& written = *mjs_asActuator(elements[id]);
    const Origin at = origin_of(source, "actuator", elements[id], written.info);
    if (is_switched_off(spec, written)) {
      notices.add("actuators that are switched off are left out", at, name_of(elements[id]));
      continue;
    }
    SceneActuator actuator = ActuatorReader(model, map, id, at).read();
    actuator.name = name_of(elements[id]);
    scene.actuators.push_back(std::move(actuator));
  }
}

}  // namespace abut::mjcf
