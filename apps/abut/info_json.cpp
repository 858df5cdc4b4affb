#include "info_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "abut/core/version.hpp"
#include "abut/sim/implied_contact.hpp"
#include "abut/sim/pair_kinds.hpp"
#include "describe.hpp"

namespace abut::cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Vec3& v) {
  return {v.x, v.y, v.z};
}
Json to_json(const Quaternion& q) {
  return {q.w, q.x, q.y, q.z};
}
Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}
/// A bound of a force that may be none.
Json bound(double force) {
  return std::abs(force) < unlimited_force ? Json(force) : Json(nullptr);
}
Json index_or_null(int index) {
  return index >= 0 ? Json(index) : Json(nullptr);
}
bool has_axis(const SceneJoint& j) {
  return j.kind == JointKind::hinge || j.kind == JointKind::slide;
}

template <class Elements, class ToJson>
Json list_of(const Elements& elements, const ToJson& to_item) {
  Json list = Json::array();
  for (const auto& e : elements) list.push_back(to_item(e));
  return list;
}

/// Of each body the first of its tree; -1 for fixed ones.
std::vector<int> roots_of(const Scene& scene) {
  std::vector<int> roots;
  for (int b = 0; b < std::ssize(scene.bodies); ++b) {
    const SceneBody& body = scene.bodies[b];
    const bool is_child = body.kind == BodyKind::linked && body.parent != world_body;
    roots.push_back(body.kind == BodyKind::fixed ? -1 : is_child ? roots[body.parent] : b);
  }
  return roots;
}

Json trees_of(const Scene& scene) {
  Json trees = Json::array();
  std::vector<int> place(scene.bodies.size());
  const std::vector<int> roots = roots_of(scene);
  for (int b = 0; b < std::ssize(scene.bodies); ++b) {
    const int root = roots[b];
    if (root < 0) continue;
    const SceneBody& body = scene.bodies[b];
    const bool is_free = body.kind == BodyKind::free;
    if (root == b) {
      place[b] = static_cast<int>(trees.size());
      trees.push_back({{"kind", is_free ? "free" : "mechanism"},
                       {"dofs", 0},
                       {"mass", 0.0},
                       {"bodies", Json::array()}});
    }
    Json& tree = trees[place[root]];
    tree["dofs"] = tree["dofs"].get<int>() + (is_free ? 6 : joint_velocities(body));
    tree["mass"] = tree["mass"].get<double>() + body.mass;
    tree["bodies"].push_back(b);
  }
  return trees;
}

Json bodies_of(const Scene& scene) {
  Json bodies = Json::array();
  for (int b = 0; b < std::ssize(scene.bodies); ++b) {
    const SceneBody& body = scene.bodies[b];
    const Mat3& i = body.inertia;
    Json joints = Json::array();
    for (const SceneJoint& j : body.joints) {
      joints.push_back({{"name", j.name},
                        {"kind", to_string(j.kind)},
                        {"axis", has_axis(j) ? to_json(j.axis) : Json(nullptr)},
                        {"anchor", to_json(j.anchor)},
                        {"range", j.limited ? Json{j.lower, j.upper} : Json(nullptr)},
                        {"reference", j.reference},
                        {"damping", j.damping},
                        {"stiffness", j.stiffness},
                        {"spring_reference", j.spring_reference},
                        {"dry_friction", j.dry_friction},
                        {"armature", j.armature}});
    }
    const Keyframe::State start = initial_state(body);
    bodies.push_back({{"name", display_name(scene, b)},
                      {"kind", to_string(body.kind)},
                      {"parent", index_or_null(body.parent)},
                      {"position", to_json(body.position)},
                      {"quaternion", to_json(body.orientation)},
                      {"mass", body.mass},
                      {"center_of_mass", to_json(body.center_of_mass)},
                      {"inertia", {i(0, 0), i(1, 1), i(2, 2), i(0, 1), i(0, 2), i(1, 2)}},
                      {"joints", joints},
                      {"joint_positions", start.joint_positions},
                      {"joint_velocities", start.joint_velocities}});
  }
  return bodies;
}

Json shape_of(const Shape& s) {
  Json j = {{"type", to_string(s.kind)}};
  switch (s.kind) {
    case ShapeKind::plane: break;
    case ShapeKind::sphere: j["radius"] = s.radius(); break;
    case ShapeKind::capsule:
    case ShapeKind::cylinder:
      j["radius"] = s.radius();
      j["half_length"] = s.half_length();
      break;
    case ShapeKind::box: j["half_extents"] = to_json(s.size); break;
    case ShapeKind::ellipsoid: j["radii"] = to_json(s.size); break;
    case ShapeKind::hull: j["vertices"] = s.hull->vertices.size(); break;
    case ShapeKind::height_field:
      j["vertices"] = {s.field->columns, s.field->rows};
      j["half_extents"] = {s.field->half_x, s.field->half_y};
      j["heights"] = {s.field->lowest, s.field->highest};
      j["base"] = s.field->base;
      break;
  }
  return j;
}

Json points_of(const std::shared_ptr<const ForceTable>& table) {
  if (table == nullptr) return nullptr;
  Json points = Json::array();
  for (std::size_t i = 0; i < table->depth.size(); ++i) {
    points.push_back({table->depth[i], table->force[i]});
  }
  return points;
}

Json material_of(const Material& m) {
  return {{"stiffness", or_null(m.stiffness)},
          {"dissipation", or_null(m.dissipation)},
          {"relaxation_time", or_null(m.relaxation_time)},
          {"friction", or_null(m.friction)},
          {"cross_friction", or_null(m.cross_friction)},
          {"static_friction", or_null(m.static_friction)},
          {"force_table", points_of(m.table)},
          {"thickness", or_null(m.thickness)}};
}

Json pair_of(const ScenePair& p) {
  return {{"name", p.name},
          {"geoms", {p.geom_a, p.geom_b}},
          {"material", material_of(p.material)},
          {"law", p.law ? Json(to_string(*p.law)) : Json(nullptr)},
          {"frictionless", p.frictionless},
          {"forced", p.forced}};
}

Json geom_of(const SceneGeom& g) {
  return {{"name", g.name},
          {"body", index_or_null(g.body)},
          {"shape", shape_of(g.shape)},
          {"position", to_json(g.pose.p)},
          {"quaternion", to_json(to_quaternion(g.pose.R))},
          {"material", material_of(g.material)},
          {"friction_axis", to_json(g.friction_axis)},
          {"surface_velocity", to_json(g.surface_velocity)},
          {"surface_angular_velocity", to_json(g.surface_angular_velocity)},
          {"frictionless", g.frictionless},
          {"friction_priority", g.friction_priority},
          {"contact_type", g.contact_type},
          {"contact_affinity", g.contact_affinity}};
}

Json parts_of(const std::vector<ScenePart>& parts) {
  return list_of(parts, [](const ScenePart& p) {
    return Json{{"body", p.body}, {"joint", p.joint}, {"gear", p.gear}};
  });
}

Json actuator_of(const SceneActuator& a) {
  constexpr const char* activations[] = {"none", "integrator", "filter"};
  return {
      {"name", a.name},
      {"parts", parts_of(a.parts)},
      {"gain", a.gain},
      {"bias", a.bias},
      {"force_range", {bound(a.lower_force), bound(a.upper_force)}},
      {"velocity_limit", std::isfinite(a.velocity_limit) ? Json(a.velocity_limit) : Json(nullptr)},
      {"control_range", a.control_limited ? Json{a.lower_control, a.upper_control} : Json(nullptr)},
      {"activation", activations[static_cast<int>(a.activation)]}};
}

Json equality_of(const SceneEquality& e) {
  Json j = {{"name", e.name}, {"kind", describe_kind(e.kind)}};
  switch (e.kind) {
    case EqualityKind::connect:
    case EqualityKind::weld:
      j["bodies"] = {index_or_null(e.body_a), index_or_null(e.body_b)};
      return j;
    case EqualityKind::joint:
      j["bodies"] = {index_or_null(e.body_a), index_or_null(e.body_b)};
      j["joints"] = {e.joint_a, e.body_b >= 0 ? Json(e.joint_b) : Json(nullptr)};
      break;
    case EqualityKind::tendon:
      j["tendons"] = {index_or_null(e.tendon_a), index_or_null(e.tendon_b)};
      break;
  }
  j["polynomial"] = e.polynomial;
  return j;
}

Json tendon_of(const SceneTendon& t) {
  const Json points = list_of(t.points, [](const SceneTendon::Point& p) {
    return Json{{"body", index_or_null(p.body)}, {"position", to_json(p.position)}};
  });
  return {{"name", t.name},           {"parts", parts_of(t.joints)},
          {"points", points},         {"range", t.limited ? Json{t.lower, t.upper} : Json(nullptr)},
          {"stiffness", t.stiffness}, {"rest", {t.lower_rest, t.upper_rest}},
          {"damping", t.damping},     {"dry_friction", t.dry_friction}};
}

Json controller_of(const Controller& c) {
  return {{"type", describe_kind(c.kind)},
          {"signal", describe_signal(c.signal)},
          {"actuators", c.actuators},
          {"kp", c.kp},
          {"kd", c.kd},
          {"effort_limit", bound(c.effort_limit)}};
}

Json camera_of(const Camera& c) {
  return {{"name", c.name},
          {"position", to_json(c.position)},
          {"target", to_json(c.target)},
          {"up", to_json(c.up)},
          {"field_of_view", c.field_of_view}};
}

Json contacts_of(const Scene& scene, const WorldOptions& o) {
  const ContactSettings settings = contact_settings(scene, o);
  return list_of(find_pair_kinds(scene, o.pair), [&](const PairKind& k) {
    const ImpliedContact i = implied_contact(k.material, settings, k.lightest, k.heaviest);
    const bool near_rigid = traits(o.model).is_near_rigid;
    const NormalLawKind law = effective_law(o.model, k.material.law.value_or(o.law));
    return Json{{"law", to_string(law)},
                {"stiffness", k.material.stiffness},
                {"dissipation", k.material.dissipation},
                {"relaxation_time", k.material.relaxation_time},
                {"friction", k.material.friction},
                {"static_friction", k.material.static_friction},
                {"force_table", points_of(k.material.table)},
                {"thickness", k.material.thickness},
                {"lightest", k.lightest},
                {"heaviest", k.heaviest},
                {"depth", i.depth},
                {"period", i.period},
                {"creep", i.creep},
                {"glide", i.glide},
                {"rigid_step", near_rigid ? Json(i.rigid_step) : Json(nullptr)}};
  });
}

}  // namespace

std::string info_json(const std::string& path, const SceneFile& file, const WorldOptions& o) {
  const Scene& s = file.scene;
  const Json notices = list_of(s.notices, [](const Notice& n) {
    return Json{
        {"file", n.at.file}, {"line", n.at.line}, {"element", n.at.element}, {"text", n.text}};
  });
  const Json keyframes = list_of(s.keyframes, [](const Keyframe& k) {
    return Json{{"name", k.name}, {"time", k.time}};
  });
  const Json j = {
      {"version", version()},
      {"scene", path},
      {"gravity", to_json(s.gravity)},
      {"friction_rule", s.friction_rule == FrictionRule::maximum ? "maximum" : "harmonic"},
      {"force_table", points_of(s.force_table)},
      {"simulation",
       {{"model", to_string(o.model)},
        {"law", to_string(o.law)},
        {"scheme", to_string(o.scheme)},
        {"solver", o.solver_name()},
        {"time_step", o.time_step.value_or(s.time_step)},
        {"tolerance", o.tolerance},
        {"accuracy", or_null(o.accuracy)},
        {"duration", or_null(file.simulation.duration)},
        {"seed", file.simulation.seed}}},
      {"fluid",
       {{"density", s.fluid_density}, {"viscosity", s.fluid_viscosity}, {"wind", to_json(s.wind)}}},
      {"trees", trees_of(s)},
      {"bodies", bodies_of(s)},
      {"geoms", list_of(s.geoms, geom_of)},
      {"actuators", list_of(s.actuators, actuator_of)},
      {"equalities", list_of(s.equalities, equality_of)},
      {"tendons", list_of(s.tendons, tendon_of)},
      {"filter_parents", s.filter_parents},
      {"excluded_bodies", s.excluded_bodies},
      {"excluded_geoms", s.excluded_geoms},
      {"pairs", list_of(s.pairs, pair_of)},
      {"controllers", list_of(file.controllers, controller_of)},
      {"keyframes", keyframes},
      {"cameras", list_of(file.cameras, camera_of)},
      {"contacts", contacts_of(s, o)},
      {"notices", notices},
  };
  // a file name need not be UTF-8
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace abut::cli
