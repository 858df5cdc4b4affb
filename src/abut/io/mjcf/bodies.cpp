#include "abut/io/mjcf/bodies.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "abut/io/mjcf/couplings.hpp"
#include "abut/io/mjcf/joints.hpp"
#include "abut/io/mjcf/support.hpp"
#include "abut/sim/mass_properties.hpp"

namespace abut::mjcf {

namespace {

/// The inertia as written, in its own axes: principal moments are those of any axes.
Mat3 written_inertia(const mjsBody& body) {
  const double* full = body.fullinertia;
  if (std::isnan(full[0])) {
    return Mat3::diagonal({body.inertia[0], body.inertia[1], body.inertia[2]});
  }
  return {{{full[0], full[3], full[4]}, {full[3], full[1], full[5]}, {full[4], full[5], full[2]}}};
}

/// For moments that obey the rule up to its slack.
void round_to_triangle(double* moments) {
  double* largest = std::max_element(moments, moments + 3);
  double others = 0;
  for (double* moment = moments; moment != moments + 3; ++moment) {
    if (moment != largest) others += *moment;
  }
  *largest = std::min(*largest, others);
}

void check_inertial(mjsBody& body, bool is_whole, const Origin& at) {
  MassProperties{body.mass, {}, written_inertia(body)}.validate(at, !is_whole);
  round_to_triangle(body.inertia);
}

/// Throws if no geom gives the body a mass.
void check_inferred_mass(mjsBody& body, const Origin& at) {
  mjsElement* geom = mjs_firstChild(&body, mjOBJ_GEOM, 0);
  for (; geom != nullptr; geom = mjs_nextChild(&body, geom, 0)) {
    const mjsGeom& written = *mjs_asGeom(geom);
    if (std::isnan(written.mass) ? written.density > 0 : written.mass > 0) return;
  }
  require(false, "mass", 0, "kg",
          "must be positive: give it an <inertial> element or a geom with mass", at);
}

MassProperties own_mass(const mjModel& model, int body) {
  const Mat3 R = to_matrix(read_quaternion(model.body_iquat, body));
  const Mat3 inertia = R * Mat3::diagonal(read_vector(model.body_inertia, body)) * transpose(R);
  return {model.body_mass[body], read_vector(model.body_ipos, body),
          0.5 * (inertia + transpose(inertia))};
}

void add_mass(SceneBody& body, const MassProperties& part) {
  const MassProperties whole =
      body.mass > 0 ? combined({body.mass, body.center_of_mass, body.inertia}, part) : part;
  body.mass = whole.mass;
  body.center_of_mass = whole.center_of_mass;
  body.inertia = whole.inertia;
}

}  // namespace

Vec3 read_vector(const mjtNum* array, int index) {
  const mjtNum* at = array + std::ptrdiff_t{3} * index;
  return {at[0], at[1], at[2]};
}

Quaternion read_quaternion(const mjtNum* array, int index) {
  const mjtNum* at = array + std::ptrdiff_t{4} * index;
  const Quaternion q{at[0], at[1], at[2], at[3]};
  return std::abs(norm(q) - 1) <= 1e-3 ? normalized(q) : q;
}

void check_masses(const Source& source, Spec& spec) {
  const mjsCompiler& compiler = spec->compiler;
  // These make the compiler replace what is written.
  if (compiler.balanceinertia || compiler.boundmass > 0 || compiler.boundinertia > 0) return;
  const auto moving = moving_bodies(spec);
  for_each(spec, mjOBJ_BODY, mjs_asBody, [&](mjsBody* body, mjsElement* element) {
    if (!moving.contains(element)) return;
    const Origin at = origin_of(source, "body", element, body->info);
    const bool is_whole = mjs_firstChild(body, mjOBJ_JOINT, 0) != nullptr &&
                          mjs_firstChild(body, mjOBJ_BODY, 0) == nullptr;
    if (body->explicitinertial && compiler.inertiafromgeom != mjINERTIAFROMGEOM_TRUE) {
      check_inertial(*body, is_whole, at);
    } else if (is_whole && compiler.inertiafromgeom != mjINERTIAFROMGEOM_FALSE) {
      check_inferred_mass(*body, at);
    }
  });
}

BodyMap read_bodies(const Source& source, const Spec& spec, const mjModel& model, Scene& scene) {
  BodyMap map;
  map.bodies.resize(static_cast<std::size_t>(model.nbody));
  const std::vector<mjsElement*> elements = elements_by_id(spec, mjOBJ_BODY, model.nbody);
  const std::vector<mjsElement*> joints = elements_by_id(spec, mjOBJ_JOINT, model.njnt);
  const std::vector<BodyKind> kinds = body_kinds(model);
  for (int id = 1; id < model.nbody; ++id) {  // parents come first, the world is 0
    const BodyMap::Entry parent = map[model.body_parentid[id]];
    Pose pose = parent.pose * Pose{read_vector(model.body_pos, id),
                                   to_matrix(read_quaternion(model.body_quat, id))};
    const bool is_carried =
        parent.scene_body != world_body && scene.bodies[parent.scene_body].kind != BodyKind::fixed;
    if (kinds[id] == BodyKind::fixed && is_carried) {  // also if it is mocap: welded
      map.bodies[id] = {parent.scene_body, pose};
      add_mass(scene.bodies[parent.scene_body], transformed(pose, own_mass(model, id)));
      continue;
    }
    SceneBody body;
    body.name = name_of(elements[id]);
    body.kind = kinds[id];
    body.origin = origin_of(source, "body", elements[id], mjs_asBody(elements[id])->info);
    add_mass(body, own_mass(model, id));
    const bool on_fixed =
        parent.scene_body != world_body && scene.bodies[parent.scene_body].kind == BodyKind::fixed;
    if (on_fixed) {
      const SceneBody& base = scene.bodies[parent.scene_body];
      pose = Pose{base.position, to_matrix(base.orientation)} * pose;
    }
    body.position = pose.p;
    // as written where it is written in the same frame
    body.orientation = parent.scene_body == world_body ? read_quaternion(model.body_quat, id)
                                                       : to_quaternion(pose.R);
    const int joint = model.body_jntadr[id];
    if (kinds[id] != BodyKind::fixed && model.jnt_type[joint] == mjJNT_FREE) {
      const mjtNum* q = model.qpos0 + model.jnt_qposadr[joint];
      body.position = read_vector(q);
      body.orientation = read_quaternion(q + 3);
    }
    if (kinds[id] == BodyKind::linked) {
      body.parent = on_fixed ? world_body : parent.scene_body;
      body.joints = read_joints(source, spec, model, id, joints);
    }
    map.bodies[id] = {static_cast<int>(scene.bodies.size()), Pose{}};
    scene.bodies.push_back(std::move(body));
  }
  return map;
}

void read_fluid(const Spec& spec, const mjModel& model, const BodyMap& map, Scene& scene) {
  // MuJoCo's rule: no passive force acts when springs and dampers are both off
  if (is_disabled(spec, mjDSBL_SPRING) && is_disabled(spec, mjDSBL_DAMPER)) return;
  scene.fluid_density = spec->option.density;
  scene.fluid_viscosity = spec->option.viscosity;
  if (scene.fluid_density == 0 && scene.fluid_viscosity == 0) return;
  scene.wind = read_vector(spec->option.wind);
  for (int id = 1; id < model.nbody; ++id) {
    const double mass = model.body_mass[id];
    const int body = map[id].scene_body;
    if (body == world_body || mass <= 0) continue;
    const Vec3 moments = read_vector(model.body_inertia, id);
    const double sum = moments.x + moments.y + moments.z;
    DragBox box{.body = body,
                .pose = map[id].pose * Pose{read_vector(model.body_ipos, id),
                                            to_matrix(read_quaternion(model.body_iquat, id))},
                .sides = {}};
    for (int k = 0; k < 3; ++k) {
      box.sides[k] = std::sqrt(std::max(0.0, 6 * (sum - 2 * moments[k]) / mass));
    }
    scene.drag_boxes.push_back(box);
  }
}

}  // namespace abut::mjcf
