#include "abut/io/mjcf/support.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <unordered_set>

#include "abut/core/text.hpp"
#include "abut/io/mjcf/joints.hpp"

namespace abut::mjcf {

namespace {

bool any_nonzero(const double* begin, int count) {
  return std::any_of(begin, begin + count, [](double x) { return x != 0; });
}

const char* joint_kind(mjtJoint type) {
  switch (type) {
    case mjJNT_FREE: return "free";
    case mjJNT_BALL: return "ball";
    case mjJNT_SLIDE: return "slide";
    case mjJNT_HINGE: return "hinge";
  }
  return "unknown";
}

/// Null for the shapes that are simulated.
const char* unsupported_shape(mjtGeom type) {
  switch (type) {
    case mjGEOM_PLANE:
    case mjGEOM_SPHERE:
    case mjGEOM_CAPSULE:
    case mjGEOM_CYLINDER:
    case mjGEOM_BOX:
    case mjGEOM_ELLIPSOID:
    case mjGEOM_MESH:
    case mjGEOM_HFIELD: return nullptr;
    case mjGEOM_SDF: return "signed distance field";
    default: return "unknown";
  }
}

class SupportCheck {
 public:
  SupportCheck(const Source& source, const Spec& spec, NoticeList& notices)
      : source_(source), spec_(spec), notices_(notices), moving_(moving_bodies(spec)) {}

  void run() {
    check_bodies();
    for_each(spec_, mjOBJ_JOINT, mjs_asJoint,
             [&](mjsJoint* joint, mjsElement* element) { check_joint(*joint, element); });
    check_geoms();
    check_keys();
    check_options(source_, spec_, notices_);
    list_sensors();
    for (const auto& [origin, text] : source_.stray_text()) {
      notices_.add("characters outside of a tag are not read", origin, text);
    }
  }

 private:
  void check_bodies();
  void check_body(const mjsBody& body, mjsElement* element);
  void check_joint(const mjsJoint& joint, mjsElement* element);
  void list_joint_softness(const mjsJoint& joint, const Origin& origin, const std::string& name);
  void check_geoms();
  void check_geom(const mjsGeom& geom, mjsElement* element, bool can_collide);
  void check_keys();
  void list_sensors();

  Origin at(const char* tag, mjsElement* element, const mjString* info) const {
    return origin_of(source_, tag, element, info);
  }

  const Source& source_;
  const Spec& spec_;
  NoticeList& notices_;
  const std::unordered_set<const mjsElement*> moving_;
};

void SupportCheck::check_bodies() {
  for_each(spec_, mjOBJ_BODY, mjs_asBody,
           [&](mjsBody* body, mjsElement* element) { check_body(*body, element); });
}

void SupportCheck::check_body(const mjsBody& body, mjsElement* element) {
  const Origin origin = at("body", element, body.info);
  if (body.mocap) {
    notices_.add("bodies moved by motion capture stay where they are", origin, name_of(element));
  }
  if (!moving_.contains(element)) return;
  require(body.gravcomp == 0, "gravcomp", body.gravcomp, "",
          "must be 0: compensation of gravity is not simulated", origin);
  if (body.sleep == mjSLEEP_INIT && (spec_->option.enableflags & mjENBL_SLEEP) != 0) {
    fail_input("bodies that start asleep are not simulated: remove sleep=\"init\"", origin);
  }
}

void SupportCheck::check_joint(const mjsJoint& joint, mjsElement* element) {
  const Origin origin = origin_of_joint(source_, joint, element);
  const std::string kind = joint_kind(joint.type);
  const auto refuse = [&](bool acts, const char* attribute) {
    if (acts) {
      fail_input(std::string(attribute) + " of a " + kind + " joint is not simulated: set it to 0",
                 origin);
    }
  };
  const bool has_axis = joint.type == mjJNT_HINGE || joint.type == mjJNT_SLIDE;
  const bool springs = !is_disabled(spec_, mjDSBL_SPRING);
  const bool damps = !is_disabled(spec_, mjDSBL_DAMPER);
  const bool spring_damper = joint.springdamper[0] > 0 && joint.springdamper[1] > 0;
  refuse(any_nonzero(joint.damping + 1, mjNPOLY) && damps, "damping beyond the linear term");
  refuse(any_nonzero(joint.stiffness + (has_axis ? 1 : 0), mjNPOLY + (has_axis ? 0 : 1)) && springs,
         has_axis ? "stiffness beyond the linear term" : "stiffness");
  refuse(spring_damper && !has_axis, "springdamper");
  refuse(joint.springyield != 0 && springs, "springyield");
  const bool limited = joint.limited == mjLIMITED_TRUE ||
                       (joint.limited == mjLIMITED_AUTO && joint.range[0] < joint.range[1]);
  refuse(limited && !has_axis && !is_disabled(spec_, mjDSBL_LIMIT), "range");
  list_joint_softness(joint, origin, name_of(element));
}

void SupportCheck::list_joint_softness(const mjsJoint& joint, const Origin& origin,
                                       const std::string& name) {
  mjsJoint standard;
  mjs_defaultJoint(&standard);
  const auto differs = [](const mjtNum* a, const mjtNum* b, int count) {
    return !std::equal(a, a + count, b);
  };
  if (differs(joint.solref_limit, standard.solref_limit, mjNREF) ||
      differs(joint.solimp_limit, standard.solimp_limit, mjNIMP) || joint.margin != 0) {
    notices_.add("solreflimit, solimplimit and margin of joints are not used: limits are stiff",
                 origin, name);
  }
  if (differs(joint.solref_friction, standard.solref_friction, mjNREF) ||
      differs(joint.solimp_friction, standard.solimp_friction, mjNIMP)) {
    notices_.add("solreffriction and solimpfriction of joints are not used", origin, name);
  }
}

void SupportCheck::check_geoms() {
  std::uint32_t types = 0, affinities = 0;
  for_each(spec_, mjOBJ_GEOM, mjs_asGeom, [&](mjsGeom* geom, mjsElement*) {
    types |= static_cast<std::uint32_t>(geom->contype);
    affinities |= static_cast<std::uint32_t>(geom->conaffinity);
  });
  for_each(spec_, mjOBJ_GEOM, mjs_asGeom, [&](mjsGeom* geom, mjsElement* element) {
    const bool agrees = (static_cast<std::uint32_t>(geom->contype) & affinities) != 0 ||
                        (static_cast<std::uint32_t>(geom->conaffinity) & types) != 0;
    const bool can_collide = agrees && !is_disabled(spec_, mjDSBL_CONTACT);
    check_geom(*geom, element, can_collide);
  });
}

void SupportCheck::check_geom(const mjsGeom& geom, mjsElement* element, bool can_collide) {
  const Origin origin = at("geom", element, geom.info);
  if (const char* shape = unsupported_shape(geom.type)) {
    if (can_collide) {
      fail_input(std::string(shape) +
                     " geoms that collide are not simulated: use spheres, capsules, cylinders, "
                     "boxes, ellipsoids, meshes, height fields or planes, or set contype and "
                     "conaffinity to 0",
                 origin);
    }
  }
  const bool touches = geom.contype != 0 || geom.conaffinity != 0;
  const bool is_asset = geom.type == mjGEOM_MESH || geom.type == mjGEOM_HFIELD;
  if (unsupported_shape(geom.type) != nullptr || (is_asset && !touches)) {
    notices_.add("visual geoms that are meshes or height fields are left out", origin,
                 name_of(element));
  }
  if (geom.fluid_ellipsoid != 0 && (spec_->option.density != 0 || spec_->option.viscosity != 0)) {
    fail_input(
        "drag on ellipsoids is not simulated: remove fluidshape, to have it on the bodies' "
        "boxes of inertia",
        origin);
  }
  if (!can_collide) return;
  require(geom.adhesion == 0, "adhesion", geom.adhesion, "N", "must be 0: it is not simulated",
          origin);
}

void SupportCheck::check_keys() {
  const std::vector<Origin> origins = key_origins(source_, spec_);
  std::size_t next = 0;
  for_each(spec_, mjOBJ_KEY, mjs_asKey, [&](mjsKey* key, mjsElement* element) {
    const Origin& origin = origins[next++];
    for (const mjDoubleVec* values : {key->act, key->ctrl, key->mpos, key->mquat, key->plastic}) {
      int size = 0;
      mjs_getDouble(values, &size);
      if (size == 0) continue;
      notices_.add("of a keyframe, only time, qpos and qvel are used", origin, name_of(element));
      break;
    }
  });
}

void SupportCheck::list_sensors() {
  for (const Element& element : source_.elements()) {
    if (element.parent != "sensor") continue;
    notices_.add("sensors are not computed",
                 source_.locate(element.line, label(element.tag, element.name)), element.name);
  }
}

}  // namespace

bool is_simulated(mjtGeom type) {
  return unsupported_shape(type) == nullptr;
}

void check_support(const Source& source, const Spec& spec, NoticeList& notices) {
  SupportCheck(source, spec, notices).run();
}

}  // namespace abut::mjcf
