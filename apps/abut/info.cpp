#include <cstdio>
#include <map>
#include <memory>
#include <tuple>

#include "abut/io/scene_file.hpp"
#include "abut/sim/implied_contact.hpp"
#include "abut/sim/pair_kinds.hpp"
#include "commands.hpp"
#include "describe.hpp"
#include "format.hpp"
#include "info_json.hpp"
#include "run_options.hpp"
#include "scene_arguments.hpp"

namespace abut::cli {
namespace {

std::string describe_shape(const Shape& s) {
  switch (s.kind) {
    case ShapeKind::plane: return "plane";
    case ShapeKind::sphere: return format("sphere r %g", s.radius());
    case ShapeKind::capsule: return format("capsule r %g l %g", s.radius(), 2 * s.half_length());
    case ShapeKind::cylinder: return format("cylinder r %g l %g", s.radius(), 2 * s.half_length());
    case ShapeKind::ellipsoid: return format("ellipsoid %g %g %g", s.size.x, s.size.y, s.size.z);
    case ShapeKind::hull: return format("hull of a mesh, %zu vertices", s.hull->vertices.size());
    case ShapeKind::height_field:
      return format("height field %g x %g m, %d x %d vertices", 2 * s.field->half_x,
                    2 * s.field->half_y, s.field->columns, s.field->rows);
    case ShapeKind::box:
      return format("box %g x %g x %g", 2 * s.size.x, 2 * s.size.y, 2 * s.size.z);
  }
  return "";
}

/// How many shapes of each description.
using ShapeCount = std::map<std::string, int>;

/// As "2 box 0.1 x 0.1 x 0.1, sphere r 0.05".
std::string describe_shapes(const ShapeCount& count) {
  std::string text;
  for (const auto& [shape, n] : count) {
    if (!text.empty()) text += ", ";
    text += n > 1 ? format("%d ", n) + shape : shape;
  }
  return text.empty() ? "no shape" : text;
}

/// Bodies that differ in nothing but name and place share a line.
void print_bodies(const Scene& scene) {
  ShapeCount of_world;
  std::vector<ShapeCount> of_body(scene.bodies.size());
  for (const SceneGeom& g : scene.geoms) {
    ++(g.body == world_body ? of_world : of_body[g.body])[describe_shape(g.shape)];
  }
  std::map<std::tuple<BodyKind, double, std::string>, std::vector<int>> groups;
  double mass = 0;
  for (int b = 0; b < static_cast<int>(scene.bodies.size()); ++b) {
    const SceneBody& body = scene.bodies[b];
    groups[{body.kind, body.mass, describe_shapes(of_body[b])}].push_back(b);
    if (body.kind != BodyKind::fixed) mass += body.mass;
  }
  std::printf("%s, %g kg; %zu geoms\n", describe_trees(scene).c_str(), mass, scene.geoms.size());
  std::printf("  %5s  %-6s  %10s  %-36s  %s\n", "count", "kind", "mass [kg]", "shape [m]", "names");
  std::printf("  %5s  %-6s  %10s  %-36s  %s\n", "", "fixed", "", describe_shapes(of_world).c_str(),
              "world");
  for (const auto& [key, bodies] : groups) {
    const auto& [kind, m, shapes] = key;
    std::string names = display_name(scene, bodies.front());
    if (bodies.size() > 2) names += " ...";
    if (bodies.size() > 1) names += " " + display_name(scene, bodies.back());
    std::printf("  %5zu  %-6s  %10s  %-36s  %s\n", bodies.size(), to_string(kind),
                kind == BodyKind::fixed ? "" : format("%g", m).c_str(), shapes.c_str(),
                names.c_str());
  }
}

/// Of hinges and slides; angles in radians.
void print_joints(const Scene& scene) {
  bool any = false;
  for (const SceneBody& body : scene.bodies) {
    for (const SceneJoint& j : body.joints) {
      if (!any) {
        std::printf("joints\n  %-5s  %-20s  %-24s  %8s  %8s  %9s  %8s  %s\n", "kind", "range",
                    "axis", "damping", "friction", "stiffness", "armature", "name");
      }
      any = true;
      const bool has_axis = j.kind == JointKind::hinge || j.kind == JointKind::slide;
      std::printf("  %-5s  %-20s  %-24s  %8.3g  %8.3g  %9.3g  %8.3g  %s\n", to_string(j.kind),
                  j.limited ? format("%.4g to %.4g", j.lower, j.upper).c_str() : "",
                  has_axis ? format("%.3g %.3g %.3g", j.axis.x, j.axis.y, j.axis.z).c_str() : "",
                  j.damping, j.dry_friction, j.stiffness, j.armature, j.name.c_str());
    }
  }
}

void print_actuators(const Scene& scene) {
  if (scene.actuators.empty()) return;
  std::printf("actuators: force = gain u + bias, each (constant, per length, per velocity)\n");
  std::printf("  %-22s  %-22s  %-18s  %-12s  %s\n", "gain", "bias", "force", "name",
              "gear and joint");
  for (const SceneActuator& a : scene.actuators) {
    const bool bounded = a.upper_force < unlimited_force || a.lower_force > -unlimited_force;
    std::string joints;
    for (const SceneActuator::Part& part : a.parts) {
      if (!joints.empty()) joints += ", ";
      joints += format("%.4g ", part.gear) + joint_name(scene, part.body, part.joint);
    }
    std::printf("  %-22s  %-22s  %-18s  %-12s  %s\n",
                format("%.4g %.4g %.4g", a.gain[0], a.gain[1], a.gain[2]).c_str(),
                format("%.4g %.4g %.4g", a.bias[0], a.bias[1], a.bias[2]).c_str(),
                bounded ? format("%.4g to %.4g", a.lower_force, a.upper_force).c_str() : "",
                a.name.c_str(), joints.c_str());
  }
}

void print_equalities(const Scene& scene) {
  if (scene.equalities.empty()) return;
  std::printf("equality constraints\n");
  for (const SceneEquality& e : scene.equalities) {
    std::string what = display_name(scene, e.body_a) + ", " + display_name(scene, e.body_b);
    const double* c = e.polynomial;
    const std::string poly = format("; %.4g %.4g %.4g %.4g %.4g", c[0], c[1], c[2], c[3], c[4]);
    switch (e.kind) {
      case EqualityKind::connect:
      case EqualityKind::weld: break;
      case EqualityKind::joint:
        what = joint_name(scene, e.body_a, e.joint_a);
        if (e.body_b != world_body) what += ", " + joint_name(scene, e.body_b, e.joint_b);
        what += poly;
        break;
      case EqualityKind::tendon:
        what = tendon_name(scene, e.tendon_a);
        if (e.tendon_b >= 0) what += ", " + tendon_name(scene, e.tendon_b);
        what += poly;
        break;
    }
    std::printf("  %-8s  %-16s  %s\n", describe_kind(e.kind), e.name.c_str(), what.c_str());
  }
}

void print_tendons(const Scene& scene) {
  if (scene.tendons.empty()) return;
  std::printf("tendons\n  %-9s  %-20s  %9s  %8s  %8s  %s\n", "along", "range [m]", "stiffness",
              "damping", "friction", "name");
  for (int i = 0; i < static_cast<int>(scene.tendons.size()); ++i) {
    const SceneTendon& t = scene.tendons[i];
    std::printf("  %-9s  %-20s  %9.3g  %8.3g  %8.3g  %s\n",
                t.joints.empty() ? format("%zu points", t.points.size()).c_str()
                                 : format("%zu joints", t.joints.size()).c_str(),
                t.limited ? format("%.4g to %.4g", t.lower, t.upper).c_str() : "", t.stiffness,
                t.damping, t.dry_friction, tendon_name(scene, i).c_str());
  }
}

void print_surfaces(const Scene& scene) {
  bool any = false;
  for (std::size_t k = 0; k < scene.geoms.size(); ++k) {
    const SceneGeom& g = scene.geoms[k];
    if (!has_moving_surface(g)) continue;
    if (!any) std::puts("surfaces that move: velocity [m/s], angular velocity [rad/s], geom");
    any = true;
    const Vec3 &v = g.surface_velocity, &w = g.surface_angular_velocity;
    std::printf("  (%.4g, %.4g, %.4g), (%.4g, %.4g, %.4g)  %s\n", v.x, v.y, v.z, w.x, w.y, w.z,
                g.name.empty() ? ("geom " + std::to_string(k)).c_str() : g.name.c_str());
  }
}

void print_directions(const Scene& scene) {
  bool any = false;
  for (std::size_t k = 0; k < scene.geoms.size(); ++k) {
    const SceneGeom& g = scene.geoms[k];
    if (!g.material.cross_friction) continue;
    if (!any) std::puts("friction by direction: along, across, axis in the geom, geom");
    any = true;
    const Vec3& t = g.friction_axis;
    std::printf("  %.4g, %.4g, (%.4g, %.4g, %.4g)  %s\n", *g.material.friction,
                *g.material.cross_friction, t.x, t.y, t.z,
                g.name.empty() ? ("geom " + std::to_string(k)).c_str() : g.name.c_str());
  }
}

void print_cameras(const std::vector<Camera>& cameras) {
  if (!cameras.empty()) std::puts("cameras: position, target, field of view");
  for (const Camera& c : cameras) {
    std::printf("  (%.4g, %.4g, %.4g), (%.4g, %.4g, %.4g), %.4g  %s\n", c.position.x, c.position.y,
                c.position.z, c.target.x, c.target.y, c.target.z, c.field_of_view, c.name.c_str());
  }
}

void print_materials(const Scene& scene, const WorldOptions& options) {
  const ContactSettings settings = contact_settings(scene, options);
  const std::vector<PairKind> kinds = find_pair_kinds(scene, options.pair);
  if (kinds.empty()) return;
  const bool near_rigid = traits(options.model).is_near_rigid;
  const auto law_of = [&](const PairKind& k) {
    return effective_law(options.model, k.material.law.value_or(options.law));
  };
  const bool laws_differ = std::any_of(kinds.begin(), kinds.end(), [&](const PairKind& k) {
    return law_of(k) != law_of(kinds.front());
  });
  std::printf("contacts, with model %s at h = %g s\n",
              std::string(to_string(options.model)).c_str(), settings.time_step);
  std::printf("  %10s  %8s  %9s  %6s  %10s  %11s  %12s  %15s%s\n", "k [N/m]", "d [s/m]",
              "tau_d [s]", "mu", "depth [um]", "period [ms]", "creep [um/s]", "glide [mm/(m/s)]",
              near_rigid    ? "  rigid [ms]"
              : laws_differ ? "  law"
                            : "");
  for (const PairKind& k : kinds) {
    const PairMaterial& m = k.material;
    const ImpliedContact i = implied_contact(m, settings, k.lightest, k.heaviest);
    const bool by_table = law_of(k) == NormalLawKind::tabulated && m.table != nullptr;
    std::printf("  %10s  %8.3g  %9.3g  %6.3g  %10.3g  %11.3g  %12.3g  %15.3g",
                by_table ? "table" : format("%.3g", m.stiffness).c_str(), m.dissipation,
                m.relaxation_time, m.friction, 1e6 * i.depth, 1e3 * i.period, 1e6 * i.creep,
                1e3 * i.glide);
    std::puts(near_rigid    ? format("  %10.3g", 1e3 * i.rigid_step).c_str()
              : laws_differ ? ("  " + std::string(to_string(law_of(k)))).c_str()
                            : "");
  }
  std::puts(
      "  estimates for one contact point. depth: of the heaviest body at rest. period: of the\n"
      "  lightest; larger steps are stable and do not resolve bounces. creep: at half the\n"
      "  friction limit. glide: height at which a body slides, per speed.");
  if (near_rigid) {
    std::puts("  rigid: at larger steps a larger stiffness changes nothing for the lightest body.");
  }
}

void print_controllers(const SceneFile& file) {
  if (!file.controllers.empty()) std::puts("controllers");
  for (const Controller& c : file.controllers) {
    std::printf("  %-8s  %s of %zu\n", describe_kind(c.kind), describe_signal(c.signal),
                c.actuators.size());
  }
}

int run(const SceneArguments& arguments, const SimulationArguments& simulation, bool json) {
  const std::string& path = arguments.path;
  const SceneFile file = arguments.load();
  const Scene& scene = file.scene;
  const WorldOptions options = simulation.world_options(file.simulation);
  if (json) {
    std::fputs(info_json(path, file, options).c_str(), stdout);
    return success;
  }
  std::printf("%s\n", path.c_str());
  std::printf(
      "time step %g s, gravity (%g, %g, %g) m/s^2, friction of a pair: %s\n", scene.time_step,
      scene.gravity.x, scene.gravity.y, scene.gravity.z,
      scene.friction_rule == FrictionRule::maximum ? "priority, then the larger" : "2 a b/(a + b)");
  print_bodies(scene);
  print_joints(scene);
  print_actuators(scene);
  print_equalities(scene);
  print_tendons(scene);
  print_surfaces(scene);
  print_directions(scene);
  print_materials(scene, options);
  print_controllers(file);
  print_cameras(file.cameras);
  if (!scene.keyframes.empty()) {
    std::puts("keyframes");
    for (const Keyframe& k : scene.keyframes) {
      std::printf("  %s at %g s\n", k.name.empty() ? "(unnamed)" : k.name.c_str(), k.time);
    }
  }
  if (const std::vector<Warning> warnings = check_proportions(scene); !warnings.empty()) {
    std::puts("warnings");
    for (const Warning& w : warnings) std::printf("  %s\n", describe(scene, w).c_str());
  }
  if (!scene.notices.empty()) {
    std::puts("not simulated as said");
    for (const Notice& n : scene.notices) {
      std::printf("  %s%s\n", describe(n.at).c_str(), n.text.c_str());
    }
  }
  return success;
}

}  // namespace

void add_info(CLI::App& app, int& code) {
  struct Arguments {
    SceneArguments scene;
    SimulationArguments simulation;
    bool json = false;
  };
  auto a = std::make_shared<Arguments>();
  CLI::App* c = app.add_subcommand("info", "say what a scene holds and what its numbers imply");
  a->scene.add_to(*c);
  a->simulation.add_to(*c);
  c->add_flag("--json", a->json, "print one JSON document, with all numbers");
  c->callback([a, &code] { code = run(a->scene, a->simulation, a->json); });
}

}  // namespace abut::cli
